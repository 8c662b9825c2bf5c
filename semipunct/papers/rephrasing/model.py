"""Orders of a head and its dependents, log-linear in features of pairs of items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.padding import round_up
from semipunct.corpus.sentences import Sentence
from semipunct.errors import TreebankError
from semipunct.models.base import Array, Model, Parameters, Sums, Weights
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.papers.rephrasing.options import OrderingOptions, OrderingTrainOptions
from semipunct.structures.distribution import Distribution
from semipunct.structures.permutations import LinearOrderings, linear_orderings
from semipunct.trees import DependencyTree

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

HEADS = ("NOUN", "PROPN", "PRON", "VERB")
"""Universal tags of the heads whose dependents are reordered."""

MOST_ITEMS = 12
"""Nodes with more items, including the head, are not reordered, to bound the cost."""


class Node(NamedTuple):
    """A head and its dependents; the items, with the head, are in the order of the words."""

    head: int
    items: tuple[int, ...]


class Nodes(NamedTuple):
    """The nodes with 2 to ``MOST_ITEMS`` items, and the number of larger nodes."""

    ordered: tuple[Node, ...]
    long: int


def nodes_of(tree: DependencyTree, upos: Sequence[str]) -> Nodes:
    """Find the nouns and verbs with dependents in a projective tree, in the order of the words."""
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
"""The relation of the head among its dependents."""

SIZES = 5
"""Number of size classes: 1, 2 to 3, 4 to 7, 8 to 15 words, and more."""


class Template(NamedTuple):
    """Properties that a feature combines: of each item, and of their head."""

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
"""Features are numbered in this order: append new templates at the end."""


def relations(sentence: Sentence, *, underlying: bool) -> tuple[str, ...]:
    """Return ``[n]`` the relations that features use.

    With ``underlying``, they include punctemes: ``appos , _ ,``.
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
    """The known relations and tags; value i has code i + 1, unknown values code 0."""

    relation: tuple[str, ...]
    upos: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, underlying: bool = False) -> OrderingVocabulary:
        relation = sorted({r for s in sentences for r in relations(s, underlying=underlying)})
        upos = sorted({u for s in sentences for u in s.upos})
        return cls((HEAD, *(r for r in relation if r != HEAD)), tuple(upos))

    @property
    def sizes(self) -> dict[str, int]:
        return {"relation": len(self.relation) + 1, "upos": len(self.upos) + 1, "size": SIZES}


