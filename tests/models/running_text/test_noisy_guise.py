"""The error channel has the given rates, and the noisy guise shows its output."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import semipunct
from semipunct.corpus.learners import LearnerErrors, Made, Situation
from semipunct.corpus.word_streams import items, word_stream
from semipunct.marks import Puncteme
from semipunct.models.running_text import errors
from semipunct.models.running_text.errors import error_rates, written_strings
from semipunct.models.running_text.guises import HIDDEN, drawn_guise
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.options import TextOptions, TextTrainOptions
from semipunct.models.running_text.reader import Case, Query, TextReader
from tests.models.running_text.texts import passages, text

STRINGS: tuple[Puncteme, ...] = ((), (",",), (".",), ("”",), (".", "”"), ("”", "."))
NOBODY = LearnerErrors({}, {})


def test_the_rates_of_any_language():
    rates = error_rates(STRINGS, NOBODY)
    expected = np.zeros((7, 7))
    expected[0, 1] = errors.INSERTION * 0.8  # of the ranks 1 and 2: 1 and 1/4 of 5/4
    expected[0, 2] = errors.INSERTION * 0.2
    expected[1, 0] = errors.DELETION
    expected[1, 2] = expected[2, 1] = errors.REPLACEMENT
    expected[2, 0] = expected[3, 0] = errors.DELETION_OF_OTHERS
    expected[4, [2, 3]] = expected[5, [2, 3]] = errors.DELETION_OF_OTHERS
    expected[4, 5] = expected[5, 4] = errors.EXCHANGE
    np.testing.assert_allclose(rates, expected, rtol=1e-6)


def test_frequent_counts_of_learners_prevail():
    comma = Situation((",",), "medial")
    counts = LearnerErrors({comma: 1980}, {comma: {(): Made(990, 990), ("?",): Made(5, 5)}})
    rates = error_rates(STRINGS, counts)
    # 1,980 slots of learners and 20 of the channel for any language
    assert rates[1, 0] == pytest.approx((990 + 20 * errors.DELETION) / 2000)
    assert rates[1, 2] == pytest.approx(20 * errors.REPLACEMENT / 2000)
    np.testing.assert_allclose(rates[2:], error_rates(STRINGS, NOBODY)[2:])


def test_errors_are_as_frequent_as_the_rates():
    rates = jnp.asarray(error_rates(STRINGS, NOBODY))
    tags = jnp.tile(jnp.arange(7), (3, 30_000))
    factors = jnp.array([[0.0], [1.0], [2.0]])
    written = np.asarray(written_strings(jax.random.key(0), tags, rates, factors))
    for row, factor in enumerate(factors[:, 0].tolist()):
        table = np.zeros((7, 7))
        np.add.at(table, (np.asarray(tags[row]), written[row]), 1 / 30_000)
        expected = np.asarray(rates) * factor
        np.fill_diagonal(expected, 1 - expected.sum(1))
        np.testing.assert_allclose(table, expected, atol=0.012)
    often = written_strings(jax.random.key(0), tags, 1.1 * rates, jnp.full((3, 1), 3.0))
    assert np.mean(np.asarray(often)[tags == 1] == 1) == pytest.approx(0.1, abs=0.01)


def test_the_noisy_guise_shows_every_slot_and_asks_for_all():
    model = TextModel.fit(passages(40, 0), TextOptions(size=8, layers=1, strings=4))
    batch = model.batch(model.encode(passages(400, 1)), list(range(64)), 64)
    options = TextTrainOptions(noisy=0.5, bare=0.5, divided=0)
    drawn = drawn_guise(jax.random.key(1), batch, options, jnp.asarray(model.errors))
    guise = jax.tree.map(np.asarray, drawn)
    empty = 1
    noisy = (guise.marks == empty).any(1)
    assert 0.3 < noisy.mean() < 0.7
    size = int(batch.lengths[0])
    inner = guise.marks[:, 1:size]
    assert (inner[noisy] != HIDDEN).all()
    assert (guise.marks[noisy, 0] == HIDDEN).all()
    assert 0.2 < (guise.marks[noisy, size] == HIDDEN).mean() < 0.8
    assert guise.predicted[noisy].all()
    assert not guise.certain[noisy].any()
    # In the other guises empty slots are hidden, shown marks are right, and only others asked for.
    shown = guise.marks != HIDDEN
    assert (shown == ~guise.predicted)[~noisy].all()
    assert (guise.marks - 1 == batch.tags)[shown & ~noisy[:, None]].all()
    assert shown[~noisy].any()
    # Most strings of the noisy guise are right, but not all.
    right = (inner - 1 == batch.tags[:, 1:size])[noisy]
    assert 0.8 < right.mean() < 1
    assert ((guise.shapes == HIDDEN) | (guise.shapes - 1 == batch.shapes))[~noisy].all()
    seen = guise.shapes[noisy, :size]
    assert (seen != HIDDEN).mean() > 0.8
    wrong = (seen != HIDDEN) & (seen - 1 != batch.shapes[noisy, :size])
    assert 0 < wrong.mean() < 0.03


@pytest.fixture(scope="module")
def reader(text_model: Path) -> TextReader:
    saved = semipunct.load(text_model)
    return TextReader(saved.model, saved.parameters)


def test_hidden_and_empty_slots_differ(reader: TextReader):
    forms = tuple(text(6, 3).replace(",", "").replace(".", "").split())
    slots: list[Puncteme] = [()] * (len(forms) + 1)
    slots[3] = (".",)
    shown, written = reader.read(
        [Query(forms, slots, Case.EVERYTHING), Query(forms, slots, Case.EVERYTHING, True)]
    )
    assert np.abs(shown.strings[5:] - written.strings[5:]).max() > 0.01
    # The capitals of a written text may be wrong.
    assert np.isneginf(shown.shapes).any(1).all()
    assert not np.isneginf(written.shapes[:, :2]).any()


def test_systematic_errors_are_corrected(reader: TextReader):
    stream = word_stream("a.txt", items([text(60, 5)]))
    forms = [stream.forms[i] for i in stream.words]
    right = [stream.strings[i] for i in stream.slots]
    commas = [slot for slot, string in enumerate(right) if string == (",",)]
    written = list(right)
    for slot in commas[::3]:
        written[slot] = ()
    misplaced = [slot for slot, string in enumerate(right[:-1]) if not string and slot > 1][::20]
    for slot in misplaced:
        written[slot] = (",",)
    (reading,) = reader.read([Query(forms, written, Case.EVERYTHING, True)])
    corrected = [reader.model.strings.strings[i] for i in reading.strings[1:, :-1].argmax(1)]
    assert corrected[:-1] == right[1:-1]
