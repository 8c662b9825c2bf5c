"""The tokeniser, which other tasks use: figures of tokens and sentences."""

from semipunct.kinds.answers import Answers

ANSWERS = Answers()
