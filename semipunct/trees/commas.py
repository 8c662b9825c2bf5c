"""Commas of derivations: the rules that take them, and their normalisation to right commas.

Source: Tse and Curran (2008), sections 4 to 6 and algorithm 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from semipunct.trees.derivations import Derivation

CommaRule = Literal["left", "right", "coordination", "type change", "no rule"]
"""A rule with a comma: of absorption to the left or the right, or as named."""

Rule = Literal["paper", "better"]
"""A rule for the place of a comma: the highest, or the highest that needs no unattested rule."""

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
        rule: by which it takes the comma.
        category: of the node.
    """

    node: int
    rule: CommaRule
    category: str


def comma_nodes(tree: Derivation) -> tuple[CommaNode, ...]:
    """Find the nodes that have a comma for a child, in preorder.

    A comma that is the conjunction of a coordination counts as such, one within it does not.

    Args:
        tree: any derivation.
    """
    found: list[CommaNode] = []
    for node, children in enumerate(tree.children):
        rule = tree.combinators[node]
        if rule is None or not any(_is_comma(tree, child) for child in children):
            continue
        name: CommaRule = "type change" if rule.name.endswith("type change") else "no rule"
        found.append(CommaNode(node, _BY_NAME.get(rule.name, name), tree.categories[node]))
    return tuple(found)


def attested_categories(trees: Iterable[Derivation], minimum: int = 2) -> frozenset[str]:
    """Find the categories that take a comma on their right and stay what they are.

    Args:
        trees: of a corpus, before it is normalised.
        minimum: how often the corpus must have that rule.
    """
    counts = Counter(
        found.category for tree in trees for found in comma_nodes(tree) if found.rule == "right"
    )
    return frozenset(category for category, count in counts.items() if count >= minimum)


def commas_normalised(
    tree: Derivation, rule: Rule = "paper", attested: Collection[str] = ()
) -> Derivation:
    """Turn commas that are absorbed from the left into ones that are absorbed from the right.

    Each is attached to what ends before it. Commas that change a type or coordinate stay, and so do
    those with no constituent before them: at the beginning of a sentence, or after another mark.

    Args:
        tree: any derivation.
        rule: ``paper`` for the highest place (NORMALISE-COMMAS, algorithm 1). ``better`` for the
            highest that needs no new rule, if there is one: below a unary rule (section 7), or at
            the right edge of what ends there; commas that are absorbed from the right by a rule
            that is not attested are moved likewise.
        attested: the categories that may take a comma from the right, such as those of
            ``attested_categories``; ``better`` alone looks at them.

    Returns:
        A derivation of the same words with the same categories.
    """
    working = _Working(tree)
    for node, found in enumerate(tree.combinators):
        if found is None or not found.name.endswith("absorption"):
            continue
        left = found.name == "left absorption"
        comma, other = tree.children[node][:: 1 if left else -1]
        same = tree.parsed[node] == tree.parsed[other]
        if not _is_comma(tree, comma) or not same:
            continue
        if left:
            working.move(node, comma, rule, attested)
        elif rule == "better" and tree.categories[node] not in attested:
            working.lower(node, comma, attested)
    return working.finished() if working.changed else tree


def _is_comma(tree: Derivation, node: int) -> bool:
    return tree.anchors[node] > 0 and tree.categories[node] == COMMA


class _Working:
    """A derivation whose nodes are being moved."""

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
        """Take a comma off the node that absorbs it, and attach it to what is before it."""
        top = node
        while self.parents[top] >= 0 and self.children[self.parents[top]][0] == top:
            top = self.parents[top]
        if self.parents[top] < 0:
            return  # nothing is before it
        target = self.children[self.parents[top]][0]
        if self._marks[target]:
            return
        if rule == "better":
            target = self._place(target, attested)
        self._replace(node, self.children[node][1])
        self._attach(node, target, comma)

    def lower(self, node: int, comma: int, attested: Collection[str]) -> None:
        """Attach a comma to a part of what it follows, if an attested rule can take it there."""
        other = self.children[node][0]
        target = self._place(other, attested)
        if target != other:
            self._replace(node, other)
            self._attach(node, target, comma)

    def _place(self, highest: int, attested: Collection[str]) -> int:
        """Return the highest node at the right edge of one that is attested, or that one itself."""
        place = highest
        while self.categories[place] not in attested:
            if not self.children[place]:
                return highest
            place = self.children[place][-1]
        return place

    def _attach(self, node: int, target: int, comma: int) -> None:
        """Make a node the one that absorbs a comma after another node."""
        self.categories[node] = self.categories[target]
        self.heads[node] = 0
        self._replace(target, node)
        self.children[node] = [target, comma]
        self.parents[target] = self.parents[comma] = node
        self.changed = True

    def _replace(self, old: int, new: int) -> None:
        """Put a node where another one was."""
        above = self.parents[old]
        self.parents[new] = above
        if above < 0:
            self.root = new
        else:
            place = self.children[above].index(old)
            self.children[above][place] = new

    def finished(self) -> Derivation:
        """Return the derivation, its nodes numbered anew."""
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
