"""String paths: the accepting paths of an automaton for given strings.

Parts are the first state, the arc that reads each symbol, and the last state.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.arrays.shapes import as_log_weights, within
from semipunct.errors import UsageError
from semipunct.structures.automata.machine import (
    EPSILON,
    Automaton,
    checked_strings,
    read_strings,
    reading_step,
)
from semipunct.structures.base import Total, any_batch, lift_weights, mask_padding
from semipunct.structures.draws import Traceable, choose, choose_in_row
from semipunct.structures.readable import (
    Readable,
    as_form,
    check_labels,
    mask_places,
    modules_of,
    used_entry,
)
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring
from semirings.devices import scan
from semirings.log import Log
from semirings.numerics import log_balance, log_times, maximum


class PathParts(NamedTuple):
    """Parts: ``[batch, states]``, ``[batch, length, states, states]`` and ``[batch, states]``.

    Before ``expand``, all positions share the arcs ``[batch, symbols, states, states]``. A batch
    axis of size 1 is shared by all items.
    """

    initial: Any
    arcs: Any
    final: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class StringPaths(Readable[PathParts], Traceable):
    """The accepting paths of a batch of strings; see ``string_paths``.

    Their usual form is ``[..., batch, length + 1]`` states, before and after each symbol.

    Attributes:
        strings: ``[batch, length]``, padded with epsilon.
        by_position: whether arcs are expanded to positions.
    """

    strings: jax.Array
    symbols: int = field(metadata={"static": True})
    by_position: bool = field(default=False, metadata={"static": True})

    def expand(self) -> StringPaths:
        if len(self.batch_shape) != 1:
            return self.flat().expand().reshaped(self.batch_shape)
        return replace(self, weights=self._written_out(self.weights), by_position=True)

    @property
    def weights_by_place(self) -> PathParts:
        return self._written_out(self.weights)

    def places(self, derivations: Any) -> PathParts:
        batch, length = self.strings.shape
        count = self.weights.initial.shape[-1]
        states = as_form(derivations, (batch, length + 1), "states")
        used = within(self.lengths + 1, length + 1)
        valid = check_labels(states, used, count, "states", "states")
        xp = modules_of(states, used)
        arc = (np.arange(length) * count + states[..., :-1]) * count + states[..., 1:]
        last = xp.sum(used, -1) - 1
        ends = np.arange(length + 1) == last[:, None]
        first = states[..., :1]
        end = xp.sum(xp.where(ends, states, 0), -1)[..., None]
        return PathParts(*mask_places(valid, first, xp.where(used[:, 1:], arc, -1), end))

    def from_parts(self, parts: PathParts) -> jax.Array:
        arc = used_entry(parts.arcs, 2)
        count = self.weights.initial.shape[-1]
        after = jnp.where(arc < 0, -1, arc % count)
        return jnp.concatenate([used_entry(parts.initial)[..., None], after], -1)

    def uses(self, parts: PathParts) -> Automaton:
        """Sum expanded parts over positions, with arcs ``[..., batch, symbols, states, states]``.

        For marginals, these are the expected counts for re-estimation (Baum 1972).
        """
        used = jnp.arange(self.strings.shape[1])[None] < self.lengths[:, None]
        is_read = (self.strings[:, :, None] == jnp.arange(self.symbols)[None, None]) & used[
            :, :, None
        ]
        arcs = jnp.einsum(
            "bla,...blst->...bast",
            is_read.astype(parts.arcs.dtype),
            parts.arcs,
            precision="highest",
        )
        return Automaton(parts.initial, arcs, parts.final)

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        s = semiring
        features = PathParts(None, None, None) if feature is None else feature
        if not self.by_position:
            features = features._replace(arcs=jax.tree.map(self._at_positions, features.arcs))
        initial, arcs, final = self._written_out(self.weights)
        used = jnp.arange(self.strings.shape[1])[None] < self.lengths[:, None]
        arcs, of_arcs = mask_padding(used, (arcs, features.arcs))
        start = s.times(s.ones(initial.shape), lift_weights(s, initial, features.initial))
        return read_strings(
            s,
            start,
            lambda at: lift_weights(s, *at),
            (arcs, of_arcs),
            self.lengths,
            lift_weights(s, final, features.final),
            recursion,
        )

    def trace(
        self, key: jax.Array, count: int, recursion: Recursion
    ) -> tuple[PathParts, jax.Array]:
        initial, arcs, final = self._written_out(self.weights)
        arcs = mask_padding(jnp.arange(self.strings.shape[1])[None] < self.lengths[:, None], arcs)
        batch, length, states, _ = arcs.shape
        step = reading_step(Log(), lambda weights: weights, self.lengths)
        first, positions = log_balance(initial, (1,)), jnp.arange(length)
        slices = jnp.broadcast_to(positions, (batch, length)), arcs
        last, after = recursion.scan_states(step, first, slices, length)
        before = jnp.concatenate([first[0][:, None], after], 1)
        ended = log_times(last[0], final)
        draw_end, draw_arcs = jax.random.split(key)
        item = jnp.arange(batch)

        def back(after: jax.Array, at: Any) -> tuple[jax.Array, jax.Array]:
            position, uniform = at
            into = jnp.swapaxes(jnp.take(arcs, position, 1), 1, 2)
            by_state = log_times(jnp.take(before, position, 1)[:, None], into)
            state = choose_in_row(uniform, by_state, item, after)
            used = position < self.lengths
            arc = (position * states + state) * states + after
            return jnp.where(used, state, after), jnp.where(used, arc, -1)

        end = choose(
            jax.random.uniform(draw_end, (count, batch), arcs.dtype),
            jnp.broadcast_to(ended, (count, *ended.shape)),
        )
        uniform = jax.random.uniform(draw_arcs, (length, count, batch), arcs.dtype)
        start, places = end, jnp.zeros((0, count, batch), jnp.int32)
        if length:
            start, places = scan(back, end, (positions, uniform), reverse=True)
        parts = PathParts(start[..., None], jnp.moveaxis(places, 0, 2), end[..., None])
        return parts, maximum(ended, 1)

    def _written_out(self, parts: PathParts) -> PathParts:
        shape = (len(self.lengths), parts.initial.shape[-1])
        return PathParts(
            jnp.broadcast_to(parts.initial, shape),
            parts.arcs if self.by_position else self._at_positions(parts.arcs),
            jnp.broadcast_to(parts.final, shape),
        )

    def _at_positions(self, arcs: jax.Array) -> jax.Array:
        item = jnp.arange(len(self.lengths))[:, None] % arcs.shape[0]
        return arcs[item, self.strings]


@any_batch(strings=1, automaton=(1, 3, 1), lengths=0)
def string_paths(
    automaton: Automaton, strings: jax.Array, lengths: jax.Array | None = None
) -> StringPaths:
    """Create the accepting paths of strings.

    A path has one arc per symbol, so the semiring needs no star. Replace epsilon arcs with
    ``remove_epsilon`` in ``Log`` first; if the weights are traced, they are ignored.

    Args:
        automaton: log weights; batch axes may be missing or of size 1.
        strings: ``[*batch, length]`` symbols other than epsilon.
        lengths: ``[*batch]``; ``length`` by default.

    Raises:
        UsageError: for epsilon arcs, or an invalid shape, length or symbol.
    """
    initial, arcs, final = map(as_log_weights, automaton, (2, 4, 2))
    strings, lengths = checked_strings(strings, lengths, arcs, "batch? symbols states states")
    silent = arcs[:, EPSILON]
    if not isinstance(silent, Tracer) and bool(jnp.any(silent > -jnp.inf)):
        raise UsageError(
            "automaton has epsilon arcs, by which a path may have any length; "
            "give string_paths(remove_epsilon(Log(), automaton), ...)"
        )
    return StringPaths(PathParts(initial, arcs, final), lengths, strings, arcs.shape[1])
