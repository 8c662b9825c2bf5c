"""Monotone alignments of two sequences, as paths through an (n + 1) x (m + 1) lattice.

Source: Needleman and Wunsch (1970); Durbin et al. (1998), chapters 2 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.arrays.shapes import (
    as_log_weights,
    check_lengths,
    check_log_weights,
    check_shapes,
    used_by_any,
)
from semipunct.errors import UsageError
from semipunct.structures.base import Total, any_batch, lift_weights, mask_padding
from semipunct.structures.draws import Traceable, choose
from semipunct.structures.products import Scale
from semipunct.structures.readable import Readable, as_form, as_marks, check, mask_places
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take
from semirings.devices import scan
from semirings.log import Log
from semirings.numerics import log_times

# For each operation, how many symbols of each sequence it consumes.
Moves = tuple[tuple[int, int], ...]

# Match, deletion, insertion.
MOVES: Moves = ((1, 1), (1, 0), (0, 1))


class AlignmentParts(NamedTuple):
    """Parts of an alignment.

    Attributes:
        step: ``[batch, n + 1, m + 1, operations]``; ``[b, i, j, o]``: o leads to cell ``(i, j)``.
        transition: ``[batch, operations, operations]``, shared by all positions; None for zeros.
    """

    step: Any
    transition: Any = None


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Alignments(Readable[AlignmentParts], Traceable):
    """A batch of alignment lattices; build with ``alignments`` or ``transducer``.

    Usual form: operations ``[..., batch, steps]`` in order, padded with -1.
    """

    moves: Moves = field(default=MOVES, metadata={"static": True})

    length_axes: ClassVar[int] = 1

    def cells(self, operations: Any) -> jax.Array:
        """Return the cells that operations ``[..., steps]`` lead to, ``[..., steps, 2]``."""
        operations = jnp.asarray(operations)
        moves = jnp.array(self.moves)[jnp.maximum(operations, 0)]
        return jnp.cumsum(jnp.where(operations[..., None] < 0, 0, moves), -2)

    def pairs(self, operations: Any) -> jax.Array:
        """Return the position matched with each symbol of the first sequence, or -1."""
        operations = jnp.asarray(operations)
        rows = self.weights.step.shape[-3] - 1
        both = jnp.array([move == (1, 1) for move in self.moves])
        matches = both[jnp.maximum(operations, 0)] & (operations >= 0)
        cell = self.cells(operations) - 1
        at = matches[..., None] & (cell[..., :1] == jnp.arange(rows))
        return jnp.max(jnp.where(at, cell[..., 1:], -1), -2, initial=-1)

    def places(self, derivations: Any) -> AlignmentParts:
        step, transition = self.weights
        batch, _, columns, count = step.shape
        form = jnp.asarray(as_form(derivations, (batch, None), "operations"))
        none = [(0, 0)] * (form.ndim - 1)
        operations = jnp.pad(form, [*none, (0, 1)], constant_values=-1)  # at least one entry
        cells = self.cells(operations)
        reached = cells[..., -1, :]
        known = jnp.all((operations >= -1) & (operations < count), -1)
        fits = jnp.all(reached == self.lengths, -1) & known

        def explain(place: tuple[int, ...]) -> str:
            return (
                f"the operations of alignment {[*place]} consume {np.asarray(reached)[place]} "
                f"symbols of the two sequences, which have "
                f"{np.asarray(self.lengths)[place[-1]]}; give numbers from 0 to {count - 1}, and "
                "-1 for none"
            )

        check(fits, form, explain)
        place = (cells[..., 0] * columns + cells[..., 1]) * count + operations
        place = jnp.where(operations >= 0, place, -1)
        ordered = _first(operations)
        pair = jnp.where(ordered[..., 1:] < 0, -1, ordered[..., :-1] * count + ordered[..., 1:])
        steps, pairs = mask_places(fits, place, pair)
        return AlignmentParts(steps, None if transition is None else pairs)

    def from_parts(self, parts: AlignmentParts) -> jax.Array:
        by_diagonal = jnp.sum(_skewed(as_marks(parts.step)), -3)[..., 1:, :]
        used = jnp.any(by_diagonal > 0, -1)
        return _first(jnp.where(used, jnp.argmax(by_diagonal, -1), -1))

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the forward recursion over the n + m diagonals."""
        step, state, slices, steps = _forward(self, semiring, feature)
        onward, scale = recursion.scan(lambda x, y: step(x, y)[0], state, slices, steps)
        last = jnp.arange(len(self.lengths)), 0, -1, self.lengths[:, 0]
        return Total(take[last](onward), scale.log)

    def trace(
        self, key: jax.Array, count: int, recursion: Recursion
    ) -> tuple[AlignmentParts, jax.Array]:
        """Sample backward, from the last operation to the first."""
        weights, item = self.weights, jnp.arange(len(self.lengths))
        batch, _, columns, operations = weights.step.shape
        step, state, slices, steps = _forward(self, Log(), None)
        if not steps:
            nothing = jnp.zeros((count, batch, 0), jnp.int32)
            pairs = None if weights.transition is None else nothing
            return AlignmentParts(nothing, pairs), jnp.zeros((batch,), weights.step.dtype)
        (onward, _), arriving = recursion.scan_outputs(step, state, slices, steps)
        follow = jnp.broadcast_to(_follow(self, Log(), None), (batch, *_follow_shape(self)))
        moves = jnp.array(self.moves)
        columns_of_follow = follow.shape[2]

        def back(state: Any, at: tuple[jax.Array, jax.Array]) -> tuple[Any, Any]:
            (row, column, after), (diagonal, uniform) = state, at
            here = row + column == diagonal + 1
            weight = jnp.take(arriving, diagonal, 1)[item, :, row]
            chosen = choose(uniform, log_times(weight, follow[item, :, after]))
            place = (row * columns + column) * operations + chosen
            has_next = here & (after < columns_of_follow - 1)
            pair = jnp.where(has_next, chosen * operations + after, -1)
            move = jnp.where(here[..., None], moves[chosen], 0)
            before = jnp.where(here, jnp.minimum(chosen, columns_of_follow - 1), after)
            state = (row - move[..., 0], column - move[..., 1], before)
            return state, (jnp.where(here, place, -1), pair)

        uniform = jax.random.uniform(key, (steps, count, batch), weights.step.dtype)
        ends = (*self.lengths.T, jnp.full(batch, columns_of_follow - 1))
        start = tuple(jnp.broadcast_to(x.astype(int), (count, batch)) for x in ends)
        _, places = scan(back, start, (jnp.arange(steps), uniform), reverse=True)
        used, followed = (jnp.moveaxis(x, 0, 2) for x in places)
        total = onward[item, 0, -1, self.lengths[:, 0]]
        return AlignmentParts(used, None if weights.transition is None else followed), total


