"""Predicate-argument dependencies of a derivation.

Rules unify the head variables of the categories that they combine. A word depends on another word
if it heads one of its arguments; in a coordination, each conjunct does.

Source: Hockenmaier and Steedman (2007), section 5; Clark and Curran (2004).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from semipunct.papers.ccg.derivations import (
    BACKWARD,
    FORWARD,
    VARIABLE,
    Category,
    Combinator,
    Derivation,
    Part,
    agree,
)

OWN = 0
"""The head number of the word itself."""


class Slot(NamedTuple):
    """An argument that creates a dependency; 1 is the innermost."""

    number: int
    head: int


class Coindexation(NamedTuple):
    """The heads of a category.

    Attributes:
        heads: ``[parts]`` the head of the category at each part; ``OWN`` is the word itself.
        slots: arguments that create dependencies, outermost first.
        missing: head of the noun phrase that a modifier supplies to an argument, or -1.
    """

    heads: tuple[int, ...]
    slots: tuple[Slot, ...]
    missing: int


@lru_cache(maxsize=65536)
def coindexation(category: Category) -> Coindexation:
    """Determine which parts of a category share heads."""
    bare = category.without_conjunction().without_coindices()
    heads = _heads(bare)
    spine = _spine(bare)
    # Arguments of a modified constituent create no dependencies of the modifier.
    first_own = next((i + 1 for i, (_, modifies) in enumerate(spine) if modifies), len(spine))
    missing = _missing(bare, spine, heads)
    for start, modifies in spine[:first_own]:
        lacking = _lacking(bare, start)
        if lacking >= 0 and not modifies and missing >= 0:
            shared_head = heads[lacking]
            heads = [missing if head == shared_head else head for head in heads]
    slots = tuple(
        Slot(len(spine) - i, heads[start]) for i, (start, _) in enumerate(spine[:first_own])
    )
    return Coindexation(tuple(heads), slots, missing)


def coindex(category: Category) -> Category:
    """Number the heads of a category, as in the leaves of CCGbank."""
    heads = coindexation(category).heads
    return Category(
        tuple(
            part._replace(coindex=str(head) if head != OWN else "")
            for part, head in zip(category.parts, heads, strict=True)
        )
    )


def _heads(category: Category) -> list[int]:
    parts, ends = category.parts, category.ends
    heads = [OWN] * len(parts)
    copies: list[tuple[int, int, int]] = []
    fresh = OWN
    waiting = [(0, OWN)]
    while waiting:
        place, head = waiting.pop()
        heads[place] = head
        if not parts[place].is_functor:
            continue
        result, argument = place + 1, ends[place + 1]
        fresh += 1
        waiting.append((argument, fresh))
        size = argument - result
        if _modifies(parts, result, argument, ends):
            copies.append((result, argument, size))
        elif parts[place].symbol == "/" and _is_determiner(parts, result, argument, ends):
            waiting.append((result, fresh))
        else:
            waiting.append((result, head))
    for result, argument, size in reversed(copies):  # inner copies were recorded after outer ones
        heads[result : result + size] = heads[argument : argument + size]
    return heads


def _modifies(parts: tuple[Part, ...], result: int, argument: int, ends: list[int]) -> bool:
    """Return whether a functor is a modifier ``X|X``; only verbs have features."""
    modified = parts[argument : ends[argument]]
    return parts[result:argument] == modified and not any(
        feature != VARIABLE for part in modified for feature in part.features
    )


def _is_determiner(parts: tuple[Part, ...], result: int, argument: int, ends: list[int]) -> bool:
    atoms = argument == result + 1 and ends[argument] == argument + 1
    return atoms and (parts[result].symbol, parts[argument].symbol) == ("NP", "N")


def _spine(category: Category) -> list[tuple[int, bool]]:
    """Return the indices of the arguments, outermost first, and whether they are modified."""
    parts, ends = category.parts, category.ends
    arguments: list[tuple[int, bool]] = []
    place = 0
    while parts[place].is_functor:
        argument = ends[place + 1]
        modifies = _modifies(parts, place + 1, argument, ends)
        arguments.append((argument, modifies))
        place += 1
    return arguments


def _lacking(category: Category, start: int) -> int:
    """Return the index of the noun phrase that a clause lacks, or -1."""
    parts = category.parts
    if start + 2 >= len(parts) or not parts[start].is_functor:
        return -1
    clause = parts[start + 1].symbol == "S" and parts[start + 2].symbol == "NP"
    return start + 2 if clause else -1


def _missing(category: Category, spine: list[tuple[int, bool]], heads: list[int]) -> int:
    parts = category.parts
    for start, modifies in spine:
        if modifies:
            if parts[start].symbol in ("NP", "N"):
                return heads[start]
            lacking = _lacking(category, start)
            return heads[lacking] if lacking >= 0 else -1
        if parts[start].symbol == "NP":
            return heads[start]
    return -1


Heads = list[int]
"""``[parts]`` the variable of the head of each part of a category."""


class Dependency(NamedTuple):
    """A dependency between two words, from 1; argument 1 is the innermost."""

    head: int
    category: str
    argument: int
    dependent: int


def predicate_dependencies(tree: Derivation) -> frozenset[Dependency]:
    """Return the dependencies of a derivation.

    Marks and conjunctions create none. A node without a known rule passes on its head only.
    """
    heads = _Heads()
    values: list[Heads] = [[] for _ in tree.depths]
    open_slots: list[tuple[int, str, Slot, int]] = []
    for node in range(len(tree.depths) - 1, -1, -1):  # children come after their parents
        category, children, rule = tree.parsed[node], tree.children[node], tree.combinators[node]
        if rule is None:
            values[node] = heads.fresh(category)
            word = tree.anchors[node]
            heads.words[values[node][0]] = word
            lexical = coindexation(category)
            for slot in lexical.slots:
                place = lexical.heads.index(slot.head)
                open_slots.append((word, tree.categories[node], slot, values[node][place]))
            continue
        below = [(tree.parsed[child], values[child]) for child in children]
        values[node] = _combined(heads, rule, category, below, tree.heads[node])
        for child in children:
            values[child] = []  # no longer needed
    classes = heads.classes()
    return frozenset(
        Dependency(word, category, slot.number, filler)
        for word, category, slot, variable in open_slots
        for filler in heads.resolved(variable, classes)
        if filler != word
    )


class _Heads:
    """Union-find over head variables, which denote words or pairs of conjuncts."""

    def __init__(self) -> None:
        self._above: list[int] = []
        self.words: dict[int, int] = {}
        self._members: dict[int, tuple[int, int]] = {}

    def variable(self) -> int:
        self._above.append(len(self._above))
        return len(self._above) - 1

    def fresh(self, category: Category, head_variable: int | None = None) -> Heads:
        head_numbers = coindexation(category).heads
        variable_of = {0: head_variable} if head_variable is not None else {}
        for head in head_numbers:
            if head not in variable_of:
                variable_of[head] = self.variable()
        return [variable_of[head] for head in head_numbers]

    def find(self, variable: int) -> int:
        root = variable
        while self._above[root] != root:
            root = self._above[root]
        while self._above[variable] != root:
            self._above[variable], variable = root, self._above[variable]
        return root

    def equal(self, a: Sequence[int], b: Sequence[int]) -> None:
        for x, y in zip(a, b, strict=True):
            first, second = self.find(x), self.find(y)
            if first != second:
                self._above[second] = first

    def joined(self, a: int, b: int) -> int:
        joined_variable = self.variable()
        self._members[joined_variable] = (a, b)
        return joined_variable

    def classes(self) -> dict[int, list[int]]:
        """Return the members of each class of equal variables."""
        inside: dict[int, list[int]] = {}
        for variable in (*self.words, *self._members):
            inside.setdefault(self.find(variable), []).append(variable)
        return inside

    def resolved(self, variable: int, classes: Mapping[int, Sequence[int]]) -> list[int]:
        words: list[int] = []
        seen: set[int] = set()
        waiting = [variable]
        while waiting:
            root = self.find(waiting.pop())
            if root in seen:
                continue
            seen.add(root)
            for each in classes.get(root, ()):
                if each in self._members:
                    waiting += self._members[each]
                else:
                    words.append(self.words[each])
        return words


def _split(category: Category, heads: Heads) -> tuple[Heads, Heads]:
    middle = 1 + len(category.result.parts)
    return heads[1:middle], heads[middle:]


def _combined(
    heads: _Heads,
    rule: Combinator,
    category: Category,
    below: list[tuple[Category, Heads]],
    head: int,
) -> Heads:
    name = rule.name
    if name.endswith("application"):
        main, secondary = below if name.startswith("forward") else (below[1], below[0])
        result, argument = _split(*main)
        heads.equal(argument, secondary[1])
        return result
    if name.endswith("composition"):
        main, secondary = below if name.startswith("forward") else (below[1], below[0])
        return _composed(heads, main, secondary)
    if name == "backward crossed substitution":
        (left, left_heads), (right, right_heads) = below
        inner, argument = _split(left, left_heads)
        functor, shared_heads = _split(right, right_heads)
        result, inner_argument = _split(right.result, functor)
        heads.equal(argument, shared_heads)
        heads.equal(inner_argument, inner)
        return [result[0], *result, *argument]
    if name.endswith("raising"):
        return _raised(heads, category, below[0][1])
    if name.endswith("absorption"):
        return below[1 if name.startswith("left") else 0][1]
    if name == "coordination":
        return _coordinated(heads, category, below)
    if name.endswith("type change"):
        child = below[0] if len(below) == 1 else below[int(below[0][0].is_punctuation)]
        return _changed(heads, category, child)
    head_variable = below[head][1][0]
    return heads.fresh(category, head_variable)


def _composed(
    heads: _Heads, main: tuple[Category, Heads], secondary: tuple[Category, Heads]
) -> Heads:
    result, argument = _split(*main)
    target = main[0].argument
    inner, inner_heads = secondary
    moved: list[Heads] = []
    while not agree(target, inner):
        inner_heads, last = _split(inner, inner_heads)
        moved.append(last)
        inner = inner.result
    heads.equal(argument, inner_heads)
    for last in reversed(moved):
        result = [result[0], *result, *last]
    return result


def _raised(heads: _Heads, category: Category, child: Heads) -> Heads:
    size = len(category.result.parts)
    result = heads.fresh(category.result)
    raised_head = heads.variable()
    return [
        raised_head,
        *result,
        result[0],
        *result,
        *child[-(len(category.parts) - 2 - 2 * size) :],
    ]


def _coordinated(heads: _Heads, category: Category, below: list[tuple[Category, Heads]]) -> Heads:
    (_, left), (_, right) = below
    if category.is_conjunct and not below[1][0].is_conjunct:
        return right
    conjunct_heads = (heads.find(left[0]), heads.find(right[0]))
    joined_head = heads.joined(left[0], right[0])
    coordinated: Heads = []
    for a, b in zip(left, right, strict=True):
        if (heads.find(a), heads.find(b)) == conjunct_heads:
            coordinated.append(joined_head)
        else:
            heads.equal([a], [b])
            coordinated.append(a)
    return coordinated


def _changed(heads: _Heads, category: Category, child: tuple[Category, Heads]) -> Heads:
    """Return the heads of a constituent after a type change.

    The noun phrase that a clause lacks is the one it modifies, or the subject of the clause it
    modifies.
    """
    child_category, old_heads = child
    changed = heads.fresh(category, old_heads[0])
    missing = coindexation(category).missing
    modifies = category.is_functor and category.result == category.argument
    lacks = child_category.is_functor and child_category.argument.parts[0].symbol == "NP"
    if modifies and lacks and missing >= 0 and category.slash in (FORWARD, BACKWARD):
        place = coindexation(category).heads.index(missing)
        heads.equal([changed[place]], old_heads[-1:])
    return changed
