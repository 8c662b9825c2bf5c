"""The k best derivations, exactly and in one pass (Huang and Chiang 2005; Goodman 1999).

A value is a list of the k best weights, best first. Parts come from the reverse pass, as in
``Sampling``: a cotangent holds the requested rank, which a sum passes to the summand and rank of
the entry, a product to both factors (docs/decisions/semirings.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semirings.augmented import Augmented
from semirings.base import Laws, Value, take
from semirings.capabilities import Marking, Selective, require_selective
from semirings.devices import axes_of, scan, varying
from semirings.numerics import one_hot, unbroadcast
from semirings.viterbi import Viterbi

# Mark and rank: arrays of zeros, used only for their cotangents.
Request = tuple[jax.Array, jax.Array]


class Ranked(NamedTuple):
    """A value of ``KBest``.

    Attributes:
        weights: values of the base by rank, best first; missing ranks are constants on the host, so
            that products can skip them.
        mark: its cotangent counts the uses of the value in a derivation.
        rank: its cotangent is the requested rank, from 1; 0 for none.
    """

    weights: tuple[Any, ...]
    mark: jax.Array
    rank: jax.Array


@dataclass(frozen=True)
class KBest(Augmented, Marking):
    """The k best weights of a selective base semiring, with the parts of each.

    Ties keep the order of summands. Ranks beyond the number of derivations have weight zero.

    Raises:
        TypeError: if the base is not selective.
    """

    k: int = 4
    base: Selective = Viterbi()

    name: ClassVar[str] = "kbest"

    @property
    def laws(self) -> Laws:
        base = self.base.laws
        return Laws(commutative=base.commutative, features=True, broken=base.broken)

    def __post_init__(self) -> None:
        require_selective(self.base)
        if self.k < 1:
            raise ValueError(f"k is {self.k}; give 1 or more")

    def augment(self, weight: Value) -> Ranked:
        """Return lists of a single weight."""
        nothing = jnp.zeros(jax.tree.leaves(weight)[0].shape, jnp.float32)
        return self._padded([weight], (nothing, nothing))

    def times(self, a: Ranked, b: Ranked) -> Ranked:
        """Return the k best pairs; rank i meets rank j only if (i + 1) (j + 1) <= k."""
        of_a, of_b = _filled(a.weights), _filled(b.weights)
        pairs = [(i, j) for i in range(of_a) for j in range(of_b) if (i + 1) * (j + 1) <= self.k]
        weights = [self.base.times(a.weights[i], b.weights[j]) for i, j in pairs]
        shape = jax.tree.leaves(weights[0])[0].shape
        winners = jnp.arange(len(pairs)).reshape(-1, *(1 for _ in shape))
        if of_a > 1 and of_b > 1:
            best, winners = self._best(jax.tree.map(lambda *xs: jnp.stack(xs), *weights), 0)
            weights = _listed(best)
        requests = (a.mark, a.rank), (b.mark, b.rank), winners, jnp.array(pairs, jnp.int32)
        request: Request = _request_of_factors(*varying(requests, axes_of((weights, requests))))
        return self._padded(weights, request)

    def sum(self, a: Ranked, axis: int) -> Ranked:
        shape = a.mark.shape
        axis %= len(shape)
        if shape[axis] == 0:
            return self.zeros(shape[:axis] + shape[axis + 1 :])
        weights, winners, ranks = self._merged(a.weights[: _filled(a.weights)], axis)
        requests = (a.mark, a.rank), winners, ranks
        requests = varying(requests, axes_of(requests))
        request: Request = _request_of_summands(*requests, axis, shape[axis])
        return Ranked(tuple(_listed(weights)), *request)

    def _merged(self, lists: Sequence[Value], axis: int) -> tuple[Value, jax.Array, jax.Array]:
        """Return the weights, lists and ranks of the k best along one axis, ``[k, ...]``.

        The list with the p-th best head contributes at most as many entries as better heads leave
        room for.
        """
        heads, winners = self._best(lists[0], axis)
        if len(lists) == 1:
            return heads, winners, jnp.zeros_like(winners)
        # A list that appears again has no further entries: all remaining heads are zero.
        places = jnp.arange(self.k).reshape(-1, *(1,) * (winners.ndim - 1))
        earlier = places[:, None] > places[None, :]
        again = jnp.any((winners[:, None] == winners[None, :]) & earlier, 1)
        parts, origins, ranks = [heads], [winners], [jnp.zeros_like(winners)]
        for rank in range(1, min(len(lists), self.k)):
            rivals = jnp.moveaxis(winners[: self.k - rank], 0, axis)
            entries = jax.tree.map(
                lambda x, at=rivals: jnp.moveaxis(jnp.take_along_axis(x, at, axis), axis, 0),
                lists[rank],
            )
            used_up = again[: self.k - rank]
            parts.append(self.base.where(used_up, self.base.zeros_like(entries), entries))
            origins.append(winners[: self.k - rank])
            ranks.append(jnp.full_like(origins[-1], rank))
        candidates = jax.tree.map(lambda *xs: jnp.concatenate(xs), *parts)
        best, chosen = self._best(candidates, 0)
        origin, rank = (
            jnp.take_along_axis(jnp.concatenate(x), chosen, 0) for x in (origins, ranks)
        )
        return best, origin, rank

    def _best(self, a: Value, axis: int) -> tuple[Value, jax.Array]:
        """Return the k best entries along one axis, ``[k, ...]``, and their indices."""
        # Masks, since the gradient of a gather is a scatter, which is slow.
        nothing = self.base.zeros_like(a)
        shape = jax.tree.leaves(a)[0].shape

        def take_best(left: Value, _: None) -> tuple[Value, tuple[Value, jax.Array]]:
            winner = self.base.select(left, axis)
            best = self.base.sum(left, axis)
            is_winner = one_hot(winner, shape, axis)
            return self.base.where(is_winner, nothing, left), (best, winner)

        _, ranked = scan(take_best, a, None, length=self.k)
        return ranked

    def _padded(self, weights: Sequence[Value], request: Request) -> Ranked:
        """Return a list of all k ranks, with missing ranks as constants on the host."""
        with jax.ensure_compile_time_eval():
            zero = jax.tree.map(np.asarray, self.base.zeros(()))
        empty = jax.tree.map(
            lambda x, z: np.broadcast_to(z.astype(x.dtype), x.shape).view(_Constant),
            weights[0],
            zero,
        )
        return Ranked((*weights, *[empty] * (self.k - len(weights))), *request)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Ranked:
        single, nothing = self.augment(self.base.lift(log_weight)), jnp.zeros_like(log_weight)
        mark = nothing if feature is None else jnp.broadcast_to(feature, log_weight.shape)
        return single._replace(mark=mark, rank=nothing)

    def log_weight(self, a: Ranked) -> jax.Array:
        """Return the log weight of the best derivation."""
        return self.base.log_weight(a.weights[0])

    def log_weights(self, a: Ranked) -> jax.Array:
        """Return all log weights, ``[k, ...]``, best first; minus infinity beyond the last."""
        return jnp.stack([self.base.log_weight(x) for x in a.weights])

    def balance(self, a: Ranked, axes: tuple[int, ...]) -> tuple[Ranked, jax.Array]:
        best, log_factor = self.base.balance(a.weights[0], axes)
        factor = jnp.expand_dims(log_factor, axes)
        filled = _filled(a.weights)
        lower = tuple(self._divided(weight, factor) for weight in a.weights[1:filled])
        return a._replace(weights=(best, *lower, *a.weights[filled:])), log_factor

    def _divided(self, weight: Value, log_factor: jax.Array) -> Value:
        divided = self.base.times(self.base.lift(-log_factor), weight)
        # A log factor of 0 divides nothing: not every semiring lifts 0 to one.
        return self.base.where(log_factor == 0, weight, divided)

    def observe(self, a: Ranked) -> Any:
        return tuple(self.base.observe(x) for x in a.weights)

    def seeds(self, a: Ranked) -> Ranked:
        """Return the cotangents of totals, ``[k, ...]``, that mark the derivation of each rank."""
        weights = jax.tree.map(lambda x: jnp.zeros((self.k, *x.shape), x.dtype), a.weights)
        mark = jnp.ones((self.k, *a.mark.shape), a.mark.dtype)
        ranks = jnp.arange(1, self.k + 1, dtype=a.rank.dtype)
        return Ranked(weights, mark, mark * ranks.reshape(-1, *(1,) * a.rank.ndim))


class _Constant(np.ndarray):
    """A NumPy array that can be indexed like a JAX array."""

    def __getitem__(self, index: Any) -> Any:
        if any(isinstance(x, jax.Array) for x in jax.tree.leaves(index)):
            return self._on_device[index]
        return super().__getitem__(index)

    @property
    def at(self) -> Any:
        return self._on_device.at

    @property
    def _on_device(self) -> jax.Array:
        return jnp.asarray(self.view(np.ndarray))


def _filled(weights: Sequence[Value]) -> int:
    """Return how many ranks may hold a derivation."""
    on_device = [any(isinstance(x, jax.Array) for x in jax.tree.leaves(w)) for w in weights]
    return max(1, sum(on_device))


def _listed(stacked: Value) -> list[Value]:
    size = jax.tree.leaves(stacked)[0].shape[0]
    return [take[i](stacked) for i in range(size)]


@jax.custom_vjp
def _request_of_factors(a: Request, b: Request, winners: jax.Array, pairs: jax.Array) -> Request:
    """Return the request to a product whose rank r is pair ``winners[r]`` of ``pairs``."""
    shape = jnp.broadcast_shapes(a[0].shape, b[0].shape)
    nothing = varying(jnp.zeros(shape, jnp.result_type(a[0], b[0])), axes_of(a))
    return nothing, nothing


def _factors_forward(
    a: Request, b: Request, winners: jax.Array, pairs: jax.Array
) -> tuple[Request, tuple[jax.Array, ...]]:
    request: Request = _request_of_factors(a, b, winners, pairs)
    return request, (a[0], b[0], winners, pairs)


def _factors_reverse(
    residuals: tuple[jax.Array, ...], request: Request
) -> tuple[Request, Request, None, None]:
    first, second, winners, pairs = residuals
    mark, rank = request
    pair = _entry(winners, rank)

    def of_factor(side: int, like: jax.Array) -> Request:
        factor_rank = _entry(pairs[:, side], pair + 1) + 1
        factor_rank = jnp.where(rank > 0, factor_rank, 0).astype(rank.dtype)
        # Only one copy of a broadcast operand gets the request. Operands may differ in precision:
        # features have the dtype of the weights, ones are float32.
        marks, ranks = (unbroadcast(x, like).astype(like.dtype) for x in (mark, factor_rank))
        return marks, ranks

    return of_factor(0, first), of_factor(1, second), None, None


_request_of_factors.defvjp(_factors_forward, _factors_reverse)


@partial(jax.custom_vjp, nondiff_argnums=(3, 4))
def _request_of_summands(
    request: Request, winners: jax.Array, ranks: jax.Array, axis: int, size: int
) -> Request:
    """Return the request to a sum whose rank r is rank ``ranks[r]`` of ``winners[r]``."""
    nothing = varying(jnp.zeros(winners.shape[1:], request[0].dtype), axes_of(request))
    return nothing, nothing


def _summands_forward(
    request: Request, winners: jax.Array, ranks: jax.Array, axis: int, size: int
) -> tuple[Request, tuple[jax.Array, jax.Array]]:
    return _request_of_summands(request, winners, ranks, axis, size), (winners, ranks)


def _summands_reverse(
    axis: int, size: int, residuals: tuple[jax.Array, jax.Array], request: Request
) -> tuple[Request, None, None]:
    winners, ranks = residuals
    mark, rank = request
    summand_rank = jnp.where(rank > 0, _entry(ranks, rank) + 1, 0).astype(rank.dtype)
    winner = _entry(winners, rank)
    # Without a requested rank the entry is meaningless but harmless: only zeros are spread.
    shape = (*rank.shape[:axis], size, *rank.shape[axis:])
    chosen = one_hot(winner, shape, axis)
    spread = (jnp.where(chosen, jnp.expand_dims(x, axis), 0) for x in (mark, summand_rank))
    return (next(spread), next(spread)), None, None


_request_of_summands.defvjp(_summands_forward, _summands_reverse)


def _entry(table: jax.Array, number: jax.Array) -> jax.Array:
    """Return entry ``number``, from 1, of ``[entries]`` or ``[entries, ...]``; zero for 0."""
    size = len(table)
    entries = table.reshape(size, *(table.shape[1:] or (1,) * number.ndim))
    places = jnp.arange(1, size + 1, dtype=number.dtype).reshape(size, *(1,) * number.ndim)
    # A sum, because the compiler does not recompute sums for each broadcast use.
    return jnp.sum(jnp.where(number == places, entries, 0), 0, dtype=table.dtype)
