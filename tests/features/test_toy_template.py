"""Demonstrates that a new feature template requires one file and one registry entry.

The toy template defines an attribute. It is selected by a setting, fitted, extracted and weighted,
and it is saved to and loaded from a model folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from semipunct.errors import ModelError
from semipunct.features.templates import TEMPLATES
from semipunct.models.punctuation.attach import log_attach
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store.checkpoint import load, save
from semipunct.training.config import Config, load_config
from tests.models.punctuation.cases import TRAINING, batch_of, sentence

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "vowel_template.py"
SETTINGS = (
    "model.templates=N,vowel",
    "model.minimum_token_count=1",
    "model.minimum_context_count=1",
)
APPLE = replace(
    sentence([3, 3, 0], ["", "", "", "."], ["dep", "appos", "root"]), forms=("An", "apple", "falls")
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    before = list(TEMPLATES)
    TEMPLATES.append(import_module("vowel_template").VOWEL)
    yield
    TEMPLATES[:] = before


@pytest.fixture
def config() -> Config:
    return load_config(None, SETTINGS)


@pytest.fixture
def fitted(config: Config) -> PunctuationModel:
    return PunctuationModel.fit([*TRAINING, APPLE], config.model)


def numbers_of(model: PunctuationModel, parts: tuple[str, ...]) -> list[list[int]]:
    """Return the features of one family at each word of ``APPLE``, by their index in the family."""
    (family,) = (c for c in model.features.conjunctions if c.parts == parts)
    rows = model.features.extract([APPLE])["pair"]
    numbers = [
        rows.context[a:b] - family.offset for a, b in zip(rows.start, rows.start[1:], strict=False)
    ]
    return [[int(i) for i in x if 0 <= i < len(family.kept)] for x in numbers]


def test_a_setting_chooses_it(fitted: PunctuationModel):
    assert [c.parts for c in fitted.features.conjunctions if "vowel" in c.templates] == [
        ("relation", "vowel"),
        ("vowel",),
    ]
    # No other word of the training sentences begins with a vowel: 0 stands for no vowel, 1 for one.
    assert numbers_of(fitted, ("vowel",)) == [[1], [1], [0]]
    first, second, third = numbers_of(fitted, ("relation", "vowel"))
    assert len({*first, *second, *third}) == 3


def test_its_weights_count(fitted: PunctuationModel):
    (family,) = (c for c in fitted.features.conjunctions if c.parts == ("vowel",))
    parameters = fitted.initial_parameters(0, 0.0)
    batch = batch_of(fitted, [APPLE])

    def chosen() -> np.ndarray:
        read = fitted.read(parameters, batch)
        log_p = log_attach(read, fitted.attach_tables, batch.features, batch.relation)
        return np.asarray(log_p)[:3]

    before = chosen()
    _, numbers, outcomes = fitted.supports["pair"].of(np.array([family.offset + 1]))
    parameters["attach.pair"][numbers[0]] += 1.0
    changed = chosen() - before
    assert (changed[:2, outcomes[0]] > 0.1).all()
    np.testing.assert_array_equal(changed[2], 0)


def test_a_model_folder_keeps_it(fitted: PunctuationModel, config: Config, tmp_path: Path):
    save(tmp_path / "m", fitted, fitted.initial_parameters(0, 0.0), config)
    again = load(tmp_path / "m", PunctuationModel).model
    original, loaded = (m.features.extract([APPLE])["pair"] for m in (fitted, again))
    np.testing.assert_array_equal(original.context, loaded.context)
    TEMPLATES.pop()
    with pytest.raises(ModelError, match="no feature template 'vowel'"):
        load(tmp_path / "m")
