"""Commas in derivations: the rules that absorb them, and normalisation to right absorption.

Source: Tse and Curran (2008), sections 4 to 6 and algorithm 1.

How derivations come about without CCGbank, and where a comma is reattached, is in
docs/decisions/0034-commas-in-derivations.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from semipunct.trees.derivations import Derivation

CommaRule = Literal["left", "right", "coordination", "type change", "no rule"]
"""A rule with a comma: left or right absorption, or as named."""

Rule = Literal["paper", "better"]
"""The new position of a comma: the highest, or the highest without unattested rules."""

COMMA = ","

_BY_NAME: dict[str, CommaRule] = {
    "left absorption": "left",
    "right absorption": "right",
    "coordination": "coordination",
}


@dataclass(frozen=True, slots=True)
class CommaNode:
    """A node with a comma among its children.

    Attributes:
        node: its number.
        rule: the rule by which it absorbs the comma.
        category: the category of the node.
    """

    node: int
    rule: CommaRule
    category: str


def comma_nodes(tree: Derivation) -> tuple[CommaNode, ...]:
    """Find the nodes with a comma as a child, in preorder.

    A comma that is the conjunction of a coordination has the rule ``coordination``; another comma
    within a coordination does not.

    Args:
        tree: any derivation.
    """
    commas: list[CommaNode] = []
    for node, children in enumerate(tree.children):
        rule = tree.combinators[node]
        if rule is None or not any(_is_comma(tree, child) for child in children):
            continue
        name: CommaRule = "type change" if rule.name.endswith("type change") else "no rule"
        commas.append(CommaNode(node, _BY_NAME.get(rule.name, name), tree.categories[node]))
    return tuple(commas)


def attested_categories(trees: Iterable[Derivation], minimum: int = 2) -> frozenset[str]:
    """Find the categories that absorb a comma on their right.

    Args:
        trees: the derivations of a corpus before normalisation.
        minimum: the number of occurrences of the rule that are required.
    """
    counts = Counter(
        comma.category for tree in trees for comma in comma_nodes(tree) if comma.rule == "right"
    )
    return frozenset(category for category, count in counts.items() if count >= minimum)


def normalise_absorption(
    tree: Derivation, rule: Rule = "paper", attested: Collection[str] = ()
) -> Derivation:
    """Convert left absorption of commas to right absorption.

    Each comma is attached to a constituent that ends before it. Commas of type changes and
    coordinations are not moved, nor are commas without a preceding constituent: at the beginning of
    a sentence, or after another mark.

    Args:
        tree: any derivation.
        rule: ``paper`` for the highest position (NORMALISE-COMMAS, algorithm 1). ``better`` for the
            highest position without a new rule, if there is one: below a unary rule (section 7), or
            at the right edge of the constituent that ends there; commas that an unattested rule
            absorbs from the right are moved likewise.
        attested: the categories that may absorb a comma from the right, such as those of
            ``attested_categories``; only used by ``better``.

    Returns:
        A derivation of the same words with the same categories.
    """
    working = _Working(tree)
    for node, rule_of_node in enumerate(tree.combinators):
        if rule_of_node is None or not rule_of_node.name.endswith("absorption"):
            continue
        left = rule_of_node.name == "left absorption"
        comma, sibling = tree.children[node][:: 1 if left else -1]
        is_absorbed = tree.parsed[node] == tree.parsed[sibling]
        if not _is_comma(tree, comma) or not is_absorbed:
            continue
        if left:
            working.move(node, comma, rule, attested)
        elif rule == "better" and tree.categories[node] not in attested:
            working.lower(node, comma, attested)
    return working.finished() if working.changed else tree


def _is_comma(tree: Derivation, node: int) -> bool:
    return tree.anchors[node] > 0 and tree.categories[node] == COMMA


class _Working:
    """A mutable derivation."""

    def __init__(self, tree: Derivation) -> None:
        self.categories = list(tree.categories)
        self.heads = list(tree.heads)
        self.children = [list(children) for children in tree.children]
        self.parents = list(tree.parents)
        self.root = 0
        self.changed = False
        self._marks = [
            bool(anchor) and category.is_punctuation
            for anchor, category in zip(tree.anchors, tree.parsed, strict=True)
        ]

    def move(self, node: int, comma: int, rule: Rule, attested: Collection[str]) -> None:
        """Move a comma from the node that absorbs it to the constituent before it."""
        top = node
        while self.parents[top] >= 0 and self.children[self.parents[top]][0] == top:
            top = self.parents[top]
        if self.parents[top] < 0:
            return  # no constituent precedes it
        target = self.children[self.parents[top]][0]
        if self._marks[target]:
            return
        if rule == "better":
            target = self._place(target, attested)
        self._replace(node, self.children[node][1])
        self._attach(node, target, comma)

    def lower(self, node: int, comma: int, attested: Collection[str]) -> None:
        """Move a comma to a lower preceding constituent that can absorb it by an attested rule."""
        sibling = self.children[node][0]
        target = self._place(sibling, attested)
        if target != sibling:
            self._replace(node, sibling)
            self._attach(node, target, comma)

    def _place(self, highest: int, attested: Collection[str]) -> int:
        """Return the highest attested node at the right edge of a node, or that node itself."""
        place = highest
        while self.categories[place] not in attested:
            if not self.children[place]:
                return highest
            place = self.children[place][-1]
        return place

    def _attach(self, node: int, target: int, comma: int) -> None:
        """Insert a node that absorbs a comma after another node."""
        self.categories[node] = self.categories[target]
        self.heads[node] = 0
        self._replace(target, node)
        self.children[node] = [target, comma]
        self.parents[target] = self.parents[comma] = node
        self.changed = True

    def _replace(self, node: int, replacement: int) -> None:
        """Replace a node by another."""
        above = self.parents[node]
        self.parents[replacement] = above
        if above < 0:
            self.root = replacement
        else:
            place = self.children[above].index(node)
            self.children[above][place] = replacement

    def finished(self) -> Derivation:
        """Return the derivation with renumbered nodes."""
        depths: list[int] = []
        order: list[int] = []
        waiting = [(self.root, 0)]
        while waiting:
            node, depth = waiting.pop()
            depths.append(depth)
            order.append(node)
            waiting += ((child, depth + 1) for child in reversed(self.children[node]))
        return Derivation(
            tuple(depths),
            tuple(self.categories[node] for node in order),
            tuple(self.heads[node] for node in order),
        )
