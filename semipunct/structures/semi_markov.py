"""Semi-Markov chains: positions cut into segments, each with a state (Sarawagi and Cohen 2004)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.arrays.shapes import check_lengths, check_log_weights, check_shapes
from semipunct.errors import UsageError
from semipunct.structures.base import PartWise, Total, lifted
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring


class SemiMarkovParts(NamedTuple):
    """An entry for each part of a segmentation.

    Attributes:
        segment: ``[batch, length, max_width, states]`` entry ``[b, i, w, s]`` is the segment of
            state s that ends at position i and begins at i - w.
        transition: ``[batch, states, states]`` entry ``[b, s, t]`` is a segment of state s followed
            by one of state t, wherever they meet: a derivation may use it several times. A first
            axis of size 1 is shared by all batch items.
        initial: ``[batch, states]`` the state of the first segment; shared likewise.
    """

    segment: Any
    transition: Any
    initial: Any


@partial(jax.tree_util.register_dataclass, data_fields=["weights", "lengths"], meta_fields=[])
@dataclass(frozen=True)
class SemiMarkov(PartWise[SemiMarkovParts]):
    """A batch of semi-Markov chains; see ``semi_markov``."""

    def expanded(self) -> SemiMarkov:
        batch, _, _, states = self.weights.segment.shape
        transition = jnp.broadcast_to(self.weights.transition, (batch, states, states))
        initial = jnp.broadcast_to(self.weights.initial, (batch, states))
        return replace(self, weights=SemiMarkovParts(self.weights.segment, transition, initial))

    def total(
        self,
        semiring: Semiring,
        counted: SemiMarkovParts | None = None,
        recursion: Recursion = Recursion(),
    ) -> Total:
        """The forward recursion (Sarawagi and Cohen 2004, section 3.2), any semiring.

        The state of a step is a window of ``max_width`` vectors. The first holds what ended just
        before this position, by the state of its last segment; the others what ended further and
        further back, already multiplied by the transition into the next segment. A position
        costs ``max_width * states + states ** 2`` products.
        """
        s = semiring
        segment, transition, initial = self.weights
        batch, length, widths, states = segment.shape
        if length == 0:
            return Total(s.ones((batch,)), jnp.zeros((batch,), jnp.float32))
        counts = SemiMarkovParts(None, None, None) if counted is None else counted
        follow = lifted(s, transition, counts.transition)

        def extend(window: Any, weight: jax.Array, count: Any, active: jax.Array) -> Any:
            """Weigh what ends here by its width and sum over the widths."""
            ended = s.sum(s.times(window, lifted(s, weight, count)), axis=1)
            older = jax.tree.map(lambda x: x[:, :-1], window)
            window, factor = s.balance(s.concatenate([_row(ended), older], axis=1), (1, 2))
            return window, jnp.where(active, factor, 0.0)

        def step(state: Any, slices: Any) -> Any:
            window, log_scale = state
            position, weight, count = slices
            active = position < self.lengths
            before = jax.tree.map(lambda x: x[:, 0, :, None], window)
            begun = s.sum(s.times(before, follow), axis=1)
            older = jax.tree.map(lambda x: x[:, 1:], window)
            open_ = s.concatenate([_row(begun), older], axis=1)
            after, factor = extend(open_, weight, count, active)
            return s.where(active[:, None, None], after, window), log_scale + factor

        first = s.times(s.ones((batch, states)), lifted(s, initial, counts.initial))
        nothing = _row(s.zeros_like(first))
        window, log_scale = extend(
            s.concatenate([_row(first), *[nothing] * (widths - 1)], axis=1),
            segment[:, 0],
            jax.tree.map(lambda x: x[:, 0], counts.segment),
            self.lengths > 0,
        )
        later = (
            jnp.broadcast_to(jnp.arange(1, length), (batch, length - 1)),
            segment[:, 1:],
            jax.tree.map(lambda x: x[:, 1:], counts.segment),
        )
        state = (window, log_scale.astype(segment.dtype))
        window, log_scale = recursion.scan(step, state, later, length - 1)
        value = s.sum(jax.tree.map(lambda x: x[:, 0], window), axis=1)
        return Total(s.where(self.lengths > 0, value, s.ones((batch,))), log_scale)


def semi_markov(
    segment: jax.Array,
    transition: jax.Array,
    initial: jax.Array | None = None,
    lengths: jax.Array | None = None,
) -> SemiMarkov:
    """All ways to cut positions into segments of width 1 to ``max_width``, each with a state.

    The weight of a segmentation is the product of the first state's weight, of its segments'
    and of the transitions between neighbours. With ``max_width`` 1 it is a linear chain.

    Args:
        segment: ``[batch, length, max_width, states]`` log weight of each segment by the position
            where it ends, its width less one, and its state. Segments that would begin before
            position 0 are ignored.
        transition: ``[batch, states, states]`` log weight of each pair of neighbouring states,
            the same at all positions; the first axis may have size 1 or be missing.
        initial: ``[batch, states]`` log weight of the first segment's state, or None for none;
            the first axis may have size 1 or be missing.
        lengths: ``[batch]`` positions used, 0 to ``length``; all of them by default. Without
            positions there is one derivation, the empty one, of weight one.

    Raises:
        UsageError: if shapes do not fit, a length is out of range or a log weight is not one.
    """
    segment, transition = jnp.asarray(segment), jnp.asarray(transition)
    sizes = check_shapes(segment=(segment, "batch length max_width states"))
    if sizes["max_width"] == 0:
        raise UsageError(f"segment has shape {segment.shape}: axis 2 must allow some width")
    if initial is None:
        initial = jnp.zeros((sizes["states"],), segment.dtype)
    initial = jnp.asarray(initial)
    lengths = (
        jnp.full(sizes["batch"], sizes["length"], jnp.int32)
        if lengths is None
        else jnp.asarray(lengths)
    )
    transition = transition.reshape((1,) * (3 - transition.ndim) + transition.shape)
    initial = initial.reshape((1,) * (2 - initial.ndim) + initial.shape)
    check_shapes(
        segment=(segment, "batch length max_width states"),
        transition=(transition, "batch? states states"),
        initial=(initial, "batch? states"),
        lengths=(lengths, "batch"),
    )
    check_log_weights(segment=segment, transition=transition, initial=initial)
    check_lengths(lengths, sizes["length"])
    return SemiMarkov(SemiMarkovParts(segment, transition, initial), lengths)


def _row(value: Any) -> Any:
    """``[batch, states]`` to ``[batch, 1, states]``."""
    return jax.tree.map(lambda x: x[:, None], value)
