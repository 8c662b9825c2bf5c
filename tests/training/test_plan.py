"""The batches of a training run."""

from __future__ import annotations

from semipunct.training.plan import Plan


def test_small_batches_are_judged_by_as_many_sentences_as_large_ones():
    """Batches of few sentences vary most in size, and each that does not fit is compiled again."""
    batches = [Plan([5] * 10_000, size, 10_000, 1000).typical_batches() for size in (5, 50)]
    for typical in batches:
        assert 4000 < sum(map(len, typical)) < 5000
    (few, *_), (many, *_) = batches
    assert (len(few), len(many)) == (5, 50)


def test_the_largest_batch_is_among_the_typical_ones():
    lengths = [*[5] * 9999, 400]
    plan = Plan(lengths, 4, 3 * len(lengths), 1000, "words")
    typical = plan.typical_batches()
    words = [sum(lengths[i] for i in members) for members in plan.batches(0, 0)]
    assert len(typical) < len(words)
    assert max(sum(lengths[i] for i in members) for members in typical) == max(words)
