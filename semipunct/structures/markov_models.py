"""Hidden Markov models (Rabiner 1989), also with explicit durations (Yu 2010), and EM counts."""

from __future__ import annotations

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.arrays.shapes import as_log_weights, check_shapes
from semipunct.errors import UsageError
from semipunct.structures.chain import ChainParts, LinearChain, linear_chain
from semipunct.structures.semi_markov import SemiMarkovChain, semi_markov_chain
from semirings.numerics import safe_log

Form = Literal["log_probs", "probs", "logits"]

# Tolerance of the sum of a row of probabilities.
_ROUNDING = 1e-3


class HiddenMarkovCounts(NamedTuple):
    """Counts, or expected counts, of the parameters of a hidden Markov model.

    Attributes:
        initial: ``[states]``.
        transition: ``[states, states]``.
        emission: ``[states, symbols]``.
    """

    initial: jax.Array
    transition: jax.Array
    emission: jax.Array

    def log_probs(self, smoothing: float = 0.0) -> HiddenMarkovCounts:
        """Return maximum-likelihood log probabilities; rows without counts are uniform.

        Args:
            smoothing: added to each count.
        """

        def log_shares(counts: jax.Array) -> jax.Array:
            counts = counts + smoothing
            total = jnp.sum(counts, -1, keepdims=True)
            uniform = jnp.full_like(counts, 1 / counts.shape[-1])
            return safe_log(jnp.where(total > 0, counts / jnp.where(total > 0, total, 1), uniform))

        return HiddenMarkovCounts(*map(log_shares, self))


def hidden_markov(
    initial: npt.ArrayLike,
    transition: npt.ArrayLike,
    emission: npt.ArrayLike,
    observations: npt.ArrayLike | None = None,
    lengths: npt.ArrayLike | None = None,
    form: Form = "log_probs",
) -> LinearChain:
    """Build the state sequences of hidden Markov models, given observations.

    The log partition is the log likelihood; marginals are the posterior.

    Args:
        initial: ``[states]``.
        transition: ``[states, states]``; rows sum to one.
        emission: ``[states, symbols]``. Without ``observations``, log likelihoods
            ``[*batch, length, states]`` in any ``form``.
        observations: ``[*batch, length]`` symbols.
        lengths: ``[*batch]``; ``length`` by default.
        form: parametrisation of the other arguments.

    Raises:
        UsageError: if a shape, observation or length is invalid, or a row does not sum to one.
    """
    first = _log_probs("initial", initial, 1, form)
    follow = _log_probs("transition", transition, 2, form)
    by_position = _emitted(emission, observations, lengths, form, first, follow)
    if by_position.shape[-2]:
        by_position = by_position.at[..., 0, :].add(first.astype(by_position.dtype))
    return linear_chain(by_position, follow.astype(by_position.dtype), lengths)


