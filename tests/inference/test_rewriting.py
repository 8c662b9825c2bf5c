"""The channel run forward on one slot, against the oracle's enumeration of edit paths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from semipunct.inference.rewriting import Rewriter
from semipunct.marks import EDITS
from semipunct.models.punctuation.channel import log_edits
from tests.models.punctuation.cases import model, oracle_channel
from tests.oracle import Channel, rewrite


def channels(m, parameters) -> list[Channel]:
    """The oracle's channels with the probabilities of each pass, the open puncteme left out."""
    symbols = m.inventory.symbols
    result = []
    for i, mirrored in enumerate(m.directions):
        tables = np.exp(np.asarray(log_edits(parameters, i, symbols, m.options), np.float64))
        edits = {
            (a, b): {e: float(tables[k, x, y]) for k, e in enumerate(EDITS) if tables[k, x, y] > 0}
            for (x, a), (y, b) in itertools.product(enumerate(symbols), repeat=2)
            if x and y
        }
        result.append(Channel("r2l" if mirrored else "l2r", edits))
    return result


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
@pytest.mark.parametrize("passes", [1, 2])
def test_explanations_are_the_oracles(direction: str, passes: int):
    m = model(direction, passes=passes)
    parameters = m.initial_parameters(5, 1.0)
    rewriter = Rewriter.of(m, parameters)
    tokens = m.inventory.tokens[:3]
    strings = [s for n in (1, 2, 3) for s in itertools.product(tokens, repeat=n)]
    found = channels(m, parameters)
    possible = 0
    for text, surface in itertools.product(strings, strings):
        paths = rewrite(found if passes > 1 else found[0], text, surface)
        got = rewriter.explain(text, surface)
        if not paths:
            assert got.log_probability == -math.inf
            continue
        possible += 1
        assert got.log_probability == pytest.approx(math.log(sum(p for p, _ in paths)), abs=1e-6)
        best = max(p for p, _ in paths)
        edits = tuple(e.name for e in got.edits)
        assert any(p == pytest.approx(best, rel=1e-6) and edits == e for p, e in paths)
    assert possible > 100


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_the_open_puncteme_is_spelt(direction: str):
    m = model(direction)
    parameters = m.initial_parameters(5, 1.0)
    rewriter = Rewriter.of(m, parameters)
    channel = oracle_channel(m, parameters)
    a, b = m.inventory.tokens[:2]
    for text in (("<open>",), (a, "<open>"), ("<open>", b), ("<open>", "<open>")):
        for surface in ((a,), (a, b), (a, b, b), (b, b, a, a)):
            expected = sum(p for p, _ in rewrite(channel, text, surface))
            got = rewriter.explain(text, surface).log_probability
            assert math.exp(got) == pytest.approx(expected, rel=1e-6)


def test_an_empty_slot_is_empty_underneath():
    m = model("l2r")
    rewriter = Rewriter.of(m, m.initial_parameters(0, 1.0))
    assert rewriter.explain((), ()).log_probability == 0.0
    assert rewriter.explain((m.inventory.tokens[0],), ()).log_probability == -math.inf
    assert rewriter.explain((), (m.inventory.tokens[0],)).log_probability == -math.inf
