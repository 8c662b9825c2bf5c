"""Learning rate schedules, weight averaging and a lazy Adam.

A lazy step updates only the weights that its batch reads (docs/decisions/training.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax  # pyright: ignore[reportMissingTypeStubs]

from semipunct.arrays.rows import RowNumbers, Rows, put_rows, take_rows
from semipunct.models.base import Optimiser, Weights
from semipunct.models.kind import NetworkTrainOptions, Schedule

# Positive, so that the last visits still change the weights.
FINAL_RATE = 0.02
"""Fraction of the learning rate at the end of the cosine schedule (not tuned)."""


def schedule(kind: Schedule, rate: float, steps: int) -> optax.Schedule:
    """Return the learning rate as a function of the step."""
    if kind == "constant":
        return optax.constant_schedule(rate)
    return optax.cosine_decay_schedule(rate, max(1, steps), FINAL_RATE)


NORM = 5.0
"""Gradients of networks are clipped to this norm (Pascanu et al. 2013)."""


def clipped_adamw(
    options: NetworkTrainOptions, steps: int, *, warming: int = 0, b2: float = 0.999
) -> optax.GradientTransformation:
    """Return AdamW with clipped gradients, and a linear warm-up of ``warming`` steps."""
    planned = schedule(options.schedule, options.learning_rate, steps)
    rising = min(warming, steps)

    def rate(step: Any) -> Any:
        return planned(step) * jnp.minimum(1.0, (step + 1) / rising) if rising else planned(step)

    adam = optax.adamw(rate, b2=b2, weight_decay=options.weight_decay)
    return optax.chain(optax.clip_by_global_norm(NORM), adam)


def prompt(transformation: optax.GradientTransformation) -> Optimiser:
    """Return an optimiser that updates all weights in every step."""

    def unchanged(weights: Weights, *_: Any) -> Weights:
        return weights

    return Optimiser(transformation.init, transformation.update, unchanged, unchanged)


class AveragedState(NamedTuple):
    """The state of ``average_weights``."""

    steps: jax.Array
    mean: Any
    inner: Any


def average_weights(optimiser: optax.GradientTransformation, decay: float) -> Optimiser:
    """Return an optimiser whose result is a running mean of the weights (Polyak and Juditsky 1992).

    The mean is arithmetic at first, then exponential with ``decay``.
    """

    def init(parameters: Any) -> AveragedState:
        mean = jax.tree.map(jnp.array, parameters)  # a copy: steps overwrite the weights
        return AveragedState(jnp.zeros((), jnp.int32), mean, optimiser.init(parameters))

    def update(gradients: Any, state: AveragedState, parameters: Any) -> tuple[Any, AveragedState]:
        updates, inner = optimiser.update(gradients, state.inner, parameters)
        steps = state.steps + 1
        share = jnp.maximum(1 - decay, 1 / steps.astype(jnp.float32))
        mean = jax.tree.map(
            lambda m, w, u: m + share * (w + u - m), state.mean, parameters, updates
        )
        return updates, AveragedState(steps, mean, inner)

    return Optimiser(init, update, lambda weights, *_: weights, lambda _, state: state.mean)


class LazyAdamState(NamedTuple):
    """The state of ``lazy_adam``."""

    steps: jax.Array
    first: Any  # running means of gradients
    second: Any  # running means of squared gradients
    last: Any  # step that last read each row


def lazy_adam(
    rate: optax.Schedule, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8, decay: float = 0.0
) -> Optimiser:
    """Return Adam (Kingma and Ba 2015, algorithm 1) with gradients and updates as ``Rows``.

    Momentum and penalty of a row are deferred until a batch reads it. If every step reads every
    row, this is exactly Adam. Otherwise the deferred steps make three approximations: they use the
    learning rate and bias correction of the last step; they use the root mean square of the
    gradient at the middle step; the penalty is applied after the momentum.

    Args:
        decay: L2 coefficient; the penalty is half of it times the squared norm of the weights.
    """
    slowing = b1 / b2**0.5
    log_slowing, log_b2 = math.log(slowing), math.log(b2)

    def init(parameters: Any) -> LazyAdamState:
        first, second = (jax.tree.map(jnp.zeros_like, parameters) for _ in range(2))
        never = jax.tree.map(lambda table: jnp.zeros(len(table), jnp.int32), parameters)
        return LazyAdamState(jnp.zeros((), jnp.int32), first, second, never)

    def unbiased(steps: jax.Array) -> list[jax.Array]:
        return [1 - jnp.float32(b) ** jnp.maximum(steps, 1) for b in (b1, b2)]

    def caught_up(
        state: LazyAdamState, name: str, read: Callable[[Any], Any], table: Any
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return rows of a weight and of its running means as of step ``state.steps``."""
        weight, first, second = read(table), read(state.first[name]), read(state.second[name])
        missed = (state.steps - read(state.last[name])).astype(weight.dtype)
        missed = missed.reshape(-1, *(1,) * (weight.ndim - 1))
        size = jnp.asarray(rate(jnp.maximum(state.steps - 1, 0)))
        of_first, of_second = (1 / bias for bias in unbiased(state.steps))
        # Exponentials of products with scalars are cheaper than powers and quotients of each row.
        # A step without a gradient multiplies the mean by b1 and the root mean square by sqrt(b2):
        # it moves by b1 / sqrt(b2), ``slowing``, times the step before. The steps missed are a
        # geometric series, whose sum is slowing (1 - slowing^missed) / (1 - slowing).
        relative, half = jnp.exp(missed * log_slowing), jnp.exp(missed * log_b2 / 2)
        deviation = jnp.sqrt(second * of_second) + eps
        coasting = size * of_first * slowing / (1 - slowing) * (1 - relative)
        weight = weight - coasting * first / deviation
        if decay:
            # In the long run only the penalty's own gradient contributes to the root mean square.
            variance = second * of_second * half + (decay * weight) ** 2
            weight = weight * jnp.exp(missed * (-size * decay) / (jnp.sqrt(variance) + eps))
        return weight, first * (relative * half), second * half**2

    def current(
        parameters: Weights, state: LazyAdamState, rows: Mapping[str, RowNumbers]
    ) -> Weights:
        def read(name: str) -> Callable[[Any], Any]:
            return lambda table: take_rows(table, rows[name]) if name in rows else table

        return {n: caught_up(state, n, read(n), table)[0] for n, table in parameters.items()}

    def update(gradients: Any, state: LazyAdamState, parameters: Any) -> tuple[Any, LazyAdamState]:
        steps = state.steps + 1
        size = jnp.asarray(rate(state.steps))
        of_first, of_second = (1 / bias for bias in unbiased(steps))
        updates: dict[str, Any] = {}
        first, second, last = dict(state.first), dict(state.second), dict(state.last)
        for name, gradient in gradients.items():
            number, table = gradient.number, parameters[name]
            weight, mean, square = caught_up(
                state, name, lambda x, n=number: take_rows(x, n), table
            )
            slope = gradient.value + decay * weight
            mean = b1 * mean + (1 - b1) * slope
            square = b2 * square + (1 - b2) * slope**2
            change = -size * of_first * mean / (jnp.sqrt(square * of_second) + eps)
            updates[name] = Rows(number, weight - take_rows(table, number) + change)
            first[name] = put_rows(first[name], Rows(number, mean))
            second[name] = put_rows(second[name], Rows(number, square))
            step_numbers = jnp.broadcast_to(steps, number.shape)
            last[name] = put_rows(last[name], Rows(number, step_numbers))
        return updates, LazyAdamState(steps, first, second, last)

    return Optimiser(init, update, current, lambda weights, state: current(weights, state, {}))


