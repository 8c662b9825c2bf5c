"""Given trees whose nodes choose labels at the edges of their constituents, with inside recursion.

Each node of a projective tree chooses a pair (left label, right label). The labels at a slot
between two words form a string, which a weighted automaton reads. ``inside`` sums over all choices
(Li, Wang and Eisner 2019, Algorithm 1). Sentences of a batch are concatenated, not padded.

The paper's matrix IN(w) is never computed: line 10 has rank one, and a constituent is only applied
to a vector of its parent. With the node's vectors ``a`` and ``b``, the parent's running vector
``g`` at their shared slot, and matrices M of a slot, absorbing from the left computes::

    outer[l] = M_i(l) a        inner[r] = (b M_k(r)) g
    new g    = sum over pairs (l, r) of choice[l, r] * inner[r] * outer[l]

and from the right the mirror image. At an empty slot the new vector is a number, a factor of the
sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.structures.base import Total, lift_weights, mask_padding
from semipunct.structures.given_tree.order import Ints
from semipunct.structures.given_tree.schedule import Indices, Lanes, Schedule
from semipunct.structures.recursion import Recursion
from semirings.base import Groups, Semiring, Value, take
from semirings.devices import axes_of, scan, varying
from semirings.log import Log
from semirings.numerics import matmul
from semirings.real import Real

# Logs of factors that were divided out.
Scale = jax.Array | npt.NDArray[np.float32]

Vectors = tuple[Value, Value, Value]
Absorbed = tuple[Value, tuple[Value, jax.Array]]
_Absorb = Callable[[Lanes, Value, Vectors], Absorbed]


class LiftedAutomata(Protocol):
    """Slot automata in one semiring, with values ``[slots, states]``.

    Slot 0 is the empty slot, with the single state 0.
    """

    @property
    def initial(self) -> Value: ...
    @property
    def final(self) -> Value: ...
    def products(self, left: Indices, a: Value, right: Indices, b: Value) -> Products:
        """Multiply vectors at both edges of constituents by the matrices of all labels.

        Args:
            left, right: ``[lanes]`` automata.
            a: ``[lanes, width]`` column vectors at the left edge.
            b: ``[lanes, width]`` row vectors at the right edge.
        """
        ...


class Products(Protocol):
    """The result of ``LiftedAutomata.products``."""

    def inner(self, from_left: npt.NDArray[np.bool_], g: Value) -> Value:
        """Compute ``(b M(label)) g`` for every right label, ``[lanes, labels]``.

        Lanes not ``from_left`` compute ``g (M(label) a)`` for every left label.
        """
        ...

    def outer(self, from_left: npt.NDArray[np.bool_], weight: Value) -> tuple[Value, jax.Array]:
        """Compute ``sum(weight[label] M(label) a)`` over left labels, ``[lanes, width]``.

        Lanes not ``from_left`` compute ``sum(weight[label] b M(label))`` over right labels. The
        sum is rescaled, with the log of its scale as second result.
        """
        ...


class VectorsByLabel(NamedTuple):
    """``Products`` from vectors ``M(label) a`` and ``b M(label)``, ``[labels, lanes, width]``."""

    semiring: Semiring
    at_left: Value
    at_right: Value

    def inner(self, from_left: npt.NDArray[np.bool_], g: Value) -> Value:
        s = self.semiring
        inner = s.where(from_left[:, None], self.at_right, self.at_left)
        products = s.sum(s.times(inner, take[None](g)), 2)
        return jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), products)

    def outer(self, from_left: npt.NDArray[np.bool_], weight: Value) -> tuple[Value, jax.Array]:
        s = self.semiring
        outer, log_scale = s.balance(
            s.where(from_left[:, None], self.at_left, self.at_right), (0, 2)
        )
        weight = jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1)[..., None], weight)
        return s.sum(s.times(weight, outer), 0), log_scale


class SlotAutomata(Protocol):
    """The automata of all slots of a batch."""

    @property
    def widths(self) -> tuple[int, ...]:
        """Vector sizes, ascending; groups of lanes use the last of these."""
        ...

    def lift(self, semiring: Semiring) -> LiftedAutomata: ...


class Pairs(NamedTuple):
    """The label pairs that a node may choose, grouped by left and by right label.

    Attributes:
        empty: index of the pair of empty labels.
    """

    by_left: Groups
    by_right: Groups
    empty: int

    @classmethod
    def of(cls, left: Ints, right: Ints, labels: int) -> Pairs:
        """Group pairs of labels, ``[pairs]``; pair 0 is the empty pair."""
        return cls(Groups.of(left, labels), Groups.of(right, labels), 0)


class GivenTrees(NamedTuple):
    """A batch of given trees; a derivation chooses a pair for each node.

    Attributes:
        choice: ``[nodes, pairs]`` log weights.
        feature: a feature of choices, or a tuple of features.
        log_scale: ``[sentences]`` log of a constant factor.
    """

    choice: jax.Array
    feature: Any
    pairs: Pairs
    automata: Any
    schedule: Schedule
    log_scale: Scale

    @property
    def log_weights(self) -> jax.Array:
        return self.choice

    def with_log_weights(self, log_weights: jax.Array) -> GivenTrees:
        return self._replace(choice=log_weights)

    def expand(self) -> GivenTrees:
        return self

    def by_item(self, parts: jax.Array) -> jax.Array:
        by_node = jnp.where(self.schedule.is_word, jnp.sum(parts, 1), 0.0)
        sentences = self.schedule.last.shape[0]
        return jax.ops.segment_sum(by_node, self.schedule.sentence_of_word, sentences)

    def unnormalized_log_prob(self, parts: jax.Array) -> jax.Array:
        """Return the log weights ``[sentences]`` of the pairs marked by ``parts``."""
        # The weight includes the automata, so the recursion runs with all other choices forbidden.
        only = self._replace(choice=jnp.where(parts > 0, self.choice, -jnp.inf), feature=None)
        total = inside(only, Log())
        return total.value + total.log_scale

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run ``inside``; the memory budget has no effect."""
        # Steps read results of any earlier steps, so the reverse pass stores all of them.
        return inside(self._replace(feature=feature), semiring)


