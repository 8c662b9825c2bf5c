"""The comma model of Shieber and Tao (2003): a chain of three states over the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import pad_rows, round_up, row_lengths
from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.models.base import Array, Optimiser, Parameters
from semipunct.models.network import MaximumLikelihood
from semipunct.papers.commas.ngrams import (
    AFTER_COMMA,
    AFTER_COMMA_WORD,
    COMMA_AGAIN,
    COMMA_NEXT,
    COMMA_TWICE,
    WORD,
    Katz,
    Symbols,
    Trigrams,
    components,
    has_comma,
)
from semipunct.papers.commas.options import CommaOptions, CommaTrainOptions
from semipunct.papers.commas.trees import PhraseTree, category
from semipunct.structures.chain import LinearChain, linear_chain
from semipunct.structures.distribution import Distribution

if TYPE_CHECKING:
    import optax  # pyright: ignore[reportMissingTypeStubs]

EDGE = "^"
"""Marks positions outside of the sentence."""

_MOST = 6
"""Larger counts of constituents are not distinguished."""

_WIDTHS = (1, 2, 3, 5, 8, 13, 21)
"""Lower bounds of the classes of widths."""


class SlotFeatures(msgspec.Struct, frozen=True):
    """The features that have weights, in ascending order."""

    names: tuple[str, ...]

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence[PhraseTree]], templates: Sequence[str], minimum: int
    ) -> SlotFeatures:
        counts = Counter(f for s in sentences for slot in slot_features(s, templates) for f in slot)
        return cls(tuple(sorted(f for f, n in counts.items() if n >= minimum)))

    def encode(
        self, sentences: Sequence[Sentence[PhraseTree]], templates: Sequence[str]
    ) -> list[npt.NDArray[np.int32]]:
        """Return ``[n + 1, most]`` for each sentence: i + 1 for feature i, 0 for none."""
        number = {name: i for i, name in enumerate(self.names, 1)}
        encoded: list[npt.NDArray[np.int32]] = []
        for s in sentences:
            rows = [[number.get(f, 0) for f in slot] for slot in slot_features(s, templates)]
            encoded.append(np.array(rows, np.int32))
        return encoded


def slot_features(sentence: Sentence[PhraseTree], templates: Sequence[str]) -> Iterator[list[str]]:
    """Yield the features of each slot by groups of ``options.TEMPLATES``, without its commas."""
    n = sentence.size
    words = [EDGE, EDGE, *(form.lower() for form in dotted_forms(sentence)), EDGE, EDGE]
    tags = [EDGE, EDGE, *sentence.tree.tags, EDGE, EDGE]
    meeting = _Meeting(sentence.tree) if {"counts", "phrases"} & set(templates) else None
    for slot in range(n + 1):
        features = ["bias"]
        if "words" in templates:
            features += _around("w", words[slot : slot + 4])
        if "tags" in templates:
            features += _around("t", tags[slot : slot + 4])
            if "words" in templates:
                w, t = words[slot + 1 : slot + 3], tags[slot + 1 : slot + 3]
                features += [f"w0t1={w[0]} {t[1]}", f"t0w1={t[0]} {w[1]}"]
        if meeting is not None and "counts" in templates:
            features += meeting.counts(slot, tags[slot + 1 : slot + 3])
        if meeting is not None and "phrases" in templates:
            features += meeting.phrases(slot, words[slot : slot + 4], tags[slot : slot + 4])
        yield features


def _around(name: str, four: Sequence[str]) -> list[str]:
    a, b, c, d = four
    return [
        f"{name}-1={a}", f"{name}0={b}", f"{name}1={c}", f"{name}2={d}", f"{name}-10={a} {b}",
        f"{name}01={b} {c}", f"{name}12={c} {d}", f"{name}-101={a} {b} {c}",
        f"{name}012={b} {c} {d}",
    ]  # fmt: skip


def ranks(tree: PhraseTree) -> list[int]:
    """Return the index of each node among its siblings."""
    ranks_of_nodes = [0] * len(tree.categories)
    for children in tree.children:
        for place, child in enumerate(children):
            ranks_of_nodes[child] = place
    return ranks_of_nodes


def conjunctions(tree: PhraseTree) -> list[int]:
    """Count the conjunctions among the children of each node."""
    return [sum(tree.categories[x] == "CC" for x in children) for children in tree.children]


class _Meeting:
    """The constituents of a tree by the slots where they start and end."""

    def __init__(self, tree: PhraseTree) -> None:
        self.tree = tree
        self.left, self.right = tree.edges
        self.label = [category(label) or EDGE for label in tree.categories]
        n = tree.words
        self.starts: list[list[int]] = [[] for _ in range(n + 1)]
        self.ends: list[list[int]] = [[] for _ in range(n + 1)]
        self.rank, self.conjunctions = ranks(tree), conjunctions(tree)
        for node, label in enumerate(tree.categories):  # outer nodes first
            if label:
                self.starts[self.left[node]].append(node)
                self.ends[self.right[node]].append(node)

    def counts(self, slot: int, tags: Sequence[str]) -> list[str]:
        starts, ends = (str(min(len(x[slot]), _MOST)) for x in (self.starts, self.ends))
        return [
            f"s={starts}", f"e={ends}", f"se={starts} {ends}", f"et0={ends} {tags[0]}",
            f"et1={ends} {tags[1]}", f"set1={starts} {ends} {tags[1]}",
        ]  # fmt: skip

    def phrases(self, slot: int, words: Sequence[str], tags: Sequence[str]) -> list[str]:
        before, after = self._topmost(self.ends[slot]), self._topmost(self.starts[slot])
        label, parents = self.label, self.tree.parents
        b, a = (label[x] if x >= 0 else EDGE for x in (before, after))
        # The lowest phrase that contains both; a comma would be its child.
        over = parents[before if before >= 0 else after]
        p = label[over] if over >= 0 else EDGE
        width = [self._width(x) for x in (before, after)]
        siblings = self.tree.children[over] if over >= 0 else ()
        places = [self.rank[x] if x >= 0 and parents[x] == over else -1 for x in (before, after)]
        first, last = places[0] == 0, places[1] == len(siblings) - 1
        beyond = [
            label[siblings[i]] if 0 <= i < len(siblings) else EDGE
            for i in (
                places[0] - 1 if places[0] >= 0 else -1,
                places[1] + 1 if places[1] >= 0 else -1,
            )
        ]
        above = label[parents[over]] if over >= 0 and parents[over] >= 0 else EDGE
        chains = [
            "_".join(label[x] for x in nodes[:3] if not self.tree.anchors[x])
            for nodes in (self.ends[slot], self.starts[slot])
        ]
        functions = [self.tree.categories[x] if x >= 0 else EDGE for x in (before, after)]
        inner = self.conjunctions[over] if over >= 0 else 0
        return [
            f"b={b}", f"a={a}", f"p={p}", f"ba={b} {a}", f"pba={p} {b} {a}", f"pb={p} {b}",
            f"pa={p} {a}", f"pbafl={p} {b} {a} {first} {last}", f"gpba={above} {p} {b} {a}",
            f"bw={b} {width[0]}", f"aw={a} {width[1]}", f"pbaw={p} {b} {a} {width[0]}",
            f"pbawa={p} {b} {a} {width[1]}", f"pbaww={p} {b} {a} {width[0]} {width[1]}",
            f"pbn={p} {b} {beyond[0]}", f"pan={p} {a} {beyond[1]}",
            f"pban={p} {b} {a} {beyond[1]}", f"pbbn={p} {beyond[0]} {b} {a}",
            f"ce={chains[0]}", f"cs={chains[1]}", f"pbat={p} {b} {a} {tags[2]}",
            f"pbaw1={p} {b} {a} {words[2]}", f"pbaw0={p} {b} {a} {words[1]}",
            f"fb={p} {functions[0]} {a}", f"fa={p} {b} {functions[1]}",
            f"cc={p} {b} {a} {inner} {tags[2]}", f"bt={b} {self._opening(before, tags)}",
            f"pbo={p} {b} {a} {self._opening(before, tags)}", f"n={p} {len(siblings) > 2} {a} {b}",
        ]  # fmt: skip

    def _topmost(self, nodes: Sequence[int]) -> int:
        return nodes[0] if nodes else -1

    def _width(self, node: int) -> int:
        if node < 0:
            return 0
        width = self.right[node] - self.left[node]
        return sum(width >= bound for bound in _WIDTHS)

    def _opening(self, node: int, tags: Sequence[str]) -> str:
        return self.tree.tags[self.left[node]] if node >= 0 else EDGE


def without_some(features: npt.NDArray[np.int32] | jax.Array, share: float, key: jax.Array) -> Any:
    """Drop a share of features at random."""
    return jnp.where(jax.random.bernoulli(key, 1 - share, features.shape), features, 0)


PLAIN, BEFORE_COMMA, AFTER = range(3)
"""The states of a word: no comma beside it; a comma after it; a comma only before it."""

STATES = 3

_STEPS = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 0]], bool)
"""Allowed transitions: the state after a comma must record the comma."""


class CommaBatch(NamedTuple):
    """Padded sentences. Position 0 is before the first word, position n + 1 after the last.

    Attributes:
        terms: ``[batch, positions, QUERIES, terms]`` from ``Trigrams.terms``.
        features: ``[batch, positions, most]`` of the slot after each position.
        commas: ``[batch, positions]`` whether that slot has a comma.
        lengths: ``[batch]`` positions; 0 for padding.
    """

    terms: npt.NDArray[np.int32]
    features: npt.NDArray[np.int32] | jax.Array
    commas: npt.NDArray[np.bool_]
    lengths: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded sentences, as in ``CommaBatch`` without the batch axis and padding."""

    terms: Sequence[npt.NDArray[np.int32]]
    features: Sequence[npt.NDArray[np.int32]]
    commas: Sequence[npt.NDArray[np.bool_]]

    @property
    def lengths(self) -> list[int]:
        return [len(commas) - 1 for commas in self.commas]


