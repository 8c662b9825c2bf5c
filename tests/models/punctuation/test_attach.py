"""ATTACH weighs long sentences a part at a time, and that changes nothing."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.arrays.padding import SparseRows
from semipunct.features.templates import TREE_TARGETS
from semipunct.models.punctuation import attach
from semipunct.models.punctuation.attach import AttachTables, log_attach, tree_scores
from tests.models.punctuation.cases import SENTENCES, batch_of, model


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


@pytest.mark.parametrize("size", [1, 4, 11, 64])
def test_weights_of_features_are_a_product_of_matrices(size, monkeypatch):
    monkeypatch.setattr(attach, "_CHUNK", size)
    generator = np.random.default_rng(size)
    node = np.sort(generator.integers(0, 5, 11)).astype(np.int32)
    node[-2:] = 5  # Padding, as ``SparseRows`` has it: past the last node, of no value.
    context = generator.integers(0, 6, 11).astype(np.int32)
    value = generator.normal(size=11).astype(np.float32)
    value[-2:] = 0.0
    dense = np.zeros((6, 6), np.float32)
    np.add.at(dense, (node, context), value)
    dense = dense[:5]
    tables = AttachTables(dict.fromkeys(TREE_TARGETS, np.eye(3)), np.arange(3), None)
    none = {f"attach.{target}": np.zeros((0, 3), np.float32) for target in TREE_TARGETS}
    features = dict.fromkeys(TREE_TARGETS, SparseRows(node, context, value))

    def scores(weights):
        parameters = none | {"attach.pair": weights, "attach.relation": np.zeros((1, 3))}
        return tree_scores(parameters, tables, features, np.zeros(5, np.int32))

    weights, cotangent = generator.normal(size=(6, 3)), generator.normal(size=(5, 3))
    found, pull = jax.vjp(scores, jnp.float32(weights))
    np.testing.assert_allclose(found, dense @ weights, rtol=1e-5, atol=1e-6)
    (gradient,) = pull(jnp.float32(cotangent))
    np.testing.assert_allclose(gradient, dense.T @ cotangent, rtol=1e-5, atol=1e-6)
