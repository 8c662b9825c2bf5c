"""Linear chains, such as conditional random fields (Lafferty, McCallum and Pereira 2001)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

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
from semipunct.structures.products import Scale, product, settle
from semipunct.structures.readable import (
    Readable,
    as_form,
    check_labels,
    mask_places,
    modules_of,
    used_entry,
)
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take
from semirings.devices import scan
from semirings.log import Log
from semirings.numerics import log_times, maximum

Method = Literal["sequential", "parallel"]


class ChainParts(NamedTuple):
    """Parts of a sequence of states.

    Attributes:
        emission: ``[batch, length, states]``; ``[b, i, s]``: state s at position i.
        transition: ``[batch, length - 1, states, states]``; ``[b, i, s, t]``: s at i, t at i + 1.
            Each of the first two axes may be 1.
    """

    emission: Any
    transition: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class LinearChain(Readable[ChainParts], Traceable):
    """A batch of chains; build with ``linear_chain``.

    Usual form: states ``[..., batch, length]``.
    """

    method: Method = field(default="sequential", metadata={"static": True})

    def expand(self) -> LinearChain:
        *batch, length, states = self.weights.emission.shape
        whole = (*batch, max(length - 1, 0), states, states)
        transition = jnp.broadcast_to(self.weights.transition, whole)
        return replace(self, weights=self.weights._replace(transition=transition))

    def places(self, derivations: Any) -> ChainParts:
        batch, length, count = self.weights.emission.shape
        states = as_form(derivations, (batch, length), "states")
        used = within(self.lengths, length)
        valid = check_labels(states, used, count, "states", "states")
        xp = modules_of(states, used)
        emitted = xp.where(used, np.arange(length) * count + states, -1)
        pair = xp.where(used[:, 1:], emitted[..., :-1] * count + states[..., 1:], -1)
        return ChainParts(*mask_places(valid, emitted, pair))

    def from_parts(self, parts: ChainParts) -> jax.Array:
        return used_entry(parts.emission)

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the forward recursion."""
        batch, length, _ = self.weights.emission.shape
        if length == 0:
            return Total(semiring.ones((batch,)), jnp.zeros((batch,), self.weights.emission.dtype))
        run = _sequential if self.method == "sequential" else _parallel
        return run(self, semiring, feature, recursion)

    def trace(
        self, key: jax.Array, count: int, recursion: Recursion
    ) -> tuple[ChainParts, jax.Array]:
        """Filter forward, sample backward (Scott 2002)."""
        emission, transition = self.weights
        batch, length, states = emission.shape
        if length == 0:
            nothing = jnp.zeros((count, batch, 0), jnp.int32)
            return ChainParts(nothing, nothing), jnp.zeros((batch,), emission.dtype)

        def run(by_terms: bool, how: Recursion) -> tuple[jax.Array, jax.Array]:
            step, first, slices = _forward(self, Log(), None, by_terms)
            last, later = how.scan_states(step, first, slices, length - 1)
            return jnp.concatenate([first[0][:, None], later], 1), last[2]

        forward = settle(Log(), run, recursion, multiplies=_multiplies(self, Log()))
        shared = transition.shape[1] == 1
        item = jnp.arange(batch)

        def back(after: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            position, uniform = at
            leave = transition[:, 0] if shared else jnp.take(transition, position, 1, mode="clip")
            onward = mask_padding(position + 1 < self.lengths, jnp.swapaxes(leave, 1, 2))
            by_state = log_times(jnp.take(forward, position, 1)[:, None], onward)
            state = choose_in_row(uniform, by_state, item, after)
            return state, state

        uniform = jax.random.uniform(key, (length, count, batch), emission.dtype)
        last = jnp.zeros((count, batch), jnp.int32)
        _, chosen = scan(back, last, (jnp.arange(length), uniform), reverse=True)
        chosen = jnp.moveaxis(chosen, 0, 2)
        position = jnp.arange(length)
        used = position < self.lengths[:, None]
        emitted = jnp.where(used, position * states + chosen, -1)
        pair = (position[:-1] * states + chosen[..., :-1]) * states + chosen[..., 1:]
        total = jnp.where(self.lengths == 0, 0.0, maximum(forward[:, -1], -1))
        return ChainParts(emitted, jnp.where(used[:, 1:], pair, -1)), total


@any_batch(emission=2, transition=3, lengths=0)
def linear_chain(
    emission: jax.Array,
    transition: jax.Array,
    lengths: npt.ArrayLike | None = None,
    method: Method = "sequential",
) -> LinearChain:
    """Build linear chains.

    Args:
        emission: ``[*batch, length, states]`` log weights.
        transition: ``[*batch, length - 1, states, states]`` log weights; axes before the states may
            be 1 or missing.
        lengths: ``[*batch]``; ``length`` by default.
        method: ``sequential`` takes ``length`` steps, ``parallel`` log2(``length``) steps with
            ``states`` times the work, for parallel hardware and few states.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    emission, transition = as_log_weights(emission), as_log_weights(transition, 4)
    sizes = check_shapes(
        emission=(emission, "batch length states"),
        transition=(transition, "batch? steps? states states"),
    )
    length, steps = sizes["length"], max(sizes["length"] - 1, 0)
    if transition.shape[1] not in (1, steps):
        check_shapes(transition=(transition, f"batch? {steps} states states"))
    lengths = checked_lengths(lengths, length, emission=emission)
    positions = within(lengths, length)
    used = {
        "emission": used_by_any(positions, emission.shape),
        "transition": used_by_any(positions[:, 1:], transition.shape),
    }
    check_log_weights(used, emission=emission, transition=transition)
    if method not in get_args(Method):
        raise UsageError(f"method is {method!r}, not 'sequential' or 'parallel'")
    return LinearChain(ChainParts(emission, transition), lengths, method)


def _sequential(
    chain: LinearChain, s: Semiring, feature: ChainParts | None, recursion: Recursion
) -> Total:
    def run(by_terms: bool, how: Recursion) -> tuple[tuple[Value, jax.Array], jax.Array]:
        step, state, slices = _forward(chain, s, feature, by_terms)
        state = how.scan(step, state, slices, chain.weights.emission.shape[1] - 1)
        return (state[0], state[1].log), state[2]

    forward, log_scale = settle(s, run, recursion, multiplies=_multiplies(chain, s))
    return _ended(chain, s.sum(forward, axis=1), log_scale, s)


def _multiplies(chain: LinearChain, s: Semiring) -> bool:
    """Return whether a step is a product with one matrix shared by the batch."""
    shared = chain.weights.transition.shape[:2] == (1, 1)
    return shared and chain.weights.emission.shape[1] != 2 and s.laws.matmul_keeps_all


def _forward(chain: LinearChain, s: Semiring, feature: ChainParts | None, by_terms: bool) -> Any:
    """Return step, state and slices of the forward recursion over positions from 1.

    The state has values ``[batch, states]``, their ``Scale``, and whether they may be wrong.
    """
    emission, transition = chain.weights
    batch, length, states = emission.shape
    shared = transition.shape[1] == 1 and length != 2
    features = ChainParts(None, None) if feature is None else feature
    # Items of one position have no transition.
    several = used_by_any(chain.lengths > 1, transition.shape[:1])
    shared_leave = None
    if shared:
        pair = transition[:, 0], take[:, 0](features.transition)
        shared_leave = lift_weights(s, *mask_padding(several, pair))
    is_one = _multiplies(chain, s)

    def step(state: Any, slices: Any) -> Any:
        forward, scale, unsure = state
        position, *padded = slices
        active = position < chain.lengths
        weight, weight_feature, arrive, arrive_feature = mask_padding(active, tuple(padded))
        if is_one:
            after, doubt = product(s, forward, take[0](shared_leave), by_terms)
            unsure = unsure | (doubt & active)
        else:
            leave = shared_leave if shared else lift_weights(s, weight, weight_feature)
            after = s.sum(s.times(take[:, :, None](forward), leave), axis=1)
        after = s.times(after, lift_weights(s, arrive, arrive_feature))
        after, factor = s.balance(after, (1,))
        return s.where(active[:, None], after, forward), scale.times(factor, active), unsure

    later = jnp.broadcast_to(jnp.arange(1, length), (batch, length - 1))
    beginning = mask_padding(chain.lengths > 0, take[:, 0]((emission, features.emission)))
    leaving = None, None
    if not shared:
        each = jnp.broadcast_to(transition, (batch, *transition.shape[1:]))
        leaving = each, features.transition
    slices = later, *leaving, *take[:, 1:]((emission, features.emission))
    start = s.times(s.ones((batch, states)), lift_weights(s, *beginning))
    start, factor = s.balance(start, (1,))
    scale = Scale.of(factor.astype(emission.dtype))
    return step, (start, scale, jnp.zeros((batch,), bool)), slices


def _parallel(
    chain: LinearChain, s: Semiring, feature: ChainParts | None, recursion: Recursion
) -> Total:
    chain = chain.expand()
    emission, transition = chain.weights
    batch, length, states = emission.shape
    features = ChainParts(None, None) if feature is None else feature
    used = jnp.arange(length)[None] < chain.lengths[:, None]
    arrive = lift_weights(s, *mask_padding(used, (emission, features.emission)))
    matrices = s.times(
        lift_weights(s, *mask_padding(used[:, 1:], (transition, features.transition))),
        take[:, 1:, None, :](arrive),
    )
    eye = jnp.eye(states, dtype=bool)
    identity = s.where(eye, s.ones((1, 1, states, states)), s.zeros((1, 1, states, states)))
    matrices = s.where(used[:, 1:, None, None], matrices, identity)
    log_scale = jnp.zeros((batch,), emission.dtype)
    count = length - 1
    while count > 1:
        pairs, odd = count // 2, count % 2
        left, right = take[:, : 2 * pairs : 2](matrices), take[:, 1 : 2 * pairs : 2](matrices)
        product = s.matmul(left, right)
        product, factor = s.balance(product, (2, 3))
        log_scale = log_scale + jnp.sum(factor, 1)
        if odd:
            product = s.concatenate([product, take[:, -1:](matrices)], axis=1)
        matrices, count = product, pairs + odd
    ends = take[:, 0](arrive)
    if count:
        ends = s.sum(s.times(take[:, 0, :, None](arrive), take[:, 0](matrices)), axis=1)
    return _ended(chain, s.sum(ends, axis=1), log_scale, s)


def _ended(chain: LinearChain, value: Value, log_scale: jax.Array, s: Semiring) -> Total:
    """Return totals; empty chains have weight one."""
    used = chain.lengths > 0
    value = s.where(used, value, s.ones(used.shape))
    return Total(value, jnp.where(used, log_scale, 0.0))