@dataclass(frozen=True, eq=False, repr=False)
class CommaModel(MaximumLikelihood[Encoded, CommaBatch, Sentence[PhraseTree]]):
    """A comma model with trigrams (Shieber and Tao 2003), features of slots, or both."""

    kind: ClassVar[str] = "commas"
    scoring_limits: ClassVar[tuple[int, int]] = (64, 2048)
    usage: ClassVar[tuple[str, ...]] = ("semipunct restore MODEL TREES.mrg --marks ,",)

    options: CommaOptions
    trigrams: Trigrams
    features: SlotFeatures

    @classmethod
    def fit(cls, sentences: Sequence[Sentence[PhraseTree]], options: CommaOptions) -> CommaModel:
        features = SlotFeatures(())
        if options.templates:
            features = SlotFeatures.of(sentences, options.templates, options.minimum_feature_count)
        return cls(options, Trigrams.of(sentences, options), features)

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        drawn = np.random.default_rng(seed).normal(0.0, scale, len(self.features.names))
        return {
            "trigrams": self.trigrams.table(),
            "slots": drawn.astype(np.float32),
            "steps": np.zeros((STATES, STATES), np.float32),
        }

    def encode(self, sentences: Sequence[Sentence[PhraseTree]]) -> Encoded:
        features = (
            self.features.encode(sentences, self.options.templates)
            if self.options.templates
            else [np.zeros((s.size + 1, 0), np.int32) for s in sentences]
        )
        return Encoded(self.trigrams.terms(sentences), features, [has_comma(s) for s in sentences])

    def batch(
        self, encoded: Encoded, members: Sequence[int], shape: int | None = None
    ) -> CommaBatch:
        lengths = row_lengths([len(encoded.terms[i]) for i in members], shape or len(members))
        room = len(lengths), round_up(int(lengths.max()), 16, 1)
        return CommaBatch(
            pad_rows([encoded.terms[i] for i in members], room),
            pad_rows([encoded.features[i] for i in members], room),
            pad_rows([encoded.commas[i] for i in members], room),
            lengths,
        )

    def chain(self, parameters: Parameters, batch: CommaBatch) -> LinearChain:
        """Return the linear chains over states (Shieber and Tao 2003, figure 1)."""
        lengths = jnp.asarray(batch.lengths)
        table = parameters["trigrams"]
        table = jnp.concatenate([jnp.zeros(1, table.dtype), table, -table])
        log_p = jnp.sum(table[batch.terms], -1)
        weights = jnp.concatenate([jnp.zeros(1, table.dtype), parameters["slots"]])
        slots = jnp.sum(weights[batch.features], -1)
        position = jnp.arange(log_p.shape[1])
        is_last = position == lengths[:, None] - 1
        # The transition to its state scores a comma; no transition precedes slot 0.
        first = (position == 0)[None] & (lengths > 0)[:, None]
        with_comma = slots + jnp.where(first, log_p[..., COMMA_NEXT], 0.0)
        nothing = jnp.zeros_like(slots)
        emission = jnp.stack(
            [
                nothing,
                jnp.where(is_last, -jnp.inf, with_comma),
                jnp.where(first, -jnp.inf, nothing),
            ],
            -1,
        )
        at_word, before = log_p[:, 1:], log_p[:, :-1]
        words = [at_word[..., query] for query in (WORD, AFTER_COMMA, AFTER_COMMA_WORD)]
        if self.options.penalty:
            refused = (COMMA_NEXT, COMMA_TWICE, COMMA_AGAIN)
            words = [w + _log_without(before[..., q]) for w, q in zip(words, refused, strict=True)]
        no = jnp.full_like(words[0], -jnp.inf)
        plain, after, after_word = words
        step = jnp.stack(
            [
                jnp.stack([plain, plain + at_word[..., COMMA_NEXT], no], -1),
                jnp.stack([no, after + at_word[..., COMMA_AGAIN], after], -1),
                jnp.stack([after_word, after_word + at_word[..., COMMA_NEXT], no], -1),
            ],
            -2,
        )
        step = step + jnp.where(jnp.asarray(_STEPS), parameters["steps"], 0.0)
        return linear_chain(emission, step, lengths)

    def log_likelihoods(self, parameters: Parameters, batch: CommaBatch) -> jax.Array:
        chain = self.chain(parameters, batch)
        states = states_of(jnp.asarray(batch.commas))
        return Distribution(chain).log_prob(states)

    def noisy_log_likelihoods(
        self, parameters: Parameters, batch: CommaBatch, key: jax.Array, options: CommaTrainOptions
    ) -> jax.Array:
        if options.dropout and batch.features.shape[-1]:
            features = without_some(batch.features, options.dropout, key)
            batch = batch._replace(features=features)
        return self.log_likelihoods(parameters, batch)

    def units(self, batch: CommaBatch) -> jax.Array:
        return jnp.sum(jnp.maximum(0, jnp.asarray(batch.lengths) - 1))

    def optimiser(
        self, options: CommaTrainOptions, steps: int, slots: float
    ) -> optax.GradientTransformation | Optimiser:
        import optax  # pyright: ignore[reportMissingTypeStubs]

        from semipunct.models.optimisation import clipped_adamw

        learnt = {"nothing": (), "slots": ("slots", "steps")}.get(
            options.learn, ("slots", "steps", "trigrams")
        )
        labels = {
            name: "learnt" if name in learnt else "fixed" for name in ("trigrams", "slots", "steps")
        }
        return optax.multi_transform(
            {"learnt": clipped_adamw(options, steps), "fixed": optax.set_to_zero()}, labels
        )

    def to_data(self) -> dict[str, Any]:
        counts = {name: model.to_data() for name, model in self.trigrams.counts.items()}
        return {
            "symbols": msgspec.to_builtins(self.trigrams.symbols),
            "counts": counts,
            "features": list(self.features.names),
        }

    @classmethod
    def from_data(cls, data: Any, options: CommaOptions) -> CommaModel:
        symbols = msgspec.convert(data["symbols"], Symbols)
        counts = {c.name: Katz.from_data(data["counts"][c.name]) for c in components(options)}
        features = msgspec.convert(data["features"], tuple[str, ...])
        if list(features) != sorted(set(features)):
            raise ValueError("the features are not in strictly ascending order")
        return cls(options, Trigrams(options, symbols, counts), SlotFeatures(features))

    @property
    def description(self) -> str:
        parts: list[str] = []
        if self.options.ngrams:
            tags = " and of parts of speech" if self.options.tags else ""
            parts.append(f"trigrams of words{tags} with Katz smoothing (Shieber and Tao 2003)")
        if self.options.templates:
            parts.append(f"features of slots ({', '.join(self.options.templates)})")
        evidence = " and ".join(parts) or "nothing"
        return f"A linear chain that says where commas stand between words, by {evidence}."

    def signature(self) -> dict[str, str]:
        return {"tokens": "comma"}


def states_of(commas: jax.Array) -> jax.Array:
    """Return the states of positions, given the commas after them, ``[batch, positions]``."""
    before = jnp.pad(commas[:, :-1], ((0, 0), (1, 0)))
    return jnp.where(commas, BEFORE_COMMA, jnp.where(before, AFTER, PLAIN))


def _log_without(log_probability: jax.Array) -> jax.Array:
    return jnp.log1p(-jnp.exp(jnp.minimum(log_probability, -_LEAST)))


_LEAST = 1e-6
