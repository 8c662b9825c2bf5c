"""Correction models: requirements, counts, and regularisation towards another model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from semipunct.corpus.sentences import Sentence, Written
from semipunct.errors import ModelError, TreebankError
from semipunct.models.contents import with_arrays, without_arrays
from semipunct.models.punctuation.corrector import CorrectionModel, count_corrections
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions, TrainOptions
from tests.models.punctuation.cases import sentence

TINY: dict[str, Any] = {
    "minimum_token_count": 1, "minimum_pair_count": 1, "minimum_context_count": 1,
    "templates": ("N", "written"),
}  # fmt: skip

RIGHT = sentence([2, 0, 2], ["", ",", "", "."])


def written(slots: Sequence[str], pairs: tuple[Any, ...] | None = None) -> Sentence:
    return replace(RIGHT, written=Written(tuple(tuple(s.split()) for s in slots), pairs))


SENTENCES = [written(["", ",", "", "."]), written(["", "", "", "."]), written(["", ";", "", ". ."])]


@pytest.fixture(scope="module")
def fitted() -> CorrectionModel:
    return CorrectionModel.fit(SENTENCES, ModelOptions(**TINY))


def test_corrections_are_counted(fitted: CorrectionModel):
    # A superfluous token, a missing one, and a substituted one.
    assert fitted.errors == {((), (",",)): 1, ((".",), ()): 1, ((";",), (",",)): 1}
    assert count_corrections(SENTENCES[:1]) == {}
    assert fitted.may_become((), (",",))
    assert fitted.may_become((",",), (",",))
    assert fitted.may_become(("(",), (",", "("))
    assert not fitted.may_become((",",), ())
    assert not fitted.may_become(("(",), (",",))


def test_what_was_written_is_needed(fitted: CorrectionModel):
    for ask in (fitted.encode, fitted.encode_trees):
        with pytest.raises(TreebankError, match="only correct punctuation"):
            ask([RIGHT])
    with pytest.raises(TreebankError, match="train it with --corrected"):
        CorrectionModel.fit([RIGHT], ModelOptions(**TINY))
    options = ModelOptions(**{**TINY, "templates": ("N", "analysed")})
    with pytest.raises(TreebankError, match="as --analysis"):
        CorrectionModel.fit(SENTENCES, options)
    analysed = [replace(s, written=replace(s.written, pairs=(((), ()),) * 3)) for s in SENTENCES]  # type: ignore[type-var]
    assert CorrectionModel.fit(analysed, options).analysed
    assert not fitted.analysed


def test_data_comes_back(fitted: CorrectionModel):
    base_model = PunctuationModel.fit(SENTENCES, ModelOptions(**TINY))
    weights = base_model.initial_parameters(3, 1.0)
    model = fitted.near(base_model, weights)
    plain, arrays = without_arrays(model.to_data())
    again = CorrectionModel.from_data(with_arrays(plain, arrays), model.options)
    assert again.errors == model.errors
    assert list(again.errors) == list(model.errors)
    assert again.fingerprint == model.fingerprint != fitted.fingerprint
    assert {n: w.tolist() for n, w in again.centre.items()} == {
        n: w.tolist() for n, w in model.centre.items()
    }
    damaged = {**plain, "errors": [[[","], [","], 1]]}
    with pytest.raises(ValueError, match="count below 1"):
        CorrectionModel.from_data(with_arrays(damaged, arrays), model.options)


def test_the_channel_is_kept_close_to_another_one(fitted: CorrectionModel):
    """Tokens are matched: the other alphabet differs in order, with one token more and one less."""
    texts = [["", ";", "", "."], ["", "!", "", "."], ["", "!", "", "!"]]
    base_sentences = [replace(s, slots=tuple(tuple(x.split()) for x in t)) for s, t in
              zip(SENTENCES, texts, strict=True)]  # fmt: skip
    base_model = PunctuationModel.fit(base_sentences, ModelOptions(**TINY))
    weights = base_model.initial_parameters(3, 1.0)
    model = fitted.near(base_model, weights)
    own_symbols, base_symbols = fitted.inventory.symbols, base_model.inventory.symbols
    assert own_symbols != base_symbols
    dot, comma = own_symbols.index("."), own_symbols.index(",")
    assert "," not in base_symbols
    name = "channel.0.window"
    assert (
        model.centre[name][2, dot, dot]
        == weights[name][2, base_symbols.index("."), base_symbols.index(".")]
    )
    assert not model.centre[name][:, comma].any()
    strength = "channel.0.strength"
    assert model.centre[strength][dot] == weights[strength][base_symbols.index(".")]
    start = model.initial_parameters(0, 1.0)
    assert np.array_equal(start[name], model.centre[name])
    constants = model.constants(TrainOptions(centre="zero"))
    assert np.array_equal(np.asarray(constants[name]), model.centre[name])
    with pytest.raises(ModelError, match="the same settings"):
        fitted.near(base_model, {})
    without = CorrectionModel.fit(SENTENCES, ModelOptions(**{**TINY, "channel": "none"}))
    with pytest.raises(ModelError, match="no channel"):
        without.near(base_model, weights)
    with pytest.raises(ModelError, match="no weights in common"):
        base_model.near(fitted, {})
