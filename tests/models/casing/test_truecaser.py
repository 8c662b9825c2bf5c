"""The truecaser: its probabilities, and a language whose rules it learns."""

import random
from itertools import pairwise, product

import numpy as np
import pytest

from semipunct.corpus import Sentence, Words
from semipunct.errors import ModelError
from semipunct.models.casing.options import TruecaserOptions
from semipunct.models.casing.restorer import CaseRestorer
from semipunct.models.casing.shapes import possible, shape_of
from semipunct.models.casing.truecaser import Truecaser
from semipunct.store.checkpoint import load
from semipunct.tasks.evaluate import evaluate
from semipunct.tasks.truecase import truecase
from semipunct.training.config import load_config
from semipunct.training.loop import train
from semipunct.trees import DependencyTree

SETTINGS = [
    "model.size=12", "model.layers=1", "train.visits=960", "train.evaluate_every=320",
    "train.learning_rate=0.03",
]  # fmt: skip


def sentence(chance: random.Random) -> Sentence:
    """Draw one: capitals begin it and follow a colon; some words have their own."""
    forms, slots = [], [()]
    for i in range(chance.randint(3, 6)):
        word = chance.choice(["ba", "do", "Mo", "UN", "iPo", "1"])
        opens = i == 0 or slots[-1] == (":",)
        forms.append(word.capitalize() if opens and word.islower() else word)
        slots.append((":",) if chance.random() < 0.3 else ())
    slots[-1] = (".",)
    n = len(forms)
    tree = DependencyTree((0, *[1] * (n - 1)), ("root", *["dep"] * (n - 1)))
    columns = (tuple(forms), *[("_",) * n] * 4)
    return Sentence("s", "made", 1, *columns, tree, tuple(slots))


def drawn(count: int, seed: int) -> list[Sentence]:
    chance = random.Random(seed)
    return [sentence(chance) for _ in range(count)]


def test_probabilities_are_those_of_a_list_of_all_shapes():
    sentences = drawn(2, 0)
    model = Truecaser.fit(sentences, TruecaserOptions(size=4, layers=1, minimum_count=1))
    weights = model.initial_parameters(3, 1.0)
    batch = model.batch(model.encode(sentences), [0, 1])
    emission, transition = (np.asarray(x) for x in model.chain(weights, batch).log_weights)
    found = np.asarray(model.log_likelihoods(weights, batch))
    for row, s in enumerate(sentences):
        allowed = [
            np.flatnonzero(possible(form.lower(), model.vocabulary.mixed)) for form in s.forms
        ]

        def weigh(shapes, row=row) -> float:
            steps = sum(transition[0, 0, a, b] for a, b in pairwise(shapes))
            return float(sum(emission[row, i, x] for i, x in enumerate(shapes)) + steps)

        total = np.logaddexp.reduce([weigh(shapes) for shapes in product(*allowed)])
        gold = weigh([shape_of(form) for form in s.forms])
        assert found[row] == pytest.approx(gold - total, abs=1e-4)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("truecaser") / "m"
    config = load_config(None, SETTINGS, kind="truecaser")
    result = train(config, drawn(100, 1), drawn(20, 2), folder)
    return folder, result


def test_rules_are_learnt(trained):
    _, result = trained
    assert result.best["dev_accuracy"] == result.best["dev_capitals_f1"] == 1.0


def test_capitals_come_back(trained):
    folder, _ = trained
    loaded = load(folder, Truecaser)
    words = Words("w", "x", 1, ("do", "mo", "ba", "ipo", "un", "Do", "我", "1"), ((),) * 9)
    slots = [(), (), (":",), *[()] * 5, (".",)]
    (found,) = truecase(loaded, [words], [slots])
    assert found == ("Do", "Mo", "Ba", "iPo", "UN", "Do", "我", "1")
    (bare,) = truecase(loaded, [words])
    assert bare[2] == "ba"  # no colon before it
    assert truecase(loaded, []) == []


def test_the_longest_sentence(trained):
    folder, _ = trained
    loaded = load(folder, Truecaser)
    words = Words("w", "x", 1, ("do",) * 5000, ((),) * 5001)
    (found,) = CaseRestorer(loaded.model, loaded.parameters).restored([words])
    assert found[0] == "Do"
    assert {*found[1:]} == {"do"}


def test_it_has_no_perplexity_of_punctuation(trained):
    folder, _ = trained
    with pytest.raises(ModelError, match="truecaser predicts capitals"):
        evaluate(load(folder), drawn(1, 0))
