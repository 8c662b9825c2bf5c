"""Punctuation as data: tokens and pairs, spacing, Nunberg's rules."""

from semipunct.marks.tokens import (
    ABBREVIATION,
    EQUAL_PAIRS,
    FINAL,
    INITIAL,
    OPEN,
    PAIRS,
    SILENT,
    SPECIAL_TOKENS,
    STRAIGHT,
    UNK,
    Puncteme,
    bare,
    is_symmetric,
    is_unmatched,
)

__all__ = [
    "ABBREVIATION",
    "EQUAL_PAIRS",
    "FINAL",
    "INITIAL",
    "OPEN",
    "PAIRS",
    "SILENT",
    "SPECIAL_TOKENS",
    "STRAIGHT",
    "UNK",
    "Puncteme",
    "bare",
    "is_symmetric",
    "is_unmatched",
]
