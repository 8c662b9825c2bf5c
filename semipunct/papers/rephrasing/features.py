"""Features of the order of two items with the same head.

A feature combines two different values, one of each item, with properties of the head: for example
a determiner and a noun that is a subject, below a verb. It contributes its weight to one order and
the negative weight to the other, so the two orders of a pair need no separate weights. There is no
feature for items with equal values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence
from semipunct.errors import TreebankError
from semipunct.trees import DependencyTree

HEADS = ("NOUN", "PROPN", "PRON", "VERB")
"""Universal tags of the nodes whose dependents are reordered."""

MOST_ITEMS = 12
"""Nodes with more items, the head included, are not reordered: the sums would take too long."""


class Node(NamedTuple):
    """A head and its dependents.

    Attributes:
        head: a word, 1 to n.
        items: the head and its dependents, in the order of the words.
    """

    head: int
    items: tuple[int, ...]


class Nodes(NamedTuple):
    """The nodes of a tree.

    Attributes:
        ordered: nodes with 2 to ``MOST_ITEMS`` items.
        long: the number of nodes with more items.
    """

    ordered: tuple[Node, ...]
    long: int


def nodes_of(tree: DependencyTree, upos: Sequence[str]) -> Nodes:
    """Find the nouns and verbs that have dependents, in the order of the words.

    Args:
        tree: a projective tree, so that reordering items means reordering constituents.
        upos: ``[n]`` universal tags.
    """
    items: dict[int, list[int]] = {}
    for word, head in enumerate(tree.heads, start=1):
        if head and upos[head - 1] in HEADS:
            items.setdefault(head, []).append(word)
    ordered: list[Node] = []
    long = 0
    for head, dependents in sorted(items.items()):
        if len(dependents) < MOST_ITEMS:
            ordered.append(Node(head, tuple(sorted([head, *dependents]))))
        else:
            long += 1
    return Nodes(tuple(ordered), long)


Ints = npt.NDArray[np.int64]

HEAD = "^"
"""The relation given to the head when it is an item among its dependents."""

SIZES = 5
"""Number of classes of item sizes: 1, 2 to 3, 4 to 7, 8 to 15 words, and more."""


class Template(NamedTuple):
    """A set of properties that a feature combines.

    Attributes:
        item: properties of each of the two items: its relation, universal tag, size class.
        head: properties of the head: its own relation and tag.
    """

    item: tuple[str, ...]
    head: tuple[str, ...] = ()


TEMPLATES = (
    Template(("relation",)),
    Template(("relation",), ("upos",)),
    Template(("relation",), ("relation",)),
    Template(("upos",), ("upos",)),
    Template(("relation", "upos")),
    Template(("relation", "upos"), ("upos",)),
    Template(("relation", "size"), ("upos",)),
    Template(("relation", "size"), ("relation", "upos")),
)
"""Append new templates at the end: features are numbered in this order."""


def relations(sentence: Sentence, *, underlying: bool) -> tuple[str, ...]:
    """Return ``[n]`` the relations that features use.

    Args:
        sentence: words, tags and a projective tree.
        underlying: whether the punctemes of a constituent are part of its relation, as in
            ``appos , _ ,``.

    Raises:
        TreebankError: if the punctemes are needed but missing.
    """
    if not underlying:
        return sentence.tree.relations
    if sentence.underlying is None:
        raise TreebankError(
            f"{sentence.where}: has no underlying tree, which this ordering model needs; train "
            "with --analysis MODEL, a punctuation model that finds it"
        )
    return tuple(
        " ".join((relation, *left, "_", *right)) if left or right else relation
        for relation, (left, right) in zip(
            sentence.tree.relations, sentence.underlying, strict=True
        )
    )


class OrderingVocabulary(msgspec.Struct, frozen=True):
    """The known relations and tags: value i has code i + 1, unknown values have code 0."""

    relation: tuple[str, ...]
    upos: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, underlying: bool = False) -> OrderingVocabulary:
        """Collect the relations and tags of training sentences.

        Args:
            sentences: training sentences.
            underlying: see ``relations``.
        """
        relation = sorted({r for s in sentences for r in relations(s, underlying=underlying)})
        upos = sorted({u for s in sentences for u in s.upos})
        return cls((HEAD, *(r for r in relation if r != HEAD)), tuple(upos))

    @property
    def sizes(self) -> dict[str, int]:
        """The number of values of each property, the unknown one included."""
        return {"relation": len(self.relation) + 1, "upos": len(self.upos) + 1, "size": SIZES}


class Pairs(NamedTuple):
    """All nodes of some sentences, and the pairs of items of each node.

    Attributes:
        nodes: the nodes, in the order of the sentences.
        sentence: ``[nodes]`` the sentence of each node.
        start: ``[nodes + 1]`` where the pairs of each node begin: those of its items 0 and 1, 0 and
            2, 1 and 2, 0 and 3, and so on.
        key: ``[pairs, TEMPLATES]`` a number for each feature, -1 where both items have equal
            values.
        sign: ``[pairs, TEMPLATES]`` 1 where the weight of the feature is added for the observed
            order, -1 where it is subtracted.
        long: ``[sentences]`` the number of nodes with too many items, which are left out.
    """

    nodes: tuple[Node, ...]
    sentence: Ints
    start: Ints
    key: Ints
    sign: Ints
    long: Ints

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        vocabulary: OrderingVocabulary,
        *,
        underlying: bool = False,
    ) -> Pairs:
        """Extract the nodes and pairs of sentences.

        Args:
            sentences: words, tags and projective trees.
            vocabulary: codes of relations and tags.
            underlying: see ``relations``.

        Raises:
            TreebankError: as ``relations`` does.
        """
        relation = {value: i for i, value in enumerate(vocabulary.relation, start=1)}
        upos = {value: i for i, value in enumerate(vocabulary.upos, start=1)}
        nodes: list[Node] = []
        columns: dict[str, list[int]] = {name: [] for name in ("relation", "upos", "size", "own")}
        sentence: list[int] = []
        long: list[int] = []
        for number, s in enumerate(sentences):
            tree = s.tree
            left, right = tree.edges
            labels = relations(s, underlying=underlying)
            nodes_found = nodes_of(tree, s.upos)
            long.append(nodes_found.long)
            for node in nodes_found.ordered:
                nodes.append(node)
                sentence.append(number)
                for word in node.items:
                    w, is_head = word - 1, word == node.head
                    size = 1 if is_head else right[w] - left[w]
                    code = relation.get(labels[w], 0)
                    columns["relation"].append(relation[HEAD] if is_head else code)
                    columns["upos"].append(upos.get(s.upos[w], 0))
                    columns["size"].append(min(size.bit_length(), SIZES) - 1)
                    columns["own"].append(code)
        items = np.array([len(node.items) for node in nodes], np.int64)
        pairs = items * (items - 1) // 2
        start = np.concatenate([[0], pairs.cumsum()])
        first_item = items.cumsum() - items
        later, earlier = np.tril_indices(int(items.max(initial=0)), -1)
        within = np.arange(start[-1]) - start[:-1].repeat(pairs)
        base = first_item.repeat(pairs)
        head = np.array([node.items.index(node.head) for node in nodes], np.int64) + first_item
        key, sign = _features(
            {name: np.array(column, np.int64) for name, column in columns.items()},
            base + earlier[within],
            base + later[within],
            head.repeat(pairs),
            vocabulary.sizes,
        )
        owner, left = np.array(sentence, np.int64), np.array(long, np.int64)
        return cls(tuple(nodes), owner, start, key, sign, left)


def _features(
    columns: dict[str, Ints], first: Ints, second: Ints, head: Ints, sizes: dict[str, int]
) -> tuple[Ints, Ints]:
    """Return the key of each feature of the pairs, and its sign for the observed order.

    Args:
        columns: codes of the items.
        first: ``[pairs]`` the item that comes first.
        second: ``[pairs]`` the item that comes second.
        head: ``[pairs]`` the head of both.
        sizes: the number of values of each property.
    """

    def joined(names: Sequence[str], item: Ints, columns: dict[str, Ints]) -> Ints:
        code = np.zeros(len(item), np.int64)
        for name in names:
            code = code * sizes[name] + columns[name][item]
        return code

    # A common base for all templates, so that the template can be recovered from every key.
    most = sizes["relation"] * sizes["upos"] * sizes["size"]
    keys, signs = [], []
    for number, template in enumerate(TEMPLATES):
        a, b = (joined(template.item, item, columns) for item in (first, second))
        above = joined(template.head, head, {"relation": columns["own"], "upos": columns["upos"]})
        key = ((number * most + np.minimum(a, b)) * most + np.maximum(a, b)) * most + above
        keys.append(np.where(a == b, -1, key))
        signs.append(np.sign(b - a))
    return np.stack(keys, 1), np.stack(signs, 1)
