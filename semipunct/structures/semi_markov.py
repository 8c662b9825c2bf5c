"""Semi-Markov chains: positions cut into segments, each with a state.

| Part       | Shape                                  | Entry                                   |
| ---------- | -------------------------------------- | --------------------------------------- |
| segment    | ``[batch, length, max_width, states]`` | ``[b, i, w, s]``: an s, from i - w to i |
| transition | ``[batch, states, states]``            | ``[b, s, t]``: an s, and next to it a t |
| initial    | ``[batch, states]``                    | ``[b, s]``: the first segment is an s   |

Transitions have no position: a derivation may use one several times. A first axis of size 1 of
transitions or of initial states is shared by all batch items.

Source: Sarawagi and Cohen (2004).
"""

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
    """An entry for each part of a segmentation; the module's table has their shapes."""

    segment: Any
    transition: Any
    initial: Any


@partial(jax.tree_util.register_dataclass, data_fields=["weights", "lengths"], meta_fields=[])
@dataclass(frozen=True)
class SemiMarkovChain(PartWise[SemiMarkovParts]):
    """A batch of semi-Markov chains; see ``semi_markov_chain``."""

    def expanded(self) -> SemiMarkovChain:
        batch, _, _, states = self.weights.segment.shape
        transition = jnp.broadcast_to(self.weights.transition, (batch, states, states))
        initial = jnp.broadcast_to(self.weights.initial, (batch, states))
        return replace(self, weights=SemiMarkovParts(self.weights.segment, transition, initial))

    def total(
        self,
        semiring: Semiring,
        feature: SemiMarkovParts | None = None,
        recursion: Recursion = Recursion(),
    ) -> Total:
        """Run the forward recursion (section 3.2); arguments as in ``Structure.total``.

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
        features = SemiMarkovParts(None, None, None) if feature is None else feature
        follow = lifted(s, transition, features.transition)

        def extend(window: Any, weight: jax.Array, feature: Any, active: jax.Array) -> Any:
            """Weigh what ends here by its width and sum over the widths."""
            ended = s.sum(s.times(window, lifted(s, weight, feature)), axis=1)
            older = jax.tree.map(lambda x: x[:, :-1], window)
            window, factor = s.balance(s.concatenate([_row(ended), older], axis=1), (1, 2))
            return window, jnp.where(active, factor, 0.0)

        def step(state: Any, slices: Any) -> Any:
            window, log_scale = state
            position, weight, feature = slices
            active = position < self.lengths
            before = jax.tree.map(lambda x: x[:, 0, :, None], window)
            begun = s.sum(s.times(before, follow), axis=1)
            older = jax.tree.map(lambda x: x[:, 1:], window)
            open_ = s.concatenate([_row(begun), older], axis=1)
            after, factor = extend(open_, weight, feature, active)
            return s.where(active[:, None, None], after, window), log_scale + factor

        first = s.times(s.ones((batch, states)), lifted(s, initial, features.initial))
        nothing = _row(s.zeros_like(first))
        window, log_scale = extend(
            s.concatenate([_row(first), *[nothing] * (widths - 1)], axis=1),
            segment[:, 0],
            jax.tree.map(lambda x: x[:, 0], features.segment),
            self.lengths > 0,
        )
        later = (
            jnp.broadcast_to(jnp.arange(1, length), (batch, length - 1)),
            segment[:, 1:],
            jax.tree.map(lambda x: x[:, 1:], features.segment),
        )
        state = (window, log_scale.astype(segment.dtype))
        window, log_scale = recursion.scan(step, state, later, length - 1)
        value = s.sum(jax.tree.map(lambda x: x[:, 0], window), axis=1)
        return Total(s.where(self.lengths > 0, value, s.ones((batch,))), log_scale)


def semi_markov_chain(
    segment: jax.Array,
    transition: jax.Array,
    initial: jax.Array | None = None,
    lengths: jax.Array | None = None,
) -> SemiMarkovChain:
    """Make semi-Markov chains: cut positions into segments of width 1 to ``max_width``.

    Each segment has a state. The weight of a segmentation is the product of the first state's
    weight, of its segments' and of the transitions between neighbours. With ``max_width`` 1 it is
    a linear chain.

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
    return SemiMarkovChain(SemiMarkovParts(segment, transition, initial), lengths)


def _row(value: Any) -> Any:
    """Reshape ``[batch, states]`` to ``[batch, 1, states]``."""
    return jax.tree.map(lambda x: x[:, None], value)
