"""The truecaser: its probabilities, and a language whose rules it learns."""

from itertools import pairwise, product
from pathlib import Path

import jax
import numpy as np
import pytest

from semipunct.corpus import Words
from semipunct.errors import ModelError
from semipunct.features.word_shapes import possible, shape_of
from semipunct.models.casing.options import TruecaserOptions
from semipunct.models.casing.restorer import CaseRestorer
from semipunct.models.casing.truecaser import Truecaser
from semipunct.store.checkpoint import load
from semipunct.tasks.evaluate import evaluate
from semipunct.tasks.truecase import truecase
from tests.models.casing.sentences import drawn
from tests.planted import figures


def test_probabilities_are_those_of_a_list_of_all_shapes():
    sentences = drawn(2, 0)
    model = Truecaser.fit(sentences, TruecaserOptions(size=4, layers=1, minimum_count=1))
    weights = model.initial_parameters(3, 1.0)
    batch = model.batch(model.encode(sentences), [0, 1])
    emission, transition = (np.asarray(x) for x in model.chain(weights, batch).log_weights)
    log_p = np.asarray(jax.jit(model.log_likelihoods)(weights, batch))
    for row, s in enumerate(sentences):
        allowed = [
            np.flatnonzero(possible(form.lower(), model.vocabulary.mixed)) for form in s.forms
        ]

        def weigh(shapes, row=row) -> float:
            steps = sum(transition[0, 0, a, b] for a, b in pairwise(shapes))
            return float(sum(emission[row, i, x] for i, x in enumerate(shapes)) + steps)

        total = np.logaddexp.reduce([weigh(shapes) for shapes in product(*allowed)])
        gold = weigh([shape_of(form) for form in s.forms])
        assert log_p[row] == pytest.approx(gold - total, abs=1e-4)


def test_rules_are_learnt(truecaser: Path):
    best = figures(truecaser)
    assert best["dev_accuracy"] == best["dev_capitals_f1"] == 1.0


def test_capitals_come_back(truecaser: Path):
    loaded = load(truecaser, Truecaser)
    words = Words("w", "x", 1, ("do", "mo", "ba", "ipo", "un", "Do", "我", "1"), ((),) * 9)
    slots = [(), (), (":",), *[()] * 5, (".",)]
    (recased,) = truecase(loaded, [words], [slots])
    assert recased == ("Do", "Mo", "Ba", "iPo", "UN", "Do", "我", "1")
    (bare,) = truecase(loaded, [words])
    assert bare[2] == "ba"  # no preceding colon
    assert truecase(loaded, []) == []


def test_the_longest_sentence(truecaser: Path):
    loaded = load(truecaser, Truecaser)
    words = Words("w", "x", 1, ("do",) * 5000, ((),) * 5001)
    (recased,) = CaseRestorer(loaded.model, loaded.parameters).restore([words])
    assert recased[0] == "Do"
    assert {*recased[1:]} == {"do"}


def test_it_has_no_perplexity_of_punctuation(truecaser: Path):
    with pytest.raises(ModelError, match="truecaser predicts capitals"):
        evaluate(load(truecaser), drawn(1, 0))
