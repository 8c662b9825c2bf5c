"""Tiny sentences, a model fitted to them, and the same model in the format of the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.corpus import Sentence
from semipunct.features.strings import Spelling
from semipunct.marks import EDITS, with_boundaries
from semipunct.models.punctuation.attach import log_attach
from semipunct.models.punctuation.batches import Batch, BatchShape, FeatureSizes
from semipunct.models.punctuation.channel import log_edits
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from semipunct.structures.given_tree import Edits, GivenTrees, inside
from semipunct.trees import DependencyTree
from semirings import Expectation, Semiring
from tests.oracle import Channel, Derivation, Pair, Tokens, derivations

DIRECTIONS = ("none", "l2r", "r2l")
TINY = {
    "minimum_token_count": 1,
    "minimum_pair_count": 3,
    "minimum_context_count": 1,
    "templates": ("N", "W", "A", "C", "L", "R", "S", "c"),
}
SHAPE = BatchShape(
    sentences=16,
    words=48,
    strings=32,
    states=4,
    steps=32,
    lanes=(3, 4),
    factors=8,
    features={
        "pair": FeatureSizes(entries=4096, blocks=4, weights=8192),
        "side": FeatureSizes(entries=1024, blocks=4, weights=1024),
        "opening": FeatureSizes(entries=1024, blocks=4, weights=1024),
        "closing": FeatureSizes(entries=2048, blocks=4, weights=1024),
    },
)
"""One shape for all small batches, so that each function is compiled once."""

QUICK = {"xla_backend_optimization_level": 0}
"""Compiler options: in these tests compilation takes much longer than execution."""

Parameters = dict[str, np.ndarray]


def sentence(
    heads: Sequence[int],
    slots: Sequence[str],
    relations: Sequence[str] | None = None,
    upos: Sequence[str] | None = None,
) -> Sentence:
    """Build a sentence from its tree and its slots, whose tokens are separated by blanks."""
    n = len(heads)
    relations = relations or ["root" if not head else "dep" for head in heads]
    return Sentence(
        sentence_id="s",
        path="made.conllu",
        line=1,
        forms=tuple(f"w{i}" for i in range(n)),
        lemmas=tuple(f"w{i}" for i in range(n)),
        upos=tuple(upos or ["X"] * n),
        xpos=tuple(upos or ["X"] * n),
        feats=("_",) * n,
        tree=DependencyTree(tuple(heads), tuple(relations)),
        slots=tuple(tuple(slot.split()) for slot in slots),
    )


SENTENCES = (
    sentence([0], ["", "."]),
    sentence([2, 0], ["", ",", "."], ["advmod", "root"], ["ADV", "VERB"]),
    sentence([2, 0, 2], ["“", "", "” ,", ""], ["dep", "root", "dep"], ["X", "VERB", "X"]),
    sentence([0, 1, 2], ["", ",", "", ", ."], ["root", "appos", "dep"], ["NOUN", "NOUN", "X"]),
    sentence([2, 4, 2, 0], ["“", "", "", "” .", ""], ["dep", "appos", "dep", "root"]),
    sentence([3, 1, 0, 5, 3], ["", "", "", "“", "", ". ”"]),
    sentence([0, 1], ["", ", , .", ""]),
    sentence([2, 0, 2], ["", "", "", ""]),
    sentence([0, 1, 1], ["“", "", ",", "”"]),
    sentence([2, 0], [",", "", ";"]),
    sentence([3, 3, 0, 3], [".", "", "", ",", ""]),
    sentence([0], [", .", ""]),
)
"""Trees of 1 to 5 words; `;` is unknown to the model."""

TRAINING = (
    *SENTENCES[:9],
    sentence([2, 0], ["“", "”", "."], ["advmod", "root"]),
    sentence([2, 0], ["“", "”", "."], ["appos", "root"]),
    *[sentence([2, 0], ["", ", ”", ", ”"])] * 3,
    # As many left as right punctemes have two tokens: all directions have the same shapes.
    *[sentence([0], [", “", ""])] * 3,
    *[sentence([0], [". “", ""])] * 3,
)


@cache
def model(channel: str, **options: object) -> PunctuationModel:
    """Return the model of the training sentences.

    With direction l2r the channel also puts a mark at the end of sentences, so that tests over all
    directions cover models with and without it.
    """
    chosen = {**TINY, "final_mark": channel == "l2r", **options}
    return PunctuationModel.fit(TRAINING, ModelOptions(channel=channel, **chosen))


def batch_of(
    m: PunctuationModel, sentences: Sequence[Sentence], members: Sequence[int] | None = None
) -> Batch:
    """Pad some of the sentences to ``SHAPE``."""
    chosen = range(len(sentences)) if members is None else members
    batch = m.batch(m.encode(sentences), list(chosen), SHAPE)
    if batch.relation.shape != (SHAPE.words,):
        raise ValueError(f"{len(sentences)} sentences exceed the shape of these tests")
    return batch


def spelling_probability(spelling: Spelling, symbols: Sequence[int]) -> float:
    """Return the probability that the open puncteme generates these tokens."""
    probability = 1.0
    for i, symbol in enumerate(symbols):
        if i == 0:
            probability *= spelling.first[symbol]
            continue
        repeated = spelling.again if symbol == symbols[i - 1] else 0.0
        different = (1 - spelling.again) * spelling.first[symbol]
        probability *= (1 - spelling.stop) * (repeated + different)
    return probability * spelling.stop if symbols else 0.0


def oracle_channel(m: PunctuationModel, parameters: Parameters) -> Channel:
    """The channel of the model's only pass, with the spelling of the open puncteme."""
    number = {s: i for i, s in enumerate(m.inventory.symbols)}

    def spelling(tokens: Tokens) -> float:
        return spelling_probability(m.inventory.spelling, [number[t] for t in tokens])

    (channel,) = oracle_channels(m, parameters)
    return replace(channel, spelling=spelling)


