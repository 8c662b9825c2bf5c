"""Checks of the independence of padding and items, JAX transformations and memory budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from semipunct.structures.distribution import Distribution
from semipunct.structures.recursion import Plan, Recursion
from semipunct.structures.testing import questions
from semipunct.structures.testing.answers import Check
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.comparisons import expect, expect_same, other_weights, require

_ROUNDING = 5e-5
"""Tolerance for sums in single precision whose scales differ."""


def padding(w: Weighted) -> None:
    """Check that weights that no derivation uses do not affect any result."""
    second_weights = w.ask(other_weights)
    changed, other_changed = (x.disturb(w.items, seed=9) for x in (w, second_weights))
    # The scale of a sum may depend on weights that no derivation uses, and so may its rounding.
    for computed, expected, description in (
        (questions.sums(changed), w.ask(questions.sums), "sums"),
        (questions.best(changed), w.ask(questions.best), "the best"),
        (
            questions.averages(changed, other_changed),
            w.ask(questions.averages, second_weights),
            "averages",
        ),
    ):
        expect_same(computed, expected, f"{description}, with another padding", _ROUNDING)


def padding_of_samples(w: Weighted) -> None:
    """Check that weights that no derivation uses do not affect samples."""
    changed = w.disturb(w.items, seed=9)
    expect_same(
        questions.draws(changed, 1), w.ask(questions.draws, 1), "draws, with another padding", 0.0
    )


def independent_items(w: Weighted) -> None:
    """Check that the results of an item do not depend on the weights of other items."""
    remaining_items = set(w.items) - {w.fullest}
    changed = w.disturb(remaining_items, seed=4)
    require(
        w.enumerations[w.fullest].log_partition != changed.enumerations[w.fullest].log_partition,
        f"no log weight is item {w.fullest}'s alone; give the case two items with weights of "
        "their own",
    )
    before, after = w.ask(questions.sums), questions.sums(changed)
    best_before, best_after = w.ask(questions.best), questions.best(changed)
    for item in remaining_items:
        name = f"of item {item}, with other weights for item {w.fullest}"
        for x, y in (
            (before.log_partition, after.log_partition),
            (best_before.log_weight, best_after.log_weight),
        ):
            # Weights that an item does not use may affect the scale of its sums.
            np.testing.assert_allclose(
                x[item], y[item], rtol=_ROUNDING, err_msg=f"log weights {name}"
            )
        part_before, part_after = w.flat(before.marginals, item), w.flat(after.marginals, item)
        expect_same(part_before, part_after, f"marginals {name}", _ROUNDING)
        part_before, part_after = w.flat(best_before.parts, item), w.flat(best_after.parts, item)
        expect_same(part_before, part_after, f"best derivation {name}", 0.0)
    require(
        before.log_partition[w.fullest] != after.log_partition[w.fullest],
        f"item {w.fullest} has the same log partition with other weights",
    )


def compiled_once(w: Weighted) -> None:
    """Check that other weights of the same shapes do not cause recompilation."""
    # An answer that was kept (`ask`) says nothing of what is compiled now.
    questions.sums(w)
    before = questions.traces["_sums"]
    questions.sums(w.case.with_weights(w.base, 3))
    require(
        questions.traces["_sums"] == before,
        "other log weights are compiled anew: what is not static must be data of the pytree",
    )


def impossible(w: Weighted) -> None:
    """Check that items without derivations have weight zero, and that there is no NaN."""
    nothing = w.ask(Weighted.impossible)
    sums = nothing.ask(questions.sums)
    expect(nothing, sums.log_partition, lambda e: e.log_partition, "log partition without parts")
    answers = (sums, questions.averages(nothing, nothing), questions.best(nothing))
    for x in jax.tree.leaves(answers):
        require(not np.isnan(x).any(), f"NaN where there is no derivation: {x}")
    for x in jax.tree.leaves(sums.marginals):
        require(not np.any(x), f"marginals where there is no derivation: {x}")


def impossible_draws(w: Weighted) -> None:
    """Check that samples of items without derivations are empty."""
    nothing = w.ask(Weighted.impossible)
    drawn = nothing.ask(questions.draws, 1)
    for item, e in nothing.each():
        expected = np.full(questions.DRAWS, e.log_weight.max())
        name = f"log weights of draws of item {item} without parts"
        np.testing.assert_allclose(drawn.log_weight[:, item], expected, rtol=2e-5, err_msg=name)
    for x in jax.tree.leaves(drawn.parts):
        require(not np.any(x), "forbidden parts are drawn where there is no derivation")


def transformations(w: Weighted) -> None:
    """Check that functions under JAX transformations can take and return distributions."""
    passed: Any = jax.jit(lambda x: x)(w.distribution)
    kinds = (type(passed), type(getattr(passed, "structure", None)))
    require(
        kinds == (Distribution, type(w.structure)) and passed.base == w.base,
        f"a compiled function returns {kinds} where it is given a distribution; register "
        f"{type(w.structure).__name__} as a pytree",
    )
    expect_same(passed.structure, w.structure, "a structure out of a compiled function", 0.0)


def saves(
    ask: Callable[[Distribution[Any]], Any], w: Weighted, expected: Any, description: str
) -> bool:
    """Return whether a budget can force recomputation; fail if that changes the result.

    Args:
        ask: the computation.
        w: the case with log weights.
        expected: the result without a budget.
        description: the name of the computation.
    """
    plans: list[Plan] = []

    def reported(recursion: Recursion) -> Any:
        return ask(replace(w.distribution, recursion=recursion))

    jax.eval_shape(lambda: reported(Recursion(report=plans.append)))
    if not plans:
        return False
    budget = 0.95 * max(plan.residual_mib for plan in plans)
    plans.clear()
    try:
        answer = jax.jit(lambda: reported(Recursion(budget, plans.append)))()
    except ValueError:
        return False  # So few steps store less than the states at their starts.
    require(
        any(p.recomputes for p in plans), f"{description}: a budget of {budget} MiB is not kept"
    )
    expect_same(answer, expected, f"{description}, within a budget")
    return True


def memory_budget(w: Weighted) -> None:
    """Check that a memory budget, applied to sums in ``Log``, does not change results."""
    key = jax.random.key(1)
    recomputing = (
        saves(lambda d: d.marginals(), w, w.ask(questions.sums).marginals, "marginals"),
        saves(lambda d: d.best(), w, w.ask(questions.best), "the best"),
    )
    require(
        any(recomputing) or not (w.case.scans and w.case.saves),
        f"a budget saves nothing: {recomputing}",
    )
    require(
        w.case.scans or not any(recomputing),
        f"a budget saves memory; the case says scans={w.case.scans}: {recomputing}",
    )
    # The memory of a trace differs from that of the reverse pass.
    drawn = w.ask(questions.draws, 1).parts
    saves(lambda d: d.sample(key, questions.DRAWS, together=500).parts, w, drawn, "draws")


def memory_plans(w: Weighted) -> None:
    """Check that plans are reported, and that too small a budget raises an error."""
    plans = w.distribution.memory()
    require(
        bool(plans) == w.case.scans,
        f"{len(plans)} of the scans report their plan; the case says scans={w.case.scans}",
    )
    wrong = [p for p in plans if p.steps <= 0 or p.residual_mib <= 0]
    require(not wrong, f"plans without steps or residuals: {wrong}")
    if plans:
        tight = replace(w.distribution, recursion=Recursion(budget_mib=1e-9))
        try:
            jax.eval_shape(tight.log_partition)
        except ValueError as error:
            message = str(error)
        else:
            message = "no error"
        require(
            "budget of 1e-09 MiB is too small" in message and "at least" in message,
            f"a budget of 1e-9 MiB gives {message}",
        )


BEHAVIOUR: Mapping[str, Check] = {
    "padding": padding,
    "padding of samples": padding_of_samples,
    "independent items": independent_items,
    "compiled once": compiled_once,
    "impossible": impossible,
    "impossible draws": impossible_draws,
    "transformations": transformations,
    "memory budget": memory_budget,
    "memory plans": memory_plans,
}
"""Checks by name."""
