"""The batches of a training run."""

from __future__ import annotations

from semipunct.training.plan import Plan


def test_the_largest_batch_is_among_the_typical_ones():
    lengths = [*[5] * 9999, 400]
    plan = Plan(lengths, 4, 3 * len(lengths), 1000, "words")
    typical = plan.typical_batches()
    words = [sum(lengths[i] for i in members) for members in plan.batches(0, 0)]
    assert len(typical) < len(words)
    assert max(sum(lengths[i] for i in members) for members in typical) == max(words)
