"""Variants of sentences that share scores of words and trees, and absorptions."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from semipunct.models.punctuation import variants as shared
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.variants import variant_log_likelihoods
from tests.models.punctuation.cases import SENTENCES, model

STRINGS = ((), (",",), ("“",), (",", "”"))


def test_variants_have_the_likelihoods_of_sentences_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared, "_ABSORPTIONS", 64)  # several groups
    monkeypatch.setattr(shared, "_LEAST", -15.0)  # the least probable ones are scored alone
    fitted = model("r2l", templates=("N", "A", "L", "R", "S", "side", "history"))
    weights = fitted.initial_parameters(1, 0.7)
    variants = [
        [
            replace(s, slots=(*s.slots[:slot], string, *s.slots[slot + 1 :]))
            for slot in range(len(s.slots))
            for string in STRINGS
        ]
        for s in SENTENCES
    ]
    scored: list[int] = []
    together = variant_log_likelihoods(fitted, weights, variants, scored.append)
    sentences = [*chain.from_iterable(variants)]
    alone = corpus_log_likelihood(fitted, weights, sentences)
    assert np.isfinite(alone).sum() > len(alone) / 2
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-4)
    assert len(scored) > 1
    assert sum(scored) == len(sentences)
