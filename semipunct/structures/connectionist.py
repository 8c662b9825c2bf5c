"""Alignments of frames to labels: CTC, and RNN transducers as monotone ``Alignments``.

Sources: CTC, Graves et al. (2006), section 4.1; transducers, Graves (2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.arrays.shapes import (
    as_log_weights,
    check_log_weights,
    check_shapes,
    checked_lengths,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures.base import Total, any_batch, compile_once, lift_weights, mask_padding
from semipunct.structures.draws import Traceable, choose
from semipunct.structures.monotone import AlignmentParts, Alignments, Moves
from semipunct.structures.products import Scale
from semipunct.structures.readable import Readable, as_form, check, mask_places, used_entry
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value
from semirings.devices import scan
from semirings.log import Log
from semirings.numerics import maximum

# An alignment stays in its state or advances by one or two.
_STEPS = 3


class CTCParts(NamedTuple):
    """Parts of a CTC alignment.

    Attributes:
        state: ``[batch, frames, 2 * labels + 1]``; ``[b, t, s]``: frame t is in state s. Odd states
            ``2 * i + 1`` are labels, even states the blanks around them.
    """

    state: Any


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "lengths", "labels"],
    meta_fields=["blank"],
)
@dataclass(frozen=True)
class CTC(Readable[CTCParts], Traceable):
    """A batch of CTC lattices; build with ``ctc``.

    Alignments start in the first two states, end in the last two, and stay, advance, or skip the
    blank between different labels.

    Usual form: symbols ``[..., batch, frames]``.

    Attributes:
        lengths: ``[batch, 2]`` numbers of frames and labels.
    """

    labels: jax.Array
    blank: int = 0

    length_axes: ClassVar[int] = 1

    def symbols(self) -> jax.Array:
        """Return the symbol of each state, ``[batch, 2 * labels + 1]``; -1 in the padding."""
        state = jnp.arange(self.weights.state.shape[2])
        padded = jnp.pad(self.labels, ((0, 0), (0, 1)))
        symbol = jnp.where(state % 2 == 1, jnp.repeat(padded, 2, 1)[:, :-1], self.blank)
        return jnp.where(state <= 2 * self.lengths[:, 1:], symbol, -1)

    def places(self, derivations: Any) -> CTCParts:
        batch, frames, states = self.weights.state.shape
        alignment = jnp.asarray(as_form(derivations, (batch, frames), "alignments"))
        used = jnp.arange(frames) < self.lengths[:, :1]
        is_label = (alignment != self.blank) & used
        before = jnp.pad(alignment, [(0, 0)] * (alignment.ndim - 1) + [(1, 0)])[..., :-1]
        begins = is_label & ((alignment != before) | (jnp.arange(frames) == 0))
        state = 2 * jnp.cumsum(begins, -1) - is_label
        symbols = jnp.broadcast_to(self.symbols(), (*alignment.shape[:-1], states))
        there = jnp.take_along_axis(symbols, jnp.minimum(state, states - 1), -1)
        fits = jnp.all((there == alignment) | ~used, -1)
        fits &= jnp.sum(begins, -1) == self.lengths[:, 1]

        def explain(place: tuple[int, ...]) -> str:
            return (
                f"the symbols of alignment {[*place]} are not those of labels[{place[-1]}], each "
                f"once or several times in a row, with blanks ({self.blank}) between, and between "
                "equal labels at least one"
            )

        check(fits, alignment, explain)
        place = jnp.where(used, jnp.arange(frames) * states + state, -1)
        return CTCParts(*mask_places(fits, place))

    def from_parts(self, parts: CTCParts) -> jax.Array:
        state = used_entry(parts.state)
        symbols = self.symbols()
        symbols = jnp.broadcast_to(symbols, (*state.shape[:-1], symbols.shape[-1]))
        there = jnp.take_along_axis(symbols, jnp.maximum(state, 0), -1)
        return jnp.where(state < 0, -1, there)

    def total(
        self,
        semiring: Semiring,
        feature: CTCParts | None = None,
        recursion: Recursion = Recursion(),
    ) -> Total:
        """Run the forward recursion over frames."""
        s, (batch, frames, states) = semiring, self.weights.state.shape
        step, state, slices = _forward(self, s, feature)
        forward, scale = recursion.scan(step, state, slices, frames)
        ends = s.where(_ends(self), forward, s.zeros((batch, states)))
        return Total(s.sum(ends, axis=1), scale.log)

    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> tuple[CTCParts, jax.Array]:
        """Filter forward, sample backward."""
        weights, item = self.weights.state, jnp.arange(len(self.lengths))
        batch, frames, states = weights.shape
        step, first, slices = _forward(self, Log(), None)

        def step_with_state(state: Any, at: Any) -> tuple[Any, jax.Array]:
            state = step(state, at)
            return state, state[0]

        if frames == 0:
            possible = jnp.where(self.lengths[:, 1] == 0, 0.0, -jnp.inf).astype(weights.dtype)
            return CTCParts(jnp.zeros((count, batch, 0), jnp.int32)), possible
        (last, _), forward = recursion.scan_outputs(step_with_state, first, slices, frames)
        # Add an end state after the last frame, which both last states lead to.
        skips = _skips(self, states + 1)
        forward = jnp.pad(forward, ((0, 0), (0, 0), (0, 1)), constant_values=-jnp.inf)

        def back(after: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            frame, uniform = at
            before = after[..., None] - jnp.arange(_STEPS)
            leads = (before >= 0) & jnp.stack(
                [jnp.ones_like(after, bool)] * (_STEPS - 1) + [skips[item, after]], -1
            )
            weight = jnp.take(forward, frame, 1)[item[:, None], jnp.maximum(before, 0)]
            chosen = after - choose(uniform, jnp.where(leads, weight, -jnp.inf))
            return jnp.where(frame < self.lengths[:, 0], chosen, after), chosen

        uniform = jax.random.uniform(key, (frames, count, batch), weights.dtype)
        beyond = jnp.broadcast_to(2 * self.lengths[:, 1] + 1, (count, batch))
        _, chosen = scan(back, beyond, (jnp.arange(frames), uniform), reverse=True)
        place = jnp.arange(frames) * states + jnp.moveaxis(chosen, 0, 2)
        used = jnp.arange(frames) < self.lengths[:, :1]
        total = maximum(jnp.where(_ends(self), last, -jnp.inf), -1)
        return CTCParts(jnp.where(used, place, -1)), total


@any_batch(log_probs=2, labels=1, lengths=0, label_lengths=0)
def ctc(
    log_probs: jax.Array,
    labels: npt.ArrayLike,
    lengths: npt.ArrayLike | None = None,
    label_lengths: npt.ArrayLike | None = None,
    blank: int = 0,
) -> CTC:
    """Align frames to labels by connectionist temporal classification.

    The log partition is the log probability of the labels; minus infinity, with gradient zero, if
    there are too few frames.

    Args:
        log_probs: ``[*batch, frames, symbols]``; may be unnormalised.
        labels: ``[*batch, labels]`` symbols without blanks.
        lengths: ``[*batch]`` numbers of frames; all by default.
        label_lengths: ``[*batch]`` numbers of labels; all by default.
        blank: symbol of frames without a label.

    Raises:
        UsageError: if a shape, length, label or log weight is invalid.
    """
    log_probs = as_log_weights(log_probs)
    check_shapes(log_probs=(log_probs, "batch frames symbols"))
    labels, both = label_sequences(log_probs, labels, lengths, label_lengths, blank)
    if (of_item := symbols_of(labels, both, log_probs.shape[2], blank)) is None:
        used = None
    else:
        frames = np.arange(log_probs.shape[1]) < np.asarray(both)[:, :1]
        used = frames[:, :, None] & of_item[:, None]
    check_log_weights({"log_probs": used}, log_probs=log_probs)
    return _lattices(log_probs, labels, both, blank)


@compile_once("blank")
def _lattices(log_probs: jax.Array, labels: jax.Array, lengths: jax.Array, blank: int) -> CTC:
    states = 2 * labels.shape[1] + 1
    structure = CTC(CTCParts(jnp.zeros((len(labels), 0, states))), lengths, labels, blank)
    # The symbol of padding is arbitrary: its weight is unused.
    symbol = jnp.maximum(structure.symbols(), 0)
    state = jnp.take_along_axis(log_probs, symbol[:, None], 2)
    return structure.with_log_weights(CTCParts(state))


def _skips(alignments: CTC, states: int) -> jax.Array:
    """Return a mask ``[batch, states]`` of states, or the end, that may follow a skipped blank."""
    labels, (_, counts) = alignments.labels, alignments.lengths.T
    number = jnp.arange(states // 2 + 1)
    padded = jnp.pad(labels, ((0, 0), (1, len(number) + 1)))
    differs = padded[:, 1 : len(number) + 1] != padded[:, : len(number)]
    skips = (number > 0) & (differs | (number == counts[:, None]))
    return jnp.where(jnp.arange(states) % 2 == 1, jnp.repeat(skips, 2, 1)[:, :states], False)


def _ends(alignments: CTC) -> jax.Array:
    """Return a mask ``[batch, states]`` of final states."""
    last = 2 * alignments.lengths[:, 1:]
    state = jnp.arange(alignments.weights.state.shape[2])
    return (state == last) | (state == last - 1)


def _used(alignments: CTC) -> jax.Array:
    """Return a mask ``[batch, frames, states]`` of reachable states, if all labels differ."""
    _, frames, states = alignments.weights.state.shape
    frames_of_item, labels_of_item = (x[:, None, None] for x in alignments.lengths.T)
    last_frame, last_state = frames_of_item - 1, 2 * labels_of_item
    frame, state = jnp.arange(frames)[:, None], jnp.arange(states)
    begun = state <= 2 * frame + 1
    ending = state + 2 * (last_frame - frame) >= last_state - 1
    return begun & ending & (frame <= last_frame) & (state <= last_state)


def _forward(alignments: CTC, s: Semiring, feature: CTCParts | None) -> Any:
    """Return step, state and slices of the forward recursion over frames.

    Before the first frame only state 0 is reached: staying and advancing then give both first
    states.
    """
    weights = alignments.weights.state
    batch, frames, states = weights.shape
    of_state = None if feature is None else feature.state
    used = _used(alignments)
    weights = jnp.where(used, weights, -jnp.inf)
    of_state = mask_padding(used, of_state)
    skips = _skips(alignments, states)

    def shifted(value: Value, by: int) -> Value:
        nothing = s.zeros_like(jax.tree.map(lambda x: x[:, :by], value))
        return s.concatenate([nothing, jax.tree.map(lambda x: x[:, : states - by], value)], axis=1)

    def step(state: Any, slices: Any) -> Any:
        (forward, scale), (frame, weight, feature_of_frame) = state, slices
        skipping = shifted(forward, 2) if states > 1 else s.zeros_like(forward)
        skipping = s.where(skips, skipping, s.zeros_like(skipping))
        ways = (forward, shifted(forward, 1), skipping)
        into = s.concatenate([jax.tree.map(lambda x: x[:, None], x) for x in ways], axis=1)
        after = s.times(s.sum(into, axis=1), lift_weights(s, weight, feature_of_frame))
        after, factor = s.balance(after, (1,))
        active = frame < alignments.lengths[:, 0]
        return s.where(active[:, None], after, forward), scale.times(factor, active)

    like = s.lift(jnp.zeros((batch, states), weights.dtype))
    start = s.where(jnp.arange(states) == 0, s.ones_like(like), s.zeros_like(like))
    slices = jnp.broadcast_to(jnp.arange(frames), (batch, frames)), weights, of_state
    return step, (start, Scale.of(jnp.zeros((batch,), weights.dtype))), slices


def label_sequences(
    log_probs: jax.Array, labels: Any, lengths: Any, label_lengths: Any, blank: int
) -> tuple[jax.Array, jax.Array]:
    """Check labels and both lengths, which may be None.

    Returns:
        Labels, zero in the padding; ``[batch, 2]`` numbers of frames and labels.
    """
    batch, frames, symbols = log_probs.shape[0], log_probs.shape[1], log_probs.shape[-1]
    labels = jnp.asarray(labels)
    if labels.ndim != 2 or len(labels) != batch:
        raise UsageError(f"labels has shape {labels.shape}; expected [{batch}, labels]")
    if not np.issubdtype(labels.dtype, np.integer):
        raise UsageError(f"labels must be integers, not {labels.dtype}")
    if not 0 <= blank < symbols:
        raise UsageError(f"blank is {blank}; there are symbols 0 to {symbols - 1}")
    each, most = (labels, "batch labels"), labels.shape[1]
    counts = checked_lengths(lengths, frames, labels=each)
    label_counts = checked_lengths(label_lengths, most, name="label_lengths", labels=each)
    inside = within(label_counts, labels.shape[1])
    if inside is not None and not isinstance(labels, Tracer):
        values = np.asarray(labels)
        wrong = np.argwhere(((values < 0) | (values >= symbols) | (values == blank)) & inside)
        if len(wrong):
            place = wrong[0].tolist()
            raise UsageError(
                f"labels{place} is {values[tuple(place)]}; a label is a symbol from 0 to "
                f"{symbols - 1} other than the blank, {blank}"
            )
    labels = jnp.where(jnp.arange(labels.shape[1]) < label_counts[:, None], labels, 0)
    return labels, jnp.stack([counts, label_counts], 1)


def symbols_of(
    labels: jax.Array, lengths: jax.Array, symbols: int, blank: int
) -> npt.NDArray[np.bool_] | None:
    """Return a mask ``[batch, symbols]`` of symbols in use; None if labels are traced."""
    if isinstance(labels, Tracer) or isinstance(lengths, Tracer):
        return None
    of_item = np.zeros((len(labels), symbols), bool)
    counts = np.asarray(lengths)[:, 1]
    for used, row, count in zip(of_item, np.asarray(labels), counts, strict=True):
        used[[*row[:count], blank]] = True
    return of_item


_MOVES: Moves = ((1, 0), (0, 1))


@any_batch(log_probs=3, labels=1, lengths=0, label_lengths=0)
def transducer(
    log_probs: jax.Array,
    labels: npt.ArrayLike,
    lengths: npt.ArrayLike | None = None,
    label_lengths: npt.ArrayLike | None = None,
    blank: int = 0,
) -> Alignments:
    """Align frames to labels by a transducer (RNN-T).

    Each frame emits any number of labels (operation 1), then a blank (operation 0).

    Args:
        log_probs: ``[*batch, frames, labels + 1, symbols]`` at each frame after each number of
            labels; may be unnormalised.
        labels: as for ``ctc``, like the other arguments.

    Raises:
        UsageError: as for ``ctc``.
    """
    log_probs = as_log_weights(log_probs)
    check_shapes(log_probs=(log_probs, "batch frames counts symbols"))
    labels, both = label_sequences(log_probs, labels, lengths, label_lengths, blank)
    frames, columns = log_probs.shape[1], labels.shape[1]
    check_shapes(log_probs=(log_probs, f"batch frames {columns + 1} symbols"))
    check_log_weights(
        {"log_probs": _used_by_transducer(labels, both, log_probs.shape, blank)},
        log_probs=log_probs,
    )
    by_label = jnp.broadcast_to(labels[:, None, :, None], (len(labels), frames, columns, 1))
    label = jnp.take_along_axis(log_probs[:, :, :-1], by_label, 3)[..., 0]
    # No label follows the last blank.
    inside = jnp.arange(frames)[:, None] < both[:, :1, None]
    label = jnp.where(inside, label, -jnp.inf)
    leading = ((0, 0), (0, 1), (1, 0))
    step = [
        jnp.pad(log_probs[..., blank], ((0, 0), (1, 0), (0, 0))),
        jnp.pad(label, leading, constant_values=-jnp.inf),
    ]
    return Alignments(AlignmentParts(jnp.stack(step, -1)), both, _MOVES)


def _used_by_transducer(
    labels: jax.Array, lengths: jax.Array, shape: tuple[int, ...], blank: int
) -> npt.NDArray[Any] | None:
    """Return a mask ``[batch, frames, labels + 1, symbols]`` of weights in use."""
    if (of_item := symbols_of(labels, lengths, shape[-1], blank)) is None:
        return None
    inside = np.ones(shape, bool)
    for axis, (size, beyond) in enumerate(zip(shape[1:3], (0, 1), strict=True)):
        within = np.arange(size) < np.asarray(lengths)[:, axis, None] + beyond
        inside &= np.expand_dims(within, (2, 3) if axis == 0 else (1, 3))
    # Other labels of the item are unused here, but are checked as well.
    return inside & of_item[:, None, None]
