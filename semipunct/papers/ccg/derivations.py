"""Derivations of Combinatory Categorial Grammar, as in CCGbank."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from semipunct.papers.ccg.categories import Category, Combinator, combinator, parse_category
from semipunct.papers.commas.trees import OrderedTree, dependencies
from semipunct.trees.tree import DependencyTree
from semipunct.wording import quantity


@dataclass(frozen=True, repr=False)
class Derivation(OrderedTree):
    """A derivation: an ordered tree whose inner nodes have one or two children, one the head.

    Its labels are the categories as text.

    Attributes:
        heads: ``[nodes]`` the index, 0 or 1, of the head among the children; 0 for leaves.

    Raises:
        ValueError: as for an ordered tree; if there is not one head for each node, or a node has
            more than two children or no child at the index of its head.
    """

    heads: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.heads) != len(self.depths):
            raise ValueError(
                f"{quantity(len(self.heads), 'head')} for {quantity(len(self.depths), 'node')}; "
                "give one for each"
            )
        for node, (head, children) in enumerate(zip(self.heads, self.children, strict=True)):
            if len(children) > 2 or not 0 <= head < max(len(children), 1):
                raise ValueError(
                    f"node {node} has {quantity(len(children), 'child', 'children')} and the head "
                    f"{head}; a node has at most two, and its head is one of them"
                )

    @property
    def data(self) -> tuple[tuple[str | int, ...], ...]:
        return self.categories, self.depths, self.heads

    @cached_property
    def parsed(self) -> tuple[Category, ...]:
        """``[nodes]`` the categories.

        Raises:
            UsageError: for a label that is not a category.
        """
        return tuple(map(parse_category, self.categories))

    @cached_property
    def head_children(self) -> tuple[int, ...]:
        """``[nodes]`` the head child of each node, -1 for leaves."""
        rows = zip(self.heads, self.children, strict=True)
        return tuple(children[head] if children else -1 for head, children in rows)

    @cached_property
    def combinators(self) -> tuple[Combinator | None, ...]:
        """``[nodes]`` the rule by which each node follows from its children, None for leaves.

        Raises:
            UsageError: for a label that is not a category.
        """
        rule_of: dict[tuple[Category, ...], Combinator] = {}
        rules: list[Combinator | None] = []
        for node, children in enumerate(self.children):
            if not children:
                rules.append(None)
                continue
            key = tuple(self.parsed[each] for each in (node, *children))
            if key not in rule_of:
                rule_of[key] = combinator(key[0], key[1:])
            rules.append(rule_of[key])
        return tuple(rules)

    def dependencies(self, *, labelled: bool = False) -> DependencyTree:
        """Return the dependency tree defined by the heads of nodes.

        Args:
            labelled: as for ``semipunct.papers.commas.trees.dependencies``.
        """
        return dependencies(self, self.head_children, labelled=labelled)


def derivation(
    depths: Sequence[int], categories: Sequence[Category], heads: Sequence[int]
) -> Derivation:
    """Make a derivation from categories.

    Args:
        depths: ``[nodes]`` the depths in preorder.
        categories: ``[nodes]``.
        heads: ``[nodes]``.

    Raises:
        ValueError: as for ``Derivation``.
    """
    return Derivation(tuple(depths), tuple(map(str, categories)), tuple(heads))
