"""The answer of a rule that looks at the words around a mark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from semipunct.marks import Puncteme
from semipunct.render.reasons.catalogue import WORDS
from semipunct.render.reasons.place import Place


class Cue(NamedTuple):
    """A reason that words support.

    Attributes:
        key: of ``catalogue.WORDS``.
        values: what its template mentions.
    """

    key: str
    values: Mapping[str, str]

    def __str__(self) -> str:
        return WORDS[self.key].format_map(self.values)


Told = Iterator[tuple[str, str]]
"""The key of a reason, and the word or phrase that it mentions."""

Rule = Callable[[Place, Puncteme, int], Told]
"""Yields the reason for a mark of a slot, which is given by its index, or nothing."""
