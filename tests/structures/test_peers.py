"""What the suites of other libraries assert and no other test here does.

Torch-Struct, SynJax and LAST: the statements are theirs, the tests are not.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures import (
    Distribution,
    alignments,
    linear_chain,
    nonprojective_trees,
)

RNG = np.random.default_rng(0)


def _drawn(*shape: int) -> jax.Array:
    return jnp.asarray(RNG.normal(size=shape), jnp.float32)


@pytest.mark.parametrize("single_root", [True, False])
def test_trees_of_any_shape_are_counted_by_cayley(single_root: bool):
    """There are n**(n - 1) with one root and (n + 1)**(n - 1) with any number."""
    lengths = np.array([1, 2, 5, 9])
    counts = jax.jit(lambda n: nonprojective_trees(jnp.zeros((4, 10, 10)), n, single_root))
    found = counts(jnp.asarray(lengths)).log_partition()
    base = lengths if single_root else lengths + 1
    np.testing.assert_allclose(found, (lengths - 1) * np.log(base), rtol=1e-5, atol=1e-5)


FRAMES, SYMBOLS = 3, 2
TOTALS = {"log": jax.nn.logsumexp, "viterbi": jnp.max}


@pytest.mark.parametrize("total", TOTALS)
def test_a_lattice_of_one_label_or_blank_per_frame(total: str):
    """A frame emits a blank or a label, whose weight depends on the last label (Variani 2022).

    With given labels it is an alignment whose every step takes a frame. Over all labels it is a
    chain of last labels, whose steps from a label to itself are a blank or the label once more.
    """
    states = SYMBOLS + 1  # 0 before the first label
    blank, label = _drawn(FRAMES, states), _drawn(FRAMES, states, SYMBOLS)

    @jax.jit
    def answers(labels: jax.Array) -> Any:
        last = jnp.concatenate([jnp.zeros(1, int), labels])
        given = alignments(label[:, last[:-1], labels - 1], delete=blank[:, last], insert=-jnp.inf)
        same = jnp.where(jnp.eye(states, dtype=bool), blank[:, :, None], -jnp.inf)
        new = jnp.pad(label, ((0, 0), (0, 0), (1, 0)), constant_values=-jnp.inf)
        both = jnp.logaddexp(same, new) if total == "log" else jnp.maximum(same, new)
        first = jnp.where(jnp.arange(states) == 0, 0.0, -jnp.inf)
        emission = jnp.zeros((FRAMES + 1, states)).at[0].set(first)
        every = linear_chain(emission, both)
        if total == "log":
            return Distribution(given).log_partition(), Distribution(every).log_partition()
        return Distribution(given).top_k(1)[1][0], Distribution(every).top_k(1)[1][0]

    paths: dict[tuple[int, ...], list[float]] = {}
    for symbols in product(range(states), repeat=FRAMES):
        weight, state = 0.0, 0
        for frame, symbol in enumerate(symbols):
            at = label[frame, state, symbol - 1] if symbol else blank[frame, state]
            weight, state = weight + float(at), symbol or state
        paths.setdefault(tuple(x for x in symbols if x), []).append(weight)
    every = TOTALS[total](jnp.array([w for weights in paths.values() for w in weights]))
    for labels in ((1, 2), (2, 2)):
        found, of_all = answers(jnp.array(labels))
        assert found == pytest.approx(float(TOTALS[total](jnp.array(paths[labels]))), rel=1e-5)
        assert of_all == pytest.approx(float(every), rel=1e-5)
    if total == "log":  # more labels than frames
        assert answers(jnp.array([1, 2, 1, 2]))[0] == -jnp.inf
