"""The channel run forward on one slot, compared with the oracle's enumeration of edit paths."""

from __future__ import annotations

import itertools
import math

import pytest

from semipunct.models.punctuation.rewriting import Rewriter
from tests.models.punctuation.cases import model, oracle_channel, oracle_channels
from tests.oracle import rewrite


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
@pytest.mark.parametrize("passes", [1, 2])
def test_explanations_are_the_oracles(direction: str, passes: int):
    m = model(direction, passes=passes)
    parameters = m.initial_parameters(5, 1.0)
    rewriter = Rewriter.of(m, parameters)
    tokens = m.inventory.tokens[:3]
    strings = [s for n in (1, 2, 3) for s in itertools.product(tokens, repeat=n)]
    channels = oracle_channels(m, parameters)
    possible = 0
    for text, surface in itertools.product(strings, strings):
        paths = rewrite(channels if passes > 1 else channels[0], text, surface)
        rewriting = rewriter.explain(text, surface)
        if not paths:
            assert rewriting.log_probability == -math.inf
            continue
        possible += 1
        assert rewriting.log_probability == pytest.approx(
            math.log(sum(p for p, _ in paths)), abs=1e-6
        )
        best = max(p for p, _ in paths)
        edits = tuple(e.name for e in rewriting.edits)
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
            log_p = rewriter.explain(text, surface).log_probability
            assert math.exp(log_p) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_outcomes_of_a_pass_are_all_of_it(direction: str):
    """Each has the probability of ``paths``, and the sum is one."""
    m = model(direction)
    (window_pass,) = Rewriter.of(m, m.initial_parameters(5, 1.0)).passes
    text = m.inventory.encode((",", "”", ",", "."))
    outcomes = window_pass.outcomes(text)
    assert len(outcomes) > 20
    assert math.fsum(math.exp(paths.log_sum) for paths in outcomes.values()) == pytest.approx(1)
    for string, paths in outcomes.items():
        log_sum, log_best, edits = window_pass.paths(text, string)
        assert (log_sum, log_best) == pytest.approx(paths[:2])
        assert edits == paths.edits
