"""The text model is a distribution over strings and capitals, and reads long texts in windows."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.corpus.word_streams import items, word_stream
from semipunct.features.word_shapes import SHAPES
from semipunct.models.running_text.model import TextModel, best_threshold, log_joint, log_marginals
from semipunct.models.running_text.network import Scores
from semipunct.models.running_text.options import TextOptions
from semipunct.models.running_text.reader import (
    CENTRE,
    CONTEXT,
    LENGTH,
    Case,
    Query,
    TextReader,
    Window,
    next_window,
)
from tests.models.running_text.texts import passages, text

OPTIONS = TextOptions(size=8, layers=1, words=20, ngrams=16, strings=4)


@pytest.fixture(scope="module")
def reader() -> TextReader:
    """A reader with random weights."""
    model = TextModel.fit(passages(40, 0), OPTIONS)
    chance = np.random.default_rng(1)
    weights = {
        name: np.asarray(chance.normal(0, 0.5, np.shape(x)), np.float32)
        for name, x in model.initial_parameters(0, 0.0).items()
    }
    return TextReader(model, weights)


def test_strings_and_capitals_have_one_distribution():
    chance = np.random.default_rng(0)
    shapes = chance.normal(size=(1, 1, SHAPES))
    shapes[..., 3] = -np.inf  # a spelling that is not possible
    word_scores = Scores(
        *map(jnp.asarray, (chance.normal(size=(1, 2, 3)), shapes, chance.normal(size=(3, SHAPES))))
    )
    strings, pairs = np.asarray(word_scores.strings)[0, 0], np.asarray(word_scores.pairs)
    potential = np.exp(strings[:, None] + shapes[0, 0] + pairs)
    expected = potential / potential.sum()
    np.testing.assert_allclose(np.exp(log_marginals(word_scores))[0, 0], expected.sum(1), rtol=1e-5)
    for string, shape in product(range(3), range(3)):
        tags = jnp.array([[string, 0]])
        joint = log_joint(word_scores, tags, jnp.array([[shape]]))[0, 0]
        assert np.exp(joint) == pytest.approx(expected[string, shape], rel=1e-5)


def test_the_likelihood_of_passages_is_that_of_their_slots(reader: TextReader):
    model, weights = reader.model, reader.parameters
    some = passages(9, 3)
    encoded = model.encode(some)
    log_p = np.asarray(
        model.log_likelihoods(
            jax.tree.map(jnp.asarray, dict(weights)), model.batch(encoded, [0, 1], 4)
        )
    )
    assert log_p[2:].tolist() == [0, 0]
    for passage, value in zip(some, log_p, strict=False):
        forms = [
            passage.stream.forms[i].lower()
            for i in passage.stream.words[passage.start : passage.stop]
        ]
        strings = [
            passage.stream.strings[i]
            for i in passage.stream.slots[passage.start : passage.stop + 1]
        ]
        (reading,) = reader.read([Query(forms, [()] * len(strings), Case.NOTHING)])
        tags = model.strings.codes(strings)
        expected = np.log(reading.strings[np.arange(len(tags)), tags]).sum()
        assert value == pytest.approx(float(expected), rel=1e-3)


def windows(size: int, step: int) -> list[Window]:
    """Return the windows of a text of which some words become known at a time."""
    windows_found: list[Window] = []
    for words_read in (*range(min(step, size), size, step), size):
        while w := next_window(
            windows_found[-1].last if windows_found else 0, words_read, ended=words_read == size
        ):
            windows_found.append(w)
    return windows_found


@pytest.mark.parametrize("size", [1, CENTRE - 1, CENTRE, CENTRE + CONTEXT, 5 * CENTRE + 7])
def test_windows_decide_every_slot_once_with_its_context(size: int):
    all_windows = windows(size, size)
    decided = [slot for w in all_windows for slot in range(w.first, w.last)]
    assert decided == list(range(size + 1))
    for w in all_windows:
        assert w.start <= max(0, w.first - CONTEXT)
        assert w.stop >= min(size, w.last + CONTEXT)
        assert w.stop - w.start <= LENGTH
    assert windows(size, 1) == windows(size, 100) == all_windows


def test_a_text_at_the_end_of_a_row_gets_what_it_gets_alone(reader: TextReader):
    """The first two texts fill a row; bits are compared, as corpora are read in parts."""
    sizes = (LENGTH - 601, 600, 7)
    queries = [
        Query(["so", "ba"] * (n // 2) + ["gu"] * (n % 2), [()] * (n + 1), Case.NOTHING)
        for n in sizes
    ]
    biased: dict[str, Any] = dict(reader.parameters)
    biased["case.bias"] = np.linspace(-2, 2, SHAPES, dtype=np.float32)
    biased["pairs"] = np.random.default_rng(0).normal(size=biased["pairs"].shape).astype(np.float32)
    model = TextReader(reader.model, biased)
    together = [reading.strings for reading in model.read(queries)]
    for query, strings in zip(queries, together, strict=True):
        (alone,) = model.read([query])
        np.testing.assert_array_equal(strings, alone.strings)


LONG = text(700, 5)


@settings(max_examples=20)
@given(st.lists(st.integers(1, 2500), max_size=6))
def test_parts_of_a_text_are_read_as_the_whole(reader: TextReader, places: list[int]):
    words = list(items([LONG]))
    stream = word_stream("a.txt", words)
    forms = [stream.forms[i] for i in stream.words]
    slots = [stream.strings[i] for i in stream.slots]
    ends = sorted({place for place in places if place < len(forms)} | {len(forms)})
    parts = [
        Query(forms[a:b], slots[a : b + 1], Case.EVERYTHING, ends=b == len(forms))
        for a, b in pairwise([0, *ends])
    ]
    short_query = Query(["so", "ba"], [(), (), ()], Case.NOTHING)
    first, *readings, last = reader.read([short_query, *parts, short_query])
    (whole,) = reader.read([Query(forms, slots, Case.EVERYTHING)])
    for (a, b), reading in zip(pairwise([0, *ends]), readings, strict=True):
        np.testing.assert_allclose(reading.strings, whole.strings[a : b + 1], atol=1e-5)
        np.testing.assert_allclose(reading.shapes, whole.shapes[a:b], atol=1e-4)
    np.testing.assert_allclose(first.strings, last.strings, atol=1e-5)


def test_a_long_text_is_read_while_it_arrives(reader: TextReader):
    begun = ended = most = 0

    def queries() -> Iterator[Query]:
        nonlocal begun
        for begun in range(1, 301):
            yield Query(["so", "ba", "but", "gu"] * 25, [()] * 101, Case.NOTHING, ends=begun == 300)

    for reading in reader.read(queries()):
        ended += 1
        most = max(most, begun - ended)
        assert reading.strings.shape[0] == 101
    assert ended == 300
    assert most * 100 < 16 * LENGTH


def test_the_threshold_has_the_highest_f1():
    chance = np.random.default_rng(0)
    probability = chance.uniform(size=60).astype(np.float32)
    right = chance.uniform(size=60) < probability

    def f1(threshold: float) -> float:
        chosen = probability >= threshold
        return 2 * (right & chosen).sum() / (chosen.sum() + 40)

    best = max(f1(t) for t in np.linspace(0, 1, 1001))
    assert f1(best_threshold(probability, right, 40)) == pytest.approx(best)
    assert best_threshold(probability, right, 0) == 0.5
    assert best_threshold(np.array([np.nan]), np.array([True]), 1) == 0.5