def _first(operations: jax.Array) -> jax.Array:
    """Move entries of -1 to the end."""
    order = jnp.argsort(operations < 0, axis=-1, stable=True)
    return jnp.take_along_axis(operations, order, -1)


def _skewed(x: jax.Array) -> jax.Array:
    """Shift row i right by i: ``[..., n, m, operations]`` to ``[..., n, n + m - 1, ...]``."""
    *leading, rows, columns, count = x.shape
    x = jnp.pad(x, [(0, 0)] * (len(leading) + 1) + [(0, rows), (0, 0)])
    flat = x.reshape(*leading, rows * (columns + rows), count)
    flat = flat[..., : rows * (columns + rows - 1), :]
    return flat.reshape(*leading, rows, columns + rows - 1, count)


def used_steps(lengths: Any, shape: tuple[int, ...], moves: Moves) -> Any:
    """Return a mask ``[batch, n + 1, m + 1, operations]`` of steps a path may take."""
    down, right = np.array(moves).T
    row, column = (np.arange(n)[:, None] for n in shape[1:3])
    last_row, last_column = (x[:, None, None] for x in lengths.T)
    in_row = (row >= down) & (row <= last_row)
    in_column = (column >= right) & (column <= last_column)
    return in_row[:, :, None] & in_column[:, None]


def _follow_shape(alignments: Alignments) -> tuple[int, int]:
    operations = len(alignments.moves)
    return operations, 1 if alignments.weights.transition is None else operations + 1


def _follow(alignments: Alignments, s: Semiring, of_transition: Any) -> Value:
    """Return transition weights ``[batch or 1, operations, next]``; the last ends the path."""
    transition = alignments.weights.transition
    operations = len(alignments.moves)
    if transition is None:
        return s.ones_like(s.lift(jnp.zeros((1, operations, 1), alignments.weights.step.dtype)))
    several = used_by_any(jnp.sum(alignments.lengths, 1) > 1, transition.shape[:1])
    follow = lift_weights(s, *mask_padding(several, (transition, of_transition)))
    end = s.ones_like(take[:, :, :1](follow))
    return s.concatenate([follow, end], axis=2)


