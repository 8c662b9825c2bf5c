"""Semi-Markov chains: sequences of segments with states (Sarawagi and Cohen 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.shapes import (
    as_log_weights,
    check_log_weights,
    check_shapes,
    checked_lengths,
    used_by_any,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures.base import Total, any_batch, lift_weights, mask_padding
from semipunct.structures.draws import Traceable, choose_in_row
from semipunct.structures.products import product, settle
from semipunct.structures.readable import (
    Readable,
    as_form,
    check,
    first_rows,
    mask_places,
    modules_of,
    used_entry,
)
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take
from semirings.devices import scan
from semirings.log import Log
from semirings.numerics import log_times, maximum


class SemiMarkovParts(NamedTuple):
    """Parts of a segmentation.

    Attributes:
        segment: ``[batch, length, max_width, states]``; ``[b, i, w, s]``: positions i - w to i are
            an s.
        transition: ``[batch, states, states]``, shared by all positions; the batch axis may be 1.
        initial: ``[batch, states]``; the batch axis may be 1.
    """

    segment: Any
    transition: Any
    initial: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SemiMarkovChain(Readable[SemiMarkovParts], Traceable):
    """A batch of semi-Markov chains; build with ``semi_markov_chain``.

    Usual form: ``[..., batch, segments, 3]``, first position, last position and state of each
    segment in order, padded with -1.
    """

    form_axes: ClassVar[int] = 2

    def places(self, derivations: Any) -> SemiMarkovParts:
        batch, length, widths, states = self.weights.segment.shape
        segments = as_form(derivations, (batch, None, 3), "segments")
        inside = within(self.lengths, length)
        xp = modules_of(segments, inside)
        first, last, state = (segments[..., i] for i in range(3))
        used = first >= 0
        start = xp.zeros_like(first[..., :1])
        follows = first == xp.concatenate([start, last[..., :-1] + 1], -1)
        possible = follows & (last >= first) & (last - first < widths)
        possible = possible & (state >= 0) & (state < states)
        # Padding follows all segments: after a row of -1, a segment could start at 0 again.
        ordered = used[..., 1:] <= used[..., :-1]
        covered = xp.max(xp.where(used, last + 1, 0), -1, initial=0)
        whole = covered == xp.sum(inside, -1)
        valid = xp.all(possible | ~used, -1) & xp.all(ordered, -1) & whole

        def explain(place: tuple[int, ...]) -> str:
            item, count = place[-1], int(inside[place[-1]].sum())
            rows = segments[place][used[place]].tolist()
            wrong = segments[place][used[place] & ~possible[place]].tolist()
            return (
                f"item {item}: segments {rows} "
                + (f"include {wrong[0]}" if wrong else "do not cover the item")
                + f"; they must cover positions 0 to {count - 1} in order, with at most {widths} "
                f"positions each and states 0 to {states - 1}"
            )

        check(valid, segments, explain)
        place = xp.where(used, (last * widths + last - first) * states + state, -1)
        pair = xp.where(used[..., 1:], state[..., :-1] * states + state[..., 1:], -1)
        begun = xp.where(used, state, -1)[..., :1]
        return SemiMarkovParts(*mask_places(valid, place, pair, begun))

    def from_parts(self, parts: SemiMarkovParts) -> jax.Array:
        place = used_entry(parts.segment, 2)
        length, states = place.shape[-1], self.weights.segment.shape[-1]
        last = jnp.arange(length)
        columns = (last - place // states, jnp.broadcast_to(last, place.shape), place % states)
        return first_rows(jnp.stack(columns, -1), place >= 0, length)

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the forward recursion (section 3.2).

        A position takes ``max_width * states + states ** 2`` products.
        """
        batch, length, _, _ = self.weights.segment.shape
        if length == 0:
            return Total(semiring.ones((batch,)), jnp.zeros((batch,), self.weights.segment.dtype))

        def run(by_terms: bool, how: Recursion) -> tuple[tuple[Value, jax.Array], jax.Array]:
            step, state, slices = _forward(self, semiring, feature, by_terms)
            state = how.scan(lambda before, at: step(before, at)[0], state, slices, length)
            return state[:2], state[2]

        window, log_scale = settle(semiring, run, recursion)
        value = semiring.sum(take[:, 0](window), axis=1)
        return Total(semiring.where(self.lengths > 0, value, semiring.ones((batch,))), log_scale)

    def trace(
        self, key: jax.Array, count: int, recursion: Recursion
    ) -> tuple[SemiMarkovParts, jax.Array]:
        """Filter forward, sample backward.

        Entry i of the segments ends at position i; entry i of the transitions leaves it.
        """
        segment, transition, _ = self.weights
        batch, length, widths, states = segment.shape
        ends = jnp.arange(length)[None] < self.lengths[:, None]
        segment = mask_padding(_used_segments(ends, widths), segment)
        if length == 0:
            nothing = jnp.zeros((count, batch, 0), jnp.int32)
            return SemiMarkovParts(nothing, nothing, nothing), jnp.zeros((batch,), segment.dtype)

        def run(by_terms: bool, how: Recursion) -> tuple[Any, jax.Array]:
            step, state, slices = _forward(self, Log(), None, by_terms)
            state, outputs = how.scan_outputs(step, state, slices, length)
            return (state[0], *outputs), state[2]

        window, opened, ended = settle(Log(), run, recursion)
        item = jnp.arange(batch)
        onward = jnp.swapaxes(transition, 1, 2)

        def back(after: Any, at: tuple[jax.Array, jax.Array]) -> tuple[Any, Any]:
            """Sample the segment that ends here, if any; ``following`` is the state after it."""
            end, following = after
            position, uniform = at
            last = position == self.lengths - 1
            leave = mask_padding(~last, onward)
            by_state = log_times(jnp.take(ended, position, 1)[:, None], leave)
            state = choose_in_row(uniform[0], by_state, item, following)
            by_width = log_times(jnp.take(opened, position, 1), jnp.take(segment, position, 1))
            width = choose_in_row(uniform[1], jnp.swapaxes(by_width, 1, 2), item, state)
            ends_here = end == position
            place = (position * widths + width) * states + state
            pair = jnp.where(ends_here & ~last, state * states + following, -1)
            following = jnp.where(ends_here, state, following)
            end = jnp.where(ends_here, position - 1 - width, end)
            return (end, following), (jnp.where(ends_here, place, -1), pair)

        uniform = jax.random.uniform(key, (length, 2, count, batch), segment.dtype)
        start = jnp.broadcast_to(self.lengths - 1, (count, batch)), jnp.zeros((count, batch), int)
        (_, first), (places, pairs) = scan(back, start, (jnp.arange(length), uniform), reverse=True)
        begun = jnp.where(self.lengths > 0, first, -1)[..., None]
        total = jnp.where(self.lengths == 0, 0.0, maximum(window[:, 0], -1))
        segments, transitions = (jnp.moveaxis(x, 0, 2) for x in (places, pairs))
        return SemiMarkovParts(segments, transitions, begun), total


