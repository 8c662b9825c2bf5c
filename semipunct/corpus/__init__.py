"""Sentences with their punctuation in slots, treebanks, statistics, the synthetic generator."""

from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import Entry, Omitted, ReadingNotes, Treebank

__all__ = ["Entry", "Omitted", "ReadingNotes", "Sentence", "Treebank", "Words"]