def inside(trees: GivenTrees, semiring: Semiring) -> Total:
    """Sum the weights of all derivations of each sentence.

    Source: Li, Wang and Eisner (2019), Algorithm 1, lines 5 to 18.
    """
    if trees.choice.ndim != 2:
        raise UsageError("given trees were made inside jax.vmap: call their methods inside, too")
    return _finish(*_absorb_all(trees, semiring), trees, semiring)


def log_factors(
    trees: GivenTrees, semiring: Semiring, last: Indices, last_slot: Indices
) -> tuple[jax.Array, jax.Array]:
    """Return log weights whose sums are log totals of sentences that share absorptions.

    Nodes between two empty slots are left to the caller.

    Args:
        last, last_slot: ``[sentences]``, as in ``Schedule``.

    Returns:
        ``[absorptions]`` by group of lanes, step and lane; and ``[sentences]`` of the last vectors.
    """
    store, factors, _, automata = _absorb_all(trees, semiring)
    rows = [
        (jnp.where(lanes.closes, semiring.log_weight(factor), 0.0) + scale).reshape(-1)
        for lanes, (factor, scale) in zip(trees.schedule.lanes, factors, strict=True)
    ]
    ends = _last_product(store, automata, semiring, last, last_slot)
    return jnp.concatenate(rows), semiring.log_weight(ends)


def _absorb_all(
    trees: GivenTrees, semiring: Semiring
) -> tuple[Value, list[tuple[Value, Any]], Value, LiftedAutomata]:
    """Return the store, the factors and scales of all lanes, the choices and the automata."""
    schedule = trees.schedule
    sentences = schedule.last.shape[0]
    automata = trees.automata.lift(semiring)
    used = jnp.asarray(schedule.is_word)
    choice = lift_weights(semiring, *mask_padding(used, (trees.choice, trees.feature)))
    sizes = [lanes.kid.shape for lanes in schedule.lanes]
    automata_rows, states = jax.tree.leaves(automata.initial)[0].shape
    results = semiring.zeros((sum(map(math.prod, sizes)), states))
    store = semiring.concatenate([automata.final, automata.initial, results], axis=0)
    first = 2 * automata_rows
    inputs: list[Any] = []
    for lanes, (steps, size) in zip(schedule.lanes, sizes, strict=True):
        rows = first + size * jnp.arange(steps)
        first += steps * size
        inputs.append((lanes, take[lanes.kid](choice), rows))

    def step(store: Value, groups: list[Any]) -> tuple[Value, list[tuple[Value, Any]]]:
        factors: list[tuple[Value, Any]] = []
        widths = trees.automata.widths[-len(groups) :]  # fewer groups do without narrow vectors
        for number, ((lanes, chosen, row), width) in enumerate(zip(groups, widths, strict=True)):
            sources = lanes.at_left, lanes.at_right, lanes.meeting
            store, vectors = _read_rows(store, sources, width)
            absorb = partial(_absorb, trees.pairs, automata, semiring)
            if number:
                absorb = _unless_idle(absorb, jnp.any(lanes.sentence < sentences), semiring)
            absorbed, factor = absorb(lanes, chosen, vectors)
            store = jax.tree.map(
                lambda x, y, r=row: jax.lax.dynamic_update_slice(x, y, (r, 0)), store, absorbed
            )
            factors.append(factor)
        return store, factors

    store, factors = scan(step, store, inputs)
    return store, factors, choice, automata


