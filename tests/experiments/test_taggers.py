"""Slot taggers as systems, and the trivial baseline."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from semipunct.corpus.sentences import Sentence, Written
from semipunct.errors import TreebankError
from semipunct.features.strings import SlotStrings
from semipunct.models.kind import Config
from semipunct.papers.analysis.options import KIND, TaggerOptions, TaggerTrainOptions
from semipunct.training.train import train
from tests.papers.analysis.test_slot_tagging import HELD_OUT, TINY, TRAINING, planted

SHORTER = [planted("".join(tags)) for n in (2, 3) for tags in itertools.product("CX", repeat=n)]

Driver = Callable[[str], ModuleType]


def as_written(sentence_: Sentence, *, comma: str) -> Sentence:
    slots = tuple((comma,) if slot == (",",) else slot for slot in sentence_.slots)
    hidden = ("X",) * len(sentence_.forms)
    return replace(sentence_, upos=hidden, written=Written(slots))


def test_trivial_is_the_usual_end(driver: Driver):
    trivial = driver("taggers").Trivial.fit(TRAINING)
    assert trivial.restore(HELD_OUT)[0] == ((), (), (), (), (), (".",))
    (log_p,) = trivial.log_likelihoods([HELD_OUT[2]])
    tags = len(trivial.tags)
    # 16 empty slots and 64 others before the last one, half of the inner ones with a comma.
    spelt = math.exp(trivial.tags.log_evidence([(".",)])[0, -1])
    inner, last = (16 + 24 + 1 / tags) / (64 + 1), (16 + 1 / tags + spelt / tags) / (16 + 1)
    assert log_p == pytest.approx(math.log(inner * last), abs=1e-5)


def test_strings_that_are_no_tags_are_spelt_and_risk_is_edit_distance(driver: Driver):
    tags = SlotStrings.of(TRAINING)
    assert tags.strings == ((), (",",), (".",))
    evidence = np.exp(tags.log_evidence([(), (",",), (".", "."), ("☃",)]))
    np.testing.assert_array_equal(evidence[:, :-1], [[1, 0, 0], [0, 1, 0], [0] * 3, [0] * 3])
    assert evidence[0, -1] == 0
    assert ((evidence[1:, -1] > 0) & (evidence[1:, -1] < 1)).all()
    rows = np.array([[0.55, 0.45, 0, 0], [0.4, 0.3, 0.3, 0], [0.1, 0.2, 0.7, 0]])
    assert driver("taggers").least_risk(tags, rows) == [(), (), (".",)]


def test_a_planted_rule_is_learnt_and_corrects(driver: Driver, tmp_path: Path):
    options = TaggerTrainOptions(
        visits=40 * 28, evaluate_every=40 * 28, batch_size=16, learning_rate=0.03, dropout=0.05,
        word_dropout=0.05,
    )  # fmt: skip
    config = Config(KIND, TaggerOptions(network="crf", written=6, **TINY), options)
    examples = [as_written(s, comma=";") for s in (*TRAINING, *SHORTER)]
    training = train(examples, examples, tmp_path / "m", config=config)
    trained = driver("taggers").TaggerPunctuator(training.model, training.parameters)
    held_out = [as_written(s, comma=";") for s in HELD_OUT]
    assert trained.correct(held_out) == [s.slots for s in HELD_OUT]
    # Unknown marks are left unchanged.
    (_, *last), *_ = (s.slots for s in HELD_OUT[-1:])
    odd = replace(HELD_OUT[-1], written=Written((("¿",), *last)))
    assert trained.correct([odd]) == [(("¿",), *last)]
    slots = sum(len(s.slots) for s in HELD_OUT)
    trivial = driver("taggers").Trivial.fit(TRAINING).log_likelihoods(HELD_OUT).sum() / slots
    assert trained.log_likelihoods(held_out).sum() / slots > trivial / 4
    with pytest.raises(TreebankError, match="train it with --corrected"):
        trained.model.encode(HELD_OUT)
