"""The sampled channel compared with the oracle's enumeration of edit paths, slot by slot."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from semipunct.arrays.unique_rows import Numbering
from semipunct.marks import without_boundaries
from semipunct.models.punctuation.channel_sampler import ChannelSampler
from tests.models.punctuation.cases import model, oracle_channel, oracle_channels
from tests.models.punctuation.frequencies import pvalue
from tests.oracle import edit_paths, rewrite

DRAWS = 2000
SLOTS = (
    ("^", [(",",), (".", "“"), (",",)]),
    ("", [("“",), (",", "”"), (".",), (",",)]),
    ("$", [(".",), (",",), ("”",)]),
)
"""Slots: the boundary mark, and the punctemes that meet there."""


def outcomes(channel, text: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    """Return the probabilities of surface strings, without boundary marks."""
    expected: dict[tuple[str, ...], float] = {}
    for probability, _, surface in edit_paths(channel, text):
        string = without_boundaries(surface)
        expected[string] = expected.get(string, 0.0) + probability
    return expected


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
@pytest.mark.parametrize("passes", [1, 2])
def test_surface_strings_are_as_frequent_as_the_oracle_says(direction: str, passes: int):
    """There are two sentences side by side; the second one consists of a comma only."""
    m = model(direction, passes=passes, final_mark=True)
    parameters = m.initial_parameters(5, 1.5)
    channel, label = ChannelSampler.of(m, parameters), m.inventory.labels.index
    generators = [np.random.default_rng(seed) for seed in (1, 2)]
    changed = 0
    for mark, punctemes in SLOTS:
        # Punctemes of several tokens as the concatenation of labels that the inventory has.
        tokens = [(token,) for puncteme in punctemes for token in puncteme]
        boundary = (mark,) if mark else ()
        labels = np.array([[label(t)] * DRAWS for t in (*tokens, (",",))])
        sentences = np.array([*[0] * len(tokens), 1])
        surface = Numbering[tuple[str, ...]](())
        inputs = channel.inputs(labels, sentences, [boundary, ()])
        drawn = channel.sample(inputs, generators, surface)
        assert {surface.items[i] for i in drawn[1]} == {(",",)}
        text = tuple(t for (t,) in tokens)
        text = (*boundary, *text) if mark != "$" else (*text, *boundary)
        expected = outcomes(oracle_channels(m, parameters), text)
        counts = Counter(surface.items[i] for i in drawn[0].tolist())
        assert set(counts) <= set(expected)
        assert pvalue(counts, expected, DRAWS) > 1e-4
        changed += sum(n for x, n in counts.items() if x != without_boundaries(text))
    assert changed > DRAWS / 2


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_an_open_puncteme_between_others_is_spelt(direction: str):
    m = model(direction, final_mark=False)
    parameters = m.initial_parameters(5, 1.0)
    channel, label = ChannelSampler.of(m, parameters), m.inventory.labels.index
    labels = np.array([[label(x)] * DRAWS for x in ((",",), ("<open>",), (".",))])
    surface = Numbering[tuple[str, ...]](())
    drawn = channel.sample(
        channel.inputs(labels, np.zeros(3, np.int64), [()]), [np.random.default_rng(3)], surface
    )
    counts = Counter(surface.items[i] for i in drawn[0].tolist())
    oracle = oracle_channel(m, parameters)
    expected = {x: sum(p for p, _ in rewrite(oracle, (",", "<open>", "."), x)) for x in counts}
    assert pvalue(counts, expected, DRAWS) > 1e-4
