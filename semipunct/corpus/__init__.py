"""Sentences with their punctuation in slots, treebanks and statistics."""

from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import Entry, Omitted, ReadingNotes, Treebank

__all__ = ["Entry", "Omitted", "ReadingNotes", "Sentence", "Treebank", "Words"]
