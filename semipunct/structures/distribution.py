"""Inference over a structure, implemented once for all structures.

Every quantity is computed by one pass over the structure in some semiring, or by the gradient of
one. Derivations are returned as *parts*: arrays shaped like the log weights of the structure, which
contain the number of times that the derivation uses each part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.base import (
    Parts,
    Structure,
    Total,
    compile_once,
    is_constant,
    like_weights,
)
from semipunct.structures.draws import Draws, Traceable, trace_draws
from semipunct.structures.readable import is_form, score_form
from semipunct.structures.recursion import Plan, Recursion
from semirings.base import Semiring
from semirings.capabilities import Divisible, Selective
from semirings.derivation import Derivation
from semirings.devices import axes_of, varying
from semirings.divergence import Divergence, Entropy
from semirings.expectation import Covariance, Expectation
from semirings.kbest import KBest
from semirings.log import Log
from semirings.numerics import log_times, weigh
from semirings.sampling import Sampling
from semirings.viterbi import Viterbi

S = TypeVar("S", bound=Structure)


class Answer(NamedTuple):
    """Derivations and their log weights.

    Attributes:
        parts: the parts of each derivation, expanded; with a leading axis if there are several.
        log_weight: ``[batch]``, or ``[k, batch]``; minus infinity where there is no derivation; the
            parts are then meaningless. NaN, like some of the parts, where a weight is NaN.
    """

    parts: Parts
    log_weight: jax.Array


@jax.tree_util.register_pytree_with_keys_class
@dataclass(frozen=True)
class Distribution(Generic[S]):
    """The distribution over the derivations of a structure, proportional to their weights.

    It is a pytree: it can be passed to and returned from functions that JAX transforms.

    All numeric results of an item with a NaN weight, other than padding, are NaN; those of other
    items are not.

    Attributes:
        structure: a batch of structures.
        base: the semiring of the weights, with the range of ``Log``.
        recursion: the memory budget of the reverse pass.

    Raises:
        UsageError: if the base loses extreme weights, like ``Real``, which would give wrong results
            without an error.
    """

    structure: S
    base: Divisible = Log()
    recursion: Recursion = Recursion()

    def __post_init__(self) -> None:
        """Check that the base does not lose extreme weights."""
        _refuse_narrow(self.base)

    def tree_flatten_with_keys(self) -> tuple[Any, Any]:
        """Return the structure and the static fields; called by JAX."""
        # JAX 0.10 does not distinguish two dataclasses that are registered with the same fields,
        # and may run code compiled for one with the other, unless a static field differs.
        children = ((jax.tree_util.GetAttrKey("structure"), self.structure),)
        return children, (self.base, self.recursion, type(self.structure))

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Distribution[Any]:
        """Rebuild the distribution; called by JAX.

        Args:
            static: the static fields that ``tree_flatten_with_keys`` returned.
            children: the structure, or the result of a function on pytrees.
        """
        return cls(children[0], *static[:2])

    def ask(self, semiring: Semiring, counted: Parts | None = None) -> Total:
        """Sum over all derivations in a given semiring.

        Args:
            semiring: defines sums and products.
            counted: an additive quantity of each part for semirings whose ``lift`` uses one, shaped
                like the expanded log weights (or a tuple of such).

        Returns:
            ``value * exp(log_scale)`` for each item; the methods of the semiring interpret the
            value, which was divided by ``exp(log_scale)`` to stay in the range of floats.

        Raises:
            UsageError: if the semiring loses extreme weights, like ``Real``.
        """
        _refuse_narrow(semiring)
        if is_constant(semiring):
            return self._compiled_sum_in(semiring, counted)
        return self._sum_in(semiring, counted)

    def _sum_in(self, semiring: Semiring, counted: Parts | None) -> Total:
        if counted is None:
            return self._total(semiring)
        return self._expanded_total(semiring, counted)

    _compiled_sum_in = compile_once("semiring")(_sum_in)

    @compile_once()
    def log_partition(self) -> jax.Array:
        """Return the log of the sum of the weights of all derivations, ``[batch]``."""
        return self._log_weight(self.base, self._total(self.base))

    @compile_once()
    def log_partition_and_marginals(self) -> tuple[jax.Array, Parts]:
        """Return the log partition and the marginals, at little more than the cost of one."""
        expanded = self._expanded()

        def log_partition(log_weights: Parts) -> tuple[jax.Array, jax.Array]:
            inner = self._of(expanded.with_log_weights(log_weights))
            each = inner.log_partition()
            return jnp.sum(jnp.where(each == -jnp.inf, 0.0, each)), each

        marginals_and_log_partition: tuple[Parts, jax.Array] = jax.grad(
            log_partition, has_aux=True
        )(expanded.log_weights)
        return marginals_and_log_partition[1], marginals_and_log_partition[0]

    def marginals(self) -> Parts:
        """Return the probability of each part (the expected number of its uses)."""
        return self.log_partition_and_marginals()[1]

    def log_prob(self, derivation: Any) -> jax.Array:
        """Return the log probability ``[batch]`` of a derivation of each item.

        Args:
            derivation: as for ``score``.

        Raises:
            UsageError: as for ``score``.
        """
        return self.score(derivation) - self.log_partition()

    def score(self, derivation: Any) -> jax.Array:
        """Return the log weight ``[batch]`` of a derivation of each item.

        Args:
            derivation: its parts, or the usual form of a ``Readable`` structure, such as states,
                heads or spans, which may have leading axes that the result then has, too.

        Raises:
            UsageError: if it is in the usual form and does not fit the structure.
        """
        if is_form(self.structure, derivation):
            return score_form(self.structure, derivation)
        return self.structure.expand().score(derivation)

    def read(self, answer: Answer | Draws[Any]) -> jax.Array:
        """Return the derivations of ``best``, ``top`` or ``sample`` in the usual form.

        Args:
            answer: the answer.

        Returns:
            States, heads, segments, spans or an order, an array of integers with the axes that
            ``Readable`` structures say; -1 in the padding, and where there is no derivation or a
            weight is NaN.

        Raises:
            UsageError: if the structure has no usual form, and its parts are all there is.
        """
        from_parts = getattr(self.structure, "from_parts", None)
        if from_parts is None:
            raise UsageError(
                f"{type(self.structure).__name__} has no form besides its parts; use them"
            )
        forms = from_parts(answer.uses if isinstance(answer, Draws) else answer.parts)
        known = answer.log_weight > -jnp.inf
        return jnp.where(known.reshape(*known.shape, *(1,) * (forms.ndim - known.ndim)), forms, -1)

    @compile_once("base")
    def best(self, base: Selective = Viterbi()) -> Answer:
        """Find the best derivation: exactly one, the first in a tie.

        Args:
            base: the semiring that determines which derivation is better.

        Raises:
            TypeError: if ``base`` is not selective.
        """
        semiring = Derivation(base)
        total, mark = self._marking(semiring)
        log_weight = self._log_weight(semiring, total)
        return Answer(mark(_spoilt(semiring.seeds(total.value), log_weight)), log_weight)

    @compile_once("k", "base")
    def top(self, k: int, base: Selective = Viterbi()) -> Answer:
        """Find the k best derivations, all different, best first, with a leading axis ``[k]``.

        Derivations with the same parts, such as two parses by the same rules, have separate ranks.

        Args:
            k: the number of derivations. Ranks beyond the number of derivations have log weight
                minus infinity.
            base: the semiring that determines which derivation is better.

        Raises:
            TypeError: if ``base`` is not selective.
            UsageError: if ``k`` is not positive.
        """
        if k < 1:
            raise UsageError(f"k is {k}; give 1 or more")
        semiring = KBest(k, base)
        total, mark = self._marking(semiring)
        log_weight = log_times(semiring.log_weights(total.value), total.log_scale)
        # The list of an item may also have ranks that avoid the NaN.
        log_weight = jnp.where(jnp.isnan(log_weight[0]), jnp.nan, log_weight)
        parts = jax.lax.map(mark, _spoilt(semiring.seeds(total.value), log_weight))
        return Answer(parts, log_weight)

    def ranking(self, base: Selective = Viterbi()) -> Iterator[Answer]:
        """Yield derivations lazily, best first.

        Whenever the list of the k best is exhausted it is recomputed for twice the k, which repeats
        the same derivations in the same order. The iterator ends when no item of the batch has a
        further derivation; an item with NaN weights has one.
        """
        k, yielded = 4, 0
        while True:
            parts, log_weight = self.top(k, base)
            for rank in range(yielded, k):
                left = log_weight[rank] > -jnp.inf
                if not bool(jnp.any(left | (jnp.isnan(log_weight[rank]) & (rank == 0)))):
                    return
                yield Answer(jax.tree.map(lambda x, r=rank: x[r], parts), log_weight[rank])
            yielded, k = k, 2 * k

    def sample(self, key: jax.Array, count: int, together: int = 8) -> Draws[Any]:
        """Draw independent derivations from one forward pass.

        For a ``Traceable`` structure each draw visits only the parts it needs. Other structures use
        ``Sampling``, whose reverse pass visits all parts for every draw.

        Args:
            key: a random key; the same key gives the same draws.
            count: the number of draws.
            together: the number of simultaneous draws if the structure is not ``Traceable``; more
                draws take more memory and less time.

        Raises:
            UsageError: if ``count`` is not positive.
        """
        if count < 1:
            raise UsageError(f"count is {count}; draw 1 or more")
        return self._draws(key, count, together)

    @compile_once("count", "together")
    def _draws(self, key: jax.Array, count: int, together: int) -> Draws[Any]:
        if isinstance(self.structure, Traceable):
            places, each = self.structure.trace(key, count, self.recursion)
            return trace_draws(self.structure.expand().log_weights, places, each)
        semiring = Sampling()
        total, mark = self._marking(semiring)
        # Only full batches, since a smaller last batch would need a second compilation.
        together = max(1, min(together, count))
        rounds = -(-count // together)
        shape = (rounds * together, *total.log_scale.shape)
        seeds = semiring.seed(key, shape)
        # Items without derivations have no marks.
        each = self._log_weight(semiring, total)
        possible = each > -jnp.inf
        seeds = jax.tree.map(
            lambda x, y: jnp.where(possible, x, 0.0).astype(y.dtype), seeds, total.value
        )
        seeds = seeds._replace(mark=_spoilt(seeds.mark, each))
        by_round = jax.tree.map(lambda x: x.reshape(rounds, together, *x.shape[1:]), seeds)
        drawn: Parts = jax.lax.map(jax.vmap(mark), by_round)
        parts = jax.tree.map(lambda x: x.reshape(shape[0], *x.shape[2:])[:count], drawn)
        return Draws(parts, jnp.where(possible, jax.vmap(self.score)(parts), each))

    @compile_once()
    def entropy(self) -> jax.Array:
        """Return the entropy ``[batch]`` in nats."""
        value = self._total(Entropy()).value
        return _spoilt(value.nats, value.weight)

    def cross_entropy(self, other: Distribution[S]) -> jax.Array:
        """Return E_p[-log q], ``[batch]`` in nats, where p is this distribution and q the other.

        Raises:
            UsageError: if the two have different shapes, or differ in more than weights.
        """
        return self._divergence(Divergence(cross=True), other)

    def kl(self, other: Distribution[S]) -> jax.Array:
        """Return the Kullback-Leibler divergence KL(p || q), ``[batch]`` in nats; q is the other.

        Raises:
            UsageError: if the two have different shapes, or differ in more than weights.
        """
        nats = self._divergence(Divergence(), other)
        # Never negative, but rounded; the gradient is kept.
        return jnp.where(nats < 0, nats - jax.lax.stop_gradient(nats), nats)

    @compile_once()
    def expectation(self, feature: Parts) -> jax.Array:
        """Return the expectation ``[batch]`` of a feature that is additive over parts.

        Args:
            feature: an array for each part, of a shape that broadcasts to that of the expanded log
                weights. Arrays may have further, trailing axes, the same in all of them, which the
                result then has, too.

        Raises:
            UsageError: if the shape does not broadcast.
        """
        if any(jnp.ndim(x) > w.ndim for w, x in self._pairs(feature)):
            return self._expected_vectors(feature)
        semiring = Expectation(self.base)
        value = self._expanded_total(semiring, feature).value
        return _spoilt(semiring.expected_value(value), semiring.log_weight(value))

    def _pairs(self, feature: Parts) -> list[tuple[jax.Array, Any]]:
        """Return the expanded log weights of each array of parts, with the feature."""
        weights, treedef = jax.tree.flatten(self.structure.expand().log_weights)
        return list(zip(weights, treedef.flatten_up_to(feature), strict=True))

    def _expected_vectors(self, feature: Parts) -> jax.Array:
        """Return the expectation ``[batch, ...]`` of a feature with trailing axes.

        It is linear in the feature, so one pass for the marginals suffices for all entries.
        """
        pairs = self._pairs(feature)
        deepest = max(jnp.shape(x)[w.ndim :] for w, x in pairs)
        marginals, treedef = jax.tree.flatten(self.marginals())
        expectations = [
            weigh(m[(..., *(None,) * len(deepest))], like_weights(w, x, deepest))
            for m, (w, x) in zip(marginals, pairs, strict=True)
        ]
        features = math.prod(deepest)
        flat = [
            x.reshape(*w.shape, features) for x, (w, _) in zip(expectations, pairs, strict=True)
        ]
        by_item = jax.vmap(self.structure.expand().by_item, -1, -1)
        expected = by_item(treedef.unflatten(flat))
        return expected.reshape(*expected.shape[:-1], *deepest)

    def variance(self, feature: Parts) -> jax.Array:
        """Return the variance ``[batch]`` of a feature that is additive over parts."""
        return self.covariance(feature, feature)

    @compile_once()
    def covariance(self, first: Parts, second: Parts) -> jax.Array:
        """Return the covariance ``[batch]`` of two features that are additive over parts.

        Args:
            first: an array for each part, as for ``expectation``.
            second: likewise.

        Raises:
            UsageError: as for ``expectation``.
        """
        pairs = jax.tree.map(lambda x, y: (x, y), first, second)
        semiring = Covariance(self.base)
        value = self._expanded_total(semiring, pairs).value
        return _spoilt(value.covariance, semiring.log_weight(value))

    def memory(self, semiring: Semiring = Log()) -> list[Plan]:
        """Return the memory plan of the reverse pass of each scan, without computing anything."""
        plans: list[Plan] = []
        recursion = Recursion(self.recursion.budget_mib, plans.append)

        def marking(structure: S) -> Any:
            expanded = structure.expand()
            feature = jax.tree.map(jnp.zeros_like, expanded.log_weights)
            return expanded.total(semiring, feature, recursion).log_scale

        jax.eval_shape(marking, self.structure)
        return plans

    def _of(self, structure: S) -> Distribution[S]:
        return Distribution(structure, self.base, self.recursion)

    def _expanded(self) -> S:
        """Return the expanded structure, with weights of each item's own on all devices.

        JAX would add up gradients with respect to weights that devices share.
        """
        expanded = self.structure.expand()
        return expanded.with_log_weights(varying(expanded.log_weights, axes_of(expanded)))

    def _total(self, semiring: Semiring, feature: Parts | None = None) -> Total:
        return self.structure.total(semiring, feature, self.recursion)

    def _expanded_total(self, semiring: Semiring, feature: Parts) -> Total:
        expanded = self.structure.expand()
        # Scans slice features by position, so features without that axis are broadcast.
        whole = jax.tree.map(like_weights, expanded.log_weights, feature)
        return self._of(expanded)._total(semiring, whole)

    def _log_weight(self, semiring: Semiring, total: Total) -> jax.Array:
        return log_times(semiring.log_weight(total.value), total.log_scale)

    def _marking(self, semiring: Semiring) -> tuple[Total, Callable[[Any], Parts]]:
        """Return the total, and a function that maps a cotangent of its value to the marked parts.

        Semirings that track derivations have a tag that is linear in the feature of each part, so
        the gradient with respect to the features marks the parts.
        """
        expanded = self._expanded()
        axes = axes_of(expanded)
        nothing = varying(jax.tree.map(jnp.zeros_like, expanded.log_weights), axes)

        def value(feature: Parts) -> tuple[Any, jax.Array]:
            total = self._of(expanded)._total(semiring, feature)
            return varying((total.value, total.log_scale), axes)

        pull: Callable[[Any], tuple[Parts]]
        value_of_total, pull, log_scale = jax.vjp(  # pyright: ignore[reportUnknownVariableType]
            value, nothing, has_aux=True
        )
        return Total(value_of_total, log_scale), lambda seed: pull(varying(seed, axes))[0]

    def _divergence(self, semiring: Divergence, reference: Distribution[S]) -> jax.Array:
        of_p, of_q = self.structure.expand(), reference.structure.expand()
        shapes = [[x.shape for x in jax.tree.leaves(s.log_weights)] for s in (of_p, of_q)]
        if shapes[0] != shapes[1]:
            raise UsageError(f"two distributions of different shapes: {shapes[0]} and {shapes[1]}")
        # The first structure with the weights of the second must equal the second.
        _check_same(of_p.with_log_weights(of_q.log_weights), of_q)
        return self._of(of_p)._nats(semiring, of_q.log_weights)

    @compile_once("semiring")
    def _nats(self, semiring: Divergence, reference: Parts) -> jax.Array:
        value = self._total(semiring, reference).value
        return _spoilt(_spoilt(value.nats, value.weight), value.reference)


def _spoilt(statistics: Any, log_weight: jax.Array) -> Any:
    """Return results that are NaN where the log weight is, although they do not depend on it."""
    return jax.tree.map(lambda x: jnp.where(jnp.isnan(log_weight), jnp.nan, x), statistics)


def _check_same(first: Structure, second: Structure) -> None:
    """Raise ``UsageError`` if structures differ; traced arrays are not compared."""
    leaves, kinds = zip(
        *(jax.tree_util.tree_flatten_with_path(x) for x in (first, second)), strict=True
    )
    if kinds[0] != kinds[1]:
        raise UsageError("two distributions of structures with different settings")
    for (place, x), (_, y) in zip(*leaves, strict=True):
        if x is y or isinstance(x, Tracer) or isinstance(y, Tracer):
            continue
        if not np.array_equal(x, y):
            name = jax.tree_util.keystr(place)
            raise UsageError(f"two distributions over different derivations: {name} differs")


def _refuse_narrow(semiring: Semiring) -> None:
    reason = semiring.laws.broken.get("extreme weights")
    if reason is not None:
        raise UsageError(
            f"{semiring!r} cannot represent all weights ({reason}), so totals may be wrong; sum "
            "in Log(), or call the structure's own total if you know the range of its weights"
        )
