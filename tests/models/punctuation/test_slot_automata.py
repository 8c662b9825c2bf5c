"""Slot automata: the weight of a string of labels is the channel's p(surface | underlying)."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.models.punctuation.model import PunctuationModel
from semirings import Real
from tests.models.punctuation.cases import (
    DIRECTIONS,
    Parameters,
    model,
    oracle_channel,
    oracle_channels,
    sentence,
    spelling_probability,
)
from tests.oracle import Tokens, edit_paths, rewrite

SURFACES = (
    "^", "^ ,", "^ , .", "^ . , ,", ",", ". ”", ", ,", "” , .", "$", ". $", ", ” $", "^ $",
    "; ,", ", . ” “", "",
)  # fmt: skip
ONE = sentence([0] + [1] * (len(SURFACES) - 1), ["", *SURFACES])
"""A sentence with every string as a slot (automata are independent of the position of slots)."""


@cache
def weights(m: PunctuationModel):
    """Compute the `[slots, labels, labels]` weight of two labels, by rows and by columns."""

    def ask(parameters: Parameters, batch):
        automata = m.potentials(m.read(parameters, batch), batch).automata
        reader = automata.lift(Real())
        slots = jnp.arange(batch.accept.emit.shape[0])
        prefixes, suffixes = (t.label for t in m.tries)

        def rows(vectors: jax.Array) -> jax.Array:
            return reader.rows(slots, vectors)[prefixes]

        def columns(vectors: jax.Array) -> jax.Array:
            return reader.columns(slots, vectors)[suffixes]

        ahead, back = jax.vmap(rows)(rows(reader.initial)), jax.vmap(columns)(columns(reader.final))
        return (
            jnp.einsum("abls,ls->lab", ahead, reader.final),
            jnp.einsum("bals,ls->lab", back, reader.initial),
        )

    return jax.jit(ask)


def underlying(m: PunctuationModel, surface: Tokens, first: int, second: int) -> Tokens:
    """Return the text of two labels in reading order, with the boundary marks of the surface."""
    labels = m.inventory.labels
    pair = (labels[second], labels[first]) if m.directions[0] else (labels[first], labels[second])
    marks = ("^",) * (surface[:1] == ("^",)), ("$",) * (surface[-1:] == ("$",))
    return (*marks[0], *pair[0], *pair[1], *marks[1])


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_two_labels_weigh_what_the_oracle_says(direction: str):
    m = model(direction)
    parameters = m.initial_parameters(1, 1.0)
    batch = m.batch(m.encode([ONE]), [0])
    by_rows, by_columns = (np.asarray(w) for w in weights(m)(parameters, batch))
    channel = oracle_channel(m, parameters)
    strings = m.encode([ONE]).strings
    labels = range(len(m.inventory.labels))
    checked = 0
    for slot, symbols in enumerate(strings):
        surface = tuple(m.inventory.symbols[i] for i in symbols)
        factor = np.exp(batch.accept.log_scale[slot])
        for first, second in itertools.product(labels, repeat=2):
            text = underlying(m, surface, first, second)
            expected = sum(p for p, _ in rewrite(channel, text, surface))
            assert by_rows[slot, first, second] * factor == pytest.approx(expected, rel=1e-4)
            checked += expected > 0
        np.testing.assert_allclose(by_rows[slot], by_columns[slot], rtol=1e-4, atol=1e-12)
    assert checked > 60
    # Padding accepts nothing.
    np.testing.assert_array_equal(by_rows[len(strings) :], 0.0)


def test_two_passes_alternate():
    """Footnote 6, without the open puncteme, which the oracle does not support with two passes."""
    m = model("r2l", passes=2, hard_sets=True, minimum_pair_count=1)
    parameters = m.initial_parameters(3, 0.7)
    symbols = m.inventory.symbols
    passes = oracle_channels(m, parameters)
    assert [p.direction for p in passes] == ["r2l", "l2r"]

    @cache
    def becomes(text: Tokens) -> dict[Tokens, float]:
        probability_of = defaultdict[Tokens, float](float)
        for probability, _, surface in edit_paths(passes, text):
            probability_of[surface] += probability
        return probability_of

    batch = m.batch(m.encode([ONE]), [0])
    by_rows, by_columns = (np.asarray(w) for w in weights(m)(parameters, batch))
    checked = 0
    for slot, codes in enumerate(m.encode([ONE]).strings):
        surface = tuple(symbols[i] for i in codes)
        for first, second in itertools.product(range(len(m.inventory.labels)), repeat=2):
            text = underlying(m, surface, first, second)
            expected = becomes(text)[surface]
            by_automaton = by_rows[slot, first, second]
            assert by_automaton == pytest.approx(expected, rel=1e-4, abs=1e-9), (text, surface)
            checked += expected > 0
        np.testing.assert_allclose(by_rows[slot], by_columns[slot], rtol=1e-4, atol=1e-9)
    assert checked > 30


def test_the_open_puncteme_writes_strings_of_any_length():
    """Alone in its slot, its weight is the probability of its spelling, for any length."""
    m = model("r2l")
    texts = (", . ”", "“ , , . ”", "; . , . , ” “ “", ", , , , , .")
    encoded = m.encode([sentence([0, 1, 1, 1], ["", *texts])])
    batch = m.batch(encoded, [0])
    by_rows, by_columns = weights(m)(m.initial_parameters(0, 0.0), batch)
    is_open = m.inventory.labels.index(("<open>",))
    for text in texts:
        codes = m.inventory.encode(text.split())
        slot = encoded.strings.index(codes)
        expected = spelling_probability(m.inventory.spelling, codes)
        factor = np.exp(batch.accept.log_scale[slot])
        assert by_rows[slot, 0, is_open] * factor == pytest.approx(expected, rel=1e-4)
        assert by_columns[slot, is_open, 0] * factor == pytest.approx(expected, rel=1e-4)