def _forward(alignments: Alignments, s: Semiring, feature: AlignmentParts | None) -> Any:
    """Return step, state, slices and number of steps of the forward recursion.

    A step outputs sums by last operation. Rows are the last axis, the only one long enough for
    vector instructions.
    """
    weights, moves = alignments.weights, alignments.moves
    batch, rows, columns, _ = weights.step.shape
    features = AlignmentParts(None, None) if feature is None else feature
    used = used_steps(alignments.lengths, weights.step.shape, moves)
    of_step = mask_padding(used, features.step)
    step_weights = jnp.where(used, weights.step, -jnp.inf)
    # The zero padding of a skewed array would act as weights of one.
    inside = _skewed(jnp.ones((1, rows, columns, 1), bool))
    step_weights = jnp.where(inside, _skewed(step_weights), -jnp.inf)
    follow = _follow(alignments, s, features.transition)
    has_transitions = weights.transition is not None

    def arrive(onward: Value, operation: int) -> Value:
        down, right = moves[operation]
        next_operation = operation if has_transitions else 0
        before = take[:, down + right - 1, next_operation : next_operation + 1](onward)
        if not down:
            return before
        nothing = s.zeros_like(take[..., :1](before))
        return s.concatenate([nothing, take[..., :-1](before)], axis=2)

    def step(state: Any, slices: Any) -> tuple[Any, Value]:
        (onward, scale), (diagonal, weight, feature_of_step) = state, slices
        into = s.concatenate([arrive(onward, o) for o in range(len(moves))], axis=1)
        arriving = s.times(into, lift_weights(s, weight, feature_of_step))
        by_next = take[:, :, None](arriving)
        if has_transitions:
            by_next = s.times(by_next, take[..., None](follow))
        both = [take[:, None](s.sum(by_next, axis=1)), take[:, :1](onward)]
        both, factor = s.balance(s.concatenate(both, axis=1), (1, 2, 3))
        active = diagonal <= jnp.sum(alignments.lengths, 1)
        onward = s.where(active[:, None, None, None], both, onward)
        return (onward, scale.times(factor, active)), arriving

    like = s.lift(jnp.zeros((batch, 1, _follow_shape(alignments)[1], rows), step_weights.dtype))
    first = s.where(jnp.arange(rows) == 0, s.ones_like(like), s.zeros_like(like))
    # Path prefixes that end in the last two diagonals, [batch, 2, next, n + 1].
    onward = s.concatenate([first, s.zeros_like(first)], axis=1)
    steps = rows + columns - 2
    slices = (
        jnp.broadcast_to(jnp.arange(1, steps + 1), (batch, steps)),
        _rows_last(step_weights),
        jax.tree.map(lambda x: _rows_last(_skewed(x)), of_step),
    )
    state = onward, Scale.of(jnp.zeros((batch,), step_weights.dtype))
    return step, state, slices, steps


def _rows_last(skewed: jax.Array) -> jax.Array:
    """Return ``[batch, diagonals, operations, rows]``, without the diagonal of cell (0, 0)."""
    return jnp.transpose(skewed, (0, 2, 3, 1))[:, 1:]


_OPERATIONS = len(MOVES)