def together(lazy: Optimiser, names: Collection[str], prompt: Optimiser) -> Optimiser:
    """Return an optimiser that is lazy for the weights in ``names`` and prompt for the others."""

    def split(tree: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        return (
            {n: x for n, x in tree.items() if n in names},
            {n: x for n, x in tree.items() if n not in names},
        )

    def init(parameters: Any) -> Any:
        lazy_part, prompt_part = split(parameters)
        return lazy.init(lazy_part), prompt.init(prompt_part)

    def update(gradients: Any, state: Any, parameters: Any) -> tuple[Any, Any]:
        updated: list[tuple[Any, Any]] = []
        parts = zip((lazy, prompt), split(gradients), state, split(parameters), strict=True)
        for optimiser, gradient, state_of_part, weights in parts:
            updated.append(optimiser.update(gradient, state_of_part, weights))
        (first, lazily), (second, promptly) = updated
        return {**first, **second}, (lazily, promptly)

    def current(parameters: Weights, state: Any, rows: Mapping[str, RowNumbers]) -> Weights:
        lazy_part, prompt_part = split(parameters)
        lazily: Any = lazy.current(lazy_part, state[0], rows)
        promptly: Any = prompt.current(prompt_part, state[1], {})
        return {**lazily, **promptly}

    def final(parameters: Weights, state: Any) -> Weights:
        lazy_part, prompt_part = split(parameters)
        lazily: Any = lazy.result(lazy_part, state[0])
        promptly: Any = prompt.result(prompt_part, state[1])
        return {**lazily, **promptly}

    return Optimiser(init, update, current, final)
