"""Every structure answers every question as the enumeration of its derivations does.

A new structure takes part by one line in `tests.structures.cases.CASES`. By default structures
meet questions in `Log` and single precision; crossed with the other base and double precision
they meet them in `make test-all`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures import Distribution, Plan, Recursion
from semirings import Log, Real
from tests.structures.cases import CASES, Case
from tests.structures.comparisons import (
    expect,
    expect_head,
    expect_infinite,
    expect_parts,
    fullest,
    items,
    lacking,
    other_weights,
    ranks,
    same,
)
from tests.structures.enumeration import chi_square
from tests.structures.questions import (
    DRAWS,
    Weighted,
    averages,
    best,
    count,
    draws,
    events,
    features,
    few,
    forward,
    heads,
    log_prob,
    more_averages,
    ranked,
    reverse,
    sums,
    traces,
    uniform,
    weighted,
)


def crossed(always: Sequence[Case], precisions: Sequence[bool] = (False, True)) -> list[Any]:
    """Cases with a base and a precision; all but some cases in `Log` and float32 are exhaustive."""
    return [
        pytest.param(
            (case, base, precise),
            id=f"{case.name}{'' if base == Log() else ', real'}{', float64' if precise else ''}",
            marks=()
            if case in always and base == Log() and not precise
            else pytest.mark.exhaustive,
        )
        for case in CASES
        for base in (Log(),)
        for precise in precisions
    ]


STRUCTURES = [case for case in CASES if not case.variant]
EVERY = pytest.mark.parametrize("p", crossed(CASES), indirect=True)
ONE = pytest.mark.parametrize("p", crossed(CASES[:1]), indirect=True)
"""For what costs much and depends little on the structure: one structure by default."""
SINGLE = pytest.mark.parametrize("p", crossed(STRUCTURES, precisions=[False]), indirect=True)
"""For questions that need samples, which are drawn in single precision only."""
SCANNING = pytest.mark.parametrize(
    "p",
    [x for x in crossed(CASES[:1]) if x.values[0][0].scans and x.values[0][1:] == (Log(), False)],
    indirect=True,
)
"""`Case.saves` is what a budget can do for sums in `Log`."""


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture(params=crossed(STRUCTURES))
def p(request: pytest.FixtureRequest) -> Iterator[Weighted]:
    """A case with random log weights, some of them minus infinity."""
    case, base, precise = request.param
    with jax.enable_x64(precise):
        yield _based(case, base, precise)


@cache
def _based(case: Case, base: Any, _: bool) -> Weighted:
    return replace(weighted(case), base=base)


@cache
def ask_sums(w: Weighted) -> dict[str, Any]:
    return sums(w.distribution)


@cache
def ask_averages(w: Weighted, q: Weighted) -> dict[str, Any]:
    return averages(w.distribution, q.distribution, features(w, 1), features(w, 2))


@cache
def drawn(w: Weighted, seed: int) -> Any:
    return draws(w.distribution, jax.random.key(seed))


def test_cases_have_items_of_every_length(case: Case):
    assert sorted(set(case.lengths)) == list(range(case.shortest, max(case.lengths) + 1))


def test_number_of_derivations(case: Case):
    number, log_scale = count(uniform(case).distribution)
    assert not np.any(log_scale)
    for item, length in enumerate(case.lengths):
        parts, _ = events(case, item)
        assert len({row.tobytes() for row in parts}) == len(parts) == case.count(length)
        assert number[item] == len(parts)


@EVERY
def test_log_partition(p: Weighted):
    got = ask_sums(p)
    for name in ("log_partition", "log_partition alone"):
        expect(p, got[name], lambda e: e.log_partition)
    assert {x.dtype for x in jax.tree.leaves(got)} == {p.dtype}


@EVERY
def test_marginals_are_expected_counts_and_the_gradient(p: Weighted):
    got = ask_sums(p)
    expect_parts(p, got["marginals"], lambda _, e: e.marginals)
    most = max(e.parts.max(initial=0) for _, e in items(p))
    for x in jax.tree.leaves(got["marginals"]):
        assert (x >= 0).all()
        assert (x <= most * (1 + 1e-5)).all()
    same(got["gradient"], p.gathered(got["marginals"]), 1e-5)


@ONE
def test_first_and_second_derivative_in_a_direction(p: Weighted):
    along = features(p, 11)
    derivative = reverse if p.case.forbids_forward_mode else forward
    slope, marginals = derivative(p.distribution, along)
    for item, e in items(p):
        np.testing.assert_allclose(slope[item], e.expectation(p.flat(along, item)), **p.close)
    expect_parts(p, marginals, lambda i, e: e.covariances(p.flat(along, i)))


def test_double_precision_is_kept(x64: None):
    w = _based(CASES[0], Log(), True)
    got = ask_sums(w)
    assert w.dtype == np.float64
    expect(w, got["log_partition"], lambda e: e.log_partition)
    expect_parts(w, got["marginals"], lambda _, e: e.marginals)
    assert {x.dtype for x in jax.tree.leaves(got)} == {w.dtype}


@EVERY
def test_best_is_the_largest_of_the_enumeration(p: Weighted):
    answer = best(p.distribution)
    for item, e in items(p):
        (place,) = e.find(p.flat(answer.parts, item)[None])
        assert answer.log_weight[item] == pytest.approx(e.log_weight.max(), rel=1e-5, abs=1e-5)
        assert e.log_weight[place] == pytest.approx(e.log_weight.max(), rel=1e-5, abs=1e-5)


def test_ranked_begins_with_the_head_of_the_sorted_enumeration(p: Weighted):
    expect_head(p, ranked(p.distribution, 4), 4)


def test_ranked_ends_with_the_last_derivation(p: Weighted):
    w = few(p, 3)
    most = max(e.possible for _, e in items(w))
    assert most > 1
    expect_head(w, ranked(w.distribution), most)


def test_ranked_goes_on_after_the_first_four():
    w = few(weighted(CASES[0]), 7)
    most = max(e.possible for _, e in items(w))
    assert most > 4
    expect_head(w, ranked(w.distribution), most)


@ONE
def test_longer_lists_begin_with_the_shorter_ones(p: Weighted):
    two, four = heads(p.distribution)
    expect_head(p, four, 4)
    for item in p.items:
        assert list(ranks(p, two, item)) == list(ranks(p, four, item)[:2])


def test_ties_have_the_same_winner_in_every_list(p: Weighted):
    w = replace(uniform(p.case), base=p.base)
    one, four = best(w.distribution), ranked(w.distribution, 4)
    for item, e in items(w):
        places = list(ranks(w, four, item))
        assert len(set(places)) == len(places) == min(4, len(e.parts))
        assert list(e.find(w.flat(one.parts, item)[None])) == places[:1]


@ONE
def test_ties_have_the_same_order_in_every_list(p: Weighted):
    w = replace(uniform(p.case), base=p.base)
    two, four = heads(w.distribution)
    for item in w.items:
        assert list(ranks(w, two, item)) == list(ranks(w, four, item)[:2])


@ONE
@pytest.mark.parametrize("base", [Log(), Real()], ids=lambda base: base.name)
def test_a_best_needs_a_semiring_with_winners(p: Weighted, base: Any):
    for ask in (lambda: p.distribution.best(base), lambda: p.distribution.top(2, base)):
        with pytest.raises(TypeError, match=r"not selective.*viterbi"):
            ask()


@SINGLE
def test_samples_are_as_frequent_as_they_are_probable(p: Weighted):
    for item, e in items(p):
        sampled = p.flat(drawn(p, 1).parts, item, axes=1)
        rows, first, counts = np.unique(sampled, axis=0, return_index=True, return_counts=True)
        observed = np.zeros(len(e.prob))
        observed[e.find(rows)] = counts
        weights = drawn(p, 1).log_weight[first, item]
        np.testing.assert_allclose(weights, e.log_weight[e.find(rows)], **p.close)
        assert not observed[e.prob == 0].any()
        assert chi_square(observed, DRAWS * e.prob) > 1e-4


@SINGLE
def test_keys_decide_samples(p: Weighted):
    again = draws(p.distribution, jax.random.key(1))
    same(again, drawn(p, 1), 0.0)
    other = drawn(p, 2)
    full = int(np.argmax([e.possible for _, e in items(p)]))
    assert (p.flat(other.parts, full, axes=1) != p.flat(drawn(p, 1).parts, full, axes=1)).any()


def test_averages(p: Weighted):
    q = other_weights(p)
    f, g = features(p, 1), features(p, 2)
    got = ask_averages(p, q)
    pairs = list(zip(p.enumerations, q.enumerations, strict=True))
    expect(p, got["entropy"], lambda e: e.entropy)
    np.testing.assert_allclose(got["kl"], [a.kl(b) for a, b in pairs], **p.close)
    for item, e in items(p):
        first, second = p.flat(f, item), p.flat(g, item)
        np.testing.assert_allclose(got["expectation"][item], e.expectation(first), **p.close)
        np.testing.assert_allclose(got["covariance"][item], e.covariance(first, second), **p.close)


@ONE
def test_averages_like_those_and_their_gradients(p: Weighted):
    """In the semirings of the other averages: a flag of one, a feature twice in another."""
    q, f = other_weights(p), features(p, 1)
    got = more_averages(p.distribution, q.distribution, f)
    pairs = list(zip(p.enumerations, q.enumerations, strict=True))
    np.testing.assert_allclose(
        got["cross_entropy"], [a.cross_entropy(b) for a, b in pairs], **p.close
    )
    variances = [e.covariance(p.flat(f, i), p.flat(f, i)) for i, e in items(p)]
    np.testing.assert_allclose(got["variance"], variances, **p.close)
    expect_parts(p, got["entropy slopes"], lambda _, e: e.entropy_slopes)
    expect_parts(p, got["expectation slopes"], lambda i, e: e.covariances(p.flat(f, i)))


def test_what_lacks_a_part_is_infinitely_far(p: Weighted):
    expect_infinite(p, ask_averages(p, lacking(p))["kl"])


@ONE
def test_what_lacks_a_part_has_infinite_cross_entropy(p: Weighted):
    got = more_averages(p.distribution, lacking(p).distribution, features(p, 1))
    expect_infinite(p, got["cross_entropy"])


def test_log_prob_of_all_derivations_sums_to_one(p: Weighted):
    full = fullest(p)
    e, (parts, _) = p.enumerations[full], events(p.case, full)
    zero = jax.tree.map(np.zeros_like, p.expanded.log_weights)
    each = [p.with_item(zero, full, row) for row in parts]
    stacked = jax.tree.map(lambda *xs: np.stack(xs), *each)
    got = log_prob(p.distribution, stacked)[:, full]
    np.testing.assert_allclose(got, e.log_prob, **p.close)
    assert np.exp(got).sum() == pytest.approx(1, abs=1e-4)


@SINGLE
def test_what_no_derivation_looks_at_changes_nothing(p: Weighted):
    p2, q2 = (w.disturbed(p.items, seed=9) for w in (p, other_weights(p)))
    same(ask_sums(p2), ask_sums(p))
    same(best(p2.distribution), best(p.distribution))
    same(ask_averages(p2, q2), ask_averages(p, other_weights(p)))
    same(drawn(p2, 1), drawn(p, 1), 0.0)


def test_items_are_independent(p: Weighted):
    full = fullest(p)
    others = set(p.items) - {full}
    changed = p.disturbed(others, seed=4)
    assert all(w.enumerations[full].possible for w in (p, changed))
    before, after = ask_sums(p), ask_sums(changed)
    best_before, best_after = best(p.distribution), best(changed.distribution)
    for item in others:
        for x, y in (
            (before["log_partition"], after["log_partition"]),
            (best_before.log_weight, best_after.log_weight),
        ):
            # Weights that an item does not use may have set the scale of its sums.
            np.testing.assert_allclose(x[item], y[item], rtol=3e-6)
        same(p.flat(before["marginals"], item), p.flat(after["marginals"], item), 3e-6)
        np.testing.assert_array_equal(
            p.flat(best_before.parts, item), p.flat(best_after.parts, item)
        )
    assert before["log_partition"][full] != after["log_partition"][full]


def test_other_weights_compile_nothing_anew(p: Weighted):
    ask_sums(p)
    traced = traces["sums"]
    other = replace(weighted(p.case, 3), base=p.base)
    same(sums(other.distribution), sums(other.distribution), 0.0)
    assert traces["sums"] == traced


def test_impossible_items_have_weight_zero_and_no_nan(p: Weighted):
    nothing = jax.tree.map(lambda x: jnp.full_like(x, -jnp.inf), p.structure.log_weights)
    w = p.weighing(nothing)
    got = ask_sums(w)
    expect(w, got["log_partition"], lambda e: e.log_partition)
    for x in jax.tree.leaves((got, ask_averages(w, w), best(w.distribution))):
        assert not np.isnan(x).any()
    for x in jax.tree.leaves(got["marginals"]):
        assert not x.any()


@SINGLE
def test_of_impossible_items_nothing_is_drawn(p: Weighted):
    nothing = jax.tree.map(lambda x: jnp.full_like(x, -jnp.inf), p.structure.log_weights)
    w = p.weighing(nothing)
    parts, log_weight = drawn(w, 1)
    for item, e in items(w):
        expected = e.log_weight.max() if e.possible else -np.inf
        np.testing.assert_allclose(log_weight[:, item], expected, **p.close)
    for x in jax.tree.leaves(parts):
        assert not np.asarray(x).any()


def test_distributions_pass_through_transformations(p: Weighted):
    d = jax.jit(lambda x: x)(p.distribution)
    assert isinstance(d, Distribution)
    assert type(d.structure) is type(p.structure)
    assert d.base == p.distribution.base
    same(d.structure, p.structure, 0.0)


def saves(ask: Callable[[Distribution], Any], w: Weighted, expected: Any) -> bool:
    """Whether a budget can make it compute something twice; fail if that changes the answer."""
    plans: list[Plan] = []

    def reported(recursion: Recursion) -> Any:
        return ask(replace(w.distribution, recursion=recursion))

    jax.eval_shape(lambda: reported(Recursion(report=plans.append)))
    budget = 0.95 * max(plan.residual_mib for plan in plans)
    plans.clear()
    try:
        answer = jax.jit(lambda: reported(Recursion(budget, plans.append)))()
    except ValueError:
        return False  # So few steps keep less than the states at their starts would take.
    assert any(plan.recomputes for plan in plans)
    same(answer, expected)
    return True


@SCANNING
def test_the_memory_budget_changes_no_answer(p: Weighted):
    key = jax.random.key(1)
    asked = (
        saves(lambda d: d.marginals(), p, ask_sums(p)["marginals"]),
        saves(lambda d: d.best(), p, best(p.distribution)),
        saves(lambda d: d.sample(key, DRAWS, together=500).parts, p, drawn(p, 1).parts),
    )
    assert any(asked) == p.case.saves


def test_memory_reports_the_plans_and_too_small_a_budget_is_an_error(p: Weighted):
    plans = p.distribution.memory()
    assert bool(plans) == p.case.scans
    assert all(plan.steps > 0 and plan.residual_mib > 0 for plan in plans)
    if plans:
        tight = replace(p.distribution, recursion=Recursion(budget_mib=1e-9))
        with pytest.raises(ValueError, match=r"budget of 1e-09 MiB is too small .* at least"):
            jax.eval_shape(tight.log_partition)
