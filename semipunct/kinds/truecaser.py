"""The truecaser, which other tasks use: the accuracy of capitals."""

from semipunct.kinds.answers import Answers

ANSWERS = Answers()
