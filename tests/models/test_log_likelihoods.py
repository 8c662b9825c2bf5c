"""Sentences whose fast computation of probability fails are recomputed exactly."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.models import scoring
from tests.trained import Finished, Tiny


def test_what_is_not_known_is_asked_for_exactly(
    finished: Finished, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
):
    model, parameters = finished.result.model, finished.result.parameters
    batches = scoring.Batches(model, model.encode(tiny.dev[:4]))
    expected = scoring.log_likelihoods(model, parameters, batches)
    assert np.isfinite(expected).all()
    fast = scoring._score

    def doubtful(*arguments: object) -> jnp.ndarray:
        return fast(*arguments).at[1].set(jnp.nan)

    monkeypatch.setattr(scoring, "_score", doubtful)
    log_p = scoring.log_likelihoods(model, parameters, batches)
    np.testing.assert_allclose(log_p, expected, rtol=1e-4)
    monkeypatch.setattr(scoring, "_score_exactly", lambda *x: jnp.full_like(fast(*x), -7.0))
    rescored = scoring.log_likelihoods(model, parameters, batches)
    assert (rescored == -7.0).sum() == 1
