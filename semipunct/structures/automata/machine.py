"""Small dense weighted automata and transducers over any semiring, with epsilon.

Machines hold log weights or, after ``lift``, values of a semiring; leading axes are batch axes.
Only ``compose`` needs a commutative semiring. Sums over cycles need ``semiring.star``; in ``Real``,
a cycle of weight one or more gives NaN or infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.arrays.shapes import (
    as_log_weights,
    check_log_weights,
    check_shapes,
    checked_lengths,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures.base import Total
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take

# The empty symbol.
EPSILON = 0


class Automaton(NamedTuple):
    """A weighted acceptor.

    Attributes:
        initial: ``[..., states]``.
        arcs: ``[..., symbols, states, states]``; entry ``[a, s, t]`` is the arc from s to t that
            reads a. Symbol 0 is epsilon.
        final: ``[..., states]``.
    """

    initial: Any
    arcs: Any
    final: Any


class Transducer(NamedTuple):
    """A weighted transducer.

    Arcs are ``[..., inputs, outputs, states, states]``; entry ``[a, b, s, t]`` is the arc from s to
    t that reads a and writes b.
    """

    initial: Any
    arcs: Any
    final: Any


Machine = TypeVar("Machine", Automaton, Transducer)


def automaton(initial: jax.Array, arcs: jax.Array, final: jax.Array) -> Automaton:
    """Create a weighted acceptor from log weights, without or with one batch axis.

    Raises:
        UsageError: if shapes or log weights are invalid.
    """
    return _checked(Automaton(initial, arcs, final), "symbols states states")


def transducer(initial: jax.Array, arcs: jax.Array, final: jax.Array) -> Transducer:
    """Create a weighted transducer from log weights, without or with one batch axis.

    Raises:
        UsageError: if shapes or log weights are invalid.
    """
    return _checked(Transducer(initial, arcs, final), "inputs outputs states states")


def lift(semiring: Semiring, machine: Machine, feature: Machine | None = None) -> Machine:
    """Convert log weights, and additive features of the same shapes, to values of a semiring."""
    if feature is None:
        return type(machine)(*(semiring.lift(x) for x in machine))
    return type(machine)(*(semiring.lift(x, f) for x, f in zip(machine, feature, strict=True)))


def log_weights(semiring: Semiring, machine: Machine) -> Machine:
    """Convert values to log weights."""
    return type(machine)(*(semiring.log_weight(x) for x in machine))


def as_transducer(semiring: Semiring, acceptor: Automaton) -> Transducer:
    """Return the identity transducer of an acceptor."""
    symbols = sizes(acceptor)[0]
    is_diagonal = jnp.eye(symbols, dtype=bool)[:, :, None, None]
    across = take[..., :, None, :, :](acceptor.arcs)
    arcs = semiring.where(is_diagonal, across, semiring.zeros((1, 1, 1, 1)))
    return Transducer(acceptor.initial, arcs, acceptor.final)


def inputs_of(semiring: Semiring, machine: Transducer) -> Automaton:
    """Project a transducer to its input, summing over outputs."""
    return Automaton(machine.initial, semiring.sum(machine.arcs, axis=-3), machine.final)


def outputs_of(semiring: Semiring, machine: Transducer) -> Automaton:
    """Project a transducer to its output, summing over inputs."""
    return Automaton(machine.initial, semiring.sum(machine.arcs, axis=-4), machine.final)


def sizes(machine: Automaton | Transducer) -> tuple[int, int]:
    """Return the numbers of (output) symbols and states."""
    return jax.tree.leaves(machine.arcs)[0].shape[-3:-1]


def _checked(machine: Machine, axes: str) -> Machine:
    initial, arcs, final = (as_log_weights(x) for x in machine)
    batch = "batch? " if arcs.ndim > len(axes.split()) else ""
    check_shapes(
        arcs=(arcs, batch + axes),
        initial=(initial, batch + "states"),
        final=(final, batch + "states"),
    )
    check_log_weights(initial=initial, arcs=arcs, final=final)
    return type(machine)(initial, arcs, final)


# States of the composition filter.
FILTERS = 3


def compose(semiring: Semiring, first: Transducer, second: Transducer) -> Transducer:
    """Compose two transducers: the second reads the output of the first.

    State ``(filter * states + s) * others + t`` of the result combines s of the first with t of the
    second; the filter has three states.

    Raises:
        TypeError: if the semiring is not commutative.
        UsageError: if the numbers of shared letters differ.

    Source: Mohri (2009), section 5.1, figure 9; Mohri, Pereira and Riley (1996).
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
    first_arcs = take[..., None, :, None, :, None](first.arcs)
    second_arcs = take[..., None, :, :, None, :, None, :](second.arcs)
    pairs = s.times(first_arcs, second_arcs)
    letter = s.sum(take[..., EPSILON + 1 :, :, :, :, :, :](pairs), axis=-6)
    shape = jax.tree.leaves(letter)[0].shape
    inputs, outputs, states, states_of_second = shape[-6:-2]
    # A machine that does not move keeps its state and reads and writes epsilon.
    stays, others = jnp.eye(states, dtype=bool), jnp.eye(states_of_second, dtype=bool)
    first_stays = stays[None, None, :, None, :, None] & _epsilon(inputs, 5)
    second_stays = others[None, None, None, :, None, :] & _epsilon(outputs, 4)[None]
    nothing, silent = s.zeros(shape), take[..., EPSILON, :, :, :, :, :]
    second_alone = s.where(first_stays, silent(second_arcs), nothing)
    first_alone = s.where(second_stays, silent(first_arcs), nothing)
    # Between shared letters, either machine may take silent arcs. To count each pair of paths once,
    # a filter admits one interleaving: simultaneous moves, then moves of a single machine. Rows and
    # columns are filter states: any move; the second moves alone; the first moves alone.
    rows = [
        [s.plus(letter, silent(pairs)), second_alone, first_alone],
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


def _epsilon(symbols: int, axes: int) -> jax.Array:
    return (jnp.arange(symbols) == EPSILON).reshape(symbols, *(1,) * axes)


def _pairs(s: Semiring, first: Value, second: Value) -> Value:
    product = s.times(take[..., :, None](first), take[..., None, :](second))
    return jax.tree.map(lambda x: x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1]), product)


