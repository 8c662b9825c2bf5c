"""The five programs of ``first_answers.py`` with semipunct."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from semipunct.structures import (
    Distribution,
    ctc,
    linear_chain,
    nonprojective_trees,
    pcfg,
    semi_markov_chain,
)

array, wait = jnp.asarray, jax.block_until_ready


def crf(emission: Any, transition: Any, tags: Any) -> Any:
    """Return the loss of a conditional random field and its gradients."""

    def loss(emission: Any, transition: Any) -> Any:
        return -Distribution(linear_chain(emission, transition)).log_prob(tags).mean()

    return jax.jit(jax.value_and_grad(loss, (0, 1)))(emission, transition)


def semi_markov(segment: Any, transition: Any) -> Any:
    """Return the best segmentation."""
    return Distribution(semi_markov_chain(segment, transition)).argmax()


def grammar(root: Any, rules: Any, emission: Any) -> Any:
    """Return the best parse."""
    return Distribution(pcfg(root, rules, emission, spans=0.0)).argmax()


def spanning_trees(arcs: Any) -> Any:
    """Return the marginals of arcs."""
    return Distribution(nonprojective_trees(arcs)).marginals()


def alignments(log_probs: Any, labels: Any) -> Any:
    """Return the CTC loss and its gradient."""

    def loss(log_probs: Any) -> Any:
        return -Distribution(ctc(log_probs, labels)).log_partition().mean()

    return jax.jit(jax.value_and_grad(loss))(log_probs)
