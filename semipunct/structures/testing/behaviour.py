"""Checks of independence, JAX transformations, memory budgets, NaN, range, and of the case.

A fault in the ninth position, in the fifth item, in the fifth of some labels or in empty items does
not show in a case that has none of these; the other checks would pass. So ``size`` asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from unittest import SkipTest

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts
from semipunct.structures.distribution import Distribution
from semipunct.structures.recursion import Plan, Recursion
from semipunct.structures.testing import questions
from semipunct.structures.testing.answers import Check
from semipunct.structures.testing.case import Weighted
from semipunct.structures.testing.questions import (
    expect,
    expect_number,
    expect_parts,
    expect_same,
    other_weights,
    require,
)
from semirings.base import Semiring
from semirings.boolean import Boolean
from semirings.divergence import Entropy
from semirings.expectation import Expectation
from semirings.kbest import KBest
from semirings.numerics import log_times
from semirings.viterbi import Viterbi

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
    before = questions.traces["sums"]
    questions.sums(w.case.with_weights(w.base, 3))
    require(
        questions.traces["sums"] == before,
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


def _answers(d: Distribution[Any], key: jax.Array) -> Any:
    feature = jax.tree.map(jnp.ones_like, d.structure.expand().log_weights)
    return (
        d.log_partition_and_marginals(),
        d.best(),
        d.top(2),
        d.sample(key, 3).parts,
        d.entropy(),
        d.kl(d),
        d.covariance(feature, feature),
        d.expectation(feature),
    )


def _batches(w: Weighted) -> tuple[Any, Any, Callable[[Any], Any]]:
    """Return two batches of log weights, stacked; the expected answers; and what computes those."""
    batches = [w.structure.log_weights, w.case.with_weights(w.base, 3).structure.log_weights]
    key = jax.random.key(0)

    def answers(log_weights: Any) -> Any:
        structure = w.structure.with_log_weights(log_weights)
        return _answers(Distribution(structure, w.base), key)

    alone = jax.jit(answers)
    expected = jax.tree.map(lambda *xs: np.stack(xs), *map(alone, batches))
    return jax.tree.map(lambda *xs: jnp.stack(xs), *batches), expected, answers


def _mesh(number: int) -> jax.sharding.Mesh:
    return jax.make_mesh((number,), ("batches",), axis_types=(jax.sharding.AxisType.Auto,))


def devices(w: Weighted) -> None:
    """Check ``jax.shard_map`` over two devices, or over one if there are no two.

    Each gets a batch with other log weights.
    """
    number = min(2, jax.device_count())
    stacked, expected, answers = w.ask(_batches)

    def each(stacked: Any) -> Any:
        rows = [jax.tree.map(lambda x, i=i: x[i], stacked) for i in range(2 // number)]
        return jax.tree.map(lambda *xs: jnp.stack(xs), *map(answers, rows))

    spec = jax.sharding.PartitionSpec("batches")
    divide = partial(jax.shard_map, mesh=_mesh(number), in_specs=spec, out_specs=spec)
    expect_same(jax.jit(divide(each))(stacked), expected, f"results on {number} devices")


def vmap(w: Weighted) -> None:
    """Check ``jax.vmap`` over two batches with different log weights."""
    stacked, expected, answers = w.ask(_batches)
    expect_same(jax.jit(jax.vmap(answers))(stacked), expected, "results under vmap")


def sharded_batches(w: Weighted) -> None:
    """Check batches that ``jax.jit`` divides among two devices.

    Raises:
        unittest.SkipTest: if there is one device only.
    """
    if jax.device_count() < 2:
        raise SkipTest(
            "sharded: jax has one device; XLA_FLAGS=--xla_force_host_platform_device_count=2 makes "
            "two of a CPU"
        )
    stacked, expected, answers = w.ask(_batches)
    sharding = jax.sharding.NamedSharding(_mesh(2), jax.sharding.PartitionSpec("batches"))
    compiled = jax.jit(jax.vmap(answers), in_shardings=sharding)
    expect_same(compiled(jax.device_put(stacked, sharding)), expected, "results of a divided batch")


def _numbers(w: Weighted, second: Weighted) -> dict[str, Any]:
    """Return numeric results with an axis of items, by name; the axis is the last."""
    sums, averages = questions.sums(w), questions.averages(w, second)
    return {
        "log partition": sums.log_partition,
        "log partition without marginals": sums.alone,
        "log weight of the best": questions.best(w).log_weight,
        "log weights of draws": questions.draws(w, 1).log_weight,
        **averages._asdict(),
    }


def _derivations(w: Weighted) -> dict[str, tuple[Parts, int]]:
    """Return results shaped like the parts, by name, each with the number of leading axes."""
    return {
        "marginals": (questions.sums(w).marginals, 0),
        "parts of the best": (questions.best(w).parts, 0),
        "parts of draws": (questions.draws(w, 1).parts, 1),
    }


def nan(w: Weighted) -> None:
    """Check that all results of an item with a NaN weight are NaN, those of others unchanged."""
    second_weights = w.ask(other_weights)
    before, parts_before = _numbers(w, second_weights), _derivations(w)
    changed = _with_one_nan(w)
    parts_after = _derivations(changed)
    for name, after in _numbers(changed, second_weights).items():
        for item in w.items:
            x, y = np.asarray(after)[..., item], np.asarray(before[name])[..., item]
            if item == w.fullest:
                require(np.isnan(x).all(), f"{name} of item {item}, with a NaN weight: {x}")
            else:
                expect_same(x, y, f"{name} of item {item}, with a NaN weight in item {w.fullest}")
    for name, (after, axes) in parts_after.items():
        for item in w.items:
            x, y = (w.flat(z, item, axes) for z in (after, parts_before[name][0]))
            if item == w.fullest:
                require(np.isnan(x).any(-1).all(), f"{name} of item {item} hide a NaN weight")
            else:
                expect_same(x, y, f"{name} of item {item}, with a NaN weight in item {w.fullest}")


def _with_one_nan(w: Weighted) -> Weighted:
    """Return the case with one weight NaN that item ``fullest`` uses, and no other."""
    remaining_items = set(w.items) - {w.fullest}
    for weights in (w, w.weighing(w.expanded.log_weights)):
        alone = jax.tree.map(
            lambda x, y: x & ~y, weights.looked_at([w.fullest]), weights.looked_at(remaining_items)
        )
        leaves, treedef = jax.tree.flatten(alone)
        for number, leaf in enumerate(leaves):
            if leaf.any():
                values = list(jax.tree.leaves(weights.structure.log_weights))
                place = tuple(np.argwhere(leaf)[0].tolist())
                values[number] = values[number].at[place].set(jnp.nan)
                return weights.weighing(treedef.unflatten(values))
    raise AssertionError("no weight is used by one item alone; give the case such a weight")


def nan_in_padding(w: Weighted) -> None:
    """Check that padding may be NaN, without any effect on results or gradients."""
    # Padding are rows (of positions, for example) of which no derivation uses any entry, and of
    # which the case forbids none.
    uniform = w.case.uniform(w.base)
    used = jax.tree.map(
        lambda x, y: (x | y).any(tuple(range(2, x.ndim)), keepdims=True),
        uniform.looked_at(w.items),
        uniform.forbidden,
    )

    def padded(x: Weighted) -> Weighted:
        weights = x.structure.log_weights
        return x.weighing(jax.tree.map(lambda a, b: jnp.where(b, a, jnp.nan), weights, used))

    second_weights = w.ask(other_weights)
    changed, other_changed = padded(w), padded(second_weights)
    expect_same(questions.sums(changed), w.ask(questions.sums), "sums, with NaN as padding")
    expect_same(questions.best(changed), w.ask(questions.best), "the best, with NaN as padding")
    expect_same(
        questions.draws(changed, 1), w.ask(questions.draws, 1), "draws, with NaN as padding"
    )
    computed = questions.averages(changed, other_changed)
    expect_same(
        computed, w.ask(questions.averages, second_weights), "averages, with NaN as padding"
    )


SHIFTS = (90.0, -90.0)
"""Terms added to every log weight: beyond exp(88), the range of floats in single precision."""

SPREAD = 8.0
"""The factor of the differences between log weights."""

OTHERS: tuple[Semiring, ...] = (Viterbi(), Boolean(), KBest(2), Expectation(), Entropy())
"""Semirings whose totals are compared, besides those of all questions."""


def large_weights(w: Weighted) -> None:
    """Check sums and the best with log weights around 90 and around -90, some 50 apart."""
    for shift in SHIFTS:
        far = w.weighing(jax.tree.map(lambda x, s=shift: SPREAD * x + s, w.structure.log_weights))
        scale = max(1.0, *(abs(e.log_partition) for _, e in far.each()))
        tolerance = w.close * scale
        sums, answer = questions.sums(far), questions.best(far)
        for item, e in far.each():
            description = f"of item {item} with log weights near {shift}"
            for name, computed, expected in (
                ("log partition", sums.log_partition, e.log_partition),
                ("log weight of the best", answer.log_weight, e.log_weight.max()),
            ):
                np.testing.assert_allclose(
                    computed[item],
                    expected,
                    rtol=w.close,
                    atol=tolerance,
                    err_msg=f"{name} {description}",
                )
            np.testing.assert_allclose(
                far.flat(sums.marginals, item), e.marginals, rtol=tolerance, atol=tolerance,
                err_msg=f"marginals {description}",
            )  # fmt: skip


def double_precision(w: Weighted) -> None:
    """Check sums in double precision, where arithmetic in single precision shows."""
    with jax.enable_x64(True):
        precise = w.case.with_weights(w.base)
        require(
            precise.dtype == np.float64,
            f"log weights are {precise.dtype} where double precision is enabled; let the case "
            "build them in JAX's default precision",
        )
        sums = precise.ask(questions.sums)
        expect(precise, sums.log_partition, lambda e: e.log_partition, "log partition")
        expect_parts(precise, sums.marginals, lambda _, e: e.marginals, "marginals")


def without_compilation(w: Weighted) -> None:
    """Check the total outside compiled programs."""
    total = w.structure.total(w.base)
    log_partition = log_times(w.base.log_weight(total.value), total.log_scale)
    expect(w, log_partition, lambda e: e.log_partition, "log partition, not compiled,")


def totals_of_nothing(w: Weighted) -> None:
    """Check that totals without parts are zero, and others are not, in further semirings."""
    nothing = w.ask(Weighted.impossible)
    empty = [e.log_weight.max() > -np.inf for _, e in nothing.each()]
    for semiring, totals in zip(OTHERS, questions.totals(nothing, OTHERS), strict=True):
        read = np.asarray(totals)
        require(
            (read > -np.inf).tolist() == empty and not np.isnan(read).any(),
            f"totals without parts in {semiring!r} read {read}; "
            f"only items {np.flatnonzero(empty).tolist()} have a derivation without parts",
        )
    for semiring, totals in zip(OTHERS, questions.totals(w, OTHERS), strict=True):
        if isinstance(semiring, Boolean):
            continue  # It does not read back weights.
        best = isinstance(semiring, (Viterbi, KBest))
        expected = [e.log_weight.max() if best else e.log_partition for _, e in w.each()]
        expect_number(w, totals, expected, f"total of each item in {semiring!r}")


ITEMS = 5
"""The least number of items."""

POSITIONS = 9
"""The least number of entries that derivations use along the longest axis."""

ENTRIES = 5
"""The least number of entries that derivations use along any axis of more than one entry."""


def _used(w: Weighted) -> dict[str, tuple[int, ...]]:
    """Return how many entries derivations use along each axis of an item, by name of the leaf."""
    most: dict[str, tuple[int, ...]] = {}
    for item in w.items:
        place = np.flatnonzero(w.enumerations[item].used)
        start = 0
        for path, leaf in jax.tree_util.tree_leaves_with_path(w.zeros):
            rows = np.asarray(leaf)[w.case.rows(item)]
            inside = place[(place >= start) & (place < start + rows.size)] - start
            start += rows.size
            index = np.unravel_index(inside, rows.shape)
            used = tuple(int(x.max(initial=-1)) + 1 for x in index)
            name = jax.tree_util.keystr(path).lstrip(".") or "the log weights"
            # One axis of each entry alone has nothing beyond it.
            used = tuple(
                u if size > 1 else ENTRIES for u, size in zip(used, rows.shape, strict=True)
            )
            before = most.get(name, used)
            most[name] = tuple(map(max, before, used))
    return most


def size(w: Weighted) -> None:
    """Check that the case has enough items, positions and entries, and an empty item.

    What a structure cannot have is named in ``Case.lacks``, with the reason.
    """
    used = _used(w)
    empty = any(len(e.parts) == 1 and not e.parts.any() for _, e in w.each())
    short = [
        f"{name} has {', '.join(map(str, axes))}"
        for name, axes in used.items()
        if any(x < ENTRIES for x in axes)
    ]
    longest = max((x for axes in used.values() for x in axes), default=0)
    lacking = {
        "items": (
            len(w.items) < ITEMS,
            f"it has {len(w.items)} items; a fault in item {ITEMS - 1} needs {ITEMS}",
        ),
        "an empty item": (
            not empty,
            "every item has a derivation that uses parts; add one whose only derivation uses none",
        ),
        "positions": (
            longest < POSITIONS,
            f"derivations use at most {longest} entries along any axis; a fault at position "
            f"{POSITIONS - 1} needs {POSITIONS}",
        ),
        "entries": (
            bool(short),
            f"derivations use fewer than {ENTRIES} entries along an axis: {'; '.join(short)}; a "
            f"fault in state or label {ENTRIES - 1} needs {ENTRIES}",
        ),
    }
    missing = [
        f"{name}: {text}"
        for name, (lacks, text) in lacking.items()
        if lacks and name not in w.case.lacks
    ]
    needless = [name for name in w.case.lacks if not lacking[name][0]]
    require(
        not missing,
        f"the case cannot show some faults. {'. '.join(missing)}. To keep the enumeration short, "
        "let `build` forbid most parts of a large item; what the structure cannot have goes into "
        "Case(..., lacks={name: reason})",
    )
    require(not needless, f"the case says that it lacks {needless}, but has it")


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
    "NaN": nan,
    "NaN in padding": nan_in_padding,
    "devices": devices,
    "vmap": vmap,
    "sharded": sharded_batches,
    "large weights": large_weights,
    "double precision": double_precision,
    "uncompiled": without_compilation,
    "totals of nothing": totals_of_nothing,
    "size": size,
}
"""Checks by name."""