class Pairs(NamedTuple):
    """The nodes of sentences, and the pairs of items of each node.

    Attributes:
        nodes: in the order of the sentences.
        sentence: ``[nodes]``.
        start: ``[nodes + 1]`` offsets of the pairs of each node: items 0 and 1, 0 and 2, 1 and 2,
            and so on.
        key: ``[pairs, TEMPLATES]`` features; -1 if both items have equal values.
        sign: ``[pairs, TEMPLATES]`` sign of the weight for the observed order.
        long: ``[sentences]`` number of nodes with too many items.
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
    """Return the keys of the features of pairs, and their signs for the observed order."""

    def joined(names: Sequence[str], item: Ints, columns: dict[str, Ints]) -> Ints:
        code = np.zeros(len(item), np.int64)
        for name in names:
            code = code * sizes[name] + columns[name][item]
        return code

    # A common base, so that every key determines its template.
    most = sizes["relation"] * sizes["upos"] * sizes["size"]
    keys, signs = [], []
    for number, template in enumerate(TEMPLATES):
        a, b = (joined(template.item, item, columns) for item in (first, second))
        above = joined(template.head, head, {"relation": columns["own"], "upos": columns["upos"]})
        key = ((number * most + np.minimum(a, b)) * most + np.maximum(a, b)) * most + above
        keys.append(np.where(a == b, -1, key))
        signs.append(np.sign(b - a))
    return np.stack(keys, 1), np.stack(signs, 1)


PADDED = (4, 8, MOST_ITEMS)
"""Numbers of items to pad nodes to; each item doubles the work."""


class NodeGroup(NamedTuple):
    """Nodes padded to the same number of items.

    Attributes:
        feature: ``[nodes, pairs, TEMPLATES]``, as in ``Encoded``.
        items: ``[nodes]``; 0 for padding.
        sentence: ``[nodes]`` index in the batch.
    """

    feature: npt.NDArray[np.int32]
    items: npt.NDArray[np.int32]
    sentence: npt.NDArray[np.int32]


class NodesBatch(NamedTuple):
    """The nodes of sentences, grouped as in ``PADDED``.

    Attributes:
        sentences: ``[sentences]``; only the shape matters.
    """

    groups: tuple[NodeGroup, ...]
    sentences: npt.NDArray[np.int32]


class NodesShape(NamedTuple):
    """Padded numbers of the nodes of each group, and of sentences."""

    nodes: tuple[int, ...]
    sentences: int


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded sentences.

    Attributes:
        lengths: numbers of words.
        first: ``[sentences + 1]`` offsets of nodes.
        start: ``[nodes + 1]`` offsets of pairs; see ``Pairs``.
        feature: ``[pairs, TEMPLATES]`` 0 for none, i + 1 for weight i, plus the number of weights
            for its negative.
    """

    lengths: Sequence[int]
    nodes: tuple[Node, ...]
    first: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int32]
    long: npt.NDArray[np.int64]

    def group(self, numbers: Sequence[int], items: int, room: int = 0) -> NodeGroup:
        size = max(room, len(numbers))
        feature = np.zeros((size, items * (items - 1) // 2, len(TEMPLATES)), np.int32)
        lengths = np.zeros(size, np.int32)
        for row, number in enumerate(numbers):
            first, end = self.start[number], self.start[number + 1]
            feature[row, : end - first] = self.feature[first:end]
            lengths[row] = len(self.nodes[number].items)
        return NodeGroup(feature, lengths, np.zeros(size, np.int32))

    def by_size(self, numbers: Sequence[int]) -> list[list[int]]:
        groups: list[list[int]] = [[] for _ in PADDED]
        for number in numbers:
            groups[np.searchsorted(PADDED, len(self.nodes[number].items))].append(number)
        return groups


@dataclass(frozen=True, eq=False, repr=False)
class OrderingModel(Model[Encoded, NodesBatch]):
    """A distribution over the orders of the items of each node.

    Attributes:
        features: ``[weights]`` keys, in ascending order.
    """

    kind: ClassVar[str] = "ordering"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 2048)
    usage: ClassVar[tuple[str, ...]] = ("semipunct rephrase PUNCTUATION IN.conllu --permute MODEL",)

    options: OrderingOptions
    vocabulary: OrderingVocabulary
    features: npt.NDArray[np.int64]

    @classmethod
    def fit(cls, sentences: Sequence[Sentence], options: OrderingOptions) -> OrderingModel:
        vocabulary = OrderingVocabulary.of(sentences, underlying=options.underlying)
        pairs = Pairs.of(sentences, vocabulary, underlying=options.underlying)
        keys, counts = np.unique(pairs.key, return_counts=True)
        frequent = keys[(counts >= options.minimum_count) & (keys >= 0)]
        return cls(options, vocabulary, frequent.astype(np.int64))

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        drawn = np.random.default_rng(seed).normal(0.0, scale, len(self.features))
        return {"weight": drawn.astype(np.float32)}

    def encode(self, sentences: Sequence[Sentence]) -> Encoded:
        pairs = Pairs.of(sentences, self.vocabulary, underlying=self.options.underlying)
        features = len(self.features)
        place = np.searchsorted(self.features, pairs.key)
        is_feature = np.append(self.features, -2)[place] == pairs.key
        feature = np.where(is_feature, place + 1 + features * (pairs.sign < 0), 0)
        return Encoded(
            [s.tree.words for s in sentences],
            pairs.nodes,
            np.searchsorted(pairs.sentence, np.arange(len(sentences) + 1)),
            pairs.start,
            feature.astype(np.int32),
            pairs.long,
        )

    def fit_shape(
        self, encoded: Encoded, batches: Sequence[Sequence[int]], sentences: int, *, scoring: bool
    ) -> NodesShape:
        most = [0] * len(PADDED)
        for members in batches:
            by_size = encoded.by_size(_nodes_of(encoded, members))
            most = [max(n, len(group)) for n, group in zip(most, by_size, strict=True)]
        return NodesShape(tuple(map(_room, most)), sentences)

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: NodesShape | None = None
    ) -> NodesBatch:
        room, size = shape or NodesShape((0,) * len(PADDED), len(members))
        row = {i: row for row, i in enumerate(members)}
        groups: list[NodeGroup] = []
        numbers = encoded.by_size(_nodes_of(encoded, members))
        for items, least, group in zip(PADDED, room, numbers, strict=True):
            padded = encoded.group(group, items, max(least, _room(len(group))))
            owners = np.searchsorted(encoded.first, group, side="right") - 1
            padded.sentence[: len(group)] = [row[i] for i in owners.tolist()]
            groups.append(padded)
        return NodesBatch(tuple(groups), np.zeros(size, np.int32))

    def orderings(self, parameters: Parameters, group: NodeGroup) -> LinearOrderings:
        weight = parameters["weight"]
        table = jnp.concatenate([jnp.zeros(1, weight.dtype), weight, -weight])
        score = jnp.sum(table[group.feature], -1)
        items = round((1 + math.sqrt(1 + 8 * score.shape[1])) / 2)
        later, earlier = np.tril_indices(items, -1)
        precedence = jnp.zeros((len(score), items, items), score.dtype)
        precedence = precedence.at[:, earlier, later].set(score)
        precedence = precedence.at[:, later, earlier].set(-score)
        return linear_orderings(precedence, jnp.asarray(group.items))

    def log_likelihoods(self, parameters: Parameters, batch: NodesBatch) -> jax.Array:
        """Return ``[sentences]`` log p(orders | tree), summed over nodes."""
        total = jnp.zeros(len(batch.sentences), parameters["weight"].dtype)
        for group in batch.groups:
            if not len(group.items):
                continue  # do not compile for unused sizes
            orderings = self.orderings(parameters, group)
            items = orderings.weights.precedence.shape[1]
            later, earlier = np.tril_indices(items, -1)
            inside = later < orderings.lengths[:, None]
            score = orderings.weights.precedence[:, earlier, later]
            gold = jnp.sum(jnp.where(inside, score, 0.0), 1)
            log_p = gold - Distribution(orderings).log_partition()
            total = total.at[jnp.asarray(group.sentence)].add(log_p)
        return total

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: NodesBatch,
        key: jax.Array,
        options: OrderingTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        total = jnp.sum(self.log_likelihoods(parameters, batch))
        nodes = sum(jnp.sum(jnp.asarray(group.items) > 0) for group in batch.groups)
        nodes = jnp.maximum(1, nodes)
        penalty = options.l2 / 2 * jnp.sum(parameters["weight"] ** 2)
        return penalty - total / nodes, Sums.of(total, nodes)

    def optimiser(
        self, options: OrderingTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation:
        import optax  # pyright: ignore[reportMissingTypeStubs]

        from semipunct.models.optimisation import schedule

        return optax.adam(schedule(options.schedule, options.learning_rate, steps))

    def to_data(self) -> dict[str, Any]:
        return {**msgspec.to_builtins(self.vocabulary), "features": self.features}

    @classmethod
    def from_data(cls, data: Any, options: OrderingOptions) -> OrderingModel:
        features = np.asarray(data["features"])
        vocabulary = {name: value for name, value in data.items() if name != "features"}
        if features.ndim != 1 or features.dtype != np.int64 or (np.diff(features) <= 0).any():
            raise ValueError("the keys of features are not in strictly ascending order")
        return cls(options, msgspec.convert(vocabulary, OrderingVocabulary), features)

    @property
    def description(self) -> str:
        return (
            "The dependents of each noun and verb, the head among them, stand in an order whose "
            "probability is log-linear in features of all pairs of them, by which comes first "
            "(Wang and Eisner 2016)."
        )


def figures(
    model: OrderingModel,
    parameters: Weights,
    examples: Sequence[Sentence],
    batches: Batches[Encoded, NodesBatch],
    shapes: Shapes | None = None,
) -> Mapping[str, Any]:
    """Return the perplexity of the order of a node, and numbers of nodes."""
    total = float(log_likelihoods(model, parameters, batches, shapes).sum())
    encoded = model.encode(examples)
    nodes = len(encoded.nodes)
    # A treebank without nouns and verbs has nothing to predict.
    perplexity = math.exp(-total / nodes) if nodes and not math.isnan(total) else 1.0
    return {
        "perplexity": perplexity,
        "nodes": nodes,
        "long_nodes": int(encoded.long.sum()),
        "unscorable": 0,
    }


def _room(nodes: int) -> int:
    return round_up(nodes) if nodes else 0


def _nodes_of(encoded: Encoded, sentences: Sequence[int]) -> list[int]:
    first = encoded.first
    return [number for i in sentences for number in range(first[i], first[i + 1])]
