"""The literal Algorithm 1, the baseline of the benchmark, agrees with the fast implementation."""

import importlib
from dataclasses import replace
from functools import cache

import jax
import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from tests.synthetic import english_parameters, generate

# By name: as a package, ``experiments`` exists in the repository only.
reference = importlib.import_module("experiments.benchmarks.reference")


@cache
def sentences(direction: str) -> list[Sentence]:
    lengths = dict.fromkeys(range(1, 9), 1 / 8)
    parameters = replace(english_parameters(), lengths=lengths, direction=direction)
    return [item.sentence for item in generate(parameters, 60, seed=2)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "direction, variant",
    [
        ("l2r", "matrices"),
        pytest.param("r2l", "matrices", marks=pytest.mark.exhaustive),
        pytest.param("r2l", "vectors", marks=pytest.mark.exhaustive),
    ],
)
def test_the_literal_algorithm_agrees(direction: str, variant: str):
    data = sentences(direction)
    options = ModelOptions(
        channel=direction,
        minimum_token_count=8,
        longest_puncteme=2,
        final_mark=direction == "l2r",
    )
    model = PunctuationModel.fit(data, options)
    parameters = model.initial_parameters(seed=1, scale=0.5)
    few = data[:6]
    batch = model.batch(model.encode(few), range(len(few)))
    padded = reference.lay_out(model, few, batch)

    def ours(parameters):
        return model.log_likelihoods(model.read(parameters, batch), batch)[: len(few)]

    def literal(parameters):
        return reference.log_likelihood(model, parameters, batch, padded, variant)

    fast, slow = jax.jit(ours)(parameters), jax.jit(literal)(parameters)
    np.testing.assert_allclose(fast, slow, rtol=1e-4)
    if variant == "vectors":  # one compilation of a gradient is sufficient
        gradients = [jax.jit(jax.grad(lambda p, f=f: f(p).sum())) for f in (ours, literal)]
        fast, slow = (gradient(parameters) for gradient in gradients)
        for name in parameters:
            np.testing.assert_allclose(fast[name], slow[name], rtol=1e-3, atol=1e-4, err_msg=name)
