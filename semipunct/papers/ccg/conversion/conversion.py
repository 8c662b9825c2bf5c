"""Conversion of a phrase-structure tree to a derivation, from the root down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semipunct.papers.ccg.conversion.constituents import (
    Constituent,
    Unconverted,
    category_of,
    constituents,
    preorder,
)
from semipunct.papers.ccg.conversion.coordination import group_conjuncts
from semipunct.papers.ccg.conversion.steps import Item, step, unlicensed_rules
from semipunct.papers.ccg.derivations import Category, Derivation, parse_category
from semipunct.papers.commas.trees import PhraseTree

_MOST_PARTS = 64  # nested adjuncts double the size of categories at each level


@dataclass(frozen=True, slots=True)
class Conversion:
    """A derivation, and the leaves of the tree that are its words, from 1."""

    derivation: Derivation
    leaves: tuple[int, ...]


def convert_phrases(tree: PhraseTree, forms: Sequence[str], *, quotes: bool = False) -> Conversion:
    """Convert a tree of the Penn Treebank with empty elements, function tags and indices.

    Args:
        tree: any.
        forms: ``[leaves]``, empty elements included.
        quotes: whether to keep quotation marks; CCGbank has none.

    Raises:
        Unconverted: if a construction has no known analysis, or a rule is undeclared.
    """
    root, leaves = constituents(tree, forms, quotes=quotes)
    _flatten(root)
    group_conjuncts(root)
    converted = _derived(root)
    wrong = unlicensed_rules(converted)
    if wrong:
        raise Unconverted(f"no rule {wrong[0]}")
    return Conversion(converted, leaves)


def _flatten(root: Constituent) -> None:
    """Replace small clauses by their subject and predicate, as complements of the verb."""
    for node in list(preorder(root)):
        if node.label not in ("VP", "SQ", "SINV"):
            continue
        children: list[Constituent] = []
        for child in node.children:
            small = (
                child.label == "S"
                and child.functions <= {"PRD", "CLR"}
                and len(child.children) == 2
                and "SBJ" in child.children[0].functions
                and child.children[0].label == "NP"
                and _small(child.children[1])
            )
            children += child.children if small else [child]
            if small:
                node.traces.update(child.traces)
        node.children = children


def _small(predicate: Constituent) -> bool:
    if predicate.label == "VP":
        return category_of(predicate) not in ("S[dcl]\\NP",)
    return "PRD" in predicate.functions


def _derived(root: Constituent) -> Derivation:
    depths: list[int] = []
    categories: list[Category] = []
    heads: list[int] = []
    waiting = [(Item(parse_category(category_of(root)), root), 0)]
    while waiting:
        item, depth = waiting.pop()
        if len(item.category.parts) > _MOST_PARTS:
            raise Unconverted(f"a category of more than {_MOST_PARTS} parts")
        decomposition = step(item)
        depths.append(depth)
        categories.append(item.category)
        heads.append(decomposition.head)
        waiting += ((part, depth + 1) for part in reversed(decomposition.parts))
    return Derivation(tuple(depths), tuple(map(str, categories)), tuple(heads))