@any_batch(match=2, delete=2, insert=2, transition=2, initial=1, final=1, lengths=1)
def alignments(
    match: jax.Array,
    delete: npt.ArrayLike = 0.0,
    insert: npt.ArrayLike = 0.0,
    transition: npt.ArrayLike | None = None,
    initial: npt.ArrayLike | None = None,
    final: npt.ArrayLike | None = None,
    lengths: npt.ArrayLike | None = None,
) -> Alignments:
    """Align two sequences by matches, deletions and insertions.

    Use negative costs for edit distance or Needleman-Wunsch, log probabilities for a pair HMM.

    Args:
        match: ``[*batch, n, m]`` log weights; their dtype is used for results.
        delete: log weight of deleting symbol i after j symbols of the second sequence; broadcasts
            to ``[*batch, n, m + 1]``.
        insert: log weight of inserting symbol j after i symbols of the first; broadcasts to
            ``[*batch, n + 1, m]``.
        transition: ``[*batch, 3, 3]`` log weight of consecutive operations (match, delete, insert);
            batch axes may be 1 or missing. None (zeros) is faster.
        initial: ``[*batch, 3]`` log weight of the first operation.
        final: ``[*batch, 3]`` log weight of the last operation.
        lengths: ``[*batch, 2]``; n and m by default.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    match = as_log_weights(match)
    check_shapes(match=(match, "batch rows columns"))
    batch, rows, columns = match.shape
    both = _checked_lengths(lengths, match.shape)
    concrete = both if isinstance(both, Tracer) else np.asarray(both)
    used = used_steps(concrete, (batch, rows + 1, columns + 1), MOVES)
    by_operation = {
        "match": match,
        "delete": _broadcast("delete", delete, (batch, rows, columns + 1), match.dtype),
        "insert": _broadcast("insert", insert, (batch, rows + 1, columns), match.dtype),
    }
    steps: list[jax.Array] = []
    for operation, (name, weights) in enumerate(by_operation.items()):
        down, right = MOVES[operation]
        check_log_weights({name: used[:, down:, right:, operation]}, **{name: weights})
        steps.append(jnp.pad(weights, ((0, 0), (down, 0), (right, 0))))
    step = jnp.stack(steps, -1)
    total = jnp.sum(both, 1)
    if initial is not None:
        first = _per_item("initial", initial, (_OPERATIONS,), total > 0, match.dtype)
        for operation, (down, right) in enumerate(MOVES):
            if down < step.shape[1] and right < step.shape[2]:
                step = step.at[:, down, right, operation].add(first[:, operation])
    if final is not None:
        last = _per_item("final", final, (_OPERATIONS,), total > 0, match.dtype)
        row, column = (jnp.arange(n) for n in step.shape[1:3])
        is_last = (row[:, None] == both[:, :1, None]) & (column == both[:, 1:, None])
        step = step + jnp.where(is_last[..., None], last[:, None, None], 0.0)
    follow = None
    if transition is not None:
        square = (_OPERATIONS, _OPERATIONS)
        follow = _per_item("transition", transition, square, total > 1, match.dtype)
    return Alignments(AlignmentParts(step, follow), both)


def affine_gaps(opening: npt.ArrayLike, extension: npt.ArrayLike) -> tuple[jax.Array, jax.Array]:
    """Return transitions ``[3, 3]`` and initial weights ``[3]`` for affine gaps (Gotoh 1982).

    A gap of k symbols adds ``opening + (k - 1) * extension``; adjacent deletions and insertions are
    separate gaps.
    """
    opening, extension = jnp.asarray(opening, float), jnp.asarray(extension, float)
    check_shapes(opening=(opening, ""), extension=(extension, ""))
    gaps = jnp.array([False, True, True])
    same = jnp.eye(_OPERATIONS, dtype=bool)
    transition = jnp.where(gaps, jnp.where(same, extension, opening), 0.0)
    return transition, jnp.where(gaps, opening, 0.0)


def _checked_lengths(lengths: npt.ArrayLike | None, shape: tuple[int, ...]) -> jax.Array:
    batch, *sizes = shape
    if lengths is None:
        return jnp.broadcast_to(jnp.array(sizes, int), (batch, 2))
    both = jnp.asarray(lengths)
    if both.shape != (batch, 2):
        raise UsageError(f"lengths has shape {both.shape}; expected [batch, 2]: {(batch, 2)}")
    checked = [
        check_lengths(both[:, i], size, name=f"lengths[:, {i}]") for i, size in enumerate(sizes)
    ]
    return jnp.stack(checked, 1)


def _broadcast(name: str, weights: Any, shape: Sequence[int], dtype: Any) -> jax.Array:
    array = as_log_weights(weights).astype(dtype)
    try:
        return jnp.broadcast_to(array, shape)
    except ValueError:
        raise UsageError(
            f"{name} has shape {array.shape}, which does not broadcast to {tuple(shape)}"
        ) from None


def _per_item(
    name: str, weights: Any, shape: tuple[int, ...], needed: jax.Array, dtype: Any
) -> jax.Array:
    """Return weights ``[batch or 1, ...]``, checked for the items that use them."""
    array = as_log_weights(weights, len(shape) + 1).astype(dtype)
    batch = len(needed)
    if array.shape[1:] != shape or array.shape[0] not in (1, batch):
        raise UsageError(f"{name} has shape {array.shape}; expected {(batch, *shape)} or {shape}")
    used = needed if isinstance(needed, Tracer) else np.asarray(needed)
    check_log_weights({name: used_by_any(used, array.shape)}, **{name: array})
    return array
