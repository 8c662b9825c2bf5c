"""Changes that must not affect a result, changes that must, and edge cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import jax
import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.models.punctuation.batches import Batch, draft, fit_shape
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.structures.given_tree import inside
from semirings import Real
from tests.models.punctuation.cases import (
    QUICK,
    SENTENCES,
    SHAPE,
    Parameters,
    ask,
    model,
    potentials_of,
    sentence,
)


def log_p(m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]) -> np.ndarray:
    answer = ask(potentials_of(m, parameters, sentences), Real())
    return np.asarray(answer.log_weight)[: len(sentences)]


def freely(m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]):
    """Compute log p(x | T) and its gradient for the parameters, in a shape that fits."""
    batch = m.batch(m.encode(sentences), range(len(sentences)))
    gradient, log_weight = _gradient(m)(parameters, batch)
    return np.asarray(log_weight)[: len(sentences)], gradient


@cache
def _gradient(m: PunctuationModel):
    """Compile with the batch as an argument, so that all weights share the compiled function."""

    def loss(p: Parameters, batch: Batch):
        total = inside(m.potentials(m.read(p, batch), batch), Real())
        log_weight = Real().log_weight(total.value) + total.log_scale
        return jax.numpy.sum(jax.numpy.where(log_weight > -np.inf, log_weight, 0.0)), log_weight

    return jax.jit(jax.grad(loss, has_aux=True), compiler_options=QUICK)


def test_company_order_and_the_size_of_the_shape_change_nothing():
    m = model("r2l")
    parameters = m.initial_parameters(7, 1.0)
    expected = log_p(m, parameters, SENTENCES)
    for i in (0, 4, 8):
        np.testing.assert_allclose(log_p(m, parameters, [SENTENCES[i]]), expected[i], rtol=1e-5)
    backwards = log_p(m, parameters, SENTENCES[::-1])
    np.testing.assert_allclose(backwards[::-1], expected, rtol=1e-5)
    log_p_of_larger, _ = freely(m, parameters, SENTENCES)
    np.testing.assert_allclose(log_p_of_larger, expected, rtol=1e-5)


def test_a_batch_beyond_the_shape_gets_a_larger_one():
    m = model("l2r")
    encoded = m.encode(SENTENCES)
    tight = replace(SHAPE, words=8, strings=4, states=2, steps=2, factors=4)
    batch = m.batch(encoded, range(len(SENTENCES)), tight)
    assert len(batch.relation) >= sum(encoded.lengths)
    assert batch.slots[: len(SENTENCES)].tolist() == [len(s.slots) for s in SENTENCES]


def test_a_fitted_shape_fits():
    m = model("l2r")
    encoded = m.encode(SENTENCES)
    batches = [[0, 1, 2], [3, 4], [5, 6, 7, 8]]
    shape = fit_shape(encoded, [draft(encoded, b) for b in batches], 4, scoring=True)
    for members in batches:
        batch = m.batch(encoded, members, shape)
        assert batch.relation.shape == (shape.words,)
        assert batch.slots.shape == (4,)


def test_one_long_sentence_among_short_ones_takes_memory_in_proportion():
    """The memory of a batch is proportional to its words."""
    m = model("l2r")
    long = sentence([0, *[1] * 1999], ["", *[","] * 1999, "."])
    encoded = m.encode([*SENTENCES, long])
    shape = fit_shape(encoded, [draft(encoded, range(len(SENTENCES)))], 16, scoring=True)
    batch = m.batch(encoded, [len(SENTENCES)], shape)
    bytes_per_word = sum(x.nbytes for x in jax.tree.leaves(batch)) / 2000
    assert bytes_per_word < 20_000


STRANGE = (
    sentence([0], [", ; ” ”", "“ . ; ;"]),
    sentence([0], ["; ;", ""]),
    sentence([2, 0], ["", "” “ . , ” “", ""]),
    sentence([0], ["", " ".join([",", ".", "“", "”", ";"] * 6)]),
    sentence([0], [" ".join([".", *[","] * 29]), ""]),
    sentence([0, 1, 1], ["", " ".join(["”"] * 30), "", " ".join(["“", "."] * 15)]),
)


def test_every_surface_string_has_positive_probability():
    m = model("r2l")
    for seed, scale in ((0, 0.0), (1, 1.0)):
        parameters = m.initial_parameters(seed, scale)
        log_weight, gradient = freely(m, parameters, STRANGE)
        assert np.isfinite(log_weight).all()
        assert (log_weight < -5).all()
        assert (log_weight > -300).all()
        assert all(np.isfinite(g).all() for g in jax.tree.leaves(gradient))


def test_hard_sets_leave_some_sentences_impossible_with_finite_gradients():
    m = model("r2l", hard_sets=True, minimum_pair_count=1)
    parameters = m.initial_parameters(1, 0.5)
    log_weight, gradient = freely(m, parameters, (*STRANGE, *SENTENCES[:3]))
    assert (log_weight[: len(STRANGE)] == -np.inf).any()
    assert np.isfinite(log_weight[len(STRANGE) :]).all()
    assert all(np.isfinite(g).all() for g in jax.tree.leaves(gradient))
    assert any(g.any() for g in jax.tree.leaves(gradient))


@pytest.mark.parametrize("heads", [range(4000), [0, *[1] * 3999]], ids=["a chain", "flat"])
def test_long_sentences_stay_finite(heads: Sequence[int]):
    m = model("r2l")
    slots = ["", ",", "", "", "; ,"] * 800
    long = sentence(list(heads), ["", *slots[:-1], "."])
    batch = m.batch(m.encode([long]), [0])
    total = jax.jit(m.log_likelihoods)(m.read(m.initial_parameters(0, 0.0), batch), batch)
    assert np.isfinite(total[0])
    assert total[0] < -500
