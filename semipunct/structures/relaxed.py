"""Relaxed choices: tempering, perturb-and-MAP and straight-through gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import jax
import jax.numpy as jnp
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.base import Parts, PartWise, Structure
from semipunct.structures.distribution import Distribution, as_shape

S = TypeVar("S", bound=Structure)

Noise = Literal["gumbel", "gaussian"]

_NOISE: dict[str, Callable[[jax.Array, tuple[int, ...], Any], jax.Array]] = {
    # Euler's constant is the mean of a Gumbel variable.
    "gumbel": lambda key, shape, dtype: jax.random.gumbel(key, shape, dtype) - jnp.euler_gamma,
    "gaussian": jax.random.normal,
}


def temper(distribution: Distribution[S], temperature: Any) -> Distribution[S]:
    """Divide the log weights by a temperature.

    Raises:
        UsageError: if the temperature is not positive, or weights do not all belong to
            parts (phrase marks, given trees).
    """
    _check_positive("temperature", temperature)

    def divided(w: jax.Array) -> jax.Array:
        # Dividing infinity or NaN would give NaN gradients.
        finite = jnp.where(jnp.isfinite(w), w, 0.0)
        return jnp.where(jnp.isfinite(w), finite / temperature, w).astype(w.dtype)

    structure = distribution.structure
    own = getattr(type(structure), "unnormalized_log_prob", None)
    if own is not PartWise.unnormalized_log_prob:
        raise UsageError(
            f"{type(structure).__name__} has weights that are not of its parts; divide them where "
            "the structure is made"
        )
    weights = jax.tree.map(divided, structure.log_weights)
    return replace(distribution, structure=structure.with_log_weights(weights))


def straight_through(hard: Parts, soft: Parts) -> Parts:
    """Return hard parts (argmax or a sample) with the gradient of soft ones (such as marginals).

    Source: Bengio et al. (2013), section 3; with a sample and its tempered marginals, Jang et al.
    (2017), section 2.2.
    """
    shapes = [[jnp.shape(x) for x in jax.tree.leaves(parts)] for parts in (hard, soft)]
    if shapes[0] != shapes[1]:
        raise UsageError(f"parts of different shapes: {shapes[0]} and {shapes[1]}")
    fixed = jax.lax.stop_gradient
    return jax.tree.map(lambda h, s: fixed(h) + (s - fixed(s)), hard, soft)


def perturb(
    distribution: Distribution[S], key: jax.Array, scale: Any = 1.0, noise: Noise = "gumbel"
) -> Distribution[S]:
    """Add noise to the log weight of each part at each place of use.

    The marginals of ``temper(perturb(...), temperature)`` are a relaxed sample with an exact
    gradient; at low temperature they approach the draw of ``perturb_and_map``.

    Raises:
        UsageError: if ``scale`` is not positive, or the noise is unknown.

    Source: Corro and Titov (2019); Paulus et al. (2020), stochastic softmax tricks.
    """
    _check_positive("scale", scale)
    if noise not in _NOISE:
        raise UsageError(f"noise is {noise!r}, not one of {', '.join(_NOISE)}")
    expanded = distribution.structure.expand()
    leaves, treedef = jax.tree.flatten(expanded.log_weights)
    moved = treedef.unflatten(
        (w + scale * _NOISE[noise](k, w.shape, w.dtype)).astype(w.dtype)
        for w, k in zip(leaves, jax.random.split(key, len(leaves)), strict=True)
    )
    return replace(distribution, structure=expanded.with_log_weights(moved))


def perturb_and_map(
    distribution: Distribution[Any],
    key: jax.Array,
    sample_shape: int | Sequence[int] = (),
    scale: Any = 1.0,
    noise: Noise = "gumbel",
    together: int = 8,
) -> Parts:
    """Draw derivations that are best under noise on each part.

    Gumbel noise gives exact samples if each derivation has a single part. Otherwise the
    distribution differs from ``Distribution.sample``, but each draw costs only an argmax.

    Args:
        together: simultaneous draws, a trade of memory for time.

    Returns:
        Parts ``[*sample_shape, *batch, ...]``, zero if there is no derivation.

    Source: Papandreou and Yuille (2011).
    """
    shape = as_shape(sample_shape)
    count = math.prod(shape)
    fixed, scale = jax.lax.stop_gradient((distribution, scale))
    drawn = jax.lax.map(
        lambda key: perturb(fixed, key, scale, noise).argmax_parts(),
        jax.random.split(key, count),
        batch_size=together,
    )
    return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), drawn)


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, Tracer) and not 0 < float(value) < float("inf"):
        raise UsageError(f"{name} is {value}; give a positive number")
