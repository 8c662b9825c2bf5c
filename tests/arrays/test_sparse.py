"""Sparse feature vectors times a sparse table, by blocks, compared with the matrix product."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.arrays.rows import SparseRows, block_rows, product

NODES, ROWS, OUTCOMES = 5, 7, 3


def in_blocks(matrix: np.ndarray, held: np.ndarray) -> SparseRows:
    """Lay out a matrix `[nodes, rows]` and the nonzero cells `[rows, outcomes]`."""
    height = block_rows(OUTCOMES)
    row, outcome = np.nonzero(held)
    by_row, node = np.nonzero(matrix.T)
    first = np.arange(-(-ROWS // height) + 3) * height  # the last blocks are empty
    start = np.array([row.searchsorted(first), by_row.searchsorted(first)])

    def padded(values: np.ndarray, last: int) -> np.ndarray:
        return np.append(values, [last, last])

    return SparseRows(
        padded(np.arange(len(row)), len(row)),
        padded(row % height * OUTCOMES + outcome, 0),
        padded(node, 0),
        padded(by_row % height, 0),
        np.float32(padded(matrix.T[by_row, node], 7)),
        start,
    )


@pytest.mark.parametrize("cells", [1, 4, 7, 64])
def test_it_is_a_product_of_matrices(cells, monkeypatch):
    monkeypatch.setattr("semipunct.arrays.rows._CELLS", cells)
    monkeypatch.setattr("semipunct.arrays.rows._PIECE", 3)
    generator = np.random.default_rng(cells)
    matrix = generator.normal(size=(NODES, ROWS)) * (generator.random((NODES, ROWS)) < 0.6)
    held = generator.random((ROWS, OUTCOMES)) < 0.7
    rows = in_blocks(matrix, held)
    weights = generator.normal(size=int(held.sum()) + 2)
    cotangent = generator.normal(size=(NODES, OUTCOMES))
    table = np.zeros((ROWS, OUTCOMES))
    table[held] = weights[:-2]

    products, pull = jax.vjp(lambda w: product(w, rows, NODES, OUTCOMES), jnp.float32(weights))
    np.testing.assert_allclose(products, matrix @ table, rtol=1e-5, atol=1e-6)
    (gradient,) = pull(jnp.float32(cotangent))
    expected = np.append((matrix.T @ cotangent)[held], [0, 0])
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)
