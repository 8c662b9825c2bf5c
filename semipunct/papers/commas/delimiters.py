"""Models of commas at the edges of phrases.

The generative model follows Li, Wang and Eisner (2019, footnote 2) with the comma as the only mark:
every constituent has a pair of punctemes, log-linear in features of the phrase. Commas that meet
between two words are merged, and the result may be absorbed. With ``model.field=true`` the same
features weigh the visible commas at the edges of a phrase, in a conditional random field.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import pad_rows, round_up, row_lengths
from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.marks.penn import MARK_TAGS
from semipunct.models.base import Array, Parameters
from semipunct.models.network import Network
from semipunct.models.vocabulary import frequent
from semipunct.papers.commas.model import conjunctions, ranks, without_some
from semipunct.papers.commas.ngrams import has_comma
from semipunct.papers.commas.options import DelimiterOptions, DelimiterTrainOptions
from semipunct.papers.commas.trees import PhraseTree, category
from semipunct.structures.distribution import Distribution
from semipunct.structures.phrases import PhraseMarks, phrase_marks

PLACES = ("within", "edge", "before mark", "after mark")
"""Kinds of slots, each with its own probability of absorbing a comma."""

DEEPEST = 256
"""Phrases at this depth or deeper draw no commas, to bound memory; words always draw."""

_WIDTHS = (1, 2, 3, 5, 8, 13, 21)
_EDGE = "^"
_PRIOR = 3.0  # initial weight of no comma

# States of a slot's automaton: no comma yet, a comma. Labels: none, a comma.
_MATRICES = np.array([[[0, -np.inf], [-np.inf, 0]], [[-np.inf, 0], [-np.inf, 0]]], np.float32)
_INITIAL = np.array([0, -np.inf], np.float32)

# In the field, all labels that meet at a slot equal the visible comma, which is the state from the
# start: 0 without a comma, 1 with one.
_AGREE = np.array(
    [[[0, -np.inf], [-np.inf, -np.inf]], [[-np.inf, -np.inf], [-np.inf, 0]]], np.float32
)
_EITHER = np.zeros(2, np.float32)


class PhrasesBatch(NamedTuple):
    """Padded trees.

    Attributes:
        features: ``[batch, nodes, most]`` i + 1 for feature i, 0 for none.
        depths: ``[batch, nodes]``.
        nodes: ``[batch]``; 0 for padding.
        places: ``[batch, slots]`` indices into ``PLACES``.
        commas: ``[batch, slots]``.
        slots: ``[batch]``; 0 for padding.
        levels: ``[levels]``; only the shape matters.
    """

    features: npt.NDArray[np.int32] | jax.Array
    depths: npt.NDArray[np.int32]
    nodes: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]
    commas: npt.NDArray[np.bool_]
    slots: npt.NDArray[np.int32]
    levels: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class EncodedPhrases:
    """Encoded sentences, as in ``PhrasesBatch`` without the batch axis."""

    features: Sequence[npt.NDArray[np.int32]]
    depths: Sequence[npt.NDArray[np.int32]]
    places: Sequence[npt.NDArray[np.int32]]
    commas: Sequence[npt.NDArray[np.bool_]]

    @property
    def lengths(self) -> list[int]:
        return [len(commas) - 1 for commas in self.commas]


@dataclass(frozen=True, eq=False, repr=False)
class DelimiterModel(Network[EncodedPhrases, PhrasesBatch, Sentence[PhraseTree]]):
    """A model of the underlying commas of phrases and their visibility."""

    kind: ClassVar[str] = "phrase-commas"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 2048)
    usage: ClassVar[tuple[str, ...]] = ("semipunct restore MODEL TREES.mrg --marks ,",)

    options: DelimiterOptions
    features: tuple[str, ...]

    @classmethod
    def fit(
        cls, sentences: Sequence[Sentence[PhraseTree]], options: DelimiterOptions
    ) -> DelimiterModel:
        features = (f for s in sentences for node in node_features(s) for f in node)
        return cls(options, frequent(features, options.minimum_feature_count))

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        generator = np.random.default_rng(seed)
        drawn = generator.normal(0.0, scale, (len(self.features), 2, 2))
        bias = np.array([[_PRIOR, 0], [0, 0]], np.float32)
        weights: dict[str, Array] = {"weight": drawn.astype(np.float32), "bias": bias}
        if not self.options.field:
            weights["absorb"] = np.full(len(PLACES), -_PRIOR, np.float32)
        return weights

    def encode(self, sentences: Sequence[Sentence[PhraseTree]]) -> EncodedPhrases:
        number = {name: i for i, name in enumerate(self.features, 1)}
        features, depths = [], []
        for s in sentences:
            rows = [[number.get(f, 0) for f in node] for node in node_features(s)]
            depths_of_nodes = np.array(s.tree.depths, np.int32)
            is_represented = (depths_of_nodes < DEEPEST) | (np.array(s.tree.anchors) > 0)
            features.append(np.array(rows, np.int32)[is_represented])
            depths.append(np.minimum(depths_of_nodes, DEEPEST)[is_represented])
        return EncodedPhrases(
            features, depths, [_places(s) for s in sentences], [has_comma(s) for s in sentences]
        )

    def batch(
        self, encoded: EncodedPhrases, members: Sequence[int], shape: int | None = None
    ) -> PhrasesBatch:
        size = shape or len(members)
        nodes = row_lengths([len(encoded.depths[i]) for i in members], size)
        slots = row_lengths([len(encoded.commas[i]) for i in members], size)
        # One size determines the other, to limit the number of shapes.
        length = round_up(max(int(nodes.max()), 2 * int(slots.max())), 64, 1)
        of_nodes, of_slots = (size, length), (size, length // 2 + 1)
        depths = pad_rows([encoded.depths[i] for i in members], of_nodes)
        return PhrasesBatch(
            pad_rows([encoded.features[i] for i in members], of_nodes),
            depths,
            nodes,
            pad_rows([encoded.places[i] for i in members], of_slots),
            pad_rows([encoded.commas[i] for i in members], of_slots),
            slots,
            np.zeros(round_up(int(depths.max()) + 1, 16, 1), np.int32),
        )

    def marks(self, parameters: Parameters, batch: PhrasesBatch, *, seen: bool) -> PhraseMarks:
        """Return the distributions over pairs of commas, given the visible ones if ``seen``."""
        weight = parameters["weight"]
        table = jnp.concatenate([jnp.zeros((1, 2, 2), weight.dtype), weight])
        score = jnp.sum(table[batch.features], 2) + parameters["bias"]
        commas = jnp.asarray(batch.commas)
        none = jnp.where(commas & seen, -jnp.inf, 0.0)
        if self.options.field:
            choice, matrices, initial = score, _AGREE, _EITHER
            some = jnp.where(~commas & seen, -jnp.inf, 0.0)
        else:
            choice = jax.nn.log_softmax(score.reshape(*score.shape[:2], 4)).reshape(score.shape)
            matrices, initial = _MATRICES, _INITIAL
            absorb = parameters["absorb"][batch.places]
            log_seen = jnp.where(commas, jax.nn.log_sigmoid(-absorb), jax.nn.log_sigmoid(absorb))
            some = log_seen if seen else jnp.zeros_like(absorb)
        return phrase_marks(
            choice, jnp.stack([none, some], -1), jnp.asarray(batch.depths), jnp.asarray(matrices),
            jnp.asarray(initial), jnp.asarray(batch.nodes), len(batch.levels),
        )  # fmt: skip

    def log_likelihoods(self, parameters: Parameters, batch: PhrasesBatch) -> jax.Array:
        """Return ``[sentences]`` log p(commas | phrases)."""
        log_p = Distribution(self.marks(parameters, batch, seen=True)).log_partition()
        if self.options.field:
            log_p -= Distribution(self.marks(parameters, batch, seen=False)).log_partition()
        return log_p

    def probabilities(self, parameters: Parameters, batch: PhrasesBatch) -> jax.Array:
        """Return ``[sentences, slots]`` the probability of a visible comma."""
        marginals = Distribution(self.marks(parameters, batch, seen=False)).marginals()
        if self.options.field:
            return marginals.final[..., 1]
        return marginals.final[..., 1] * jax.nn.sigmoid(-parameters["absorb"][batch.places])

    def noisy_log_likelihoods(
        self,
        parameters: Parameters,
        batch: PhrasesBatch,
        key: jax.Array,
        options: DelimiterTrainOptions,
    ) -> jax.Array:
        if options.dropout:
            features = without_some(batch.features, options.dropout, key)
            batch = batch._replace(features=features)
        return self.log_likelihoods(parameters, batch)

    def units(self, batch: PhrasesBatch) -> jax.Array:
        return jnp.sum(jnp.asarray(batch.slots))

    def to_data(self) -> dict[str, Any]:
        return {"features": list(self.features)}

    @classmethod
    def from_data(cls, data: Any, options: DelimiterOptions) -> DelimiterModel:
        features = msgspec.convert(data["features"], tuple[str, ...])
        if list(features) != sorted(set(features)):
            raise ValueError("the features are not in strictly ascending order")
        return cls(options, features)

    @property
    def description(self) -> str:
        if self.options.field:
            return (
                "A conditional random field of commas over spans: each phrase weighs what is seen "
                "in the slots at its two edges."
            )
        return (
            "A generative comma model: each phrase draws them for its two edges, and those "
            "that meet between two words become one, which is seen or absorbed (Li, Wang and "
            "Eisner 2019, with the constituents of their footnote 2)."
        )

    def signature(self) -> dict[str, str]:
        return {"tokens": "comma"}


def _places(sentence: Sentence[PhraseTree]) -> npt.NDArray[np.int32]:
    marks = [tag in MARK_TAGS for tag in sentence.tree.tags]
    places = np.zeros(sentence.size + 1, np.int32)
    places[1:][marks] = PLACES.index("after mark")
    places[:-1][marks] = PLACES.index("before mark")
    places[[0, -1]] = PLACES.index("edge")
    return places


def node_features(sentence: Sentence[PhraseTree]) -> Iterator[list[str]]:
    """Yield the features of each node; its commas are ignored."""
    tree = sentence.tree
    left, right = tree.edges
    label = [category(name) or _EDGE for name in tree.categories]
    words = [_EDGE, *(form.lower() for form in dotted_forms(sentence)), _EDGE]
    tags = [_EDGE, *tree.tags, _EDGE]
    rank, coordinated = ranks(tree), conjunctions(tree)
    for node, (node_label, parent) in enumerate(zip(label, tree.parents, strict=True)):
        over = label[parent] if parent >= 0 else _EDGE
        above = tree.parents[parent] if parent >= 0 else -1
        siblings = tree.children[parent] if parent >= 0 else (node,)
        place = rank[node]
        before = label[siblings[place - 1]] if place else _EDGE
        after = label[siblings[place + 1]] if place + 1 < len(siblings) else _EDGE
        later = label[siblings[place + 2]] if place + 2 < len(siblings) else _EDGE
        i, j = left[node], right[node]
        width = sum(j - i >= bound for bound in _WIDTHS)
        base = f"{over} {node_label}"
        yield [
            node_label, f"p={base}", f"g={label[above] if above >= 0 else _EDGE} {base}",
            f"b={base} {before}", f"a={base} {after}", f"ba={base} {before} {after}",
            f"al={base} {after} {later}", f"w={base} {width}", f"aw={base} {after} {width}",
            f"bw={base} {before} {width}", f"f={base} {tree.categories[node]}",
            f"baw={base} {before} {after} {width}", f"t={base} {tags[i + 1]} {tags[j]}",
            f"o={base} {words[i + 1]}", f"n={base} {after} {words[min(j + 1, len(words) - 1)]}",
            f"l={base} {tags[i]}", f"r={base} {tags[min(j + 1, len(tags) - 1)]}",
            f"e={base} {words[j]}", f"lw={base} {words[i]}",
            f"c={base} {coordinated[parent] if parent >= 0 else 0} {len(siblings) > 2} {after}",
            f"word={words[j] if tree.anchors[node] else _EDGE} {after}",
        ]  # fmt: skip
