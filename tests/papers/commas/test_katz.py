"""Back-off models: a case by hand, and properties for all counts."""

from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.papers.commas.ngrams import Katz


def probability(model: Katz, context: tuple[int, ...], outcome: int) -> float:
    entries = model.entries([context], [outcome])[0]
    return exp(sum(model.table()[i] for i in entries if i >= 0))


def test_a_case_written_out():
    """The counts of counts permit no Good-Turing discount: half is subtracted from each count."""
    contexts, outcomes = [[0], [0], [0], [1]], [0, 0, 1, 2]
    model = Katz.of(contexts, outcomes, 4, [0, 1, 2, 3])
    # Outcome 3 is unseen, and has a count of one.
    lower = {0: 2 / 5, 1: 1 / 5, 2: 1 / 5, 3: 1 / 5}
    for outcome, p in lower.items():
        assert probability(model, (3,), outcome) == pytest.approx(p)  # a new context
    # n1 = 2 and n2 = 1, so that D = n1 / (n1 + 2 n2) = 1/2.
    assert probability(model, (0,), 0) == pytest.approx((2 - 0.5) / 3)
    assert probability(model, (0,), 1) == pytest.approx((1 - 0.5) / 3)
    left = 1 - 1.5 / 3 - 0.5 / 3
    assert probability(model, (0,), 2) == pytest.approx(left * lower[2] / (1 - 3 / 5))
    assert probability(model, (1,), 2) == pytest.approx(0.5)
    assert probability(model, (1,), 0) == pytest.approx(0.5 * lower[0] / (1 - 1 / 5))


def test_discounts_of_good_and_turing():
    """Ten outcomes occur once, four twice, two three times: the largest permitted cutoff is 2."""
    counts = [1] * 10 + [2] * 4 + [3] * 2
    outcomes = [i for i, n in enumerate(counts) for _ in range(n)]
    model = Katz.of([[0]] * len(outcomes), outcomes, 17, range(17))
    common = 3 * 2 / 10
    once = ((2 * 4 / 10) - common) / (1 - common)
    assert probability(model, (0,), 0) == pytest.approx(once / len(outcomes))
    # The ratio for counts of 2 would be (3 * 2 / (2 * 4) - common) / (1 - common).
    assert probability(model, (0,), 10) == pytest.approx(
        (0.75 - common) / (1 - common) * 2 / len(outcomes)
    )
    assert probability(model, (0,), 15) == pytest.approx(3 / len(outcomes))


EVENTS = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=60)


@given(EVENTS)
def test_probabilities_add_up_to_one(events: list[tuple[int, int, int]]):
    table = np.array(events)
    model = Katz.of(table[:, 1:], table[:, 0], 4, range(4))
    contexts = list(product(range(4), repeat=2))
    queries = [(context, y) for context in contexts for y in range(4)]
    entries = model.entries([context for context, _ in queries], [y for _, y in queries])
    weights = np.append(model.table(), 0.0)
    assert np.isfinite(weights).all()
    total = np.exp(weights[entries].sum(1)).reshape(len(contexts), 4).sum(1)
    assert total == pytest.approx(np.ones(len(contexts)))
