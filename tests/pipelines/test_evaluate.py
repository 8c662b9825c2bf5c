import math
from dataclasses import replace

import numpy as np
import pytest

from semipunct.corpus.examples import treebank_digest
from semipunct.evaluation.results import split_signature
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from semipunct.pipelines.evaluation import evaluate
from semipunct.pipelines.trained import InPlace
from tests.models.punctuation.cases import SENTENCES, TRAINING


@pytest.fixture(scope="module")
def hard():
    options = ModelOptions(hard_sets=True, templates=("N",), minimum_token_count=2)
    model = PunctuationModel.fit(TRAINING, options)
    return InPlace(model, model.initial_parameters(0, 0.0))


def test_one_impossible_sentence_makes_the_perplexity_infinite(hard):
    odd = replace(TRAINING[0], slots=(("?", "?"), *TRAINING[0].slots[1:]))
    found = evaluate(hard, [*TRAINING[:3], odd], treebank="abc")
    impossible = np.isneginf(found.statistics.log_likelihood)
    assert impossible[-1]
    figures = found.statistics.figures()
    assert figures.unscorable == impossible.sum() < 4
    assert figures.perplexity == math.inf
    assert 1 < figures.perplexity_of_scorable < math.inf
    assert "|treebank:abc|channel:r2l|sets:hard|" in found.signature


def test_nothing_has_no_perplexity(hard):
    assert math.isnan(evaluate(hard, []).statistics.figures().perplexity)


def test_the_signature_names_what_was_measured(hard):
    parts = split_signature(evaluate(hard, SENTENCES[:2]).signature)
    assert parts["task"] == "perplexity"
    assert parts["treebank"] == treebank_digest(SENTENCES[:2])[:12]
    assert {"tokens", "final", "version", "model"} <= parts.keys()
    assert evaluate(hard, SENTENCES[:2]).signature == evaluate(hard, SENTENCES[:2]).signature
    other = InPlace(hard.model, hard.model.initial_parameters(1, 1.0))
    model = split_signature(evaluate(other, SENTENCES[:2]).signature)["model"]
    assert model != parts["model"]
