"""The categories and rules of a treebank of derivations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import msgspec

from semipunct.papers.ccg.derivations import Derivation, parse_category
from semipunct.papers.ccg.options import LeftCommas

NO_RULE = 0
"""The rule number of hyperedges that assign a category to a word."""

COMMA = ","


class Rule(msgspec.Struct, frozen=True, array_like=True):
    """A rule over numbers of categories.

    Attributes:
        result: -1 for a rule that completes a sentence.
        left: the only or the left child.
        right: the right child, or -1.
        head: index of the head among the children.
    """

    result: int
    left: int
    right: int = -1
    head: int = 0


class Grammar(msgspec.Struct, frozen=True, dict=True):
    """Categories and rules.

    Attributes:
        categories: the result of a unary rule follows its child.
        lexical: numbers of the categories of words.
        rules: rule ``i`` has the number ``i + 1``.
        dropped: instances of unary rules dropped to break cycles.
    """

    categories: tuple[str, ...]
    lexical: tuple[int, ...]
    rules: tuple[Rule, ...]
    dropped: int = 0

    @classmethod
    def of(cls, trees: Iterable[Derivation], left_commas: LeftCommas = "observed") -> Grammar:
        seen: Counter[tuple[str, ...]] = Counter()
        heads: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
        lexical: Counter[str] = Counter()
        for tree in trees:
            lexical.update(tree.tags)
            seen[("", tree.categories[0])] += 1
            for node, children in enumerate(tree.children):
                if children:
                    key = (tree.categories[node], *(tree.categories[c] for c in children))
                    seen[key] += 1
                    heads[key][tree.heads[node]] += 1
        for key in _unseen_commas(seen, left_commas):
            if key not in seen:
                seen[key] = 0
                heads[key][int(key[1] == COMMA)] += 1
        if left_commas == "none":
            seen = Counter({k: n for k, n in seen.items() if not _takes_left_comma(k)})
        order, dropped = _ordered(seen, lexical)
        number = {name: i for i, name in enumerate(order)}
        gone = {
            key for key in seen if len(key) == 2 and key[0] and number[key[0]] <= number[key[1]]
        }
        rules = tuple(
            Rule(
                number.get(result, -1),
                number[children[0]],
                number[children[1]] if len(children) > 1 else -1,
                heads[result, *children].most_common(1)[0][0] if result else 0,
            )
            for result, *children in sorted(seen.keys() - gone)
        )
        return cls(order, tuple(number[name] for name in sorted(lexical)), rules, dropped)

    @cached_property
    def number(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.categories)}

    @cached_property
    def rule_number(self) -> dict[tuple[int, int, int], int]:
        return {(r.result, r.left, r.right): i for i, r in enumerate(self.rules, start=1)}

    @cached_property
    def roots(self) -> dict[int, int]:
        return {r.left: i for i, r in enumerate(self.rules, start=1) if r.result < 0}

    @cached_property
    def unary(self) -> dict[int, list[tuple[int, int]]]:
        """Results and numbers of unary rules, by child."""
        rules_of: dict[int, list[tuple[int, int]]] = {}
        for i, r in enumerate(self.rules, start=1):
            if r.result >= 0 and r.right < 0:
                rules_of.setdefault(r.left, []).append((r.result, i))
        return rules_of

    @cached_property
    def unary_mask(self) -> int:
        return sum(1 << child for child in self.unary)

    @cached_property
    def binary(self) -> dict[int, dict[int, list[tuple[int, int, int]]]]:
        """Results, numbers and heads of binary rules, by children."""
        rules_of: dict[int, dict[int, list[tuple[int, int, int]]]] = {}
        for i, r in enumerate(self.rules, start=1):
            if r.right >= 0:
                rules_of.setdefault(r.left, {}).setdefault(r.right, []).append(
                    (r.result, i, r.head)
                )
        return rules_of

    @cached_property
    def partners(self) -> dict[int, int]:
        """The right children of rules, as bits, by left child."""
        return {left: sum(1 << right for right in rights) for left, rights in self.binary.items()}

    def check(self) -> None:
        n = len(self.categories)
        for name in self.categories:
            parse_category(name)
        if len(set(self.categories)) != n or any(not 0 <= i < n for i in self.lexical):
            raise ValueError("a category is listed twice, or a word has an unknown category")
        for r in self.rules:
            if not (-1 <= r.result < n and 0 <= r.left < n and -1 <= r.right < n):
                raise ValueError(f"the rule {r} has an unknown category")
            if r.right < 0 <= r.result <= r.left or r.head not in (0, 1):
                raise ValueError(f"the rule {r} is cyclic, or has no head")


def _takes_left_comma(key: tuple[str, ...]) -> bool:
    return len(key) == 3 and key[1] == COMMA and key[0] == key[2]


def _unseen_commas(seen: Iterable[tuple[str, ...]], which: LeftCommas) -> list[tuple[str, ...]]:
    if which not in ("all", "both"):
        return []
    takers = {key[0] for key in seen if _takes_left_comma(key)}
    takers |= {k[0] for k in seen if len(k) == 3 and k[2] == COMMA and k[0] == k[1]}
    left = [(name, COMMA, name) for name in sorted(takers)]
    right = [(name, name, COMMA) for name in sorted(takers)]
    return left + right if which == "both" else left


def _ordered(seen: Counter[tuple[str, ...]], lexical: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """Order the categories so that results of unary rules follow their children."""
    names = sorted({*lexical, *(name for key in seen for name in key if name)})
    # Lists, since the order of sets, and so of the categories, varies between processes.
    graph: dict[str, list[str]] = {name: [] for name in names}
    changes = sorted((n, key) for key, n in seen.items() if len(key) == 2 and key[0])
    for _, (result, child) in changes:
        graph[result].append(child)
    dropped = 0
    while True:
        try:
            return tuple(TopologicalSorter(graph).static_order()), dropped
        except CycleError as error:
            circle: Sequence[str] = error.args[1]
            pairs = set(zip(circle[1:], circle, strict=False))
            n, (result, child) = next(
                c for c in changes if (c[1][0], c[1][1]) in pairs and c[1][1] in graph[c[1][0]]
            )
            graph[result].remove(child)
            dropped += n
