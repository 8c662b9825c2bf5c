"""Shape checks of public functions, in addition to those in the tests of structures."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from semipunct.arrays.shapes import check_lengths, check_log_weights, check_shapes
from semipunct.errors import UsageError


def test_sizes_are_returned_and_ones_are_repeated():
    a, b = jnp.zeros((2, 3)), jnp.zeros((1, 3))
    assert check_shapes(a=(a, "batch n"), b=(b, "batch? n")) == {"batch": 2, "n": 3}
    assert check_shapes(b=(b, "batch? n"), a=(a, "batch n")) == {"batch": 2, "n": 3}
    assert check_shapes(b=(b, "batch? n")) == {"batch": 1, "n": 3}


def test_both_arguments_both_shapes_and_the_axis_are_named():
    with pytest.raises(UsageError) as caught:
        check_shapes(a=(jnp.zeros((2, 3)), "batch n"), b=(jnp.zeros((2, 4)), "batch n"))
    message = str(caught.value)
    for part in ("a has shape (2, 3)", "b has shape (2, 4)", "'n'"):
        assert part in message


def test_a_one_is_not_repeated_where_it_may_not_be():
    with pytest.raises(UsageError, match="axis 'n'"):
        check_shapes(a=(jnp.zeros((2, 3)), "batch n"), b=(jnp.zeros((2, 1)), "batch n"))


def test_while_jax_traces_values_are_not_looked_at():
    @jax.jit
    def traced(a: jax.Array, lengths: jax.Array) -> jax.Array:
        check_log_weights(a=a)
        check_lengths(lengths, 3)
        return a

    traced(jnp.array([jnp.nan]), jnp.array([9]))
    with pytest.raises(UsageError, match="lengths must be integers"):
        traced(jnp.zeros(1), jnp.zeros(1))
