"""SparseMAP: the average of few derivations that maximises its weight less a quadratic penalty.

Averages of derivations form a polytope in the space of parts. ``best`` finds a vertex of it,
marginals are a point inside. SparseMAP is the point m of the polytope with the greatest

    <log weights, m> - 1/2 * sum of penalty * m**2

It is on a face: many parts are zero, and it is the average of few derivations.

Source: Niculae et al. (2018).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.base import Parts, like_weights
from semipunct.structures.distribution import Answer
from semipunct.structures.relaxed import Choices, Relaxable, choices_of, target_parts
from semirings.devices import axes_of, varying


class SparseAnswer(NamedTuple):
    """A sparse average of derivations.

    Attributes:
        parts: the average parts, with a gradient; zero for an item without a derivation.
        value: ``[batch]`` the greatest log weight less penalty, with a gradient; minus infinity for
            an item without a derivation.
        support: the derivations, with a leading axis ``[support]``, and their log weights; minus
            infinity where there is none.
        probability: ``[support, batch]`` their shares in the average, with a gradient.
        gap: ``[batch]`` a bound on how much greater the value could be: that of a search which
            ended before it found the maximum is large.
    """

    parts: Parts
    value: jax.Array
    support: Answer
    probability: jax.Array
    gap: jax.Array


class _Search(NamedTuple):
    """The state of the search; k derivations are kept for each item.

    Attributes:
        atoms: parts with a leading axis ``[k]``, less those of the first derivation.
        products: ``[batch, k, k]`` their penalised scalar products.
        slope: ``[batch, k]`` derivatives of the value by their shares, where all is on the first.
        share: ``[batch, k]`` nonnegative, with sum one.
        gap: ``[batch]``.
        done: ``[batch]``.
        steps: the number of derivations sought.
    """

    atoms: Parts
    products: jax.Array
    slope: jax.Array
    share: jax.Array
    gap: jax.Array
    done: jax.Array
    steps: jax.Array


def sparsemap(
    distribution: Relaxable,
    penalty: Any = 1.0,
    support: int = 64,
    steps: int = 200,
    tolerance: float = 1e-5,
) -> SparseAnswer:
    """Find the average of derivations with the greatest log weight less a quadratic penalty.

    Each step asks for the best derivation, for weights less what the penalty of the present average
    takes from them, and then finds the best shares of all derivations found (an active set). It
    runs under ``jit``, ``vmap`` and ``grad``. The gradient is that of the shares of the derivations
    found: exact where the same derivations remain the support under small changes.

    Args:
        distribution: a distribution over derivations, or non-projective trees. Its base is ignored.
        penalty: the factor of the penalty: a number, or an array for each part, of a shape that
            broadcasts to that of the expanded log weights. Half of it times the square of the parts
            is subtracted. Where it is zero, as for the transitions of a chain if
            ``ChainParts(1.0, 0.0)`` is given, the average need not be unique.
        support: the greatest number of derivations in an average; as many arrays of parts are kept.
        steps: the greatest number of steps.
        tolerance: the gap at which the search ends, relative to the value or one.

    Returns:
        The average and its derivations. Where ``support`` or ``steps`` did not suffice, ``gap``
        exceeds the tolerance.

    Raises:
        UsageError: if a penalty is negative or none is positive, shapes do not broadcast, or
            ``support`` or ``steps`` is not positive, or the tolerance is negative.

    Source: Niculae et al. (2018), section 3, and appendix B for the gradient; Nocedal and Wright
    (1999), chapter 16.4.
    """
    choices = choices_of(distribution)
    penalties = _penalties(choices.weights, penalty)
    if support < 1 or steps < 1:
        raise UsageError(f"support is {support} and steps is {steps}; give 1 or more of each")
    if not tolerance >= 0:
        raise UsageError(f"tolerance is {tolerance}; give 0 or more")
    fixed = choices_of(jax.lax.stop_gradient(distribution))
    first = fixed.best(fixed.weights)
    found = _search(fixed, jax.lax.stop_gradient(penalties), first, support, steps, tolerance)
    return _answer(choices, penalties, first, found)


def sparsemap_loss(
    distribution: Relaxable,
    target: Any,
    penalty: Any = 1.0,
    support: int = 64,
    steps: int = 200,
    tolerance: float = 1e-5,
) -> jax.Array:
    """Return the SparseMAP loss ``[batch]`` of a derivation of each item.

    It is the Fenchel-Young loss of the quadratic penalty: never negative, zero as soon as the
    target is ahead of all others by a margin, and its gradient with respect to the weights is the
    average of ``sparsemap`` less the target.

    Args:
        distribution: a distribution over derivations, or non-projective trees.
        target: a derivation, as for ``Distribution.score``, or averages of parts.
        penalty: as for ``sparsemap``, like the other arguments.
        support: the greatest number of derivations in an average.
        steps: the greatest number of steps.
        tolerance: the gap at which the search ends.

    Raises:
        UsageError: as ``sparsemap``, or as ``Distribution.score``.

    Source: Niculae et al. (2018), section 4; Blondel et al. (2020), section 7.
    """
    choices = choices_of(distribution)
    target = jax.lax.stop_gradient(target_parts(distribution, target))
    value = sparsemap(distribution, penalty, support, steps, tolerance).value
    penalties = _penalties(choices.weights, penalty)
    squares = choices.dot(penalties, jax.tree.map(jnp.square, target))
    loss = value + squares / 2 - choices.score(target)
    # Rounded; the gradient is kept.
    return jnp.where(loss < 0, loss - jax.lax.stop_gradient(loss), loss)


def _penalties(weights: Parts, penalty: Any) -> Parts:
    """Return a penalty for each part."""
    leaves = jax.tree.leaves(penalty)
    if not any(isinstance(x, Tracer) for x in leaves):
        values = [np.asarray(x, float) for x in leaves]
        if not all((np.isfinite(x) & (x >= 0)).all() for x in values):
            raise UsageError("a penalty is negative or not finite; give nonnegative numbers")
        if not any((x > 0).any() for x in values):
            raise UsageError("all penalties are zero; without a penalty use Distribution.best")
    if jax.tree.structure(penalty) == jax.tree.structure(weights):
        return jax.tree.map(lambda w, x: like_weights(w, jnp.asarray(x, w.dtype)), weights, penalty)
    if len(leaves) != 1 or jnp.ndim(leaves[0]):
        raise UsageError(
            "a penalty is a number, or has a number for each part, like "
            "Distribution.structure.expand().log_weights"
        )
    return jax.tree.map(lambda w: jnp.full_like(w, leaves[0]), weights)


def _search(
    choices: Choices, penalties: Parts, first: Answer, support: int, steps: int, tolerance: float
) -> _Search:
    """Find the derivations of the average, and their shares."""
    dtype = first.log_weight.dtype
    base = jax.tree.map(jnp.multiply, penalties, first.parts)
    score = choices.score(first.parts)
    slots = jnp.arange(support)
    close = tolerance * jnp.maximum(1.0, jnp.abs(score))

    def step(state: _Search) -> _Search:
        moved = _average(choices, state.atoms, state.share)
        at = jax.tree.map(lambda b, q, m: b + q * m, base, penalties, moved)
        found = choices.best(jax.tree.map(jnp.subtract, choices.weights, at)).parts
        # Differences, in which common parts cancel.
        new = jax.tree.map(jnp.subtract, found, first.parts)
        penalised = jax.tree.map(jnp.multiply, penalties, new)
        slope = choices.score(found) - score - choices.dot(base, new)
        slopes = state.slope - jnp.einsum("bkl,bl->bk", state.products, state.share)
        gap = slope - choices.dot(penalised, moved) - jnp.sum(state.share * slopes, 1)
        kept = state.share > 0
        distance = jax.vmap(
            lambda atom: choices.by_item(jax.tree.map(lambda a, n: jnp.abs(a - n), atom, new)),
            out_axes=1,
        )(state.atoms)
        is_known = jnp.any(kept & (distance == 0), 1)
        ended = state.done | ~(gap > close) | is_known | jnp.all(kept, 1)
        place = (slots == jnp.argmin(kept, 1)[:, None]) & ~ended[:, None]
        put = jax.vmap(choices.spread, in_axes=1)(place.astype(dtype))
        atoms = jax.tree.map(lambda a, p, n: jnp.where(p > 0, n, a), state.atoms, put, new)
        row = jax.vmap(lambda atom: choices.dot(atom, penalised), out_axes=1)(atoms)
        products = jnp.where(place[:, :, None], row[:, None, :], state.products)
        products = jnp.where(place[:, None, :], row[:, :, None], products)
        slope = jnp.where(place, slope[:, None], state.slope)
        share = _best_shares(products, slope, state.share, kept | place)
        return _Search(
            atoms,
            products,
            slope,
            jnp.where(ended[:, None], state.share, share),
            jnp.where(state.done, state.gap, gap),
            ended,
            state.steps + 1,
        )

    batch = len(score)
    possible = jnp.isfinite(first.log_weight)
    start = _Search(
        jax.tree.map(lambda x: jnp.zeros((support, *x.shape), x.dtype), first.parts),
        jnp.zeros((batch, support, support), dtype),
        jnp.zeros((batch, support), dtype),
        jnp.broadcast_to((slots == 0).astype(dtype), (batch, support)),
        jnp.where(possible, jnp.inf, 0.0).astype(dtype),
        ~possible,
        jnp.zeros((), jnp.int32),
    )
    axes = axes_of((choices.weights, first))
    state = varying(start._replace(steps=None), axes)._replace(steps=start.steps)

    def go_on(state: _Search) -> jax.Array:
        return (state.steps < steps) & ~jnp.all(state.done)

    return jax.lax.while_loop(go_on, step, state)


def _average(choices: Choices, atoms: Parts, share: jax.Array) -> Parts:
    """Return the sum of derivations ``[k, ...]`` times their shares ``[batch, k]``."""
    shares = jax.vmap(choices.spread, in_axes=1)(share)
    return jax.tree.map(lambda a, s: jnp.sum(a * s, 0), atoms, shares)


def _best_shares(
    products: jax.Array, slope: jax.Array, share: jax.Array, active: jax.Array
) -> jax.Array:
    """Find the shares of active derivations with the greatest value.

    Newton steps within the hyperplane of sum one, each as far as no share becomes negative: a share
    of zero is left out then. The ridge of a step vanishes where the steps end.

    Args:
        products: ``[batch, k, k]``.
        slope: ``[batch, k]``.
        share: ``[batch, k]`` the shares to begin with.
        active: ``[batch, k]`` the derivations that may have a share.
    """
    most = share.shape[1] + 4

    def step(state: Any) -> Any:
        share, active, done, steps = state
        residual = slope - jnp.einsum("bkl,bl->bk", products, share)
        move = _newton(products, active, residual)
        room = jnp.where(active & (move < 0), share / jnp.where(move < 0, -move, 1.0), jnp.inf)
        length = jnp.minimum(jnp.min(room, 1, keepdims=True), 1.0)
        blocks = (room <= length) & (length < 1)
        moved = jnp.where(active & ~blocks, jnp.maximum(share + length * move, 0.0), 0.0)
        moved = moved / jnp.sum(moved, 1, keepdims=True)
        share = jnp.where(done[:, None], share, moved)
        small = jnp.max(jnp.abs(move), 1) < 1e-6
        ended = done | ~jnp.any(blocks, 1) & small
        return share, active & ~blocks, ended, steps + 1

    def go_on(state: Any) -> jax.Array:
        return (state[3] < most) & ~jnp.all(state[2])

    axes = axes_of((products, slope, share, active))
    start = varying((share, active, jnp.zeros(len(share), bool)), axes)
    return jax.lax.while_loop(go_on, step, (*start, jnp.zeros((), jnp.int32)))[0]


def _newton(products: jax.Array, active: jax.Array, residual: jax.Array) -> jax.Array:
    """Return the change ``[batch, k]`` of shares, with sum zero, that residuals demand.

    Args:
        products: ``[batch, k, k]``.
        active: ``[batch, k]``.
        residual: ``[batch, k]`` derivatives by the shares.
    """
    count = active.shape[1]
    among = active[:, :, None] & active[:, None, :]
    matrix = jnp.where(among, products, 0.0)
    size = jnp.max(jnp.diagonal(matrix, axis1=1, axis2=2), 1)
    # Above the rounding of the products, which could make the matrix indefinite.
    ridge = count * jnp.finfo(matrix.dtype).eps * jnp.maximum(size, 1.0)
    diagonal = jnp.where(active, ridge[:, None], 1.0)
    matrix = matrix + diagonal[:, :, None] * jnp.eye(count, dtype=matrix.dtype)
    ones = active.astype(matrix.dtype)
    sides = jnp.stack([jnp.where(active, residual, 0.0), ones], -1)
    solved = jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(matrix), True), sides)
    by_residual, by_one = solved[..., 0], solved[..., 1]
    level = jnp.sum(by_residual, 1) / jnp.sum(by_one, 1)
    return jnp.where(active, by_residual - level[:, None] * by_one, 0.0)


def _answer(choices: Choices, penalties: Parts, first: Answer, found: _Search) -> SparseAnswer:
    """Return the average, differentiable in weights and penalties.

    While the support stays the same, the shares are a solution of linear equations, so that one
    more Newton step from the solution is zero and has its derivative.
    """
    active = found.share > 0
    used = jax.vmap(choices.spread, in_axes=1)(active.astype(found.share.dtype))
    moved = _average(choices, found.atoms, found.share)
    average = jax.tree.map(jnp.add, first.parts, moved)
    whole = jax.tree.map(lambda f, a, u: (f + a) * u, first.parts, found.atoms, used)
    score = jax.vmap(choices.score, out_axes=1)(whole)
    pull = jax.tree.map(jnp.multiply, penalties, average)
    residual = score - jax.vmap(lambda a: choices.dot(a, pull), out_axes=1)(found.atoms)
    residual = jnp.where(active, residual - jax.lax.stop_gradient(residual), 0.0)
    change = _newton(found.products, active, residual)
    parts = jax.tree.map(jnp.add, average, _average(choices, found.atoms, change))
    squares = choices.dot(penalties, jax.tree.map(jnp.square, average))
    value = jnp.sum(jnp.where(active, found.share * score, 0.0), 1) - squares / 2
    each = first.log_weight
    share = jnp.where(jnp.isnan(each)[:, None], jnp.nan, found.share * (each > -jnp.inf)[:, None])
    return SparseAnswer(
        parts,
        jnp.where(jnp.isfinite(each), value, each),
        Answer(whole, jnp.where(active & jnp.isfinite(each)[:, None], score, each[:, None]).T),
        (share + change).T,
        jnp.where(jnp.isnan(each), jnp.nan, found.gap),
    )