def _forward(
    chain: SemiMarkovChain, s: Semiring, feature: SemiMarkovParts | None, by_terms: bool
) -> Any:
    """Return step, state and slices of the forward recursion over positions.

    A step outputs its window before segment weights, and the sums by state after them.
    """
    segment, transition, initial = chain.weights
    batch, length, widths, states = segment.shape
    features = SemiMarkovParts(None, None, None) if feature is None else feature
    ends = jnp.arange(length)[None] < chain.lengths[:, None]
    is_used = _used_segments(ends, widths)
    segment, of_segment = mask_padding(is_used, (segment, features.segment))
    several = used_by_any(chain.lengths > 1, transition.shape[:1])
    follow = lift_weights(s, *mask_padding(several, (transition, features.transition)))
    some = used_by_any(chain.lengths > 0, initial.shape[:1])
    beginning = lift_weights(s, *mask_padding(some, (initial, features.initial)))
    first, row = s.times(s.ones((batch, states)), beginning), take[:, None]

    def step(state: Any, slices: Any) -> tuple[Any, Any]:
        # Row 0 of the window has the segments that ended just before. Multiplied by transitions it
        # begins here; row d of ``opened`` began d positions ago, so a segment of width d + 1 ends
        # here.
        window, log_scale, unsure = state
        position, weight, feature = slices
        active = position < chain.lengths
        begun, doubt = product(s, take[:, :1](window), follow, by_terms)
        unsure = unsure | (doubt & active & (position > 0))
        begun = s.where((position == 0)[:, None, None], row(first), begun)
        opened = s.concatenate([begun, take[:, 1:](window)], axis=1)
        ended = s.sum(s.times(opened, lift_weights(s, weight, feature)), axis=1)
        after = s.concatenate([row(ended), take[:, :-1](opened)], axis=1)
        after, factor = s.balance(after, (1, 2))
        log_scale = log_scale + jnp.where(active, factor, 0.0)
        state = (s.where(active[:, None, None], after, window), log_scale, unsure)
        return state, (opened, ended)

    window = s.concatenate([row(s.zeros_like(first))] * widths, axis=1)
    slices = jnp.broadcast_to(jnp.arange(length), (batch, length)), segment, of_segment
    state = (window, jnp.zeros((batch,), segment.dtype), jnp.zeros((batch,), bool))
    return step, state, slices


@any_batch(segment=3, transition=2, initial=1, lengths=0)
def semi_markov_chain(
    segment: jax.Array,
    transition: jax.Array,
    initial: jax.Array | None = None,
    lengths: npt.ArrayLike | None = None,
) -> SemiMarkovChain:
    """Build semi-Markov chains.

    Args:
        segment: ``[*batch, length, max_width, states]`` log weight by last position, width minus
            one and state. Segments that start before position 0 are ignored.
        transition: ``[*batch, states, states]`` log weights; batch axes may be 1 or missing.
        initial: ``[*batch, states]`` log weight of the first state, zeros by default; likewise.
        lengths: ``[*batch]``; ``length`` by default.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    segment, transition = as_log_weights(segment), as_log_weights(transition, 3)
    sizes = check_shapes(segment=(segment, "batch length max_width states"))
    if sizes["max_width"] == 0:
        raise UsageError(f"segment has shape {segment.shape}: axis 2 (widths) must not be empty")
    if initial is None:
        initial = jnp.zeros((sizes["states"],), segment.dtype)
    initial = as_log_weights(initial, 2)
    check_shapes(
        segment=(segment, "batch length max_width states"),
        transition=(transition, "batch? states states"),
        initial=(initial, "batch? states"),
    )
    lengths = checked_lengths(lengths, sizes["length"], segment=segment)
    ends, some = within(lengths, sizes["length"]), within(lengths, 2)
    used = {
        "segment": _used_segments(ends, sizes["max_width"]),
        "transition": used_by_any(some[:, 1], transition.shape),
        "initial": used_by_any(some[:, 0], initial.shape),
    }
    check_log_weights(used, segment=segment, transition=transition, initial=initial)
    return SemiMarkovChain(SemiMarkovParts(segment, transition, initial), lengths)


def _used_segments(ends: Any, widths: int) -> Any:
    """Return a mask ``[batch, length, widths, 1]`` of segments within their items."""
    begun = np.arange(widths)[None, :, None] <= np.arange(ends.shape[1])[:, None, None]
    return ends[:, :, None, None] & begun[None]
