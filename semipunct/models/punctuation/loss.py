"""The training loss: equation 5, per slot.

The expected number of unmatched punctemes is under the posterior or, as in the paper's algorithm,
under the prior (docs/decisions/punctuation-model.md).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from semipunct.models.base import Parameters, Sums
from semipunct.models.punctuation.attach import FEATURES
from semipunct.models.punctuation.options import TrainOptions
from semipunct.structures.given_tree import GivenTrees, inside
from semirings.expectation import Expectation
from semirings.real import Real


def expected_unmatched_marks(
    potentials: GivenTrees, *, printed: bool
) -> tuple[jax.Array, jax.Array]:
    """Return log-likelihood and E[c], both ``[sentences]`` (appendix B).

    Args:
        potentials: their ``feature`` is one for unmatched pairs.
        printed: take the expectation under the prior, which needs no inside values.
    """
    if printed:
        total = inside(potentials._replace(feature=None), Real())
        feature = 0.0 if potentials.feature is None else potentials.feature
        prior = jnp.sum(jnp.exp(potentials.choice) * feature, 1)
        schedule = potentials.schedule
        by_sentence = jax.ops.segment_sum(
            jnp.where(schedule.is_word, prior, 0.0),
            schedule.sentence_of_word,
            schedule.last.shape[0],
        )
        return Real().log_weight(total.value) + total.log_scale, by_sentence
    semiring = Expectation(Real())
    total = inside(potentials, semiring)
    return semiring.log_weight(total.value) + total.log_scale, semiring.expected_value(total.value)


def loss(
    potentials: GivenTrees,
    slots: jax.Array,
    parameters: Parameters,
    start: Parameters,
    options: TrainOptions,
) -> tuple[jax.Array, Sums]:
    """Return the regularised negative log-likelihood per slot, and sums over the batch.

    Args:
        slots: ``[sentences]``, number of slots; zero in the padding.
        start: centres of norms by name, zero by default.
    """
    if options.xi:
        log_p, unmatched = expected_unmatched_marks(potentials, printed=options.printed_regulariser)
    else:
        total = inside(potentials, Real())
        log_p = Real().log_weight(total.value) + total.log_scale
        unmatched = jnp.zeros_like(log_p)
    possible = (log_p > -jnp.inf) & (slots > 0)
    sums = Sums(
        jnp.sum(jnp.where(possible, log_p, 0.0)),
        jnp.sum(jnp.where(possible, slots, 0)),
        jnp.sum((slots > 0) & ~possible),
    )
    each = unmatched**2 if options.squared else unmatched
    penalty = jnp.where(possible, each, 0.0).sum() * options.xi
    norm = jnp.zeros(())
    for name, weight in parameters.items():
        if name.startswith("channel"):
            l2 = options.channel_l2 if name.endswith(".window") else options.tied_l2
            norm += l2 * jnp.sum((weight - start.get(name, 0.0)) ** 2)
        elif not (options.lazy and name in FEATURES):
            offset = start.get(name, 0.0) if options.centre == "counts" else 0.0
            norm += options.l2 * jnp.sum((weight - offset) ** 2)
    total = -sums.log_likelihood + penalty + norm * jnp.sum(slots > 0)
    return total / jnp.maximum(sums.slots, 1), sums
