"""The channel's edit probabilities: normalisation, structural zeros, and mirroring."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.marks import EDITS
from semipunct.models.punctuation.channel import (
    channel_parameters,
    log_edits,
    possible_edits,
)
from semipunct.models.punctuation.options import ModelOptions
from semipunct.structures.given_tree import Edits

SYMBOLS = ("<start>", "^", "$", "<open>", "<unk>", ",", ".")
NUMBER = {s: i for i, s in enumerate(SYMBOLS)}
TOKENS = ("<unk>", ",", ".")
OPTIONS = [
    ModelOptions(channel=channel, tied=tied)
    for channel in ("none", "l2r", "r2l")
    for tied in (False, True)
]


def edits_of(options: ModelOptions, seed: int, scale: float = 1.0) -> Edits:
    generator = np.random.default_rng(seed)
    parameters = channel_parameters(SYMBOLS, options, generator, scale)
    return log_edits(parameters, 0, SYMBOLS, options)


def allowed_by_the_book(a: str, b: str) -> set[str]:
    """The structural zeros, window by window, spelt out."""
    allowed = {"keep", "absorb_left", "absorb_right", "transpose"}
    if a == b:
        allowed &= {"keep", "absorb_right"}
    if a == "^":
        allowed &= {"keep", "absorb_right"}
    if b == "$":
        allowed &= {"keep", "absorb_left"}
    if "<open>" in (a, b):
        allowed &= {"keep"}
    return allowed


# No text has a token before `^` or after `$`.
WINDOWS = [
    (a, b) for a, b in itertools.product(SYMBOLS[1:], repeat=2) if b != "^" and a != "$"
]  # fmt: skip


def test_structural_zeros():
    for a, b in WINDOWS:
        window = possible_edits(SYMBOLS)[:, NUMBER[a], NUMBER[b]]
        allowed = {name for name, possible in zip(EDITS, window, strict=True) if possible}
        assert allowed == allowed_by_the_book(a, b), (a, b)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: f"{o.channel}-tied{o.tied}")
@settings(max_examples=5)
@given(seed=st.integers(0, 1000), scale=st.sampled_from([0.1, 1.0, 30.0]))
def test_edits_of_every_window_sum_to_one(options: ModelOptions, seed: int, scale: float):
    edits = np.asarray(edits_of(options, seed, scale))
    assert not np.isnan(edits).any()
    possible = possible_edits(SYMBOLS)
    if options.channel == "none":
        possible[1:, 1:] = False
    # The start symbol has one edit: absorption by the first token.
    np.testing.assert_array_equal(edits[EDITS.index("absorb_left"), 0, 1:], 0.0)
    for a, b in itertools.product(range(1, len(SYMBOLS)), repeat=2):
        assert np.exp(edits[:, a, b]).sum() == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_array_equal(edits[~possible], -np.inf)
    if scale <= 1:
        assert np.isfinite(edits[:, 1:, 1:][possible[:, 1:, 1:]]).all()


def test_a_stronger_token_absorbs_a_weaker_one_on_either_side():
    options = ModelOptions(channel="l2r")
    parameters = channel_parameters(SYMBOLS, options, None, 0.0)
    parameters["channel.0.strength"][NUMBER["."]] = 2.0
    edits = np.asarray(log_edits(parameters, 0, SYMBOLS, options))
    comma, period = NUMBER[","], NUMBER["."]
    # A weaker token left of a stronger one is absorbed; so is one to its right.
    assert edits[1, comma, period] == max(edits[:, comma, period])
    assert edits[2, period, comma] == max(edits[:, period, comma])
    assert edits[1, comma, period] - edits[2, comma, period] == pytest.approx(4.0, abs=1e-5)
