"""Choices under noise: perturbed weights, perturb and MAP, perturbed optimisers, their loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.base import Parts
from semipunct.structures.distribution import Answer
from semipunct.structures.nonprojective import NonprojectiveTrees
from semipunct.structures.relaxed import Relaxable, check_relaxable, choices_of, target_parts

Noise = Literal["gumbel", "gaussian"]
"""The distribution of noise, with mean zero."""


class _Density(NamedTuple):
    """Noise, and the gradient of its negative log density.

    Attributes:
        draw: returns an array of noise for a key, a shape and a dtype.
        slope: maps noise to that gradient.
    """

    draw: Callable[[jax.Array, tuple[int, ...], Any], jax.Array]
    slope: Callable[[jax.Array], jax.Array]


# The density of a Gumbel variable g is exp(-g - exp(-g)), its mean Euler's constant.
_DENSITIES: dict[str, _Density] = {
    "gumbel": _Density(
        lambda key, shape, dtype: jax.random.gumbel(key, shape, dtype) - jnp.euler_gamma,
        lambda z: 1.0 - jnp.exp(-(z + jnp.euler_gamma)),
    ),
    "gaussian": _Density(jax.random.normal, lambda z: z),
}


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
    check_relaxable(distribution)
    _check(scale, noise)
    if isinstance(distribution, NonprojectiveTrees):
        drawn = _noise(distribution.arcs, key, noise)
        return replace(distribution, arcs=_moved(distribution.arcs, scale, drawn))
    expanded = distribution.structure.expand()
    drawn = _noise(expanded.log_weights, key, noise)
    moved = _moved(expanded.log_weights, scale, drawn)
    return replace(distribution, structure=expanded.with_log_weights(moved))


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
    choices = choices_of(distribution)
    parts, each, _ = _draws(distribution, key, count, scale, noise, together)
    log_weight = jax.vmap(choices.score)(parts)
    return Answer(parts, jnp.where(jnp.isfinite(each), log_weight, each))


def perturbed_best(
    distribution: Relaxable,
    key: jax.Array,
    count: int,
    scale: Any = 1.0,
    noise: Noise = "gumbel",
    together: int = 8,
) -> Answer:
    """Return the mean of the derivations that are best under noise, with a gradient.

    The expectation is a smooth function of the weights; mean and gradient are unbiased estimates of
    it and its gradient. There is no second derivative, and none with respect to ``scale``. All
    draws are kept for the gradient: ``count`` times the parts.

    Args:
        distribution: a distribution over derivations, or non-projective trees.
        key: a random key; the same key gives the same draws.
        count: the number of draws.
        scale: factor of the noise, a positive number: its temperature.
        noise: ``gumbel`` or ``gaussian``.
        together: the number of simultaneous draws; more take more memory and less time.

    Returns:
        The mean parts, and the mean log weight of the best derivations, noise included, whose
        gradient is the mean parts. For an item without a derivation they are zero and minus
        infinity.

    Raises:
        UsageError: if ``count`` or ``scale`` is not positive, or the noise has another name.

    Source: Berthet et al. (2020), proposition 3.1; the mean of the other draws is subtracted from
    each, which leaves the expectation as it is and removes most of the variance.
    """
    choices = choices_of(distribution)
    parts, each, noises = _draws(distribution, key, count, scale, noise, together)
    mean = jax.tree.map(lambda x: jnp.mean(x, 0), parts)
    value = jnp.mean(each, 0)
    usable = jax.tree.map(
        lambda u, x: u | jnp.any(x > 0, 0),
        choices_of(jax.lax.stop_gradient(distribution)).usable(),
        parts,
    )
    # Zero, with the derivative of the weights.
    change = jax.tree.map(_change, choices.weights, usable)
    slope = _DENSITIES[noise].slope
    along = jax.vmap(lambda z: choices.dot(jax.tree.map(slope, z), change))(noises)
    # Products with a change of zero are zero unless NaN.
    centre = mean if count > 1 else jax.tree.map(jnp.zeros_like, mean)
    factor = along / (jax.lax.stop_gradient(jnp.asarray(scale)) * max(count - 1, 1))
    moved = jax.tree.map(
        lambda m, x, c, a: m + jnp.sum((x - c) * a, 0),
        mean,
        parts,
        centre,
        jax.vmap(choices.spread)(factor),
    )
    return Answer(moved, value + choices.dot(mean, change))


def perturbed_loss(
    distribution: Relaxable,
    target: Any,
    key: jax.Array,
    count: int,
    scale: Any = 1.0,
    noise: Noise = "gumbel",
    together: int = 8,
) -> jax.Array:
    """Return the perturbed Fenchel-Young loss ``[batch]`` of a derivation of each item.

    Its gradient with respect to the weights is the mean of the derivations that are best under
    noise, less the target: a structured perceptron whose predictions are smoothed. One draw can be
    enough. A constant that depends on the target alone is left out, so that the least value of the
    loss need not be zero.

    Args:
        distribution: a distribution over derivations, or non-projective trees.
        target: a derivation, as for ``Distribution.score``, or averages of parts.
        key: a random key; give another one in each step of a training.
        count: the number of draws.
        scale: factor of the noise, a positive number: its temperature.
        noise: ``gumbel`` or ``gaussian``.
        together: the number of simultaneous draws; more take more memory and less time.

    Raises:
        UsageError: as ``perturbed_best``, or as ``Distribution.score``.

    Source: Blondel et al. (2020); Berthet et al. (2020), section 4.
    """
    choices = choices_of(distribution)
    target = jax.lax.stop_gradient(target_parts(distribution, target))
    parts, each, _ = _draws(distribution, key, count, scale, noise, together)
    mean = jax.tree.map(lambda x: jnp.mean(x, 0), parts)
    used = jax.tree.map(lambda x: x > 0, mean)
    value = jnp.mean(each, 0) + choices.dot(mean, jax.tree.map(_change, choices.weights, used))
    return value - choices.score(target)


def _draws(
    distribution: Relaxable, key: jax.Array, count: int, scale: Any, noise: str, together: int
) -> tuple[Parts, jax.Array, Parts]:
    """Return the best derivations under noise, their log weights with it, and the noise."""
    if count < 1:
        raise UsageError(f"count is {count}; draw 1 or more")
    _check(scale, noise)
    choices = choices_of(jax.lax.stop_gradient(distribution))
    scale = jax.lax.stop_gradient(scale)

    def draw(key: jax.Array) -> tuple[Parts, jax.Array, Parts]:
        drawn = _noise(choices.weights, key, noise)
        found = choices.best(_moved(choices.weights, scale, drawn))
        return found.parts, found.log_weight, drawn

    # Only full rounds, since a smaller last one would need a second compilation.
    rounds = -(-count // max(1, together))
    keys = jax.random.split(key, (rounds, -(-count // rounds)))
    drawn = jax.lax.map(jax.vmap(draw), keys)
    return jax.tree.map(lambda x: x.reshape(keys.size, *x.shape[2:])[:count], drawn)


def _check(scale: Any, noise: str) -> None:
    if not isinstance(scale, Tracer) and not 0 < float(scale) < float("inf"):
        raise UsageError(f"scale is {scale}; give a positive number")
    if noise not in _DENSITIES:
        raise UsageError(f"noise is {noise!r}, not one of {', '.join(_DENSITIES)}")


def _noise(weights: Parts, key: jax.Array, noise: str) -> Parts:
    """Return noise of the shapes and types of weights."""
    leaves, treedef = jax.tree.flatten(weights)
    keys = jax.random.split(key, len(leaves))
    draw = _DENSITIES[noise].draw
    return treedef.unflatten([draw(k, w.shape, w.dtype) for k, w in zip(keys, leaves, strict=True)])


def _moved(weights: Parts, scale: Any, noise: Parts) -> Parts:
    return jax.tree.map(lambda w, z: (w + scale * z).astype(w.dtype), weights, noise)


def _change(weights: jax.Array, used: jax.Array) -> jax.Array:
    """Return zero with the derivative of the weights that are used."""
    finite = jnp.where(used, weights, 0.0)
    return finite - jax.lax.stop_gradient(finite)
