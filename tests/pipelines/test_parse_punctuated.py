"""Trees weighted by the marks of a sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.pipelines import parses as task
from semipunct.pipelines.parses import parse_punctuated, parses
from semipunct.store.checkpoint import load
from tests.models.parsing.treebank import planted

SENTENCES = planted(6, 7, ["zy", "wo"])


@pytest.fixture(scope="module")
def models(finished: Any, parser: Path) -> tuple[Any, Any]:
    """A punctuation model and a parser."""
    return load(finished.folder), load(parser)


@pytest.fixture
def likelihoods(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, ...], float]:
    """Return the log-likelihood of the marks by the heads of a tree; -5 for all others."""
    found: dict[tuple[int, ...], float] = {}
    monkeypatch.setattr(
        task,
        "corpus_log_likelihood",
        lambda _, __, trees: np.array([found.get(s.tree.heads, -5.0) for s in trees]),
    )
    return found


def test_marks_decide_between_trees(
    models: tuple[Any, Any], likelihoods: dict[tuple[int, ...], float]
):
    model, trees = models
    ranked = parses(trees, SENTENCES, 4, draw=False)
    wanted = [of[-1] for of in ranked]
    for one in wanted:
        likelihoods[one.sentence.tree.heads] = 1_000.0
    found = parse_punctuated(trees, model, SENTENCES, candidates=4)
    assert [one.sentence for one in found] == [one.sentence for one in wanted]
    assert all(one.log_probability == pytest.approx(0, abs=1e-6) for one in found)
    # With weight zero the posterior is that of the parser, over the same trees.
    alone = parse_punctuated(trees, model, SENTENCES, candidates=4, weight=0)
    for one, of in zip(alone, ranked, strict=True):
        shares = np.exp([x.log_probability for x in of])
        expected = [
            sum(p * sum(map(int.__eq__, x.sentence.tree.heads, y.sentence.tree.heads))
                for y, p in zip(of, shares, strict=True))
            for x in of
        ]  # fmt: skip
        best = of[int(np.argmax(expected))]
        assert one.sentence == best.sentence
        chance = np.exp(best.log_probability) / shares.sum()
        assert np.exp(one.log_probability) == pytest.approx(chance, rel=1e-5)


@pytest.mark.parametrize("wrong", [{"candidates": 0}, {"weight": -1.0}, {"weight": float("nan")}])
def test_what_makes_no_sense(models: tuple[Any, Any], wrong: dict[str, Any]):
    with pytest.raises(UsageError):
        parse_punctuated(models[1], models[0], SENTENCES, **wrong)
