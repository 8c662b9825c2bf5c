r"""Coindexation of categories: which of their parts have the same head.

A category specifies the arguments of a word; dependencies also require which parts share a head.
Here this follows from the form of the category, by rules:

- The result of a functor has the head of the functor: the result of ``(S\NP)/NP`` is headed by the
  verb.
- A modifier ``X/X`` or ``X\X`` shares all heads with the constituent that it modifies, a determiner
  ``NP/N`` the head of its noun.
- An argument that lacks a noun phrase, such as ``S[to]\NP``, is coindexed with the object, if there
  is one, otherwise the subject, otherwise the modified phrase: ``(NP\NP_1)/(S[dcl]\NP_1)``.

Source: Hockenmaier and Steedman (2007), section 5; Clark and Curran (2007), section 3, who list the
categories one by one.

Why by rules: docs/decisions/0034-commas-in-derivations.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from semipunct.trees.categories import VARIABLE, Category, Part

OWN = 0
"""The number of the head that is the word itself."""


class Slot(NamedTuple):
    """An argument of a category that creates a dependency.

    Attributes:
        number: 1 for the innermost argument.
        head: its number among the heads of the category.
    """

    number: int
    head: int


class Coindexation(NamedTuple):
    """The heads of a category.

    Attributes:
        heads: ``[parts]`` the number of the head of the category that starts at each part; equal
            numbers mean the same head, ``OWN`` is the word itself.
        slots: the arguments that create dependencies, outermost first.
        missing: the number of the head of the noun phrase that a modifier supplies to an argument
            that lacks one; -1 if there is none.
    """

    heads: tuple[int, ...]
    slots: tuple[Slot, ...]
    missing: int


@lru_cache(maxsize=65536)
def coindexation(category: Category) -> Coindexation:
    """Determine which parts of a category share heads.

    Args:
        category: any category, such as that of a word.
    """
    bare = category.without_conjunction().without_coindices()
    heads = _heads(bare)
    spine = _spine(bare)
    # The arguments of a modified constituent do not create dependencies of the modifier.
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
    """Return a category with the numbers of its heads, as in the leaves of CCGbank.

    Args:
        category: without coindices.
    """
    heads = coindexation(category).heads
    return Category(
        tuple(
            part._replace(coindex=str(head) if head != OWN else "")
            for part, head in zip(category.parts, heads, strict=True)
        )
    )


def _ends(category: Category) -> list[int]:
    """Return for each part the place after the category that begins there."""
    n = len(category.parts)
    ends = [n] * (n + 1)
    for place in range(n - 1, -1, -1):
        middle = place + 1
        ends[place] = ends[ends[middle]] if category.parts[place].is_functor else middle
    return ends


def _heads(category: Category) -> list[int]:
    parts, ends = category.parts, _ends(category)
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
    for result, argument, size in reversed(copies):  # inner ones were recorded after outer ones
        heads[result : result + size] = heads[argument : argument + size]
    return heads


def _modifies(parts: tuple[Part, ...], result: int, argument: int, ends: list[int]) -> bool:
    """Return whether a functor is a modifier ``X|X``; verbs have features, modifiers have none."""
    modified = parts[argument : ends[argument]]
    return parts[result:argument] == modified and not any(
        feature != VARIABLE for part in modified for feature in part.features
    )


def _is_determiner(parts: tuple[Part, ...], result: int, argument: int, ends: list[int]) -> bool:
    atoms = argument == result + 1 and ends[argument] == argument + 1
    return atoms and (parts[result].symbol, parts[argument].symbol) == ("NP", "N")


def _spine(category: Category) -> list[tuple[int, bool]]:
    """Return the indices of the arguments, outermost first, and whether each is modified."""
    parts, ends = category.parts, _ends(category)
    arguments: list[tuple[int, bool]] = []
    place = 0
    while parts[place].is_functor:
        argument = ends[place + 1]
        modifies = _modifies(parts, place + 1, argument, ends)
        arguments.append((argument, modifies))
        place += 1
    return arguments


def _lacking(category: Category, start: int) -> int:
    """Return the index of the noun phrase that the clause at index ``start`` lacks, or -1."""
    parts = category.parts
    if start + 2 >= len(parts) or not parts[start].is_functor:
        return -1
    clause = parts[start + 1].symbol == "S" and parts[start + 2].symbol == "NP"
    return start + 2 if clause else -1


def _missing(category: Category, spine: list[tuple[int, bool]], heads: list[int]) -> int:
    """Return the head of the noun phrase that is supplied to arguments that lack one."""
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