def oracle_channels(m: PunctuationModel, parameters: Parameters) -> list[Channel]:
    """One channel for each pass, without the open puncteme."""
    symbols = m.inventory.symbols
    channels: list[Channel] = []
    for i, mirrored in enumerate(m.directions):
        tables = np.exp(np.asarray(log_edits(parameters, i, symbols, m.options), np.float64))
        edits = {
            (a, b): {e: float(tables[k, x, y]) for k, e in enumerate(EDITS) if tables[k, x, y] > 0}
            for x, a in enumerate(symbols[1:], 1)
            for y, b in enumerate(symbols[1:], 1)
        }
        window = "r2l" if mirrored else "l2r"
        channels.append(Channel("none" if m.options.channel == "none" else window, edits))
    return channels


def oracle_choices(
    m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]
) -> list[list[dict[Pair, float]]]:
    """Return p(left, right | w) of every word of every sentence."""
    batch = batch_of(m, sentences)
    table = np.asarray(jitted_attach(m)(parameters, batch), np.float64)
    names = [m.inventory.pair_name(p) for p in range(table.shape[1])]
    choices: list[list[dict[Pair, float]]] = []
    row = 0
    for s in sentences:
        choices.append([])
        for _ in s.tree.heads:
            choices[-1].append(dict(zip(names, np.exp(table[row]).tolist(), strict=True)))
            row += 1
    return choices


@cache
def jitted_attach(m: PunctuationModel) -> Callable[[Parameters, Batch], jax.Array]:
    """Compute `log_attach` of a batch."""
    return jax.jit(lambda p, b: log_attach(m.read(p, b), m.attach_tables, b.features, b.relation))


def known_slots(m: PunctuationModel, s: Sentence) -> list[Tokens]:
    """Return the strings of the channel: with boundary marks, and with unknown tokens replaced."""
    strings = with_boundaries(s.slots, final=m.options.final_mark)
    return [tuple(m.inventory.symbols[i] for i in m.inventory.encode(string)) for string in strings]


def oracle_derivations(
    m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]
) -> list[list[Derivation]]:
    """Return all derivations of every sentence."""
    channel = oracle_channel(m, parameters)
    return [
        derivations(
            s.tree.heads,
            choices,
            channel,
            known_slots(m, s),
            initial_mark=True,
            final_mark=m.options.final_mark,
        )
        for s, choices in zip(sentences, oracle_choices(m, parameters, sentences), strict=True)
    ]


