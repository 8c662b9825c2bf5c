"""The batches of a training run."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.models.base import Batching
from semipunct.training.plan import Plan


@pytest.mark.parametrize("visits, sizes", [(96, [32] * 3), (97, [32] * 4), (289, [32] * 9 + [1])])
def test_no_batch_more_than_the_visits_need(visits: int, sizes: list[int]):
    """An epoch ends with a batch of one sentence, so that batches have 28.9 in the mean."""
    plan = Plan([5] * 289, 32, visits, 1000)
    assert plan.steps == len(sizes)
    assert [len(members) for members in plan.batches(0, 0)] == sizes


@pytest.mark.parametrize(
    "batching, seed, visits, sizes",
    [("words", 2, 17, [3, 4, 4, 11]), ("length", 0, 11, [1, 1, 6, 6])],
)
def test_batches_of_many_sentences_come_early(
    batching: Batching, seed: int, visits: int, sizes: list[int]
):
    """The fifth batch, which suits the mean size, is not needed where four have enough visits."""
    plan = Plan([60] * 10 + [1] * 30, 4, visits, 1000, batching)
    assert plan.steps == 5
    assert [len(members) for members in plan.batches(seed, 0)] == sizes
    assert not plan.is_done(3, sum(sizes[:3]))
    assert plan.is_done(4, sum(sizes))
    assert list(plan.batches(seed, 3)) == list(plan.batches(seed, 0))[3:]


@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=40),
    batch=st.integers(1, 9),
    visits=st.integers(1, 130),
    batching=st.sampled_from(["sentences", "words", "length"]),
    seed=st.integers(0, 3),
)
def test_the_last_batch_is_needed(
    lengths: list[int], batch: int, visits: int, batching: Batching, seed: int
):
    plan = Plan(lengths, batch, visits, 1000, batching)
    batches = list(plan.batches(seed, 0))
    assert all(batches)
    assert sum(map(len, batches[:-1])) < visits
    assert len(batches) <= plan.steps
    if batching == "sentences":
        assert sum(map(len, batches)) >= visits
        assert len(batches) == plan.steps
    if visits % len(lengths) == 0:
        assert sum(map(len, batches)) == visits
    epochs = visits // len(lengths)
    whole = list(chain.from_iterable(batches))[: epochs * len(lengths)]
    assert sorted(whole) == sorted([*range(len(lengths))] * epochs)
    for first in (1, len(batches) // 2, len(batches)):
        assert list(plan.batches(seed, first)) == batches[first:]


def test_orders_differ_by_seed_and_epoch():
    plan = Plan(lengths=[3] * 10, batch_size=4, visits=25, evaluate_every=10)
    every = list(plan.batches(7, 0))
    assert every[:3] != every[3:6]
    assert list(plan.batches(8, 0)) != every
