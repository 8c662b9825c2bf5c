from dataclasses import replace

import pytest

from semipunct.models.kind import Config
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import KIND
from semipunct.store.card import data_names, model_card
from semipunct.training.run import data_files
from tests.models.punctuation.cases import SENTENCES, TRAINING


@pytest.fixture(scope="module")
def model():
    config = Config.of(KIND)
    return PunctuationModel.fit(TRAINING, replace(config.model, templates=("N",)))


def test_a_card_names_data_that_is_no_file(model):
    read = [replace(s, path="<stdin>") for s in SENTENCES]
    (file,) = data_files(read)
    assert (file.name, file.sha256, file.sentences) == ("<stdin>", "", len(read))
    card = model_card(model, Config.of(KIND), [file], [file], {"dev_perplexity": None}, "")
    assert f"| training | `<stdin>` | {len(read)} |" in card
    assert data_names(card) == ["<stdin>", "<stdin>"]
    renamed = replace(file, name="zh/a b-ud.conllu", sentences=12_345, sha256="0f")
    assert data_names(model_card(model, Config.of(KIND), [renamed], [], {}, "")) == [renamed.name]
    assert "| dev perplexity | infinite |" in card
    assert "kind is `punctuation`" in card
    assert "train.l2 = 0.001" in card
    assert "semipunct decode MODEL IN.conllu" in card
    assert "Made by" not in card
