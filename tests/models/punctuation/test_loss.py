"""Equation 5: the likelihood, the norms, and the posterior regulariser in both forms."""

from __future__ import annotations

from dataclasses import replace

import jax
import numpy as np
import pytest

from semipunct.models.punctuation.loss import expected_unmatched_marks
from semipunct.models.punctuation.options import TrainOptions
from tests.models.punctuation.cases import (
    SENTENCES,
    batch_of,
    log,
    model,
    oracle_choices,
    oracle_derivations,
    potentials_of,
)
from tests.oracle import expected_unmatched as oracle_unmatched
from tests.oracle import total

L2 = {"attach": 0.01, "window": 0.02, "tied": 0.05}
SETTINGS = TrainOptions(
    l2=L2["attach"], channel_l2=L2["window"], tied_l2=L2["tied"], xi=0.7, lazy=False
)


@pytest.mark.parametrize("printed", [False, True])
def test_the_loss_adds_up(printed: bool):
    """The expected count is under the posterior, or as printed, under the prior."""
    m = model("r2l")
    parameters = m.initial_parameters(2, 0.5)
    derivations = oracle_derivations(m, parameters, SENTENCES)
    unmatched = {m.inventory.pair_name(p): bool(u) for p, u in enumerate(m.unmatched)}
    log_p = [log(total(f)) for f in derivations]
    if printed:
        choices = oracle_choices(m, parameters, SENTENCES)
        counts = [sum(p for w in words for x, p in w.items() if unmatched[x]) for words in choices]
    else:
        counts = [oracle_unmatched(f, lambda *pair: unmatched[pair]) for f in derivations]
    assert max(counts) > 0.01
    of_each = jax.jit(lambda x: expected_unmatched_marks(x, printed=printed))(
        potentials_of(m, parameters, SENTENCES)
    )
    for answer, expected in zip(of_each, (log_p, counts), strict=True):
        np.testing.assert_allclose(answer[: len(expected)], expected, rtol=1e-4, atol=1e-6)
    start = {name: np.zeros_like(value) for name, value in parameters.items()}
    start["attach.relation"] = m.initial_parameters(0, 0.0)["attach.relation"]
    settings = replace(SETTINGS, printed_regulariser=printed, squared=not printed)
    key = jax.random.key(0)
    loss, sums = jax.jit(lambda p, b: m.loss(p, start, b, key, settings))(
        parameters, batch_of(m, SENTENCES)
    )
    norm = 0.0
    for name, value in parameters.items():
        kind = "attach"
        if name.startswith("channel"):
            kind = "window" if name.rpartition(".")[2] == "window" else "tied"
        offset = start[name] if kind == "attach" else 0.0
        norm += L2[kind] * float(((value - offset) ** 2).sum())
    penalty = 0.7 * sum(c if printed else c**2 for c in counts)
    slots = sum(len(s.slots) for s in SENTENCES)
    expected = (-sum(log_p) + penalty + norm * len(SENTENCES)) / slots
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    assert (int(sums.slots), int(sums.impossible)) == (slots, 0)
    assert float(sums.log_likelihood) == pytest.approx(sum(log_p), rel=1e-4)
