"""Treebanks: CoNLL-U in and out, and sentences with their punctuation in slots.

Knows nothing of the model and never imports JAX.
"""

from semipunct.treebank.conllu import Record, format_record, read, write, write_texts
from semipunct.treebank.projective import projectivise
from semipunct.treebank.sentences import (
    Omitted,
    Sentence,
    Treebank,
    TreebankOptions,
    frequent_tokens,
    iterate_sentences,
    read_sentences,
    to_sentence,
    token_counts,
    with_unknown,
)
from semipunct.treebank.statistics import TreebankStatistics, statistics
from semipunct.treebank.trees import constituents

__all__ = [
    "Omitted",
    "Record",
    "Sentence",
    "Treebank",
    "TreebankOptions",
    "TreebankStatistics",
    "constituents",
    "format_record",
    "frequent_tokens",
    "iterate_sentences",
    "projectivise",
    "read",
    "read_sentences",
    "statistics",
    "to_sentence",
    "token_counts",
    "with_unknown",
    "write",
    "write_texts",
]