def _unless_idle(absorb: _Absorb, busy: jax.Array, s: Semiring) -> _Absorb:
    """Skip a group of lanes in steps where all of them are idle."""

    def nothing(lanes: Lanes, choice: Value, vectors: Vectors) -> Absorbed:
        size, width = jax.tree.leaves(vectors[0])[0].shape[:2]
        nothing = s.zeros((size, width)), (s.zeros((size,)), jnp.zeros(size))
        return varying(nothing, axes_of((lanes, choice, vectors)))

    # Slots of several tokens are rare, so lanes of wide vectors are idle in most steps; storing
    # residuals for every step would waste memory.
    return jax.checkpoint(partial(jax.lax.cond, busy, absorb, nothing))


def _absorb(
    pairs: Pairs,
    automata: LiftedAutomata,
    s: Semiring,
    lanes: Lanes,
    choice: Value,
    vectors: Vectors,
) -> Absorbed:
    """Absorb one constituent per lane into its parent; see the module's docstring.

    Args:
        vectors: of the kid at its left and right edges, and of its parent.

    Returns:
        The parent's new vector; its first entry, with the log of its scale.
    """
    # Lines 11 to 14 of Algorithm 1, from the left: weight[l] sums choice[l, r] inner[r] over pairs,
    # and the new vector sums weight[l] outer[l]. Pairs are a small part of all combinations of
    # labels, so sums run over groups of pairs instead of a dense matrix. Intermediate results are
    # rescaled, since three small factors would underflow in ``Real``.
    a, b, g = vectors
    products = automata.products(lanes.left_slot, a, lanes.right_slot, b)
    meeting, meeting_scale = s.balance(products.inner(lanes.from_left, g), (1,))

    side = lanes.from_left[:, None]
    left, right = pairs.by_left, pairs.by_right
    across = s.where(side, s.group_spread(meeting, right), s.group_spread(meeting, left))
    chosen = s.times(choice, across)
    weight = s.where(side, s.group_sum(chosen, left), s.group_sum(chosen, right))
    weight, weight_scale = s.balance(weight, (1,))

    outer, outer_scale = products.outer(lanes.from_left, weight)
    balanced, new_scale = s.balance(outer, (1,))
    factor = take[:, 0](balanced)
    return balanced, (factor, meeting_scale + weight_scale + outer_scale + new_scale)


def _read_rows(
    store: Value, indices: tuple[jax.Array, ...], width: int
) -> tuple[Value, tuple[Value, ...]]:
    """Return the store and its rows at several indices of equal length."""
    # The solver's functions are traced once, so the index must vary over the store's device axes.
    where = varying(jnp.concatenate(indices), axes_of(store))
    read = jax.tree.map(lambda leaf: _thread(leaf, where, width), store)
    rows = jax.tree.map(lambda _, store_and_rows: store_and_rows[1], store, read)
    count = len(indices[0])
    starts = range(0, len(indices) * count, count)
    parts = [take[start : start + count](rows) for start in starts]
    return jax.tree.map(lambda _, store_and_rows: store_and_rows[0], store, read), tuple(parts)


_Pair = tuple[jax.Array, jax.Array]


