"""Symbols for readers in place of the names of special tokens, with a legend.

``<abbr>``, ``<open>`` and ``<unk>`` are names for programs: JSON, attributes of CoNLL-U and stored
results have them. Text and tables for people have these symbols instead, none of which is a letter
or a digit.
"""

from collections.abc import Iterable, Mapping

from semipunct.marks.tokens import ABBREVIATION, FINAL, INITIAL, OPEN, UNK

SYMBOLS: Mapping[str, str] = {
    INITIAL: INITIAL,
    FINAL: FINAL,
    ABBREVIATION: ".°",
    OPEN: "◌",
    UNK: "▢",
}

MEANINGS: Mapping[str, str] = {
    INITIAL: "the beginning of the sentence",
    FINAL: "the end of the sentence",
    ABBREVIATION: "the period of an abbreviation",
    OPEN: "any string of marks, left open underneath (the open puncteme)",
    UNK: "a mark too rare for the model to tell from others",
}


def shown(token: str) -> str:
    """Return a token as readers see it."""
    return SYMBOLS.get(token, token)


def shown_string(tokens: Iterable[str], nothing: str = "") -> str:
    """Return tokens as readers see them, with a blank between two.

    Args:
        tokens: in text order.
        nothing: stands for no token at all.
    """
    return " ".join(map(shown, tokens)) or nothing


def legend(tokens: Iterable[str]) -> str:
    """Explain the symbols of the special tokens that occur, in one line; empty if none does."""
    found = set(tokens)
    return "; ".join(
        f"{symbol} {MEANINGS[token]}" for token, symbol in SYMBOLS.items() if token in found
    )
