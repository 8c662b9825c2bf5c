import json
import math
from dataclasses import replace

import numpy as np
import pytest

from semipunct.corpus.digest import treebank_digest
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from semipunct.store.card import data_files, model_card
from semipunct.training.config import Config
from semipunct.training.evaluation import evaluate, summarise


def test_perplexity_is_per_slot():
    found = summarise(np.array([-3.0, -1.0]), np.array([3, 5]))
    assert found.perplexity == pytest.approx(math.exp(0.5))
    assert found.perplexity_of_scorable == found.perplexity
    assert (found.sentences, found.slots, found.log_likelihood) == (2, 8, -4.0)


def test_one_impossible_sentence_makes_it_infinite():
    found = summarise(np.array([-3.0, -np.inf, -1.0]), np.array([3, 9, 5]))
    assert found.perplexity == math.inf
    assert found.unscorable == 1
    assert found.perplexity_of_scorable == pytest.approx(math.exp(0.5))


def test_extremes():
    assert math.isnan(summarise(np.zeros(0), np.zeros(0, int)).perplexity)
    assert summarise(np.array([-1e6]), np.array([2])).perplexity == math.inf


def test_hard_sets_leave_sentences_unscorable(tiny):
    options = ModelOptions(hard_sets=True, templates=("N",), minimum_token_count=2)
    model = PunctuationModel.fit(tiny.train, options)
    odd = replace(tiny.train[0], slots=((";", "?"), *tiny.train[0].slots[1:]))
    found = evaluate(model, model.initial_parameters(0, 0.0), [*tiny.train[:3], odd], "abc")
    # So few sentences leave some of themselves out, too: a relation only seen before a period.
    impossible = np.isneginf(found.sentence_log_likelihood)
    assert impossible[-1]
    assert found.unscorable == impossible.sum() < 4
    assert found.perplexity == math.inf
    assert 1 < found.perplexity_of_scorable < math.inf
    assert "|treebank:abc|channel:r2l|sets:hard|" in found.signature


def test_digests_see_what_the_model_sees(tiny):
    digest = treebank_digest(tiny.dev)
    assert digest == treebank_digest(list(tiny.dev))
    first = tiny.dev[0]
    assert digest == treebank_digest([replace(first, path="elsewhere", line=7), *tiny.dev[1:]])
    for change in (
        {"forms": ("X", *first.forms[1:])},
        {"upos": ("X", *first.upos[1:])},
        {"xpos": ("X", *first.xpos[1:])},
        {"feats": ("Case=Nom", *first.feats[1:])},
        {"slots": (("!",), *first.slots[1:])},
        {"tree": replace(first.tree, relations=("dep", *first.tree.relations[1:]))},
    ):
        assert digest != treebank_digest([replace(first, **change), *tiny.dev[1:]])


def test_a_card_names_data_that_is_no_file(tiny):
    read = [replace(s, path="<stdin>") for s in tiny.dev]
    (file,) = data_files(read)
    assert (file.name, file.sha256, file.sentences) == ("<stdin>", "", len(read))
    card = model_card(Config(), [file], [file], {"dev_perplexity": None}, "")
    assert "| training | `<stdin>` | 12 |" in card
    assert "| dev perplexity | infinite |" in card
    assert "Made by" not in card
    assert json.dumps(Config().to_dict())


def test_a_card_says_how_pairs_are_scored():
    neural = Config(model=ModelOptions(network=True))
    assert "A log-linear model" in model_card(Config(), [], [], {}, "")
    assert "A log-linear and neural model" in model_card(neural, [], [], {}, "")
