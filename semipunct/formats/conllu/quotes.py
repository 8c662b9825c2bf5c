"""Directions of straight quotation marks (Li, Wang and Eisner 2019, section 4, footnote 12)."""

from collections.abc import Sequence
from typing import Literal

from semipunct.formats.conllu.records import Token

Kind = Literal["double", "single"]

DIRECTIONAL: dict[Kind, tuple[str, str]] = {"double": ("“", "”"), "single": ("‘", "’")}

# What may stand for either side until a tag or its partner tells which.
_STRAIGHT: dict[str, Kind] = {
    '"': "double",
    '""': "double",
    "``": "double",
    "''": "double",
    "'": "single",
    "`": "single",
}
_BY_TAG = {"``": 0, "''": 1}
# Forms that tell their side themselves where no tag does.
_BY_FORM = {"``": 0, "`": 0, "''": 1}


def directional_quotes(
    tokens: Sequence[Token], is_punctuation: Sequence[bool]
) -> tuple[list[str], int, int]:
    """Replace straight quotation marks by opening and closing ones.

    A mark's language-specific tag tells its side (two backquotes or two apostrophes), else its
    form (the same, or a backquote); the rest are taken two by two among the marks of one kind that
    depend on the same head, in order: the first opens, the second closes.  One that is left over
    stays as it is.

    Args:
        tokens: words and punctuation of a sentence.
        is_punctuation: which of them are punctuation; others (an apostrophe of *'s*) stay.

    Returns:
        The forms of all tokens, the number of marks replaced, and the number left straight.
    """
    forms = [token.form for token in tokens]
    waiting: dict[tuple[int, Kind], int] = {}
    replaced = 0
    for index, token in enumerate(tokens):
        kind = _STRAIGHT.get(token.form) if is_punctuation[index] else None
        if kind is None:
            continue
        side = _BY_TAG.get(token.xpos, _BY_FORM.get(token.form))
        if side is not None:
            forms[index] = DIRECTIONAL[kind][side]
            replaced += 1
            continue
        first = waiting.pop((token.head, kind), None)
        if first is None:
            waiting[token.head, kind] = index
        else:
            forms[first], forms[index] = DIRECTIONAL[kind]
            replaced += 2
    return forms, replaced, len(waiting)
