"""Normalisation of the commas of a treebank of derivations, and counts of the rules with commas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from semipunct.trees.commas import Rule, attested_categories, comma_nodes, commas_normalised
from semipunct.trees.derivations import Derivation


@dataclass(frozen=True, slots=True)
class CommaTable:
    """Counts of the rules with commas of a treebank: figure 9 of Tse and Curran (2008), extended.

    Attributes:
        instances: the count of each kind of rule.
        left, right: how often each category absorbs a comma on that side.
    """

    instances: Counter[str]
    left: Counter[str]
    right: Counter[str]

    @property
    def absorption_rules(self) -> int:
        """The number of different absorption rules."""
        return len(self.left) + len(self.right)


def comma_table(trees: Iterable[Derivation]) -> CommaTable:
    """Count the rules with commas of a treebank.

    Args:
        trees: the derivations of the treebank.
    """
    found = CommaTable(Counter(), Counter(), Counter())
    for tree in trees:
        for each in comma_nodes(tree):
            found.instances[each.rule] += 1
            if each.rule == "left":
                found.left[each.category] += 1
            elif each.rule == "right":
                found.right[each.category] += 1
    return found


def normalise_commas(trees: Sequence[Derivation], rule: Rule = "better") -> list[Derivation]:
    """Normalise the commas of a treebank, which also provides the categories for ``better``.

    A derivation with a node that no rule licenses is unchanged.

    Args:
        trees: the derivations of the treebank.
        rule: as for ``semipunct.trees.commas.commas_normalised``.
    """
    sound = [not faults(tree) for tree in trees]
    attested = attested_categories(tree for tree, good in zip(trees, sound, strict=True) if good)
    return [
        commas_normalised(tree, rule, attested) if good else tree
        for tree, good in zip(trees, sound, strict=True)
    ]


def faults(tree: Derivation) -> list[str]:
    """Return the nodes of a derivation that no rule licenses, as ``A B => C``.

    Unary type changes are not checked: their inventory differs between treebanks.

    Args:
        tree: the derivation.
    """
    return [
        f"{' '.join(tree.categories[child] for child in tree.children[node])} => "
        f"{tree.categories[node]}"
        for node, rule in enumerate(tree.combinators)
        if rule is not None and rule.name == "no rule"
    ]
