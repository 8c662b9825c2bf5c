"""The tokeniser as a model: its probabilities, and a language whose rules it learns."""

from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import jax
import numpy as np
import pytest

from semipunct.corpus.passages import Passage
from semipunct.errors import ConfigError
from semipunct.models.segmentation.guises import IN_GUISE
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tags import tags_of
from semipunct.models.segmentation.tokeniser import Tokeniser
from semipunct.store.checkpoint import load
from semipunct.training.config import load_config
from tests.models.segmentation.passages import is_possible, passage
from tests.planted import figures


def test_probabilities_are_those_of_a_list_of_all_taggings(untrained: Segmenter):
    model, weights = untrained.model, untrained.parameters
    passages = [passage("ba _,", "do"), passage("So")]
    encoded = model.encode(passages)
    log_p = np.asarray(jax.jit(model.log_likelihoods)(weights, model.batch(encoded, [0, 1])))
    for number, passage_of_two in enumerate(passages):
        expected = 0.0
        for guise in model.options.guises:
            gold = IN_GUISE[guise](passage_of_two)
            score = untrained._scores(weights, [gold.text])[0]
            transition = np.asarray(weights["transition"])

            def weigh(tags, score=score, transition=transition) -> float:
                steps = sum(transition[a, b] for a, b in pairwise(tags))
                return float(sum(score[i, tag] for i, tag in enumerate(tags)) + steps)

            everything = [
                weigh(tags)
                for tags in product(range(4), repeat=len(gold.text))
                if is_possible(tags, gold.text)
            ]
            expected += weigh(tags_of(gold)) - np.logaddexp.reduce(everything)
        assert log_p[number] == pytest.approx(expected, abs=1e-4)


def test_rules_are_learnt(tokeniser: Path):
    best = figures(tokeniser)
    assert best["dev_written_tokens"] == 1.0
    assert best["dev_written_sentences"] == 1.0
    assert best["dev_stripped_tokens"] == 1.0
    # A sentence begins with "so", which occurs only there.
    assert best["dev_stripped_sentences"] == 1.0
    assert best["dev_f1"] == 1.0


def test_a_folder_is_loaded(tokeniser: Path):
    loaded = load(tokeniser, Tokeniser)
    text = "So, gu al ke. So Mo li.e."
    (segmentation,) = Segmenter(loaded.model, loaded.parameters).segment([text])
    forms = [text[a:b] for a, b in segmentation.tokens]
    assert forms == ["So", ",", "gu", "al", "ke", ".", "So", "Mo", "li.e", "."]
    assert [text[a:b] for a, b in segmentation.sentences] == ["So, gu al ke.", "So Mo li.e."]
    assert "passages" in (tokeniser / "README.md").read_text("utf-8")


def test_a_table_says_which_marks_do_not_look_so():
    written_passage = passage("a $ b *", "% $")
    tagged = replace(written_passage, marks=(False, True, False, False, False, True))
    model = Tokeniser.fit([tagged], load_config(None, kind="tokeniser").model)
    # An asterisk and a percent sign are of category P, a dollar sign is not.
    assert model.marks == ("$", "%", "*")
    assert isinstance(tagged, Passage)


@pytest.mark.parametrize("guises", ["none", "written,written", ""])
def test_guises_that_do_not_exist(guises: str):
    with pytest.raises(ConfigError, match="guise"):
        load_config(None, [f"model.guises={guises or '[]'}"], kind="tokeniser")
