"""The ordering model: orders of the items of a node, log-linear in features of item pairs."""

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
from semipunct.models.base import Array, Model, Parameters, Sums, Weights
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.papers.rephrasing.features import (
    MOST_ITEMS,
    TEMPLATES,
    Node,
    OrderingVocabulary,
    Pairs,
)
from semipunct.papers.rephrasing.options import OrderingOptions, OrderingTrainOptions
from semipunct.structures.distribution import Distribution
from semipunct.structures.permutations import LinearOrderings, linear_orderings

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

PADDED = (4, 8, MOST_ITEMS)
"""Numbers of items to pad nodes to: most nodes have few, and each further item doubles the work."""


class NodeGroup(NamedTuple):
    """Nodes padded to the same number of items.

    Attributes:
        feature: ``[nodes, pairs, TEMPLATES]`` weight numbers of the features of each pair, as in
            ``Encoded.feature``.
        items: ``[nodes]`` numbers of items; 0 in the padding.
        sentence: ``[nodes]`` the index of the sentence in the batch.
    """

    feature: npt.NDArray[np.int32]
    items: npt.NDArray[np.int32]
    sentence: npt.NDArray[np.int32]


class NodesBatch(NamedTuple):
    """The nodes of some sentences.

    Attributes:
        groups: one group for each entry of ``PADDED``.
        sentences: ``[sentences]`` zeros, whose shape is the number of sentences.
    """

    groups: tuple[NodeGroup, ...]
    sentences: npt.NDArray[np.int32]


class NodesShape(NamedTuple):
    """The padded sizes of a batch: the number of nodes of each group, and of sentences."""

    nodes: tuple[int, ...]
    sentences: int


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences encoded for the ordering model.

    Attributes:
        lengths: number of words of each sentence.
        nodes: the nodes of all sentences.
        first: ``[sentences + 1]`` where the nodes of each sentence begin.
        start: ``[nodes + 1]`` where the pairs of each node begin; see ``Pairs``.
        feature: ``[pairs, TEMPLATES]`` 0 for none, i + 1 for weight i; plus the number of weights
            where its negative is used.
        long: ``[sentences]`` the number of nodes with too many items, which are left out.
    """

    lengths: Sequence[int]
    nodes: tuple[Node, ...]
    first: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int32]
    long: npt.NDArray[np.int64]

    def group(self, numbers: Sequence[int], items: int, room: int = 0) -> NodeGroup:
        """Pad nodes to the same number of items.

        Args:
            numbers: the numbers of the nodes.
            items: the padded number of items, at least the maximum of the nodes.
            room: minimum number of nodes in the result.
        """
        size = max(room, len(numbers))
        feature = np.zeros((size, items * (items - 1) // 2, len(TEMPLATES)), np.int32)
        lengths = np.zeros(size, np.int32)
        for row, number in enumerate(numbers):
            first, end = self.start[number], self.start[number + 1]
            feature[row, : end - first] = self.feature[first:end]
            lengths[row] = len(self.nodes[number].items)
        return NodeGroup(feature, lengths, np.zeros(size, np.int32))

    def by_size(self, numbers: Sequence[int]) -> list[list[int]]:
        """Group nodes by the number of items that they are padded to, as in ``PADDED``."""
        groups: list[list[int]] = [[] for _ in PADDED]
        for number in numbers:
            groups[np.searchsorted(PADDED, len(self.nodes[number].items))].append(number)
        return groups


@dataclass(frozen=True, eq=False, repr=False)
class OrderingModel(Model[Encoded, NodesBatch]):
    """A distribution over the orders of the items of each node, independent between nodes.

    Attributes:
        options: the settings.
        vocabulary: known relations and tags.
        features: ``[weights]`` the key of the feature of each weight, in ascending order.
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
        self,
        encoded: Encoded,
        batches: Sequence[Sequence[int]],
        sentences: int,
        *,
        scoring: bool,
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
        """Return the distributions over orders of the items of nodes.

        Args:
            parameters: weights by name.
            group: nodes padded to the same number of items.
        """
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
        """Return ``[sentences]`` log p(orders | tree), summed over the nodes of each sentence.

        Args:
            parameters: weights by name.
            batch: from ``batch``.
        """
        total = jnp.zeros(len(batch.sentences), parameters["weight"].dtype)
        for group in batch.groups:
            if not len(group.items):
                continue  # do not compile for sizes that no node has
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
        """Return the negative log-likelihood per node with its penalty, and sums.

        Args:
            parameters: weights by name.
            constants: unused.
            batch: from ``batch``.
            key: unused: the loss is deterministic.
            options: coefficient of the penalty.
        """
        total = jnp.sum(self.log_likelihoods(parameters, batch))
        nodes = sum(jnp.sum(jnp.asarray(group.items) > 0) for group in batch.groups)
        nodes = jnp.maximum(1, nodes)
        penalty = options.l2 / 2 * jnp.sum(parameters["weight"] ** 2)
        return penalty - total / nodes, Sums.of(total, nodes)

    def optimiser(
        self, options: OrderingTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation:
        """Return Adam.

        Args:
            options: rate and schedule.
            steps: total number of updates.
            slots: ignored, because no penalty is per sentence.
        """
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
    """Return the perplexity of the order of a node, and the number of nodes.

    Args:
        model: the model.
        parameters: its weights.
        examples: held-out sentences.
        batches: the same, encoded.
        shapes: records the compiled shapes.
    """
    total = float(log_likelihoods(model, parameters, batches, shapes).sum())
    encoded = model.encode(examples)
    nodes = len(encoded.nodes)
    # In a treebank without nouns and verbs there is nothing to predict.
    perplexity = math.exp(-total / nodes) if nodes and not math.isnan(total) else 1.0
    return {
        "perplexity": perplexity,
        "nodes": nodes,
        "long_nodes": int(encoded.long.sum()),
        "unscorable": 0,
    }


def _room(nodes: int) -> int:
    """Return the number of nodes that a group is padded to."""
    return round_up(nodes) if nodes else 0


def _nodes_of(encoded: Encoded, sentences: Sequence[int]) -> list[int]:
    """Return the numbers of the nodes of some sentences."""
    first = encoded.first
    return [number for i in sentences for number in range(first[i], first[i + 1])]