def _thread(store: jax.Array, index: jax.Array, width: int) -> _Pair:
    """Return the store, and its rows, so that the reverse pass updates one cotangent in place."""
    # Plain indexing would allocate a cotangent of full size in every step. The read is posed as a
    # unit triangular system, rows - store[index] = 0, which JAX solves and transposes in all modes
    # of differentiation.
    if not jnp.issubdtype(store.dtype, jnp.floating):
        return store, store[index, :width]

    def residual(store_and_rows: _Pair) -> _Pair:
        table, rows = store_and_rows
        return table, rows - table[index, :width]

    def solve(_: Any, store_and_rows: _Pair) -> _Pair:
        table, rows = store_and_rows
        return table, rows + table[index, :width]

    def solve_transposed(_: Any, store_and_rows: _Pair) -> _Pair:
        cotangent, rows = store_and_rows
        return cotangent.at[index, :width].add(rows), rows

    # Zeros that depend formally on the store: the JVP rule requires their tangent if it has one.
    nothing = jnp.broadcast_to(jnp.where(False, store[0, 0], 0.0), (index.shape[0], width))
    solved: _Pair = jax.lax.custom_linear_solve(residual, (store, nothing), solve, solve_transposed)
    return solved


def _last_product(
    store: Value, automata: LiftedAutomata, s: Semiring, last: Indices, last_slot: Indices
) -> Value:
    return s.sum(s.times(take[last](store), take[last_slot](automata.final)), 1)


def _finish(
    store: Value,
    factors: list[tuple[Value, Any]],
    choice: Value,
    automata: LiftedAutomata,
    trees: GivenTrees,
    s: Semiring,
) -> Total:
    schedule = trees.schedule
    sentences = schedule.last.shape[0]
    value = _last_product(store, automata, s, schedule.last, schedule.last_slot)

    untouched, untouched_scale = s.balance(take[:, trees.pairs.empty](choice), ())
    flat = [jax.tree.map(lambda x: x.reshape(-1), factor) for factor, _ in factors]
    everything = s.concatenate([*flat, untouched, s.ones((1,))], axis=0)
    product = s.prod(take[schedule.factors](everything), axis=1)

    log_scale = jnp.asarray(trees.log_scale) + jax.ops.segment_sum(
        jnp.where(schedule.is_untouched, untouched_scale, 0.0),
        schedule.sentence_of_word,
        sentences,
    )
    for (_, scale), lanes in zip(factors, schedule.lanes, strict=True):
        by_sentence = jax.ops.segment_sum(
            scale.reshape(-1), lanes.sentence.reshape(-1), sentences + 1
        )
        log_scale = log_scale + by_sentence[:sentences]
    return Total(s.times(value, product), log_scale)


# Tolerance of the enclosure, absolute for log totals up to one, else relative.
AGREEMENT = 1e-5


class RoundedUp(Real):
    """Nonnegative reals in which products of positive numbers round up, never to zero.

    All operations are monotone, so totals in ``Real`` and ``RoundedUp`` enclose the true one, up to
    rounding (Moore 1966).
    """

    name = "rounded-up"

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return _up(a * b, (a > 0) & (b > 0))

    def prod(self, a: jax.Array, axis: int) -> jax.Array:
        return Semiring.prod(self, a, axis)

    def matmul(self, a: jax.Array, b: jax.Array) -> jax.Array:
        positive = matmul((a > 0).astype(a.dtype), (b > 0).astype(b.dtype))
        return matmul(a, b) + positive * jnp.finfo(a.dtype).tiny

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return _up(jnp.exp(log_weight), log_weight > -jnp.inf)

    def balance(self, a: jax.Array, axes: tuple[int, ...]) -> tuple[jax.Array, jax.Array]:
        divided, log_factor = Real.balance(self, a, axes)
        return _up(divided, a > 0), log_factor


def log_totals(trees: GivenTrees) -> jax.Array:
    """Return log totals ``[sentences]`` in ``Real``, the fastest semiring; ignore the feature.

    Small products may underflow: a total is NaN if its enclosure is wider than ``AGREEMENT``, and
    must be computed in ``Log``.
    """
    trees = trees._replace(feature=None)
    fast = _log_totals(trees, Real())
    above = _log_totals(trees, RoundedUp())
    tolerance = AGREEMENT * jnp.maximum(1.0, jnp.abs(fast))
    agree = jnp.isfinite(fast) & (above - fast <= tolerance)
    return jnp.where(agree | (above == -jnp.inf), fast, jnp.nan)


def _log_totals(trees: GivenTrees, semiring: Semiring) -> jax.Array:
    total = inside(trees, semiring)
    return semiring.log_weight(total.value) + total.log_scale


def _up(a: jax.Array, positive: jax.Array) -> jax.Array:
    return jnp.where(positive, jnp.maximum(a, jnp.finfo(a.dtype).tiny), a)
