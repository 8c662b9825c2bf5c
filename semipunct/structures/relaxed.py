"""Relaxed choices: tempered weights, noise on them (perturb and MAP), straight-through gradients.

The best derivation is a piecewise constant function of the weights: its gradient is zero or does
not exist. Marginals have one, of tempered and perturbed weights too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.base import Parts, PartWise, per_item, sum_of_parts
from semipunct.structures.distribution import Answer, Distribution
from semipunct.structures.nonprojective import NonprojectiveTrees
from semirings.devices import axes_of, varying

Relaxable = Distribution[Any] | NonprojectiveTrees
"""What has a best derivation for any weights of its parts."""

Noise = Literal["gumbel", "gaussian"]
"""The distribution of noise, with mean zero."""

_NOISE: dict[str, Callable[[jax.Array, tuple[int, ...], Any], jax.Array]] = {
    # The mean of a Gumbel variable is Euler's constant.
    "gumbel": lambda key, shape, dtype: jax.random.gumbel(key, shape, dtype) - jnp.euler_gamma,
    "gaussian": jax.random.normal,
}


def temper(distribution: Relaxable, temperature: Any) -> Any:
    """Return the distribution whose log weights are divided by a temperature.

    Towards zero all probability is on the best derivation; high temperatures make derivations
    equally probable.

    Args:
        distribution: a distribution over derivations, or non-projective trees.
        temperature: a positive number, or an array of shape ``[]``.

    Returns:
        A distribution of the same type.

    Raises:
        UsageError: if the temperature is not positive, or the structure has weights that are not of
            its parts (phrase marks, given trees).
    """
    _check_relaxable(distribution)
    _check_positive("temperature", temperature)

    def divided(w: jax.Array) -> jax.Array:
        # The gradient of a quotient of infinity, or of padding, would be NaN.
        finite = jnp.where(jnp.isfinite(w), w, 0.0)
        return jnp.where(jnp.isfinite(w), finite / temperature, w).astype(w.dtype)

    if isinstance(distribution, NonprojectiveTrees):
        return replace(distribution, arcs=divided(distribution.arcs))
    structure = distribution.structure
    if getattr(type(structure), "score", None) is not PartWise.score:
        raise UsageError(
            f"{type(structure).__name__} has weights that are not of its parts; divide them where "
            "the structure is made"
        )
    weights = jax.tree.map(divided, structure.log_weights)
    return replace(distribution, structure=structure.with_log_weights(weights))


def straight_through(hard: Parts, soft: Parts) -> Parts:
    """Return the parts of a choice, with the gradient of a relaxed one.

    Args:
        hard: parts of ``best``, or of a sample.
        soft: parts of the same shapes that have a gradient: marginals, of a distribution from
            ``temper`` perhaps.

    Raises:
        UsageError: if the shapes differ.

    Source: Bengio et al. (2013), section 3; with a sample and its tempered marginals, Jang et al.
    (2017), section 2.2.
    """
    shapes = [[jnp.shape(x) for x in jax.tree.leaves(parts)] for parts in (hard, soft)]
    if shapes[0] != shapes[1]:
        raise UsageError(f"parts of different shapes: {shapes[0]} and {shapes[1]}")
    fixed = jax.lax.stop_gradient
    return jax.tree.map(lambda h, s: fixed(h) + (s - fixed(s)), hard, soft)


def perturb(
    distribution: Relaxable, key: jax.Array, scale: Any = 1.0, noise: Noise = "gumbel"
) -> Any:
    """Return the distribution with noise on the log weight of each part, at each place of use.

    The marginals of ``temper(perturb(...), temperature)`` are a relaxed sample with an exact
    gradient: the smaller the temperature, the closer to the draw of ``perturb_and_map`` with the
    same noise.

    Args:
        distribution: a distribution over derivations, or non-projective trees.
        key: a random key; the same key gives the same noise.
        scale: factor of the noise, a positive number.
        noise: ``gumbel`` or ``gaussian``.

    Returns:
        A distribution of the same type.

    Raises:
        UsageError: if ``scale`` is not positive, or the noise has another name.

    Source: Corro and Titov (2019); Paulus et al. (2020), stochastic softmax tricks.
    """
    _check_relaxable(distribution)
    _check_positive("scale", scale)
    if noise not in _NOISE:
        raise UsageError(f"noise is {noise!r}, not one of {', '.join(_NOISE)}")

    def moved(weights: Parts) -> Parts:
        leaves, treedef = jax.tree.flatten(weights)
        keys = jax.random.split(key, len(leaves))
        drawn = [_NOISE[noise](k, w.shape, w.dtype) for k, w in zip(keys, leaves, strict=True)]
        pairs = zip(leaves, drawn, strict=True)
        return treedef.unflatten([(w + scale * z).astype(w.dtype) for w, z in pairs])

    if isinstance(distribution, NonprojectiveTrees):
        return replace(distribution, arcs=moved(distribution.arcs))
    expanded = distribution.structure.expand()
    return replace(distribution, structure=expanded.with_log_weights(moved(expanded.log_weights)))


def perturb_and_map(
    distribution: Relaxable,
    key: jax.Array,
    count: int,
    scale: Any = 1.0,
    noise: Noise = "gumbel",
    together: int = 8,
) -> Answer:
    """Draw derivations that are best under noise on each part.

    Where one part makes a derivation, Gumbel noise gives exact samples; otherwise the draws are not
    those of ``Distribution.sample``, but need no more than a best derivation each.

    Args:
        distribution: a distribution over derivations, or non-projective trees.
        key: a random key; the same key gives the same draws.
        count: the number of draws.
        scale: factor of the noise, a positive number: its temperature.
        noise: ``gumbel`` or ``gaussian``.
        together: the number of simultaneous draws; more take more memory and less time.

    Returns:
        Parts with a leading axis ``[count]``, and their log weights without noise.

    Raises:
        UsageError: if ``count`` or ``scale`` is not positive, or the noise has another name.

    Source: Papandreou and Yuille (2011).
    """
    _check_relaxable(distribution)
    if count < 1:
        raise UsageError(f"count is {count}; draw 1 or more")
    fixed, scale = jax.lax.stop_gradient((distribution, scale))
    # Only full rounds, since a smaller last one would need a second compilation.
    rounds = -(-count // max(1, together))
    keys = jax.random.split(key, (rounds, -(-count // rounds)))
    draw = jax.vmap(lambda key: _best(perturb(fixed, key, scale, noise)))
    drawn = jax.lax.map(draw, keys)
    parts, each = jax.tree.map(lambda x: x.reshape(keys.size, *x.shape[2:])[:count], drawn)
    if isinstance(distribution, NonprojectiveTrees):
        log_weight = jax.vmap(lambda arcs: sum_of_parts(arcs, distribution.arcs))(parts)
    else:
        log_weight = jax.vmap(distribution.structure.expand().score)(parts)
    return Answer(parts, jnp.where(jnp.isfinite(each), log_weight, each))


def _best(distribution: Relaxable) -> Answer:
    """Return the best derivation; its parts are zero where there is none, NaN for NaN weights."""
    if isinstance(distribution, NonprojectiveTrees):
        heads, log_weight = distribution.best()
        arcs = heads[:, None] == jnp.arange(distribution.arcs.shape[1])[:, None]
        parts = jnp.pad(arcs, ((0, 0), (0, 0), (1, 0))).astype(distribution.arcs.dtype)
        by_item = per_item
    else:
        parts, log_weight = distribution.best()
        by_item = distribution.structure.expand().by_item
    known = jnp.where(jnp.isnan(log_weight), jnp.nan, log_weight > -jnp.inf)
    # The transpose of a sum by item gives the number of an item to each of its parts.
    zeros = jax.tree.map(jnp.zeros_like, parts)
    totals, pull = jax.vjp(by_item, varying(zeros, axes_of(parts)))
    (spread,) = pull(varying(known.astype(totals.dtype), axes_of(totals)))
    parts = jax.tree.map(lambda k, x: jnp.where(k == 0, 0.0, x * k), spread, parts)
    return Answer(parts, log_weight)


def _check_relaxable(distribution: Any) -> None:
    if not isinstance(distribution, Distribution | NonprojectiveTrees):
        raise UsageError(
            f"{type(distribution).__name__} is no distribution; give Distribution(structure)"
        )


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, Tracer) and not 0 < float(value) < float("inf"):
        raise UsageError(f"{name} is {value}; give a positive number")
