"""Scores of states from templates with hashed weights.

Weights of templates of one or two positions are summed in advance, since a wide beam looks up the
same pairs repeatedly. Other templates are hashed at every state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import NamedTuple, NewType

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.papers.transitions.search import Field, Tops

Template = tuple[str, ...]

STACK = ("s0", "s1", "s2")
BUFFER = ("b0", "b1", "b2", "b3")
"""The next words, by their distance to the first."""

DISTANCES = (2, 3, 4, 5, 7, 10)
"""Lower bounds of the classes of distances; smaller distances are one class."""


def _each(elements: str, patterns: str) -> Iterable[Template]:
    """Fill elements, whose names are joined by ``:``, into patterns separated by ``|``."""
    for names in elements.split():
        for pattern in patterns.split("|"):
            yield tuple(pattern.format(*names.split(":")).split())


WORDS = (
    *_each("s0 s1 b0 b1 b2", "{0}.word | {0}.tag | {0}.word {0}.tag"),
    *_each("s2", "{0}.tag | {0}.word {0}.tag"),
    *_each(
        "s0:s1 s0:b0",
        "{0}.word {0}.tag {1}.word {1}.tag | {0}.word {0}.tag {1}.word | {0}.word {1}.word {1}.tag"
        "| {0}.word {0}.tag {1}.tag | {0}.tag {1}.word {1}.tag | {0}.word {1}.word"
        "| {0}.tag {1}.tag | {0}.word {1}.tag | {0}.tag {1}.word",
    ),
    *_each("s1:b0 s0:s2 b0:b1", "{0}.tag {1}.tag | {0}.word {1}.tag | {0}.tag {1}.word"),
    *_each("s0:b0:b1 s1:s0:b0 s2:s1:s0 b0:b1:b2", "{0}.tag {1}.tag {2}.tag"),
    *_each("s0:s1:b0", "{0}.word {1}.tag {2}.tag | {0}.tag {1}.word {2}.tag"),
    *_each("s0:b0:b1", "{0}.word {1}.tag {2}.tag"),
    *_each("s2:s1:s0", "{0}.tag {1}.word {2}.tag | {0}.tag {1}.tag {2}.word"),
    *_each("s1:s0:b0:b1", "{0}.tag {1}.tag {2}.tag {3}.tag"),
)
"""Words and tags on the stack and in the buffer."""

DISTANCE = (
    *_each(
        "s0:s1 s0:b0",
        "{0}~{1} {0}.word | {0}~{1} {0}.tag | {0}~{1} {1}.word | {0}~{1} {1}.tag"
        "| {0}~{1} {0}.word {1}.word | {0}~{1} {0}.tag {1}.tag",
    ),
)
"""Distances between words."""

VALENCY = (*_each("s0:left s0:right s1:left s1:right", "{0}.{1} {0}.word | {0}.{1} {0}.tag"),)
"""Numbers of dependents."""

DEPENDENTS = (
    *_each("s0l s0r s1l s1r", "{0}.word | {0}.tag"),
    *_each("s0l2 s0r2 s1l2 s1r2", "{0}.word | {0}.tag"),
    *_each(
        "s1:s0:s0l s1:s0:s0r s1:s0:s1l s1:s0:s1r",
        "{0}.tag {1}.tag {2}.tag | {0}.word {1}.tag {2}.tag | {0}.tag {1}.word {2}.tag",
    ),
    *_each(
        "s0:s0l:s0l2 s0:s0r:s0r2 s1:s1l:s1l2 s1:s1r:s1r2 s0:s0l:b0 s0:s0r:b0",
        "{0}.tag {1}.tag {2}.tag",
    ),
    *_each("s1:s0:s0l:s0l2 s1:s0:s1r:s1r2", "{0}.tag {1}.tag {2}.tag {3}.tag"),
)
"""Dependents: second order, and third order with two dependents of a head."""

LABELS = (
    *_each(
        "s0:left s0:right s1:left s1:right",
        "{0}.{1}_label | {0}.tag {0}.{1}_label | {0}.{1}_label {0}.{1}_label2"
        "| {0}.word {0}.{1}_labels | {0}.tag {0}.{1}_labels",
    ),
)
"""One, two, or the set of all labels of dependents, for labelled parsers."""

UNPUNCTUATED: tuple[Template, ...] = tuple(chain(WORDS, DISTANCE, VALENCY, DEPENDENTS))

PAIRED_PROPERTIES: tuple[Template, ...] = (
    *_each("b0 b1 b2 b3 s0 s1 s2", "{0}.property"),
    *_each("b0 b1 b2 s0 s1", "{0}.property {0}.word | {0}.property {0}.tag"),
    *_each(
        "s0:b0 s0:b1 s0:b2 s0:s1 s0:s2",
        "{0}.property {1}.property | {0}.property {1}.tag | {0}.property {1}.word",
    ),
)
"""Rows one to three of table 3: the experiment with paired marks alone."""

PROPERTIES: tuple[Template, ...] = (
    *PAIRED_PROPERTIES,
    *_each("s2:s0 s1:s0", "{0}.property {1}.tag | {0}.property {0}.tag {1}.tag"),
    *_each("s0:b0", "{0}.property {0}.tag {1}.tag"),
    *_each("s2:s0 s1:s0 s0:b0", "{0}~{1} {0}.property {0}.tag {1}.tag"),
)
"""Table 3; its fourth row lists one pair twice, once in place of ``s0:b0``."""

OF_LABELS: tuple[Template, ...] = (
    *_each("s0 s1", "{0}.word | {0}.tag | {0}.word {0}.tag"),
    *_each(
        "s0:s1",
        "{0}.word {1}.word | {0}.word {1}.tag | {0}.tag {1}.word | {0}.tag {1}.tag"
        "| {0}~{1} {0}.tag {1}.tag",
    ),
    *_each("s0:s1:b0 s0:s1:s2", "{0}.tag {1}.tag {2}.tag"),
    *_each("s0:s1:s0l s0:s1:s0r s0:s1:s1l s0:s1:s1r", "{0}.tag {1}.tag {2}.tag"),
    *_each(
        "s0:s1:left s0:s1:right s1:s0:left s1:s0:right",
        "{0}.tag {1}.tag {0}.{2}_label | {0}.tag {0}.{2}_labels",
    ),
)
"""Templates for choosing labels."""

TEMPLATES: dict[str, tuple[Template, ...]] = {
    "baseline": UNPUNCTUATED,
    "stripped": UNPUNCTUATED,
    "paired": UNPUNCTUATED + PAIRED_PROPERTIES,
    "all": UNPUNCTUATED + PROPERTIES,
}
"""Templates by the value of ``model.punctuation``."""


BEYOND = 4
"""Number of positions after the last word that templates may read."""

Element = NewType("Element", str)
"""A word whose position depends on the state: on the stack, a dependent, or the next word."""

_DEPENDENTS = {"l": Field.LEFT_1, "l2": Field.LEFT_2, "r": Field.RIGHT_1, "r2": Field.RIGHT_2}
_OF_ITEM = {
    "left": Field.LEFT_COUNT,
    "right": Field.RIGHT_COUNT,
    "left_label": Field.LEFT_1_LABEL,
    "left_label2": Field.LEFT_2_LABEL,
    "right_label": Field.RIGHT_1_LABEL,
    "right_label2": Field.RIGHT_2_LABEL,
    "left_labels": Field.LEFT_LABELS,
    "right_labels": Field.RIGHT_LABELS,
    "property": Field.CARRIED,
}
_NEXT = Element(BUFFER[0])
_ATOM = re.compile(r"(s[0-2]|b[0-3])((?<=s.)[lr]2?)?\.(\w+)|(s[0-2]|b[0-3])~(s[0-2]|b[0-3])")


class Codes(NamedTuple):
    """Codes ``[batch, positions]``: 0 for none, 1 to n, ``BEYOND`` more for the end."""

    word: jax.Array
    tag: jax.Array
    property: jax.Array


class Atom(NamedTuple):
    """A parsed atom.

    Attributes:
        words: words with offsets that determine the atom; two for a distance.
        attribute: a column of ``Codes``, ``distance``, or the field of a stack item.
        item: index of the stack item, if any.
    """

    words: tuple[tuple[Element, int], ...]
    attribute: str
    item: int | None


def parse_atom(atom: str) -> Atom:
    """Parse an atom."""
    match = _ATOM.fullmatch(atom)
    if match is None:
        raise ValueError(f"there is no atom {atom!r}")
    name, dependent, attribute, first_word, second_word = match.groups()
    if first_word:
        return Atom((_place(first_word), _place(second_word)), "distance", None)
    if attribute in ("word", "tag") or (attribute == "property" and name in BUFFER):
        element, offset = _place(name)
        return Atom(((Element(element + (dependent or "")), offset),), attribute, None)
    if attribute in _OF_ITEM and name in STACK and not dependent:
        return Atom((), attribute, STACK.index(name))
    raise ValueError(f"there is no atom {atom!r}")


def _place(name: str) -> tuple[Element, int]:
    return (_NEXT, BUFFER.index(name)) if name in BUFFER else (Element(name), 0)


Support = tuple[Element, ...]
"""The words, at most two, whose positions determine the values of a template."""


class Plan(NamedTuple):
    """Numbered templates: tabulated by support, or hashed."""

    tabulated: Mapping[Support, list[tuple[int, Template]]]
    hashed: list[tuple[int, Template]]


def plan(templates: Iterable[Template], most: int) -> Plan:
    """Tabulate templates of at most ``most`` (0 to 2) words, and hash the others."""
    tabulated: dict[Support, list[tuple[int, Template]]] = {}
    hashed: list[tuple[int, Template]] = []
    for number, template in enumerate(templates):
        atoms = [parse_atom(atom) for atom in template]
        support = tuple(sorted({element for atom in atoms for element, _ in atom.words}))
        if any(atom.item is not None for atom in atoms) or len(support) > most:
            hashed.append((number, template))
        else:
            tabulated.setdefault(support, []).append((number, template))
    return Plan(tabulated, hashed)


Positions = Callable[[Element], jax.Array]


def rows(
    numbered: list[tuple[int, Template]],
    codes: Codes,
    positions: Positions,
    items: jax.Array | None,
    size: int,
) -> jax.Array:
    """Hash templates to table rows, ``[batch, ..., templates]``; ``size`` where they do not apply.

    A template of properties applies where at least one of them is not empty. Positions are
    ``[batch, ...]``, items ``[batch, ..., 3, fields]``; ``size`` is a power of two.
    """
    values, column = _values(numbered, codes, positions, items)
    longest = max(len(template) for _, template in numbered)
    seeds = np.array([_seed(number) for number, _ in numbered], np.uint32)
    state = jnp.broadcast_to(seeds, (*values.shape[:-1], len(numbered)))
    for place in range(longest):
        has = np.array([len(template) > place for _, template in numbered])
        which = [column[t[place]] if len(t) > place else 0 for _, t in numbered]
        mixed = (state ^ values[..., np.array(which)]) * np.uint32(0x9E3779B1)
        mixed = mixed ^ mixed >> np.uint32(15)
        state = jnp.where(has, mixed, state)
    state = (state ^ state >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    state = state ^ state >> np.uint32(13)
    hashed = (state & np.uint32(size - 1)).astype(jnp.int32)
    empty = _without_properties(numbered, values, column)
    return hashed if empty is None else jnp.where(empty, size, hashed)


def _without_properties(
    numbered: list[tuple[int, Template]], values: jax.Array, column: Mapping[str, int]
) -> jax.Array | None:
    """Return where templates of properties have only empty ones; None without such templates."""
    of_properties = [
        [column[atom] for atom in t if parse_atom(atom).attribute == "property"]
        for _, t in numbered
    ]
    most = max(map(len, of_properties))
    if not most:
        return None
    which = np.array([(of * most)[:most] or [0] * most for of in of_properties])
    return jnp.all(values[..., which] == 0, -1) & np.array([*map(bool, of_properties)])


def weights_of(weights: jax.Array, rows: jax.Array, columns: jax.Array | None = None) -> jax.Array:
    """Return ``[size, columns]`` weights at rows and optional columns; 0 where not applicable."""
    where = weights.at[rows] if columns is None else weights.at[rows, columns]
    return where.get(mode="fill", fill_value=0.0)


def _seed(number: int) -> int:
    return (number + 1) * 0x27D4EB2F % 2**32


def _values(
    numbered: list[tuple[int, Template]],
    codes: Codes,
    positions: Positions,
    items: jax.Array | None,
) -> tuple[jax.Array, dict[str, int]]:
    """Return the values of all atoms, ``[batch, ..., columns]``, and their columns."""
    atoms = {name: parse_atom(name) for _, template in numbered for name in template}
    words = sorted({place for atom in atoms.values() for place in atom.words})
    parts: list[jax.Array] = []
    column: dict[str, int] = {}
    if words:
        at = jnp.broadcast_arrays(*(positions(element) + offset for element, offset in words))
        place = jnp.stack(at, -1)
        batch = jnp.arange(len(codes.word)).reshape(-1, *(1,) * (place.ndim - 1))
        codes_at = jnp.stack(codes, -1)[batch, jnp.minimum(place, codes.word.shape[1] - 1)]
        parts.append(codes_at.reshape(*codes_at.shape[:-2], -1))
        apart = {n: atom for n, atom in atoms.items() if atom.attribute == "distance"}
        first, second = ([words.index(a.words[i]) for a in apart.values()] for i in (0, 1))
        first_place, second_place = (
            place[..., np.array(first, int)],
            place[..., np.array(second, int)],
        )
        bins = (
            jnp.sum(jnp.abs(first_place - second_place)[..., None] >= np.array(DISTANCES), -1) + 1
        )
        bins = jnp.where((first_place > 0) & (second_place > 0), bins, 0)
        parts.append(jnp.broadcast_to(bins, (*codes_at.shape[:-2], len(apart))))
        column |= {name: len(Codes._fields) * len(words) + i for i, name in enumerate(apart)}
    start = sum(part.shape[-1] for part in parts)
    if items is not None:
        parts.append(items.reshape(*items.shape[:-2], -1))
    for name, atom in atoms.items():
        if atom.item is not None and items is not None:
            field = _OF_ITEM[atom.attribute]
            column[name] = start + atom.item * items.shape[-1] + field
        elif atom.attribute != "distance":
            place_number = words.index(atom.words[0])
            column[name] = place_number * len(Codes._fields) + Codes._fields.index(atom.attribute)
    # Without the barrier, the compiler materialises all parts for every template.
    return jax.lax.optimization_barrier(jnp.concatenate(parts, -1)).astype(jnp.uint32), column


def of_state(tops: Tops) -> Positions:
    """Return a function from elements to their positions in states."""

    def positions(element: Element) -> jax.Array:
        if element == _NEXT:
            return tops.following
        item, dependent = STACK.index(element[:2]), element[2:]
        field = _DEPENDENTS[dependent] if dependent else Field.WORD
        return tops.items[..., item, field]

    return positions


class Tables(NamedTuple):
    """Precomputed sums for each support, ``[batch, positions, columns]`` or with two positions."""

    sums: tuple[jax.Array, ...]
    supports: tuple[Support, ...]


def tables(plan: Plan, weights: jax.Array, codes: Codes) -> Tables:
    """Sum the weights of templates for all positions."""
    size = codes.word.shape[1]
    place = jnp.arange(size)[None]
    sums: list[jax.Array] = []
    for support, numbered in plan.tabulated.items():
        axes = {
            element: place.reshape(1, *(size if i == axis else 1 for i in range(len(support))))
            for axis, element in enumerate(support)
        }
        hashed = rows(numbered, codes, axes.__getitem__, None, len(weights))
        sums.append(jnp.sum(weights_of(weights, hashed), -2))
    return Tables(tuple(sums), tuple(plan.tabulated))


def scores(plan: Plan, ready: Tables, weights: jax.Array, codes: Codes, tops: Tops) -> jax.Array:
    """Score states, ``[batch, lanes, columns]``, with precomputed ``tables``."""
    positions = of_state(tops)
    total = jnp.zeros((*tops.following.shape, weights.shape[1]), weights.dtype)
    batch = jnp.arange(len(codes.word))[:, None]
    for support, sums in zip(ready.supports, ready.sums, strict=True):
        total += sums[batch, *(positions(element) for element in support)]
    if plan.hashed:
        hashed = rows(plan.hashed, codes, positions, tops.items, len(weights))
        total += jnp.sum(weights_of(weights, hashed), -2)
    return total