def hidden_semi_markov(
    initial: npt.ArrayLike,
    transition: npt.ArrayLike,
    duration: npt.ArrayLike,
    emission: npt.ArrayLike,
    observations: npt.ArrayLike | None = None,
    lengths: npt.ArrayLike | None = None,
    form: Form = "log_probs",
) -> SemiMarkovChain:
    """Build the segmentations of hidden semi-Markov models.

    A state emits a symbol at each position. The last segment ends at the last position, uncensored.

    Args:
        duration: ``[states, widths]`` probability of widths 1, 2, ...
        emission: as for ``hidden_markov``, like the other arguments.

    Raises:
        UsageError: as for ``hidden_markov``.
    """
    first = _log_probs("initial", initial, 1, form)
    follow = _log_probs("transition", transition, 2, form)
    lasting = _log_probs("duration", duration, 2, form)
    by_position = _emitted(emission, observations, lengths, form, first, follow)
    sizes = check_shapes(duration=(lasting, "states widths"), initial=(first, "states"))

    def widen(shorter: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        # Extend each segment by one position to the right.
        leading = [(0, 0)] * (shorter.ndim - 2)
        ended_before = jnp.pad(shorter, (*leading, (1, 0), (0, 0)))[..., : shorter.shape[-2], :]
        return ended_before + by_position, ended_before + by_position

    nothing = jnp.zeros_like(by_position)
    _, by_width = jax.lax.scan(widen, nothing, None, length=sizes["widths"])
    segment = jnp.moveaxis(by_width, 0, -2) + lasting.T.astype(by_position.dtype)
    dtype = segment.dtype
    return semi_markov_chain(segment, follow.astype(dtype), first.astype(dtype), lengths)


def hidden_markov_counts(
    parts: ChainParts, observations: npt.ArrayLike, symbols: int
) -> HiddenMarkovCounts:
    """Count the uses of parameters, summed over all chains.

    Marginals give the expected counts of EM (Baum-Welch), best sequences the counts of Viterbi
    training. Leave out chains of probability zero.

    Args:
        parts: parts or marginals of chains from ``hidden_markov``.
        observations: ``[*batch, length]`` symbols.

    Raises:
        UsageError: if shapes do not match.
    """
    emission, observed = jnp.asarray(parts.emission), jnp.asarray(observations)
    leading = emission.ndim - 1 - observed.ndim
    if emission.shape[max(0, leading) : -1] != observed.shape:
        raise UsageError(
            f"observations has shape {observed.shape}, but the chains [*batch, length] "
            f"{emission.shape[max(0, leading) : -1]}"
        )
    emission = jnp.sum(emission, tuple(range(leading)))
    emission = emission.reshape(-1, *emission.shape[-2:])
    observed = observed.reshape(emission.shape[:2])
    transition = jnp.asarray(parts.transition)
    by_symbol = jax.nn.one_hot(observed, symbols, dtype=emission.dtype)
    return HiddenMarkovCounts(
        jnp.sum(emission[:, :1], (0, 1)),
        jnp.sum(transition, tuple(range(transition.ndim - 2))),
        jnp.einsum("bls,blo->so", emission, by_symbol, precision=jax.lax.Precision.HIGHEST),
    )


def _log_probs(name: str, parameter: npt.ArrayLike, axes: int, form: Form) -> jax.Array:
    """Return log probabilities, checked to sum to one."""
    if form not in ("log_probs", "probs", "logits"):
        raise UsageError(f"form is {form!r}, not 'log_probs', 'probs' or 'logits'")
    array = as_log_weights(parameter)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        array = array.astype(float)
    if array.ndim != axes:
        raise UsageError(f"{name} has shape {array.shape}; expected {axes} axes")
    if form == "logits":
        return jax.nn.log_softmax(array, -1)
    if not isinstance(array, Tracer):
        values = np.atleast_2d(np.asarray(array, float))
        with np.errstate(over="ignore"):
            values = np.exp(values) if form == "log_probs" else values
        wrong = np.flatnonzero(~((values >= 0).all(-1) & (abs(values.sum(-1) - 1) <= _ROUNDING)))
        if len(wrong):
            row = name if axes == 1 else f"{name}[{wrong[0]}]"
            raise UsageError(
                f"{row} is no distribution: its probabilities add up to "
                f"{values[wrong[0]].sum():g}, or one is negative; form is {form!r}"
            )
    return array if form == "log_probs" else safe_log(array)


def _emitted(
    emission: npt.ArrayLike,
    observations: npt.ArrayLike | None,
    lengths: npt.ArrayLike | None,
    form: Form,
    initial: jax.Array,
    transition: jax.Array,
) -> jax.Array:
    """Return log likelihoods ``[*batch, length, states]`` of observations."""
    check_shapes(initial=(initial, "states"), transition=(transition, "states states"))
    if observations is None:
        by_position = as_log_weights(emission)
        if by_position.ndim < 2 or by_position.shape[-1] != len(initial):
            raise UsageError(
                f"emission has shape {by_position.shape}; expected [*batch, length, {len(initial)}]"
            )
        return by_position
    table = _log_probs("emission", emission, 2, form)
    check_shapes(initial=(initial, "states"), emission=(table, "states symbols"))
    observed = jnp.asarray(observations)
    if not observed.ndim or not np.issubdtype(observed.dtype, np.integer):
        raise UsageError(
            f"observations must be integers [*batch, length], not {observed.dtype} of shape "
            f"{observed.shape}"
        )
    size = observed.shape[-1]
    counts = np.full(observed.shape[:-1], size) if lengths is None else jnp.asarray(lengths)
    if not any(isinstance(x, Tracer) for x in (observed, counts)):
        values = np.asarray(observed)
        inside = np.arange(size) < np.asarray(counts)[..., None]
        wrong = np.argwhere(((values < 0) | (values >= table.shape[1])) & inside)
        if len(wrong):
            place = wrong[0].tolist()
            raise UsageError(
                f"observations{place} is {values[tuple(place)]}; emission has symbols 0 to "
                f"{table.shape[1] - 1}"
            )
    return table.T[jnp.clip(observed, 0, table.shape[1] - 1)]