def log(x: float) -> float:
    """Return the natural logarithm, minus infinity at zero."""
    return math.log(x) if x > 0 else -math.inf


class Answer(NamedTuple):
    """The results of one semiring on a batch.

    Attributes:
        log_weight: `[sentences]`.
        expected: `[sentences]` the expected count, None in semirings without counts.
        choice: `[words, pairs]` gradient of the sum of log weights.
        edits: the same for the edits, in the order of the window.
    """

    log_weight: jax.Array
    expected: jax.Array | None
    choice: jax.Array
    edits: Edits


def ask(potentials: GivenTrees, semiring: Semiring) -> Answer:
    """Run one forward and one reverse pass.

    All inputs are arguments, including constants of the model, so that all directions share one
    compiled function per semiring.
    """
    return _ask(semiring)(potentials)


@cache
def _ask(semiring: Semiring) -> Callable[[GivenTrees], Answer]:
    def log_weights(
        inputs: tuple[jax.Array, Edits], potentials: GivenTrees
    ) -> tuple[jax.Array, tuple[jax.Array, jax.Array | None]]:
        choice, edits = inputs
        automata = potentials.automata._replace(edits=edits)
        total = inside(potentials._replace(choice=choice, automata=automata), semiring)
        log_weight = semiring.log_weight(total.value) + total.log_scale
        counts = isinstance(semiring, Expectation)
        expected = semiring.expected_value(total.value) if counts else None
        return jnp.sum(log_weight), (log_weight, expected)

    def answer(potentials: GivenTrees) -> Answer:
        inputs = potentials.choice, potentials.automata.edits
        gradient, (log_weight, expected) = jax.grad(log_weights, has_aux=True)(inputs, potentials)
        return Answer(log_weight, expected, *gradient)

    return jax.jit(answer, compiler_options=QUICK)


def potentials_of(
    m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]
) -> GivenTrees:
    """Return the potentials of a batch, which count unmatched punctemes."""
    return _potentials_of(m)(parameters, batch_of(m, sentences))


@cache
def _potentials_of(m: PunctuationModel) -> Callable[[Parameters, Batch], GivenTrees]:
    def potentials(p: Parameters, b: Batch) -> GivenTrees:
        trees = m.potentials(m.read(p, b), b, jnp.asarray(m.unmatched))
        # Weakly typed arrays would have another signature, and require another compilation.
        return jax.tree.map(lambda x: jax.lax.convert_element_type(x, jnp.asarray(x).dtype), trees)

    return jax.jit(potentials)


def parameter_gradient(
    m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence], answer: Answer
) -> dict[str, np.ndarray]:
    """Compute the gradient with respect to the parameters by the chain rule."""
    batch = batch_of(m, sentences)
    missing = len(batch.relation) - len(answer.choice)
    choice = np.pad(answer.choice, ((0, missing), (0, 0)))
    pulled = _pull(m)(parameters, batch, choice, answer.edits)
    return {name: np.asarray(gradient) for name, gradient in pulled.items()}


@cache
def _pull(m: PunctuationModel) -> Callable[..., dict[str, jax.Array]]:
    def pull(p: Parameters, b: Batch, choice: jax.Array, edits: Edits) -> dict[str, jax.Array]:
        def upper(p: Parameters) -> tuple[jax.Array, Edits]:
            potentials = m.potentials(m.read(p, b), b)
            return potentials.choice, potentials.automata.edits

        return jax.vjp(upper, p)[1]((choice, edits))[0]

    return jax.jit(pull)


def tables(
    m: PunctuationModel,
    sentences: Sequence[Sentence],
    by_word: Sequence[Sequence[dict[Pair, float]]],
) -> np.ndarray:
    """Convert numbers by sentence, word and pair to `[words, pairs]`, in the model's order."""
    names = [m.inventory.pair_name(p) for p in range(len(m.inventory.pairs))]
    rows = [
        [row.get(name, 0.0) for name in names]
        for s, words in zip(sentences, by_word, strict=True)
        for _, row in zip(s.tree.heads, words, strict=True)
    ]
    return np.array(rows)
