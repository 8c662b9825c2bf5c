"""Checks that all results agree with the enumeration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

from semipunct.structures.base import Parts
from semipunct.structures.distribution import Answer
from semipunct.structures.draws import Traceable
from semipunct.structures.testing import questions
from semipunct.structures.testing.case import Weighted, chi_square
from semipunct.structures.testing.questions import (
    expect,
    expect_head,
    expect_infinite,
    expect_number,
    expect_parts,
    expect_precision,
    expect_same,
    few,
    lacking,
    other_weights,
    ranks,
    require,
)
from semipunct.wording import quantity

Check = Callable[[Weighted], None]
"""Raises an ``AssertionError`` that describes the failure."""


def _uniform(w: Weighted) -> Weighted:
    return w.case.uniform(w.base)


def number_of_derivations(w: Weighted) -> None:
    """Check the number of derivations, and that those of the enumeration are different."""
    numbers, log_scale = _uniform(w).ask(questions.number)
    require(not np.any(log_scale), f"numbers of derivations are scaled by exp({log_scale})")
    for item, e in _uniform(w).each():
        different = len({row.tobytes() for row in e.parts})
        require(
            different == len(e.parts),
            f"the enumeration of item {item} repeats itself: {different} of {len(e.parts)} differ",
        )
        require(
            numbers[item] == e.possible,
            f"{numbers[item]} derivations of item {item} are counted, {e.possible} enumerated",
        )


def log_partition(w: Weighted) -> None:
    """Check the log partition, with and without marginals."""
    sums = w.ask(questions.sums)
    for log_sum in (sums.log_partition, sums.alone):
        expect(w, log_sum, lambda e: e.log_partition, "log partition")


def marginals(w: Weighted) -> None:
    """Check that marginals are expected counts, and the gradient of the log partition."""
    sums = w.ask(questions.sums)
    expect_parts(w, sums.marginals, lambda _, e: e.marginals, "marginals")
    most = max(e.parts.max(initial=0) for _, e in w.each())
    for x in jax.tree.leaves(sums.marginals):
        require(
            (x >= 0).all() and (x <= most * (1 + 1e-5)).all(),
            f"marginals are from {np.min(x)} to {np.max(x)}, not from 0 to {most}",
        )
    expect_precision(w, sums.gradient, "the gradient of the log partition")
    expect_same(sums.gradient, w.gather(sums.marginals), "gradient of the log partition", 1e-5)


def _slopes(w: Weighted, *, forward: bool) -> None:
    along = w.features(11)
    slope, change = questions.in_a_direction(w, along, forward=forward)
    expect_precision(w, slope, "the slope of the log partition")
    for item, e in w.each():
        expected = e.expectation(w.flat(along, item))
        expect_number(w, slope[item], expected, f"slope of the log partition of item {item}")
    expect_parts(w, change, lambda i, e: e.covariances(w.flat(along, i)), "slopes of marginals")


def slopes_in_forward_mode(w: Weighted) -> None:
    """Check first and second derivatives in a direction, in forward mode and over reverse mode."""
    _slopes(w, forward=True)


def slopes_in_reverse_mode(w: Weighted) -> None:
    """Check first and second derivatives in a direction, in reverse over reverse mode."""
    _slopes(w, forward=False)


def best(w: Weighted) -> None:
    """Check that the best derivation has the largest weight in the enumeration."""
    answer = w.ask(questions.best)
    expect(w, answer.log_weight, lambda e: float(e.log_weight.max()), "log weight of the best")
    for item, e in w.each():
        (place,) = e.find(w.flat(answer.parts, item)[None])
        name = f"log weight of the parts of item {item}'s best"
        expect_number(w, e.log_weight[place], e.log_weight.max(), name)


def ranked_begins(w: Weighted) -> None:
    """Check that ranked lists begin like the sorted enumeration."""
    answer = w.ask(questions.compute_ranking, 4)
    expect_precision(w, answer.log_weight, "the log weights of a list")
    expect_head(w, answer, 4)


def ranked_ends(w: Weighted) -> None:
    """Check that ranked lists end with the last derivation."""
    small = few(w, 3)
    most = max(e.possible for _, e in small.each())
    require(most > 1, "no item has more than one derivation; give the case a larger item")
    expect_head(small, questions.compute_ranking(small, most + 1), most)


def ranked_goes_on(w: Weighted) -> None:
    """Check that ranked lists continue after the first four derivations, if there are more."""
    small = few(w, 7)
    most = max(e.possible for _, e in small.each())
    expect_head(small, questions.compute_ranking(small, most + 1), most)


def longer_lists(w: Weighted) -> None:
    """Check that longer lists begin with the shorter ones."""
    two, four = w.ask(questions.heads)
    expect_head(w, four, 4)
    _expect_prefix(w, two, four)


def ties_in_lists(w: Weighted) -> None:
    """Check that tied derivations have the same order in lists of all lengths."""
    _expect_prefix(_uniform(w), *_uniform(w).ask(questions.heads))


def _expect_prefix(w: Weighted, shorter: Answer, longer: Answer) -> None:
    for item in w.items:
        first, second = ranks(w, shorter, item), ranks(w, longer, item)
        require(
            first == second[: len(first)] and len(first) == min(2, len(second)),
            f"the list of two of item {item} has those numbered {first}, that of four {second}",
        )


def ties(w: Weighted) -> None:
    """Check that ties are broken consistently by ``best`` and ``top``, without repetitions."""
    level = _uniform(w)
    single_best, first_four = level.ask(questions.best), level.ask(questions.compute_ranking, 4)
    for item, e in level.each():
        places = ranks(level, first_four, item)
        require(
            len(set(places)) == len(places) == min(4, e.possible),
            f"item {item} has {quantity(e.possible, 'derivation')}; a list of four has those "
            f"numbered {places}",
        )
        alone = e.find(level.flat(single_best.parts, item)[None]).tolist()
        require(alone == places[:1], f"the best of item {item} is {alone}, the list has {places}")


def _expect_draws(w: Weighted, drawn: Answer) -> None:
    expect_precision(w, drawn.log_weight, "the log weight of draws")
    for item, e in w.each():
        places = e.find(w.flat(drawn.parts, item, axes=1))
        name = f"log weights of the draws of item {item}"
        expect_number(w, drawn.log_weight[:, item], e.log_weight[places], name)
        observed = np.bincount(places, minlength=len(e.prob))
        forbidden = int(observed[e.prob == 0].sum())
        require(not forbidden, f"{quantity(forbidden, 'draw')} of item {item} have no probability")
        p = chi_square(observed, questions.DRAWS * e.prob)
        require(p > 1e-4, f"draws of item {item} are not in proportion to weight: p = {p:.2g}")


def samples(w: Weighted) -> None:
    """Check the frequencies of samples and their log weights."""
    _expect_draws(w, w.ask(questions.draws, 1))


def samples_in_the_reverse_pass(w: Weighted) -> None:
    """Check samples of a ``Traceable`` structure that are drawn without its ``trace``."""
    if isinstance(w.structure, Traceable):
        _expect_draws(w, w.ask(questions.draws, 1, untraced=True))


def keys_decide(w: Weighted) -> None:
    """Check that equal keys give equal samples, and different keys different ones."""
    drawn = w.ask(questions.draws, 1)
    expect_same(questions.draws(w, 1), drawn, "draws by the same key", 0.0)
    other_draws = w.ask(questions.draws, 2)
    differ = w.flat(other_draws.parts, w.fullest, 1) != w.flat(drawn.parts, w.fullest, 1)
    require(differ.any(), f"two keys draw the same {questions.DRAWS} of item {w.fullest}")


def averages(w: Weighted) -> None:
    """Check entropy, Kullback-Leibler divergence, expectation and covariance."""
    second_weights = w.ask(other_weights)
    computed = w.ask(questions.averages, second_weights)
    expect_precision(w, computed, "an average")
    expect(w, computed.entropy, lambda e: e.entropy, "entropy")
    pairs = list(zip(w.enumerations, second_weights.enumerations, strict=True))
    expect_number(w, computed.kl, [a.kl(b) for a, b in pairs], "divergence of each item")
    f, g = w.features(1), w.features(2)
    for item, e in w.each():
        first, second = w.flat(f, item), w.flat(g, item)
        name = f"of a feature of item {item}"
        expect_number(w, computed.expectation[item], e.expectation(first), f"expectation {name}")
        covariance = e.covariance(first, second)
        expect_number(w, computed.covariance[item], covariance, f"covariance {name} and another")


def more_averages(w: Weighted) -> None:
    """Check cross entropy and variance, and the gradients of entropy and expectation."""
    second_weights, f = w.ask(other_weights), w.features(1)
    computed = w.ask(questions.more_averages, second_weights)
    pairs = list(zip(w.enumerations, second_weights.enumerations, strict=True))
    crossed = [a.cross_entropy(b) for a, b in pairs]
    expect_precision(w, computed, "an average")
    expect_number(w, computed.cross_entropy, crossed, "cross entropy of each item")
    variances = [e.covariance(w.flat(f, i), w.flat(f, i)) for i, e in w.each()]
    expect_number(w, computed.variance, variances, "variance of a feature of each item")

    def slopes(item: int, e: Any) -> np.ndarray:
        return e.covariances(w.flat(f, item))

    expect_parts(
        w, computed.entropy_slopes, lambda _, e: e.entropy_slopes, "gradient of the entropy"
    )
    expect_parts(w, computed.expectation_slopes, slopes, "gradient of an expectation")


def infinite_divergence(w: Weighted) -> None:
    """Check that the divergence is infinite where the other lacks a part, in that item only."""
    expect_infinite(w, w.ask(questions.averages, w.ask(lacking)).kl)


def infinite_cross_entropy(w: Weighted) -> None:
    """Check that cross entropy is infinite where the other lacks a part, in that item only."""
    expect_infinite(w, w.ask(questions.more_averages, w.ask(lacking)).cross_entropy)


def log_prob(w: Weighted) -> None:
    """Check the log probabilities of all derivations, which sum to one."""
    full = w.fullest
    rows = w.case.events(full)[0]
    each: list[Parts] = [w.with_item(w.zeros, full, row) for row in rows]
    log_probs = questions.log_prob(w, jax.tree.map(lambda *xs: np.stack(xs), *each))[:, full]
    expect_precision(w, log_probs, "the log probability")
    expect_number(w, log_probs, w.enumerations[full].log_prob, f"log probabilities of item {full}")
    total = float(np.exp(np.asarray(log_probs, np.float64)).sum())
    require(abs(total - 1) < 1e-4, f"probabilities of item {full} sum to {total}")


ANSWERS: Mapping[str, Check] = {
    "number of derivations": number_of_derivations,
    "log partition": log_partition,
    "marginals": marginals,
    "slopes in forward mode": slopes_in_forward_mode,
    "slopes in reverse mode": slopes_in_reverse_mode,
    "best": best,
    "ranked begins": ranked_begins,
    "ranked ends": ranked_ends,
    "ranked goes on": ranked_goes_on,
    "longer lists": longer_lists,
    "ties": ties,
    "ties in lists": ties_in_lists,
    "samples": samples,
    "samples in the reverse pass": samples_in_the_reverse_pass,
    "keys decide": keys_decide,
    "averages": averages,
    "more averages": more_averages,
    "infinite divergence": infinite_divergence,
    "infinite cross entropy": infinite_cross_entropy,
    "log prob": log_prob,
}
"""Checks by name."""
