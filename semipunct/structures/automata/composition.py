"""Composition of transducers, with an epsilon filter that counts each pair of paths once.

Between two shared letters, either machine may take silent arcs: the first by writing epsilon, the
second by reading it. Different orders of these moves give the same pair of paths, so in a semiring
that is not idempotent only one order may be counted. The filter has three states and allows one
order: simultaneous moves as long as both machines have one, then moves of a single machine.

| filter | letter | both silent | second alone | first alone |
| ------ | ------ | ----------- | ------------ | ----------- |
| 0      | to 0   | to 0        | to 1         | to 2        |
| 1      | to 0   |             | to 1         |             |
| 2      | to 0   |             |              | to 2        |

Source: Mohri (2009), Weighted automata algorithms, section 5.1, figure 9; Mohri, Pereira and Riley
(1996), Weighted automata in text and speech processing.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from semipunct.errors import UsageError
from semipunct.structures.automata.machine import EPSILON, Transducer
from semirings.base import Semiring, Value

FILTERS = 3


def compose(semiring: Semiring, first: Transducer, second: Transducer) -> Transducer:
    """Return the composition of two transducers: the second reads the output of the first.

    The weight of a pair (x, z) is the sum over y of the weight of (x, y) in the first times the
    weight of (y, z) in the second. The arc between two states sums over the letters that the
    machines may share there. Where values are log weights (as in ``Log``), so is the result.

    Args:
        semiring: the semiring of the values.
        first: values, arcs ``[..., inputs, letters, states, states]``.
        second: values, arcs ``[..., letters, outputs, others, others]``, the same leading axes.

    Returns:
        Values, arcs ``[..., inputs, outputs, n, n]`` with ``n = 3 * states * others``: state
        ``(filter * states + s) * others + t``.

    Raises:
        TypeError: if the semiring is not commutative, since the weights of the two alternate on a
            path.
        UsageError: if the first has a different number of output symbols than the second has input
            symbols.
    """
    s = semiring
    if not s.laws.commutative:
        raise TypeError(f"{s.name} is not commutative, so the weight of a composition is undefined")
    writes, reads = (jax.tree.leaves(x.arcs)[0].shape for x in (first, second))
    if writes[-3] != reads[-4]:
        raise UsageError(
            f"first.arcs has shape {writes} and second.arcs has shape {reads}: they differ in the "
            f"letters that one writes and the other reads ({writes[-3]} and {reads[-4]})"
        )
    # Axes: input, shared letter, output; source states of both; target states of both.
    first_arcs = jax.tree.map(lambda x: x[..., :, :, None, :, None, :, None], first.arcs)
    second_arcs = jax.tree.map(lambda x: x[..., None, :, :, None, :, None, :], second.arcs)
    pairs = s.times(first_arcs, second_arcs)
    letter = s.sum(jax.tree.map(lambda x: x[..., EPSILON + 1 :, :, :, :, :, :], pairs), axis=-6)
    shape = jax.tree.leaves(letter)[0].shape
    inputs, outputs, states, states_of_second = shape[-6:-2]
    # A machine that does not move keeps its state, and reads and writes epsilon.
    first_keeps_state, second_keeps_state = (
        jnp.eye(states, dtype=bool),
        jnp.eye(states_of_second, dtype=bool),
    )
    first_stays = first_keeps_state[None, None, :, None, :, None] & _epsilon(inputs, 5)
    second_stays = second_keeps_state[None, None, None, :, None, :] & _epsilon(outputs, 4)[None]
    nothing = s.zeros(shape)
    second_alone = s.where(first_stays, _silent(second_arcs), nothing)
    first_alone = s.where(second_stays, _silent(first_arcs), nothing)
    # Where the first writes epsilons and the second reads some, the same pair of paths could be
    # walked in many interleavings. The filter admits one: both move silently together as long as
    # both can, then one of them alone until a letter is shared. Rows and columns are its states:
    # anything may follow; the second moves alone; the first moves alone.
    rows = [
        [s.plus(letter, _silent(pairs)), second_alone, first_alone],
        [letter, second_alone, nothing],
        [letter, nothing, first_alone],
    ]
    size = states * states_of_second

    def flat(value: Value) -> Value:
        return jax.tree.map(lambda x: x.reshape(*shape[:-4], size, size), value)

    arcs = s.concatenate(
        [s.concatenate([flat(block) for block in row], axis=-1) for row in rows], axis=-2
    )
    initial = _pairs(s, first.initial, second.initial)
    final = _pairs(s, first.final, second.final)
    unused = [s.zeros(jax.tree.leaves(initial)[0].shape)] * (FILTERS - 1)
    return Transducer(
        s.concatenate([initial, *unused], axis=-1), arcs, s.concatenate([final] * FILTERS, axis=-1)
    )


def _silent(value: Value) -> Value:
    """Return the arcs whose shared letter is epsilon."""
    return jax.tree.map(lambda x: x[..., EPSILON, :, :, :, :, :], value)


def _epsilon(symbols: int, axes: int) -> jax.Array:
    """Return a mask of the epsilon symbol, with trailing axes of size one."""
    return (jnp.arange(symbols) == EPSILON).reshape(symbols, *(1,) * axes)


def _pairs(s: Semiring, first: Value, second: Value) -> Value:
    """Multiply ``[..., states]`` and ``[..., others]`` to ``[..., states * others]``."""
    product = s.times(
        jax.tree.map(lambda x: x[..., :, None], first),
        jax.tree.map(lambda x: x[..., None, :], second),
    )
    return jax.tree.map(lambda x: x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1]), product)
