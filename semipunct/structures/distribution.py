"""Inference over a structure, implemented once for all structures.

Every result comes from one pass over the structure in a semiring, or from its gradient.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.base import (
    Parts,
    PartWise,
    Structure,
    Total,
    compile_once,
    is_constant,
    like_weights,
)
from semipunct.structures.draws import Places, Traceable, as_places
from semipunct.structures.readable import Direct, Readable, as_marks
from semipunct.structures.recursion import Recursion
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

# Simultaneous draws in the reverse pass, a trade of memory for time.
_TOGETHER = 8


@jax.tree_util.register_pytree_with_keys_class
@dataclass(frozen=True)
class Distribution(Generic[S]):
    """The distribution over the derivations of a structure, proportional to their weights.

    Results have the batch axes of the structure: none, one or several. Derivations are arrays of
    integers in the usual form of the structure (states, heads, spans, segments or an order), with
    -1 in the padding and for items without a derivation. Methods ending in ``_parts`` return the
    number of uses of each part, as do the others for structures without a usual form. A NaN weight
    makes all numeric results of its item NaN.

    Attributes:
        base: the semiring of the weights, with the range of ``Log``.
        recursion: the memory budget of the reverse pass.

    Raises:
        UsageError: if the base cannot represent extreme weights, like ``Real``.
    """

    structure: S
    base: Divisible = Log()
    recursion: Recursion = Recursion()

    def __post_init__(self) -> None:
        _refuse_narrow(self.base)

    def tree_flatten_with_keys(self) -> tuple[Any, Any]:
        # JAX 0.10 does not distinguish two dataclasses that are registered with the same fields,
        # and may run code compiled for one with the other, unless a static field differs.
        children = ((jax.tree_util.GetAttrKey("structure"), self.structure),)
        return children, (self.base, self.recursion, type(self.structure))

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Distribution[Any]:
        return cls(children[0], *static[:2])

    @property
    def batch_shape(self) -> tuple[int, ...]:
        if isinstance(self.structure, PartWise):
            return self.structure.batch_shape
        expanded = self.structure.expand()
        return jax.eval_shape(expanded.by_item, expanded.log_weights).shape

    def log_partition(self) -> jax.Array:
        """Return the log of the sum of the weights of all derivations, ``[*batch]``."""
        sums = self._quick_sums()
        return self._compiled_log_partition() if sums is None else sums[0]

    @compile_once()
    def _compiled_log_partition(self) -> jax.Array:
        return self._shaped(self._flat._log_partition())

    def log_partition_and_marginals(self) -> tuple[jax.Array, Parts]:
        """Return the log partition and marginals at little more than the cost of one."""
        return self._quick_sums() or self._compiled_log_partition_and_marginals()

    def _quick_sums(self) -> tuple[jax.Array, Parts] | None:
        structure = self._flat.structure
        return self._shaped(structure.quick_sums()) if isinstance(structure, Direct) else None

    @compile_once()
    def _compiled_log_partition_and_marginals(self) -> tuple[jax.Array, Parts]:
        expanded = self._flat._expanded()

        def log_partition(log_weights: Parts) -> tuple[jax.Array, jax.Array]:
            each = self._of(expanded.with_log_weights(log_weights))._log_partition()
            return jnp.sum(jnp.where(each == -jnp.inf, 0.0, each)), each

        marginals_and_log_partition: tuple[Parts, jax.Array] = jax.grad(
            log_partition, has_aux=True
        )(expanded.log_weights)
        return self._shaped(marginals_and_log_partition[::-1])

    def marginals(self) -> Parts:
        """Return the probability (expected number of uses) of each part."""
        return self.log_partition_and_marginals()[1]

    def log_prob(self, derivation: Any) -> jax.Array:
        """Return the log probability of a derivation of each item, ``[..., *batch]``.

        Args:
            derivation: in the usual form or in parts, with or without leading axes.

        Raises:
            UsageError: if it is no derivation of the structure; if traced, its probability is zero.
        """
        return self.unnormalized_log_prob(derivation) - self.log_partition()

    def unnormalized_log_prob(self, derivation: Any) -> jax.Array:
        """Return the log weight of a derivation, ``[..., *batch]``; see ``log_prob``."""
        structure, batch = self._flat.structure, self.batch_shape
        # Parts are named tuples.
        if isinstance(structure, Readable) and not isinstance(derivation, tuple):
            form = derivation if isinstance(derivation, Tracer) else np.asarray(derivation)
            if len(batch) != 1:
                axes = form.ndim - structure.form_axes - len(batch)
                item = form.shape[form.ndim - structure.form_axes :]
                if axes < 0 or form.shape[axes : axes + len(batch)] != batch:
                    raise UsageError(
                        f"derivations have shape {form.shape}; expected "
                        f"[..., {', '.join(map(str, (*batch, *item)))}]"
                    )
                form = form.reshape(*form.shape[:axes], math.prod(batch), *item)
            weights = structure.weigh(form)
            return self._shaped(weights, weights.ndim - 1)
        return self._weight_of_parts(derivation)

    def argmax(self) -> Any:
        """Return the best derivation; the first one in a tie."""
        return self._argmax(Viterbi(), form=True)

    def argmax_parts(self, base: Selective = Viterbi()) -> Parts:
        """Return the parts of the best derivation; zeros if there is none."""
        return self._argmax(base, form=False)

    def top_k(self, k: int) -> tuple[Any, jax.Array]:
        """Return the k best derivations, distinct and in order, and their log weights.

        Both have a leading axis ``[k]``; ranks beyond the last derivation have log weight minus
        infinity.

        Raises:
            UsageError: if ``k`` is not positive, or weights of non-projective trees are traced.
        """
        return self._top_k(k, Viterbi(), form=True)

    def top_k_parts(self, k: int, base: Selective = Viterbi()) -> tuple[Parts, jax.Array]:
        """Return the parts and log weights of the k best derivations; see ``top_k``."""
        return self._top_k(k, base, form=False)

    def sample(self, key: jax.Array, sample_shape: int | Sequence[int] = ()) -> Any:
        """Draw independent derivations, ``[*sample_shape, *batch, ...]``.

        Args:
            key: a random key, or one per item, ``[*batch]``, for draws independent of other items.

        Raises:
            UsageError: if a size is not positive, or the keys have another shape.
        """
        return self._draw(key, sample_shape, form=True)

    def sample_parts(self, key: jax.Array, sample_shape: int | Sequence[int] = ()) -> Parts:
        """Draw the parts of independent derivations; see ``sample``."""
        return self._draw(key, sample_shape, form=False)

    @compile_once()
    def entropy(self) -> jax.Array:
        """Return the entropy in nats, ``[*batch]``."""
        flat = self._flat
        if isinstance(flat.structure, Direct):
            return self._shaped(flat.structure.entropy(flat.marginals()))
        value = flat._total(Entropy()).value
        return self._shaped(_spoilt(value.nats, value.weight))

    def cross_entropy(self, other: Distribution[S]) -> jax.Array:
        """Return E_p[-log q] in nats, ``[*batch]``, where q is the other distribution.

        Raises:
            UsageError: if the distributions differ in more than weights.
        """
        if isinstance(self.structure, Direct):
            return self.entropy() + self.kl_divergence(other)
        return self._divergence(Divergence(cross=True), other)

    def kl_divergence(self, other: Distribution[S]) -> jax.Array:
        """Return KL(p || q) in nats, ``[*batch]``, where q is the other distribution."""
        nats = self._divergence(Divergence(), other)
        # Rounding may make it negative; the gradient is kept.
        return jnp.where(nats < 0, nats - jax.lax.stop_gradient(nats), nats)

    @compile_once()
    def expectation(self, feature: Parts) -> jax.Array:
        """Return the expectation of a feature that is additive over parts, ``[*batch, ...]``.

        Args:
            feature: arrays that broadcast to the marginals, or with additional trailing axes.
        """
        flat, feature = self._flat, self._flat_parts(feature)
        return self._shaped(flat._expectation(feature))

    def variance(self, feature: Parts) -> jax.Array:
        """Return the variance of a feature that is additive over parts, ``[*batch]``."""
        return self.covariance(feature, feature)

    @compile_once()
    def covariance(self, first: Parts, second: Parts) -> jax.Array:
        """Return the covariance of two features that are additive over parts, ``[*batch]``."""
        flat, first, second = self._flat, self._flat_parts(first), self._flat_parts(second)
        if isinstance(flat.structure, Direct):
            expanded = flat.structure.expand()
            along = jax.tree.map(like_weights, expanded.log_weights, second)
            weights = (expanded.log_weights,)
            mean = lambda w: self._of(expanded.with_log_weights(w))._expectation(first)  # noqa: E731
            return self._shaped(jax.jvp(mean, weights, (along,))[1])
        pairs = jax.tree.map(lambda x, y: (x, y), first, second)
        semiring = Covariance(self.base)
        value = flat._expanded_total(semiring, pairs).value
        return self._shaped(_spoilt(value.covariance, semiring.log_weight(value)))

    def sum_in(self, semiring: Semiring, counted: Parts | None = None) -> Total:
        """Sum over all derivations in a given semiring: ``value * exp(log_scale)`` per item.

        Args:
            counted: a feature, or a tuple of features, for semirings whose ``lift`` uses one.

        Raises:
            UsageError: if the semiring cannot represent extreme weights, like ``Real``, or the
                structure has no sum over a semiring, like non-projective trees.
        """
        _refuse_narrow(semiring)
        if is_constant(semiring):
            return self._compiled_sum_in(semiring, counted)
        return self._sum_in(semiring, counted)

    def _sum_in(self, semiring: Semiring, counted: Parts | None) -> Total:
        if counted is None:
            return self._shaped(self._flat._total(semiring))
        return self._shaped(self._flat._expanded_total(semiring, self._flat_parts(counted)))

    _compiled_sum_in = compile_once("semiring")(_sum_in)

    @property
    def _flat(self) -> Distribution[Any]:
        if not isinstance(self.structure, PartWise) or len(self.batch_shape) == 1:
            return self
        return self._of(self.structure.flat())

    def _shaped(self, results: Any, axis: int = 0) -> Any:
        """Restore the batch axes of results with a single one."""
        if not isinstance(self.structure, PartWise) or len(self.batch_shape) == 1:
            return results
        return jax.tree.map(
            lambda x: x.reshape(*x.shape[:axis], *self.batch_shape, *x.shape[axis + 1 :]), results
        )

    def _flat_parts(self, feature: Parts) -> Parts:
        axes = len(self.batch_shape)
        if axes == 1:
            return feature

        def flat(weights: jax.Array, x: Any) -> jax.Array:
            whole = like_weights(weights, x, jnp.shape(x)[weights.ndim :])
            return whole.reshape(math.prod(whole.shape[:axes]), *whole.shape[axes:])

        weights = self.structure.expand().log_weights
        return jax.tree.map(lambda w, x: jax.tree.map(partial(flat, w), x), weights, feature)

    def _weight_of_parts(self, derivation: Any) -> jax.Array:
        own, treedef = jax.tree.flatten(self.structure.expand().log_weights)
        given, other = jax.tree.flatten(derivation)
        shapes, wanted = [np.shape(x) for x in given], [w.shape for w in own]
        axes = len(shapes[0]) - len(wanted[0]) if shapes else -1
        if other != treedef or shapes != [(*shapes[0][: max(axes, 0)], *x) for x in wanted]:
            raise UsageError(
                f"a derivation has parts of shapes {shapes}; expected "
                f"{type(self.structure.log_weights).__name__} of shapes {wanted}, with or without "
                "leading axes"
            )
        leading = shapes[0][:axes]
        weights = self._weights(treedef.unflatten([jnp.asarray(x) for x in given]), leading)
        return weights.reshape(*leading, *self.batch_shape)

    @compile_once("leading")
    def _weights(self, parts: Parts, leading: tuple[int, ...]) -> jax.Array:
        flat = self._flat.structure.expand()
        rows = jax.tree.map(
            lambda x, w: x.reshape(math.prod(leading), *w.shape), parts, flat.log_weights
        )
        return jax.vmap(flat.unnormalized_log_prob)(rows)

    def _argmax(self, base: Selective, *, form: bool) -> Any:
        structure = self._flat.structure
        if not isinstance(structure, Direct):
            return self._marked_argmax(base, form=form)
        heads = structure.argmax()
        return self._shaped(jnp.asarray(heads) if form else structure.to_parts(heads))

    @compile_once("base", "form")
    def _marked_argmax(self, base: Selective, *, form: bool) -> Any:
        flat, semiring = self._flat, Derivation(base)
        total, mark = flat._marking(semiring)
        log_weight = _log_weight(semiring, total)
        parts = mark(_seeds(semiring.seeds(total.value), log_weight))
        return self._shaped(flat._read(parts, log_weight, form=form))

    def _top_k(self, k: int, base: Selective, *, form: bool) -> tuple[Any, jax.Array]:
        if k < 1:
            raise UsageError(f"k is {k}; give 1 or more")
        structure = self._flat.structure
        if not isinstance(structure, Direct):
            return self._marked_top_k(k, base, form=form)
        heads, log_weight = structure.top_k(k)
        listed = jnp.asarray(heads) if form else structure.to_parts(heads)
        return self._shaped((listed, jnp.asarray(log_weight)), 1)

    @compile_once("k", "base", "form")
    def _marked_top_k(self, k: int, base: Selective, *, form: bool) -> tuple[Any, jax.Array]:
        flat, semiring = self._flat, KBest(k, base)
        total, mark = flat._marking(semiring)
        log_weight = log_times(semiring.log_weights(total.value), total.log_scale)
        # Some ranks of the item may avoid the NaN.
        log_weight = jnp.where(jnp.isnan(log_weight[0]), jnp.nan, log_weight)
        parts = jax.lax.map(mark, _seeds(semiring.seeds(total.value), log_weight))
        return self._shaped((flat._read(parts, log_weight, form=form), log_weight), 1)

    def _draw(self, key: jax.Array, sample_shape: int | Sequence[int], *, form: bool) -> Any:
        shape, batch = as_shape(sample_shape), self.batch_shape
        if not jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
            key = jax.random.wrap_key_data(key)
        if key.shape not in ((), batch):
            raise UsageError(f"keys have shape {key.shape}; give one, or one for each of {batch}")
        structure = self._flat.structure
        if not isinstance(structure, Direct):
            return self._sample(key, shape, form=form)
        count = math.prod(batch)
        keys = key.reshape(count) if key.ndim else _folded(key, count)
        heads = structure.sample(keys, math.prod(shape))
        drawn = self._shaped(heads if form else structure.to_parts(heads), 1)
        return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), drawn)

    @compile_once("shape", "form")
    def _sample(self, key: jax.Array, shape: tuple[int, ...], *, form: bool) -> Any:
        flat, count = self._flat, math.prod(shape)
        if key.ndim:
            drawn = flat._sample_by_item(key.reshape(key.size), count, form=form)
        else:
            parts, each = flat._parts_of_draws(key, count)
            drawn = flat._read(parts, jnp.broadcast_to(each, (count, *each.shape)), form=form)
        drawn = self._shaped(drawn, 1)
        return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), drawn)

    def _sample_by_item(self, keys: jax.Array, count: int, *, form: bool) -> Any:
        leaves, treedef = jax.tree.flatten(self.structure)
        axes = [0 if len(x) == len(keys) else None for x in leaves]
        leaves = [x[0] if axis is None else x for x, axis in zip(leaves, axes, strict=True)]

        def draw(leaves: list[jax.Array], key: jax.Array) -> Any:
            return self._of(treedef.unflatten(leaves))._sample(key, (count,), form=form)

        return jax.vmap(draw, (axes, 0), 1)(leaves, keys)

    def _parts_of_draws(self, key: jax.Array, count: int) -> tuple[Parts, jax.Array]:
        if not isinstance(self.structure, Traceable):
            return reverse_draws(self, key, count)
        places, each = self.structure.trace(key, count, self.recursion)
        return as_places(self.structure.expand().log_weights, places, each), each

    def _read(self, parts: Parts, log_weight: jax.Array, *, form: bool) -> Any:
        if not form or not isinstance(self.structure, Readable):
            return jax.tree.map(as_marks, parts, is_leaf=lambda x: isinstance(x, Places))
        forms = self.structure.from_parts(parts)
        known = log_weight > -jnp.inf
        return jnp.where(known.reshape(*known.shape, *(1,) * (forms.ndim - known.ndim)), forms, -1)

    def _log_partition(self) -> jax.Array:
        if isinstance(self.structure, Direct):
            return self.structure.log_partition()
        return _log_weight(self.base, self._total(self.base))

    def _expectation(self, feature: Parts) -> jax.Array:
        weights, treedef = jax.tree.flatten(self.structure.expand().log_weights)
        features = treedef.flatten_up_to(feature)
        deepest = max(jnp.shape(x)[w.ndim :] for w, x in zip(weights, features, strict=True))
        if not deepest and not isinstance(self.structure, Direct):
            semiring = Expectation(self.base)
            value = self._expanded_total(semiring, feature).value
            return _spoilt(semiring.expected_value(value), semiring.log_weight(value))
        # Linear in the feature, so one pass for the marginals suffices.
        terms = [
            weigh(m[(..., *(None,) * len(deepest))], like_weights(w, x, deepest)).reshape(
                *w.shape, math.prod(deepest)
            )
            for m, w, x in zip(jax.tree.leaves(self.marginals()), weights, features, strict=True)
        ]
        by_item = jax.vmap(self.structure.expand().by_item, -1, -1)
        expected = by_item(treedef.unflatten(terms))
        return expected.reshape(*expected.shape[:-1], *deepest)

    def _of(self, structure: Any) -> Distribution[Any]:
        return replace(self, structure=structure)

    def _expanded(self) -> S:
        """Return the expanded structure with separate weights on each device."""
        # JAX would sum gradients with respect to weights shared by devices.
        expanded = self.structure.expand()
        return expanded.with_log_weights(varying(expanded.log_weights, axes_of(expanded)))

    def _total(self, semiring: Semiring, feature: Parts | None = None) -> Total:
        return self.structure.total(semiring, feature, self.recursion)

    def _expanded_total(self, semiring: Semiring, feature: Parts) -> Total:
        expanded = self.structure.expand()
        # Scans slice features by position, so that axis must not be missing.
        whole = jax.tree.map(like_weights, expanded.log_weights, feature)
        return self._of(expanded)._total(semiring, whole)

    def _marking(self, semiring: Semiring) -> tuple[Total, Callable[[Any], Parts]]:
        """Return the total, and a function from a cotangent of its value to marked parts."""
        # Tags of derivation semirings are linear in the features, so the gradient marks parts.
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
        of_p, of_q = self._flat.structure.expand(), reference._flat.structure.expand()
        shapes = [
            (d.batch_shape, [x.shape for x in jax.tree.leaves(s.log_weights)])
            for d, s in ((self, of_p), (reference, of_q))
        ]
        if shapes[0] != shapes[1]:
            raise UsageError(f"two distributions of different shapes: {shapes[0]} and {shapes[1]}")
        # The first structure with the weights of the second must equal the second.
        _check_same(of_p.with_log_weights(of_q.log_weights), of_q)
        return self._shaped(self._of(of_p)._nats(semiring, of_q.log_weights))

    @compile_once("semiring")
    def _nats(self, semiring: Divergence, reference: Parts) -> jax.Array:
        if isinstance(self.structure, Direct):
            return self.structure.kl_divergence(reference, self.marginals())
        value = self._total(semiring, reference).value
        return _spoilt(_spoilt(value.nats, value.weight), value.reference)


def reverse_draws(d: Distribution[Any], key: jax.Array, count: int) -> tuple[Parts, jax.Array]:
    """Draw parts ``[count, batch, ...]`` in the reverse pass, and return the log partition."""
    semiring = Sampling()
    total, mark = d._marking(semiring)  # pyright: ignore[reportPrivateUsage]
    # A smaller last round would require a second compilation.
    together = min(_TOGETHER, count)
    rounds = -(-count // together)
    shape = (rounds * together, *total.log_scale.shape)
    seeds = semiring.seed(key, shape)
    each = _log_weight(semiring, total)
    seeds = jax.tree.map(
        lambda x, y: jnp.where(each > -jnp.inf, x, 0.0).astype(y.dtype), seeds, total.value
    )
    seeds = seeds._replace(mark=_spoilt(seeds.mark, each))
    by_round = jax.tree.map(lambda x: x.reshape(rounds, together, *x.shape[1:]), seeds)
    drawn: Parts = jax.lax.map(jax.vmap(mark), by_round)
    return jax.tree.map(lambda x: x.reshape(shape[0], *x.shape[2:])[:count], drawn), each


def _log_weight(semiring: Semiring, total: Total) -> jax.Array:
    return log_times(semiring.log_weight(total.value), total.log_scale)


def _seeds(seeds: Any, log_weight: jax.Array) -> Any:
    """Return cotangents that mark nothing in items without derivations."""
    marking = jax.tree.map(lambda x: jnp.where(log_weight == -jnp.inf, 0, x).astype(x.dtype), seeds)
    return _spoilt(marking, log_weight)


def as_shape(sample_shape: int | Sequence[int]) -> tuple[int, ...]:
    """Return sizes of leading axes as a tuple."""
    sizes = sample_shape if isinstance(sample_shape, Sequence) else (sample_shape,)
    shape = tuple(map(operator.index, sizes))
    if any(size < 1 for size in shape):
        raise UsageError(f"sample_shape is {sample_shape}; give sizes of 1 or more")
    return shape


@compile_once("count")
def _folded(key: jax.Array, count: int) -> jax.Array:
    """Derive a random key per item."""
    return jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(count))


def _spoilt(statistics: Any, log_weight: jax.Array) -> Any:
    """Replace results by NaN where the log weight is NaN."""
    return jax.tree.map(lambda x: jnp.where(jnp.isnan(log_weight), jnp.nan, x), statistics)


def _check_same(first: Structure, second: Structure) -> None:
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
