"""Draws under evidence compared with the posterior computed by enumeration."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.draws import (
    Categorical,
    Evidence,
    sample_spelling,
)
from semipunct.models.punctuation.sampler import generate
from tests.models.punctuation.cases import model, sentence
from tests.models.punctuation.frequencies import rows

LOOKING_BACK = ("N", "W", "L", "R", "S", "history")
LABELS = {(): 0, (",",): 1, (".",): 2, (",", "."): 3}
DRAWS = 4000
RUNS = 16


def test_a_string_that_no_labels_spell_has_probability_zero():
    choice = Categorical(np.full((4, 1), 0.25), np.zeros(3, np.int64))
    assert (
        sample_spelling([choice], LABELS, (".", ","), np.random.default_rng(0))[1].tolist()
        == [0.0] * 3
    )


def test_the_likelihood_of_evidence():
    """Each deleted token contributes a factor; inserted tokens contribute none."""
    evidence = Evidence(((), (",", "”"), (".",)), 0.1)
    assert evidence.weight(0, (",", ".")) == 1
    assert evidence.weight(1, (",", "”", ".")) == 1
    assert evidence.weight(1, ("”",)) == pytest.approx(0.1)
    assert evidence.weight(1, ()) == pytest.approx(0.01)
    assert evidence.weight(2, ("!",)) == pytest.approx(0.1)


def marginals(rows: Iterable[tuple], weights: Iterable[float]) -> list[defaultdict]:
    """Return the relative frequency of each string in each slot."""
    tables: list[defaultdict] = []
    total = 0.0
    for row, weight in zip(rows, weights, strict=True):
        tables = tables or [defaultdict(float) for _ in row]
        total += weight
        for table, string in zip(tables, row, strict=True):
            table[string] += weight
    return [defaultdict(float, {s: w / total for s, w in table.items()}) for table in tables]


EXISTING = (("", ",", ""), ("“", "", "."), ("", ", ”", ""))
BARE = sentence([2, 0], ["", "", ""])


@cache
def looking_back():
    """Return a model with history features, its weights, and its draws without evidence."""
    m = model("r2l", templates=LOOKING_BACK, final_mark=True)
    parameters = m.initial_parameters(11, 0.4)
    return m, parameters, rows(generate(m, parameters, [BARE], DRAWS, seed=2)[0])


@cache
def enumerated():
    """Return frequent or observed strings of each slot, and p(x | T) of their product."""
    m, parameters, prior = looking_back()
    kept = ({tuple(existing[i].split()) for existing in EXISTING} for i in range(3))
    often = [
        {*(x for x, _ in Counter(column).most_common(9)), *some}
        for column, some in zip(zip(*prior, strict=True), kept, strict=True)
    ]
    every = list(itertools.product(*often))
    marked = [replace(BARE, slots=x) for x in every]
    return often, every, np.exp(corpus_log_likelihood(m, parameters, marked))


@pytest.mark.parametrize(
    "existing, mistaken", [(EXISTING[0], 0.0), (EXISTING[1], 0.2), (EXISTING[2], 0.2)]
)
def test_draws_are_from_the_posterior(existing: tuple[str, ...], mistaken: float):
    m, parameters, prior = looking_back()
    often, every, probability = enumerated()
    present = tuple(tuple(slot.split()) for slot in existing)
    evidence = Evidence(present, mistaken)
    agreement = [
        math.prod(evidence.weight(i, s) for i, s in enumerate(x))
        if mistaken
        else float(all(s == kept or not kept for s, kept in zip(x, present, strict=True)))
        for x in every
    ]
    expected = marginals(every, probability * agreement)
    # Draws under evidence are correlated: several runs are less biased.
    runs = generate(m, parameters, [BARE] * RUNS, DRAWS, seed=2, evidence=[evidence] * RUNS)
    drawn = [row for draws in runs for row in rows(draws)]
    listed = [x for x in drawn if all(s in some for s, some in zip(x, often, strict=True))]
    assert len(listed) > RUNS * DRAWS / 2
    frequencies = marginals(listed, [1.0] * len(listed))
    before = marginals(prior, [1.0] * DRAWS)
    for frequency, expected_frequency in zip(frequencies, expected, strict=True):
        for string in {*frequency, *expected_frequency}:
            assert frequency[string] == pytest.approx(expected_frequency[string], abs=0.09), string
    pairs = zip(before, frequencies, strict=True)
    assert max(abs(a[s] - b[s]) for a, b in pairs for s in [*a, *b]) > 0.15


def test_a_mark_that_the_model_cannot_make_stands():
    m = model("none", templates=LOOKING_BACK)
    evidence = Evidence(((), ("§", "§"), ()))
    draws = generate(
        m, m.initial_parameters(0, 0.0), [sentence([2, 0], ["", "", ""])], 50, 0, [evidence]
    )
    assert draws[0].strings[1] == (("§", "§"),)


def test_marks_cannot_be_kept_from_the_inside_out():
    m = model("none", templates=("N", "c"))
    s = sentence([2, 0], ["", "", ""])
    with pytest.raises(UsageError, match="template history instead of c"):
        generate(m, m.initial_parameters(0, 0.0), [s], 5, 0, [Evidence(((), (",",), ()))])
