"""Display symbols for special tokens, with a legend.

JSON, attributes of CoNLL-U and stored results contain the names ``<abbr>``, ``<open>`` and
``<unk>``. Text and tables for human readers show symbols instead, none of which is a letter or a
digit.
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


def display_form(token: str) -> str:
    """Return a token in the form shown to readers."""
    return SYMBOLS.get(token, token)


def shown_string(tokens: Iterable[str], nothing: str = "") -> str:
    """Return tokens in the form shown to readers, separated by spaces.

    Args:
        tokens: the tokens in text order.
        nothing: the result if there are no tokens.
    """
    return " ".join(map(display_form, tokens)) or nothing


def legend(tokens: Iterable[str]) -> str:
    """Return a one-line legend of the special tokens that occur; empty if there are none."""
    present = set(tokens)
    return "; ".join(
        f"{symbol} {MEANINGS[token]}" for token, symbol in SYMBOLS.items() if token in present
    )