def closure(semiring: Semiring, matrix: Value) -> Value:
    """Return the star ``1 + A + A A + ...`` of a matrix ``[..., n, n]``, the sums over all paths.

    Raises:
        TypeError: if the semiring has no star.

    Source: Lehmann (1977), section 3.
    """
    s = semiring
    shape = jax.tree.leaves(matrix)[0].shape
    n, leading = shape[-1], (1,) * (len(shape) - 2)

    # As in Gauss-Jordan elimination and the Floyd-Warshall algorithm, before step k ``paths`` sums
    # over paths with intermediate states below k. Repeated squaring of 1 + A would take fewer steps
    # but only cover paths of bounded length.
    def through(paths: Value, k: jax.Array) -> tuple[Value, None]:
        into = jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, k, 1, -1), paths)
        out = jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, k, 1, -2), paths)
        loop = jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, k, 1, -1), out)
        return s.plus(paths, s.times(s.times(into, s.star(loop)), out)), None

    paths, _ = jax.lax.scan(through, matrix, jnp.arange(n))
    unit_shape = (*leading, 1, 1)
    is_diagonal = jnp.eye(n, dtype=bool).reshape(*leading, n, n)
    empty = s.where(is_diagonal, s.ones(unit_shape), s.zeros(unit_shape))
    return s.plus(empty, paths)


def remove_epsilon(semiring: Semiring, automaton: Automaton) -> Automaton:
    """Return an equivalent automaton without epsilon arcs.

    Source: Mohri (2002), Generic epsilon-removal, section 3.
    """
    # Arcs become star(E) A and final weights star(E) rho: epsilons before an arc belong to the arc,
    # epsilons after the last arc to the final weight.
    s = semiring
    silent = closure(s, take[..., EPSILON, :, :](automaton.arcs))
    reading = take[..., EPSILON + 1 :, :, :](automaton.arcs)
    # Summed term by term: the semiring's own product may lose entries far below the largest.
    arcs = Semiring.matmul(s, take[..., None, :, :](silent), reading)
    shape = jax.tree.leaves(arcs)[0].shape
    nothing = s.zeros((*shape[:-3], 1, *shape[-2:]))
    final = s.sum(s.times(silent, take[..., None, :](automaton.final)), axis=-1)
    return Automaton(automaton.initial, s.concatenate([nothing, arcs], axis=-3), final)


def distances(semiring: Semiring, automaton: Automaton) -> Value:
    """Sum over all paths between each pair of states: ``[..., states, states]``.

    Source: Mohri (2002), Semiring frameworks and algorithms for shortest-distance problems,
    section 2.4.
    """
    return closure(semiring, semiring.sum(automaton.arcs, axis=-3))


