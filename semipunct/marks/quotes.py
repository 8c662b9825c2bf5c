"""Conversion of straight quotation marks (Li, Wang and Eisner 2019, section 4, footnote 12)."""

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

Kind = Literal["double", "single"]

DIRECTIONAL: dict[Kind, tuple[str, str]] = {"double": ("“", "”"), "single": ("‘", "’")}
"""The opening and the closing mark of each kind."""

# Forms of either side, to be disambiguated by a tag or by the partner.
_STRAIGHT: dict[str, Kind] = {
    '"': "double",
    '""': "double",
    "``": "double",
    "''": "double",
    "'": "single",
    "`": "single",
}
_BY_TAG = {"``": 0, "''": 1}
# Forms that determine the side if there is no tag.
_BY_FORM = {"``": 0, "`": 0, "''": 1}


class Mark(NamedTuple):
    """A token that may be a quotation mark.

    Attributes:
        form: the form of the token.
        tag: the language-specific tag; two backquotes or two apostrophes determine the side.
        group: the group of the mark; only marks of the same group can be partners.
    """

    form: str
    tag: str = ""
    group: Hashable = None


def directional(tokens: Sequence[Mark | None]) -> tuple[list[str | None], int, int]:
    """Replace straight quotation marks by opening and closing ones.

    The side of a mark is determined by its tag, or else by its form (two backquotes, two
    apostrophes, a backquote). The remaining marks of each kind and group are paired in order: the
    first opens, the second closes. A mark without a partner is not changed.

    Args:
        tokens: the tokens of a sentence, in order; None for one that is not punctuation.

    Returns:
        The forms, the number of marks replaced, and the number left straight.
    """
    forms = [None if token is None else token.form for token in tokens]
    waiting: dict[tuple[Hashable, Kind], int] = {}
    replaced = 0
    for index, token in enumerate(tokens):
        kind = _STRAIGHT.get(token.form) if token else None
        if token is None or kind is None:
            continue
        side = _BY_TAG.get(token.tag, _BY_FORM.get(token.form))
        if side is not None:
            forms[index] = DIRECTIONAL[kind][side]
            replaced += 1
            continue
        first = waiting.pop((token.group, kind), None)
        if first is None:
            waiting[token.group, kind] = index
        else:
            forms[first], forms[index] = DIRECTIONAL[kind]
            replaced += 2
    return forms, replaced, len(waiting)
