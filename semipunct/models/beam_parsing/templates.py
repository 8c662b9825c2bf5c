"""Feature templates of the beam parser, as data.

An atom is an attribute of a word or of a stack item: ``s0.tag`` is the tag of the first item on the
stack, ``b0.word`` the next word, ``s1l.tag`` the tag of the leftmost dependent of the second item,
``s1l2.tag`` that of the dependent after it, ``s0r2.tag`` that of the dependent before the
rightmost. A template is a combination of atoms. Sources: Zhang and Nivre (2011), tables 1 and 2,
without the information that only arc-eager parsing has (heads of stack items); Huang and Sagae
(2010), table 1; Ma, Zhang and Zhu (2014), table 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

Template = tuple[str, ...]

STACK = ("s0", "s1", "s2")
BUFFER = ("b0", "b1", "b2", "b3")
"""The next words; the index is the distance to the first."""

DISTANCES = (2, 3, 4, 5, 7, 10)
"""Lower bounds of the classes of distances; all distances below the first are one class."""


def _each(elements: str, *patterns: str) -> Iterable[Template]:
    """Fill elements into patterns.

    Args:
        elements: separated by blanks; each is one name, or several joined by ``:``.
        patterns: patterns with ``{0}``, ``{1}`` for the names; atoms are separated by blanks.
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
"""Templates of words and tags on the stack and in the buffer."""

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
"""Templates with distances between words."""

VALENCY = (*_each("s0:left s0:right s1:left s1:right", "{0}.{1} {0}.word", "{0}.{1} {0}.tag"),)
"""Templates with numbers of dependents."""

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
"""Templates with dependents: second order, and third order with two dependents of a head."""

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
"""Templates with one, two, or the set of all labels of dependents; for labelled parsers."""

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
"""Rows one to three of table 3: the templates of the experiment with paired marks alone."""

PROPERTIES: tuple[Template, ...] = (
    *PAIRED_PROPERTIES,
    *_each("s2:s0 s1:s0", "{0}.property {1}.tag", "{0}.property {0}.tag {1}.tag"),
    *_each("s0:b0", "{0}.property {0}.tag {1}.tag"),
    *_each("s2:s0 s1:s0 s0:b0", "{0}~{1} {0}.property {0}.tag {1}.tag"),
)
"""The whole of table 3; its fourth row lists one pair twice, for which ``s0:b0`` is used."""

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
"""The templates for choosing labels."""

TEMPLATES: dict[str, tuple[Template, ...]] = {
    "baseline": UNPUNCTUATED,
    "stripped": UNPUNCTUATED,
    "paired": UNPUNCTUATED + PAIRED_PROPERTIES,
    "all": UNPUNCTUATED + PROPERTIES,
}
"""The templates by the value of ``model.punctuation``."""
