"""ATTACH weighs long sentences a part at a time, and that changes nothing."""

from __future__ import annotations

import jax
import numpy as np

from semipunct.model import attach
from semipunct.model.attach import log_attach
from tests.model.cases import SENTENCES, batch_of, model


def test_parts_change_neither_values_nor_gradients(monkeypatch):
    m = model("l2r")
    parameters = m.initial_parameters(4, 1.0)
    batch = batch_of(m, SENTENCES)

    def first_of(p):
        log_p = log_attach(p, m.attach_tables, batch.features, batch.relation)
        return log_p[:, 1].sum(), log_p

    whole, gradient = jax.value_and_grad(first_of, has_aux=True)(parameters)
    monkeypatch.setattr(attach, "_CHUNK", 7)
    parts, gradient_of_parts = jax.value_and_grad(first_of, has_aux=True)(parameters)
    np.testing.assert_allclose(whole[1], parts[1], rtol=1e-4, atol=1e-5)
    for name, value in gradient.items():
        np.testing.assert_allclose(value, gradient_of_parts[name], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.exp(np.asarray(whole[1])).sum(1), 1.0, rtol=1e-5)
