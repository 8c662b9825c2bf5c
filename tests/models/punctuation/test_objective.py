"""Equation 5: the likelihood, the norms, and the posterior regulariser in both forms."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from semipunct.models.punctuation.objective import expected_unmatched_marks

from semipunct.models.punctuation.options import TrainOptions
from tests.models.punctuation.cases import (
    SENTENCES,
    batch_of,
    model,
    oracle_choices,
    oracle_derivations,
)
from tests.oracle import expected_unmatched as oracle_unmatched
from tests.oracle import total
from tests.selection import thorough

NOTHING = TrainOptions(l2=0.0, channel_l2=0.0, tied_l2=0.0, xi=0.0, lazy=False)


@cache
def case():
    m = model("r2l")
    return m, m.initial_parameters(2, 0.5), batch_of(m, SENTENCES)


@cache
def compiled(printed: bool):
    m, _, _ = case()

    def run(parameters, batch):
        potentials = m.potentials(m.read(parameters, batch), batch, jnp.asarray(m.unmatched))
        return expected_unmatched_marks(potentials, printed=printed)

    return jax.jit(run, compiler_options={"xla_backend_optimization_level": 0})


def is_unmatched(m):
    pairs = {m.inventory.pair_name(p): bool(u) for p, u in enumerate(m.unmatched)}
    return lambda left, right: pairs[left, right]


@pytest.mark.exhaustive
def test_the_posterior_expectation_is_the_oracles():
    m, parameters, batch = case()
    log_p, unmatched = compiled(printed=False)(parameters, batch)
    derivations = oracle_derivations(m, parameters, SENTENCES)
    expected = [oracle_unmatched(f, is_unmatched(m)) for f in derivations]
    assert max(expected) > 0.01
    np.testing.assert_allclose(unmatched[: len(derivations)], expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        log_p[: len(derivations)], [np.log(total(f)) for f in derivations], rtol=1e-4
    )


@pytest.mark.exhaustive
def test_the_printed_form_is_the_prior_expectation():
    m, parameters, batch = case()
    log_p, unmatched = compiled(printed=True)(parameters, batch)
    test = is_unmatched(m)
    expected = [
        sum(p for word in words for pair, p in word.items() if test(*pair))
        for words in oracle_choices(m, parameters, SENTENCES)
    ]
    np.testing.assert_allclose(unmatched[: len(expected)], expected, rtol=1e-4)
    posterior_log_p, _ = compiled(printed=False)(parameters, batch)
    np.testing.assert_allclose(log_p, posterior_log_p, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("squared", [True, thorough(False)])
def test_the_objective_adds_up(squared: bool):
    m, parameters, batch = case()
    start = {name: np.zeros_like(value) for name, value in parameters.items()}
    start["attach.relation"] = m.initial_parameters(0, 0.0)["attach.relation"]
    l2 = {"attach": 0.01, "window": 0.02, "tied": 0.05}
    settings = TrainOptions(
        l2=l2["attach"],
        channel_l2=l2["window"],
        tied_l2=l2["tied"],
        centre="counts",
        xi=0.7,
        squared=squared,
        lazy=False,
    )

    @jax.jit
    def run(p, b):
        return m.objective(p, start, b, settings)

    loss, terms = run(parameters, batch)
    log_p, unmatched = compiled(printed=False)(parameters, batch)
    sentences = len(SENTENCES)
    norm = 0.0
    kinds = set()
    for name, value in parameters.items():
        kind = "attach"
        if name.startswith("channel"):
            kind = "window" if name.rpartition(".")[2] == "window" else "tied"
        kinds.add(kind)
        offset = start[name] if kind == "attach" else 0.0
        norm += l2[kind] * float(((value - offset) ** 2).sum())
    assert kinds == l2.keys()
    counts = np.asarray(unmatched)[:sentences]
    penalty = 0.7 * float((counts**2 if squared else counts).sum())
    slots = sum(len(s.slots) for s in SENTENCES)
    expected = (-float(log_p[:sentences].sum()) + penalty + norm * sentences) / slots
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    assert int(terms.slots) == slots
    assert int(terms.impossible) == 0


def test_without_penalties_it_is_the_log_likelihood_per_slot():
    m, parameters, batch = case()

    @jax.jit
    def run(p, b):
        return m.objective(p, p, b, replace(NOTHING, centre="zero"))

    loss, terms = run(parameters, batch)
    assert float(loss) == pytest.approx(-float(terms.log_likelihood) / int(terms.slots), rel=1e-6)
