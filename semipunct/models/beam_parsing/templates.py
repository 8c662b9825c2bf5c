"""Feature templates of the beam parser, as data.

An atom is an attribute of a word or of an item: ``s0.tag`` is the tag of the first item of the
stack, ``b0.word`` the next word, ``s1l.tag`` the tag of the leftmost dependent of the second item,
``s1l2.tag`` of the one after it, ``s0r2.tag`` of the one before the rightmost. A template is some
atoms, looked at together. Sources: Zhang and Nivre (2011), tables 1 and 2, without what arc-eager
parsing alone knows (heads of what is on the stack); Huang and Sagae (2010), table 1; Ma, Zhang and
Zhu (2014), table 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

Template = tuple[str, ...]

STACK = ("s0", "s1", "s2")
BUFFER = ("b0", "b1", "b2", "b3")
"""The next words, each by its distance to the first."""

DISTANCES = (2, 3, 4, 5, 7, 10)
"""Distances from which on another value begins; all smaller ones than the first are one value."""


def _each(elements: str, *patterns: str) -> Iterable[Template]:
    """Fill each of some elements into patterns.

    Args:
        elements: separated by blanks, each one name or several joined by ``:``.
        patterns: with ``{0}``, ``{1}`` for the names; atoms are separated by blanks.
    """
    for names in elements.split():
        for pattern in patterns:
            yield tuple(pattern.format(*names.split(":")).split())


WORDS = (
    *_each("s0 s1 b0 b1 b2", "{0}.word", "{0}.tag", "{0}.word {0}.tag"),
    *_each("s2", "{0}.tag", "{0}.word {0}.tag"),
    *_each(
        "s0:s1 s0:b0",
        "{0}.word {0}.tag {1}.word {1}.tag",
        "{0}.word {0}.tag {1}.word",
        "{0}.word {1}.word {1}.tag",
        "{0}.word {0}.tag {1}.tag",
        "{0}.tag {1}.word {1}.tag",
        "{0}.word {1}.word",
        "{0}.tag {1}.tag",
        "{0}.word {1}.tag",
        "{0}.tag {1}.word",
    ),
    *_each("s1:b0 s0:s2 b0:b1", "{0}.tag {1}.tag", "{0}.word {1}.tag", "{0}.tag {1}.word"),
    *_each(
        "s0:b0:b1 s1:s0:b0 s2:s1:s0 b0:b1:b2",
        "{0}.tag {1}.tag {2}.tag",
    ),
    *_each("s0:s1:b0", "{0}.word {1}.tag {2}.tag", "{0}.tag {1}.word {2}.tag"),
    *_each("s0:b0:b1", "{0}.word {1}.tag {2}.tag"),
    *_each("s2:s1:s0", "{0}.tag {1}.word {2}.tag", "{0}.tag {1}.tag {2}.word"),
    *_each("s1:s0:b0:b1", "{0}.tag {1}.tag {2}.tag {3}.tag"),
)
"""Words and tags of the stack and of the buffer."""

DISTANCE = (
    *_each(
        "s0:s1 s0:b0",
        "{0}~{1} {0}.word",
        "{0}~{1} {0}.tag",
        "{0}~{1} {1}.word",
        "{0}~{1} {1}.tag",
        "{0}~{1} {0}.word {1}.word",
        "{0}~{1} {0}.tag {1}.tag",
    ),
)
"""With how far two words are apart."""

VALENCY = (*_each("s0:left s0:right s1:left s1:right", "{0}.{1} {0}.word", "{0}.{1} {0}.tag"),)
"""With numbers of dependents."""

DEPENDENTS = (
    *_each("s0l s0r s1l s1r", "{0}.word", "{0}.tag"),
    *_each("s0l2 s0r2 s1l2 s1r2", "{0}.word", "{0}.tag"),
    *_each(
        "s1:s0:s0l s1:s0:s0r s1:s0:s1l s1:s0:s1r",
        "{0}.tag {1}.tag {2}.tag",
        "{0}.word {1}.tag {2}.tag",
        "{0}.tag {1}.word {2}.tag",
    ),
    *_each(
        "s0:s0l:s0l2 s0:s0r:s0r2 s1:s1l:s1l2 s1:s1r:s1r2 s0:s0l:b0 s0:s0r:b0",
        "{0}.tag {1}.tag {2}.tag",
    ),
    *_each("s1:s0:s0l:s0l2 s1:s0:s1r:s1r2", "{0}.tag {1}.tag {2}.tag {3}.tag"),
)
"""Words that have got their heads: second order, and third where a head has several."""

LABELS = (
    *_each(
        "s0:left s0:right s1:left s1:right",
        "{0}.{1}_label",
        "{0}.tag {0}.{1}_label",
        "{0}.{1}_label {0}.{1}_label2",
        "{0}.word {0}.{1}_labels",
        "{0}.tag {0}.{1}_labels",
    ),
)
"""With the labels of dependents: one, two, and the set of all; of a labelled parser."""

UNPUNCTUATED: tuple[Template, ...] = tuple(chain(WORDS, DISTANCE, VALENCY, DEPENDENTS))

PAIRED_PROPERTIES: tuple[Template, ...] = (
    *_each("b0 b1 b2 b3 s0 s1 s2", "{0}.property"),
    *_each("b0 b1 b2 s0 s1", "{0}.property {0}.word", "{0}.property {0}.tag"),
    *_each(
        "s0:b0 s0:b1 s0:b2 s0:s1 s0:s2",
        "{0}.property {1}.property",
        "{0}.property {1}.tag",
        "{0}.property {1}.word",
    ),
)
"""Rows one to three of table 3: those of the experiment with paired marks alone."""

PROPERTIES: tuple[Template, ...] = (
    *PAIRED_PROPERTIES,
    *_each("s2:s0 s1:s0", "{0}.property {1}.tag", "{0}.property {0}.tag {1}.tag"),
    *_each("s0:b0", "{0}.property {0}.tag {1}.tag"),
    *_each("s2:s0 s1:s0 s0:b0", "{0}~{1} {0}.property {0}.tag {1}.tag"),
)
"""The whole of table 3; its fourth row names one pair twice, for which ``s0:b0`` is taken."""

OF_LABELS: tuple[Template, ...] = (
    *_each("s0 s1", "{0}.word", "{0}.tag", "{0}.word {0}.tag"),
    *_each(
        "s0:s1",
        "{0}.word {1}.word",
        "{0}.word {1}.tag",
        "{0}.tag {1}.word",
        "{0}.tag {1}.tag",
        "{0}~{1} {0}.tag {1}.tag",
    ),
    *_each("s0:s1:b0 s0:s1:s2", "{0}.tag {1}.tag {2}.tag"),
    *_each("s0:s1:s0l s0:s1:s0r s0:s1:s1l s0:s1:s1r", "{0}.tag {1}.tag {2}.tag"),
    *_each(
        "s0:s1:left s0:s1:right s1:s0:left s1:s0:right",
        "{0}.tag {1}.tag {0}.{2}_label",
        "{0}.tag {0}.{2}_labels",
    ),
)
"""The features that labels are chosen by."""

TEMPLATES: dict[str, tuple[Template, ...]] = {
    "baseline": UNPUNCTUATED,
    "stripped": UNPUNCTUATED,
    "paired": UNPUNCTUATED + PAIRED_PROPERTIES,
    "all": UNPUNCTUATED + PROPERTIES,
}
"""By the setting ``model.punctuation``."""
