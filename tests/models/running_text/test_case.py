"""Capitals are evidence as far as a passage has them."""

from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

from semipunct.corpus.word_streams import items, word_stream
from semipunct.features.word_shapes import CAPITALISED
from semipunct.models.running_text.guises import HIDDEN, drawn_guise
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.options import TextOptions, TextTrainOptions
from semipunct.models.running_text.reader import Case, case_of_words

TEXT = "The man met Al. Al saw the man. The man saw Bo. He met Bo and Al. "
PASSAGES = word_stream("a.txt", items([TEXT * 8])).passages(16)
MODEL = TextModel.fit(PASSAGES, TextOptions(size=8, layers=1))


@pytest.mark.parametrize(
    "text, case",
    [
        ("the man saw al the man met bo", Case.CAPITALS),
        ("the man saw Al the man met Bo", Case.CAPITALS),
        ("The man saw Al", Case.CAPITALS),  # one beginning may be an accident
        ("The man saw Al The man met Bo", Case.EVERYTHING),
        ("THE MAN SAW AL THE MAN MET BO", Case.NOTHING),
        ("The Man Saw The Man And Met Bo", Case.NOTHING),
        ("the man saw NASA", Case.CAPITALS),
        ("中", Case.CAPITALS),
        ("", Case.CAPITALS),
    ],
)
def test_frequent_words_show_what_capitals_mean(text: str, case: Case):
    model: Any = SimpleNamespace(frequent={"the", "man", "saw", "met", "and"})
    assert case_of_words(model, text.split()) == case


def test_passages_show_names_without_beginnings():
    batch = MODEL.batch(MODEL.encode(PASSAGES), range(len(PASSAGES)))
    options = TextTrainOptions(noisy=0.0, divided=0.0, lowered=1.0, named=1.0)
    guise = drawn_guise(jax.random.key(0), batch, options, MODEL.errors)
    shown, shapes = np.asarray(guise.shapes) != HIDDEN, np.asarray(batch.shapes)
    begins = batch.ends[:, :-1] & (shapes == CAPITALISED)
    is_name = batch.named & (shapes == CAPITALISED)
    assert not shown[shapes != CAPITALISED].any()
    assert shown[is_name & ~begins].all()
    assert 0 < shown[begins & ~is_name].mean() < 0.5 < shown[begins & is_name].mean()
    assert (np.asarray(guise.certain) == shown).all()
    hidden = drawn_guise(jax.random.key(0), batch, TextTrainOptions(
        noisy=0.0, divided=0.0, lowered=1.0, named=0.0
    ), MODEL.errors)  # fmt: skip
    assert (np.asarray(hidden.shapes) == HIDDEN).all()