def shortest_distance(semiring: Semiring, automaton: Automaton) -> Value:
    """Sum over all accepting paths of all strings: ``[...]``."""
    s = semiring
    between = distances(s, automaton)
    reached = s.sum(s.times(take[..., :, None](automaton.initial), between), axis=-2)
    return s.sum(s.times(reached, automaton.final), axis=-1)


def accept(
    semiring: Semiring,
    automaton: Automaton,
    strings: jax.Array,
    lengths: jax.Array | None = None,
) -> Total:
    """Return the weights of strings, summed over all paths, including epsilon arcs.

    For semirings without a star, use ``string_paths``.

    Args:
        automaton: values, with an optional batch axis.
        strings: ``[batch, length]`` symbols other than epsilon.
        lengths: ``[batch]``; ``length`` by default.

    Raises:
        UsageError: if a shape, length or symbol is invalid.
    """
    s = semiring
    arcs = jax.tree.leaves(automaton.arcs)[0]
    axes = "batch? symbols states states" if arcs.ndim == 4 else "symbols states states"
    strings, lengths = checked_strings(strings, lengths, arcs, axes)
    if arcs.ndim == 3:
        automaton = take[None](automaton)
    initial, silenced, final = remove_epsilon(s, automaton)
    item = jnp.arange(len(lengths))

    def matrix(symbol: jax.Array) -> Value:
        return jax.tree.map(lambda x: x[item % x.shape[0], symbol], silenced)

    states = sizes(automaton)[1]
    start = s.times(s.ones((len(lengths), states)), initial)
    return read_strings(s, start, matrix, strings, lengths, final, Recursion())


def read_strings(
    semiring: Semiring,
    start: Value,
    matrix: Callable[[Any], Value],
    slices: Any,
    lengths: jax.Array,
    final: Value,
    recursion: Recursion,
) -> Total:
    """Multiply a row vector, one matrix per position and a column vector.

    Args:
        matrix: maps a slice ``[batch, ...]`` to matrices ``[batch, states, states]``.
        slices: ``[batch, length, ...]``.
    """
    s = semiring
    batch, length = jax.tree.leaves(slices)[0].shape[:2]
    step = reading_step(s, matrix, lengths)
    positions = jnp.broadcast_to(jnp.arange(length), (batch, length))
    state = s.balance(start, (1,))
    vector, log_scale = recursion.scan(step, state, (positions, slices), length)
    return Total(s.sum(s.times(vector, final), axis=1), log_scale)


def reading_step(
    semiring: Semiring, matrix: Callable[[Any], Value], lengths: jax.Array
) -> Callable[[Any, Any], Any]:
    """Return the step of ``read_strings``; it carries vectors and the logs of their scales."""
    s = semiring

    def step(state: Any, indexed: Any) -> Any:
        vector, log_scale = state
        position, at = indexed
        # Rescaled in every step, since products of many small weights underflow.
        after = s.sum(s.times(take[..., :, None](vector), matrix(at)), axis=1)
        after, factor = s.balance(after, (1,))
        active = position < lengths
        log_scale = log_scale + jnp.where(active, factor, 0.0)
        return s.where(active[:, None], after, vector), log_scale

    return step


def checked_strings(
    strings: jax.Array, lengths: jax.Array | None, arcs: jax.Array, axes: str
) -> tuple[jax.Array, jax.Array]:
    """Check strings and lengths, and pad with epsilon; ``axes`` names the axes of ``arcs``."""
    strings = jnp.asarray(strings)
    check_shapes(strings=(strings, "batch length"))
    length = strings.shape[1]
    lengths = checked_lengths(lengths, length, strings=strings)
    sizes = check_shapes(strings=(strings, "batch length"), arcs=(arcs, axes))
    if not jnp.issubdtype(strings.dtype, jnp.integer):
        raise UsageError(f"strings must be integers, not {strings.dtype}")
    used, symbols = within(lengths, length), sizes["symbols"]
    if not any(isinstance(x, Tracer) for x in (strings, used)):
        # In NumPy, since under a trace ``jax.numpy`` results would be traced.
        values = np.asarray(strings)
        wrong = np.argwhere(used & ((values <= EPSILON) | (values >= symbols)))
        if len(wrong):
            place = tuple(wrong[0].tolist())
            raise UsageError(
                f"strings{[*place]} is {values[place]}; the symbols of arcs, of shape "
                f"{arcs.shape}, are 1 to {symbols - 1}, and epsilon is not part of a string"
            )
    return jnp.where(used, strings, EPSILON), lengths
