"""Frequencies of sampled punctuation match the probabilities of the model."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier, Thread, current_thread

import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.models.punctuation import left_to_right, sampler
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.draws import Draws, Evidence
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.sampler import generate, in_order
from tests.models.punctuation.cases import model, sentence
from tests.models.punctuation.frequencies import counted, pvalue, rows

DRAWS = 2000

HEADS = ([0], [2, 0], [2, 0, 2], [0, 1, 2, 1])


@pytest.mark.parametrize(("looking", "final_mark"), [("c", True), ("history", False)])
def test_draws_are_as_frequent_as_the_likelihood_says(looking: str, final_mark: bool):
    """This includes features of surface marks, the open puncteme and the channel."""
    templates = ("N", "W", "A", "C", "L", "R", "S", looking)
    m = model("r2l", templates=templates, final_mark=final_mark)
    assert any(looking in c.templates and len(c.kept) for c in m.features.conjunctions)
    parameters = m.initial_parameters(7, 1.0)
    sentences = [sentence(heads, [""] * (len(heads) + 1)) for heads in HEADS]
    # Nothing is drawn within an orthographic word, and all else follows the probabilities.
    sentences[2] = replace(sentences[2], closed=frozenset({1}))
    # The outcomes to test are selected on separate draws.
    some, further_draws = (generate(m, parameters, sentences, DRAWS, seed=seed) for seed in (3, 4))
    often = [
        [x for x, n in counted(chosen_by).most_common(60) if n > 3] for chosen_by in further_draws
    ]
    scored = [replace(s, slots=x) for s, xs in zip(sentences, often, strict=True) for x in xs]
    p = iter(np.exp(corpus_log_likelihood(m, parameters, scored)).tolist())
    for s, draws, xs in zip(sentences, some, often, strict=True):
        assert draws.chosen.shape == (DRAWS, len(s.slots))
        expected = {x: next(p) for x in xs}
        assert sum(expected.values()) < 1 + 1e-5
        assert pvalue(counted(draws), expected, DRAWS) > 1e-4
    assert not any(x[1] for x in often[2])


def test_marks_within_and_to_the_left_cannot_both_be_looked_at():
    m = model("r2l", templates=("N", "c", "history"))
    with pytest.raises(UsageError, match="template history"):
        generate(m, m.initial_parameters(0, 0.0), [sentence([0], ["", ""])], 1, seed=0)


@pytest.mark.parametrize("evidence", [False, True])
def test_threads_and_batches_change_nothing(evidence: bool, monkeypatch: pytest.MonkeyPatch):
    m = model("r2l", templates=("N", "W", "L", "R", "S", "history"))
    parameters = m.initial_parameters(7, 1.0)
    bare = [sentence(heads, [""] * (len(heads) + 1)) for heads in (*HEADS, *HEADS[1:])]
    evidence_of = [Evidence(((), (",",), *[()] * (len(s.slots) - 2))) for s in bare]
    runs = []
    for cores, sentences, together in ((1, 64, 1 << 15), (5, 2, 1 << 15), (2, 64, 150)):
        monkeypatch.setattr(sampler, "_cores", lambda n=cores: n)
        monkeypatch.setattr(PunctuationModel, "scoring_limits", (sentences, 512))
        monkeypatch.setattr(left_to_right, "DRAWS_TOGETHER", together)
        monkeypatch.setattr(left_to_right, "LABELS_TOGETHER", together)
        drawn = generate(m, parameters, bare, 50, 3, evidence_of if evidence else None)
        runs.append([rows(draws) for draws in drawn])
    assert len({str(rows_of_sentence) for rows_of_sentence in runs[0]}) == len(bare)
    assert runs[0] == runs[1] == runs[2]


def test_all_calls_draw_in_the_same_threads(monkeypatch: pytest.MonkeyPatch):
    """The C library keeps memory for each thread, so new ones for each call would add up."""
    monkeypatch.setattr(sampler, "_cores", lambda: 2)
    at_once = Barrier(2)

    def thread(_: int) -> Thread:
        at_once.wait()
        return current_thread()

    used = [{thread for _, thread in in_order(thread, [(0,), (1,)])} for _ in range(3)]
    assert used[0] == used[1] == used[2]
    assert len(used[0]) == 2
    assert current_thread() not in used[0]


def test_draws_are_collected_in_an_order_of_their_own():
    strings = [(), (".",), (",",), ("”",)]
    collected = Draws.of(np.array([[1, 2, 2], [0, 0, 3]]), strings)
    assert collected.strings == (((",",), (".",)), ((), ("”",)))
    assert collected.chosen.tolist() == [[1, 0], [0, 0], [0, 1]]


def test_nothing_to_draw():
    m = model("r2l")
    assert generate(m, m.initial_parameters(0, 0.0), [], 5, seed=0) == []
    with pytest.raises(UsageError, match="0 draws; at least 1"):
        generate(m, m.initial_parameters(0, 0.0), [sentence([0], ["", ""])], 0, seed=0)
