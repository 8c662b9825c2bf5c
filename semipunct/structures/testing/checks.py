"""Conformance checks and the comparisons they use.

``size`` requires cases large enough to expose faults in later positions, items, labels or states,
and in empty items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any
from unittest import SkipTest

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts
from semipunct.structures.distribution import Distribution
from semipunct.structures.draws import Traceable
from semipunct.structures.recursion import Recursion, memory
from semipunct.structures.testing import programs
from semipunct.structures.testing.case import Case, Enumeration, Weighted, chi_square
from semipunct.structures.testing.programs import (
    FAST,
    RANKS,
    Answer,
    lists,
    reverse_sample,
    sample,
    sums,
)
from semipunct.wording import quantity
from semirings.boolean import Boolean
from semirings.capabilities import Divisible
from semirings.log import Log
from semirings.numerics import log_times
from semirings.viterbi import Viterbi

# Raises AssertionError with a description of the failure.
Check = Callable[[Weighted], None]

# Tolerance for sums in single precision with different scales.
_ROUNDING = 5e-5


def require(condition: Any, message: str) -> None:
    """Raise ``AssertionError`` unless the condition holds."""
    if not condition:
        raise AssertionError(message)


def expect_number(w: Weighted, computed: Any, expected: Any, description: str) -> None:
    """Require numbers close to the expected ones."""
    numbers = np.asarray(computed, np.float64)
    np.testing.assert_allclose(numbers, expected, rtol=w.close, atol=w.close, err_msg=description)


def expect(
    w: Weighted, computed: jax.Array, answer: Callable[[int, Enumeration], float], description: str
) -> None:
    """Require numbers ``[batch]`` to match the enumeration."""
    expect_precision(w, computed, description)
    expect_number(w, computed, [answer(i, e) for i, e in w.each()], f"{description} of each item")


def expect_precision(w: Weighted, computed: Any, description: str) -> None:
    """Require arrays with the dtype of the log weights."""
    precisions = {str(x.dtype) for x in jax.tree.leaves(computed)}
    require(
        precisions == {str(w.dtype)},
        f"{description} is {sorted(precisions)}, the log weights are {w.dtype}",
    )


def expect_parts(
    w: Weighted, computed: Parts, answer: Callable[[int, Enumeration], np.ndarray], description: str
) -> None:
    """Require parts to match the enumeration, with zeros in the padding."""
    expect_precision(w, computed, description)
    for item, e in w.each():
        expect_number(
            w, w.flat(computed, item), answer(item, e), f"{description}, entries of item {item}"
        )
    inside = sum(np.abs(w.flat(computed, item)).sum() for item in w.items)
    everywhere = sum(np.abs(np.asarray(x, np.float64)).sum() for x in jax.tree.leaves(computed))
    np.testing.assert_allclose(
        everywhere, inside, rtol=1e-6, atol=1e-12, err_msg=f"{description}, beyond the items"
    )


def expect_same(computed: Any, expected: Any, description: str, tolerance: float = 1e-6) -> None:
    """Require equal pytrees, up to a relative and absolute tolerance."""
    for x, y in zip(jax.tree.leaves(computed), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, err_msg=description)


def number_of_derivations(w: Weighted) -> None:
    """Check that derivations are distinct, and their number."""
    level = w.uniform
    for item, e in level.each():
        different = len({row.tobytes() for row in e.parts})
        require(
            different == len(e.parts),
            f"the enumeration of item {item} repeats itself: {different} of {len(e.parts)} differ",
        )
    computed = level.ask(sums, level)
    require(not np.any(computed.scale), f"numbers are scaled by exp({computed.scale})")
    for item, e in level.each():
        number = computed.number[item]
        require(
            number == e.possible,
            f"{number} derivations of item {item} are counted, {e.possible} enumerated",
        )


def log_partition(w: Weighted) -> None:
    """Check the log partition function."""
    computed = w.ask(sums, w.other).log_partition
    expect(w, computed, lambda _, e: e.log_partition, "log partition")


def marginals(w: Weighted) -> None:
    """Check marginals against expected numbers of uses."""
    computed = w.ask(sums, w.other).marginals
    expect_parts(w, computed, lambda _, e: e.marginals, "marginals")
    most = max(e.parts.max(initial=0) for _, e in w.each())
    for x in jax.tree.leaves(computed):
        require(
            (x >= 0).all() and (x <= most * (1 + 1e-5)).all(),
            f"marginals are from {np.min(x)} to {np.max(x)}, not from 0 to {most}",
        )


def slopes(w: Weighted) -> None:
    """Check first and second directional derivatives, forward over reverse mode."""
    computed, along = w.ask(sums, w.other), w.features(2)
    expect(w, computed.slope, lambda i, e: e.expectation(w.flat(along, i)), "slope")
    _expect_change(w, computed.change)


def slopes_in_reverse_mode(w: Weighted) -> None:
    """Check second directional derivatives, reverse over reverse mode."""
    _expect_change(w, w.ask(sums, w.other).reverse_change)


def _expect_change(w: Weighted, change: Parts) -> None:
    along = w.features(2)
    expect_parts(w, change, lambda i, e: e.covariances(w.flat(along, i)), "slopes of marginals")


def averages(w: Weighted) -> None:
    """Check entropy, expectation, covariance, KL divergence and gradients."""
    computed, f, g = w.ask(sums, w.other), w.features(1), w.features(2)
    others = w.other.enumerations
    expect(w, computed.entropy, lambda _, e: e.entropy, "entropy")
    expect(w, computed.expectation, lambda i, e: e.expectation(w.flat(f, i)), "expectation")
    expect(
        w,
        computed.covariance,
        lambda i, e: e.covariance(w.flat(f, i), w.flat(g, i)),
        "covariance of two features",
    )
    expect(w, computed.kl, lambda i, e: e.kl(others[i]), "divergence")
    expected = w.zeros
    for item, e in w.each():
        slopes = e.entropy_slopes + e.covariances(w.flat(f, item))
        expected = w.with_item(expected, item, slopes)
    expect_precision(w, computed.slopes, "the gradient of entropy and expectation")
    expect_same(
        computed.slopes, w.gather(expected), "gradient of entropy and expectation", 10 * w.close
    )


def infinite_divergence(w: Weighted) -> None:
    """Check that KL is infinite if the reference forbids a used part."""
    nats = w.ask(sums, w.ask(lacking)).kl
    require(
        np.isinf(nats).tolist() == [item == w.fullest for item in w.items]
        and not np.isnan(nats).any(),
        f"of item {w.fullest} one part is forbidden in the other; the divergence is {nats}",
    )


def best(w: Weighted) -> None:
    """Check that argmax has the largest weight."""
    answer = w.ask(lists).best
    expect(w, answer.log_weight, lambda _, e: float(e.log_weight.max()), "log weight of the best")
    for item, e in w.each():
        (place,) = e.find(w.flat(answer.parts, item)[None])
        name = f"log weight of the parts of item {item}'s best"
        expect_number(w, e.log_weight[place], e.log_weight.max(), name)


def ranked(w: Weighted) -> None:
    """Check that top-k lists are sorted, distinct and complete."""
    small = w.ask(few)
    most = max(e.possible for _, e in small.each())
    require(most > 1, "no item has more than one derivation; give the case a larger item")
    for weights in (w, small):
        answer = weights.ask(lists).top
        expect_precision(w, answer.log_weight, "the log weights of a list")
        for item, e in weights.each():
            name = f"log weights of the list of item {item}"
            expect_number(w, answer.log_weight[:, item], e.ranking(RANKS), name)
            places = _places(weights, answer, item)
            name = f"log weights of the parts listed for item {item}"
            expect_number(w, e.log_weight[places], e.ranking(RANKS)[: len(places)], name)


def _places(w: Weighted, answer: Answer, item: int) -> list[int]:
    is_possible = np.asarray(answer.log_weight)[:, item] > -np.inf
    e = w.enumerations[item]
    places = e.find(w.flat(answer.parts, item, axes=1)[is_possible]).tolist()
    length = len(is_possible)
    require(
        len(set(places)) == len(places) == min(length, e.possible),
        f"item {item} has {quantity(e.possible, 'derivation')}; a list of {length} has those "
        f"numbered {places}",
    )
    return places


def ties(w: Weighted) -> None:
    """Check that argmax and top-k break ties alike."""
    level = w.uniform
    answer = level.ask(lists)
    for item, e in level.each():
        single = e.find(level.flat(answer.best.parts, item)[None]).tolist()
        listed = _places(level, answer.top, item)
        require(single == listed[:1], f"the best of item {item} is {single}, the list has {listed}")


def samples(w: Weighted) -> None:
    """Check the frequencies, log weights and reproducibility of samples."""
    rounds = [w.ask(sample, seed) for seed in range(1, 1 + programs.ROUNDS)]
    _expect_draws(w, [x.draws for x in rounds])
    if isinstance(w.structure, Traceable):
        _expect_draws(w, [reverse_sample(w, seed) for seed in range(programs.REVERSE_ROUNDS)])
    first, second = rounds[:2]
    for item, e in w.each():
        places = e.find(w.flat(first.draws.parts, item, axes=1))
        expect_number(w, first.score[:, item], e.log_weight[places], f"scores in item {item}")
    differ = w.flat(first.draws.parts, w.fullest, 1) != w.flat(second.draws.parts, w.fullest, 1)
    require(differ.any(), f"two keys draw the same of item {w.fullest}")


def log_prob(w: Weighted) -> None:
    """Check the log probabilities of all derivations of an item."""
    full = w.uniform.fullest
    log_probs = w.ask(sample, 1).log_prob[:, full]
    expect_precision(w, log_probs, "the log probability")
    expect_number(w, log_probs, w.enumerations[full].log_prob, f"log probabilities of item {full}")
    total = float(np.exp(np.asarray(log_probs, np.float64)).sum())
    require(abs(total - 1) < 1e-4, f"probabilities of item {full} sum to {total}")


def _expect_draws(w: Weighted, rounds: list[Answer]) -> None:
    if not rounds:
        return
    expect_precision(w, [x.log_weight for x in rounds], "the log weight of draws")
    drawn = jax.tree.map(lambda *xs: np.concatenate(xs), *rounds)
    for item, e in w.each():
        places = e.find(w.flat(drawn.parts, item, axes=1))
        name = f"log weights of the draws of item {item}"
        expect_number(w, drawn.log_weight[:, item], e.log_weight[places], name)
        observed = np.bincount(places, minlength=len(e.prob))
        forbidden = int(observed[e.prob == 0].sum())
        require(not forbidden, f"{quantity(forbidden, 'draw')} of item {item} have no probability")
        p = chi_square(observed, len(places) * e.prob)
        require(p > 1e-4, f"draws of item {item} are not in proportion to weight: p = {p:.2g}")
        # The mean log weight is more sensitive to a flatter or sharper distribution.
        weight = np.where(e.prob > 0, e.log_weight, 0.0)
        spread = np.sqrt(e.prob @ (weight - e.prob @ weight) ** 2 / len(places))
        off = abs(weight[places].mean() - e.prob @ weight)
        require(
            off <= 5 * spread + 1e-6,
            f"the mean log weight of draws of item {item} is {off:.2g} off, with a standard error "
            f"of {spread:.2g}",
        )


def padding(w: Weighted) -> None:
    """Check that unused weights do not affect results."""
    changed, other = (x.disturb(w.items, seed=9) for x in (w, w.other))
    # Unused weights may affect the scale of a sum, and so its rounding.
    for computed, expected, description in (
        (sums(changed, other), w.ask(sums, w.other), "sums"),
        (lists(changed), w.ask(lists), "lists"),
        (sample(changed, 1).draws, w.ask(sample, 1).draws, "draws"),
    ):
        expect_same(computed, expected, f"{description}, with another padding", _ROUNDING)


def nan_in_padding(w: Weighted) -> None:
    """Check results and gradients with NaN in the padding."""
    # Padding consists of rows (such as positions) without any used or forbidden entry.
    used = jax.tree.map(
        lambda x, y: (x | y).any(tuple(range(2, x.ndim)), keepdims=True),
        w.uniform.looked_at(w.items),
        w.uniform.forbidden,
    )

    def padded(x: Weighted) -> Weighted:
        weights = x.structure.log_weights
        return x.weighing(jax.tree.map(lambda a, b: jnp.where(b, a, jnp.nan), weights, used))

    changed = padded(w)
    for computed, expected, description in (
        (sums(changed, padded(w.other)), w.ask(sums, w.other), "sums"),
        (lists(changed), w.ask(lists), "lists"),
    ):
        expect_same(computed, expected, f"{description}, with NaN as padding")


def independent_items(w: Weighted) -> None:
    """Check that results do not depend on the weights of other items."""
    remaining_items = set(w.items) - {w.fullest}
    changed = w.disturb(remaining_items, seed=4)
    require(
        w.enumerations[w.fullest].log_partition != changed.enumerations[w.fullest].log_partition,
        f"no log weight is item {w.fullest}'s alone; give the case two items with weights of "
        "their own",
    )
    before, after = w.ask(sums, w.other), sums(changed, w.other)
    best_before, best_after = w.ask(lists).best, lists(changed).best
    for item in remaining_items:
        name = f"of item {item}, with other weights for item {w.fullest}"
        for x, y in (
            (before.log_partition, after.log_partition),
            (best_before.log_weight, best_after.log_weight),
        ):
            # Unused weights may affect the scale of an item's sums.
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


def impossible(w: Weighted) -> None:
    """Check items without derivations: no weight, no draws, no NaN."""
    nothing = w.ask(Weighted.impossible)
    computed, listed, drawn = nothing.ask(sums, nothing), nothing.ask(lists), nothing.ask(sample, 1)
    expect(
        nothing, computed.log_partition, lambda _, e: e.log_partition, "log partition without parts"
    )
    for x in jax.tree.leaves((computed, listed.best, listed.top.log_weight)):
        require(not np.isnan(x).any(), f"NaN where there is no derivation: {x}")
    for x in jax.tree.leaves((computed.marginals, drawn.draws.parts)):
        require(not np.any(x), "parts are used where there is no derivation")
    weights = [e.log_weight.max() for _, e in nothing.each()]
    for item, weight in enumerate(weights):
        name = f"log weights of draws of item {item} without parts"
        np.testing.assert_allclose(drawn.draws.log_weight[:, item], weight, rtol=2e-5, err_msg=name)
    empty = [weight > -np.inf for weight in weights]
    for name, some in (
        ("the best", listed.best.log_weight > -np.inf),
        ("a list", listed.top.log_weight[0] > -np.inf),
        ("the number of derivations", computed.number > 0),
    ):
        require(
            some.tolist() == empty,
            f"by {name} the items with a derivation without parts are {some.tolist()}; they are "
            f"{empty}",
        )


def nan(w: Weighted) -> None:
    """Check that a NaN weight makes all results of its item NaN, and no others."""
    changed = _with_one_nan(w)

    def results(x: Weighted) -> tuple[dict[str, jax.Array], dict[str, tuple[Parts, int]]]:
        """Return numbers ``[..., batch]``, and parts with their number of leading axes."""
        computed, listed, drawn = x.ask(sums, w.other), x.ask(lists).best, x.ask(sample, 1).draws
        numbers = ("log_partition", "entropy", "expectation", "covariance", "kl")
        return {
            **{name: getattr(computed, name) for name in numbers},
            "log weight of the best": listed.log_weight,
            "log weights of draws": drawn.log_weight,
        }, {
            "marginals": (computed.marginals, 0),
            "parts of the best": (listed.parts, 0),
            "parts of draws": (drawn.parts, 1),
        }

    (before, parts_before), (after, parts_after) = results(w), results(changed)
    for item in w.items:
        where = f"of item {item}, with a NaN weight in item {w.fullest}"
        for name, values in after.items():
            x, y = np.asarray(values)[..., item], np.asarray(before[name])[..., item]
            if item == w.fullest:
                require(np.isnan(x).all(), f"{name} {where}: {x}")
            else:
                expect_same(x, y, f"{name} {where}")
        for name, (parts, axes) in parts_after.items():
            x, y = (w.flat(z, item, axes) for z in (parts, parts_before[name][0]))
            if item == w.fullest:
                require(np.isnan(x).any(-1).all(), f"{name} {where} hide it")
            else:
                expect_same(x, y, f"{name} {where}")


def _with_one_nan(w: Weighted) -> Weighted:
    """Set to NaN one weight that only item ``fullest`` uses."""
    remaining_items = set(w.items) - {w.fullest}
    for weights in (w, w.weighing(w.expanded.log_weights)):
        alone = jax.tree.map(
            lambda x, y: x & ~y, weights.looked_at([w.fullest]), weights.looked_at(remaining_items)
        )
        changed = _changed_at_first(weights, alone, jnp.nan)
        if changed is not None:
            return changed
    raise AssertionError("no weight is used by one item alone; give the case such a weight")


def _changed_at_first(w: Weighted, mask: Parts, value: float) -> Weighted | None:
    """Set the log weight at the first true entry of a mask, if any."""
    leaves, treedef = jax.tree.flatten(w.structure.log_weights)
    for number, leaf in enumerate(jax.tree.leaves(mask)):
        if leaf.any():
            place = tuple(np.argwhere(leaf)[0].tolist())
            leaves[number] = leaves[number].at[place].set(value)
            return w.weighing(treedef.unflatten(leaves))
    return None


def lacking(w: Weighted) -> Weighted:
    """Forbid a part that only item ``fullest`` may use."""
    used_by_rest = w.looked_at(set(w.items) - {w.fullest})
    uses = w.gather(w.with_item(w.zeros, w.fullest, w.enumerations[w.fullest].marginals))
    alone = jax.tree.map(
        lambda shared, used: ~shared & (np.asarray(used) > 0.01) & (np.asarray(used) < 0.99),
        used_by_rest,
        uses,
    )
    changed = _changed_at_first(w, alone, -jnp.inf)
    if changed is None:
        raise AssertionError(
            f"{w.case.name}: no part that only item {w.fullest} uses is neither certain nor "
            "forbidden; give the case a larger item, with log weights of its own"
        )
    return changed


def few(w: Weighted) -> Weighted:
    """Forbid parts until every item has fewer derivations than ``RANKS``."""
    rng = np.random.default_rng(7)
    weights = w.expanded.log_weights
    for item, e in w.each():
        possible = e.parts[e.log_weight > -np.inf] != 0
        usable = possible[0]
        for _ in range(200):
            more = usable | rng.choice(possible)
            if (~possible[:, ~more].any(1)).sum() < RANKS:
                usable = more
        flat = np.where(usable, w.flat(weights, item), -np.inf)
        weights = w.with_item(weights, item, flat)
    return w.weighing(weights)


# Added to every log weight; exp(88) is near the largest float in single precision.
SHIFTS = (90.0, -90.0)

# Multiplies differences between log weights.
SPREAD = 8.0


def large_weights(w: Weighted) -> None:
    """Check log weights near 90 and -90."""
    for shift in SHIFTS:
        far = w.weighing(jax.tree.map(lambda x, s=shift: SPREAD * x + s, w.structure.log_weights))
        scale = max(1.0, *(abs(e.log_partition) for _, e in far.each()))
        tolerance = w.close * scale
        computed, answer = sums(far, far), lists(far).best
        for item, e in far.each():
            for name, found, expected, relative in (
                ("log partition", computed.log_partition[item], e.log_partition, w.close),
                ("log weight of the best", answer.log_weight[item], e.log_weight.max(), w.close),
                ("marginals", far.flat(computed.marginals, item), e.marginals, tolerance),
            ):
                np.testing.assert_allclose(
                    found,
                    expected,
                    rtol=relative,
                    atol=tolerance,
                    err_msg=f"{name} of item {item} with log weights near {shift}",
                )


def double_precision(w: Weighted) -> None:
    """Check that sums are accurate to double precision."""
    with jax.enable_x64(True):
        precise = w.case.with_weights(w.base)
        require(
            precise.dtype == np.float64,
            f"log weights are {precise.dtype} where double precision is enabled; let the case "
            "build them in JAX's default precision",
        )
        program = jax.jit(lambda d: d.log_partition_and_marginals(), compiler_options=FAST)
        total, uses = program(precise.distribution)
        expect(precise, total, lambda _, e: e.log_partition, "log partition")
        expect_parts(precise, uses, lambda _, e: e.marginals, "marginals")


def without_compilation(w: Weighted) -> None:
    """Check the total outside ``jax.jit``."""
    total = w.structure.total(w.base)
    computed = log_times(w.base.log_weight(total.value), total.log_scale)
    expect(w, computed, lambda _, e: e.log_partition, "log partition, not compiled,")


def totals(w: Weighted) -> None:
    """Check totals in other semirings."""
    nothing = w.ask(Weighted.impossible)
    empty = [e.log_weight.max() > -np.inf for _, e in nothing.each()]
    without, computed = nothing.ask(lists).totals, w.ask(lists).totals
    for semiring, read, number in zip(programs.OTHERS, without, computed, strict=True):
        require(
            (read > -np.inf).tolist() == empty and not np.isnan(read).any(),
            f"totals without parts in {semiring!r} read {read}; "
            f"only items {np.flatnonzero(empty).tolist()} have a derivation without parts",
        )
        if not isinstance(semiring, Boolean):  # It does not read back weights.
            best = isinstance(semiring, Viterbi)
            expected = [e.log_weight.max() if best else e.log_partition for _, e in w.each()]
            expect_number(w, number, expected, f"total of each item in {semiring!r}")


def transformations(w: Weighted) -> None:
    """Check distributions as arguments and results of compiled functions."""
    passed: Any = jax.jit(lambda x: x)(w.distribution)
    kinds = (type(passed), type(getattr(passed, "structure", None)))
    require(
        kinds == (Distribution, type(w.structure)) and passed.base == w.base,
        f"a compiled function returns {kinds} where it is given a distribution; register "
        f"{type(w.structure).__name__} as a pytree",
    )
    expect_same(passed.structure, w.structure, "a structure out of a compiled function", 0.0)
    # Cached results of `ask` compile nothing.
    lists(w)
    before = programs.traces["_lists"]
    lists(w.case.with_weights(w.base, 3))
    require(
        programs.traces["_lists"] == before,
        "other log weights are compiled anew: what is not static must be data of the pytree",
    )


def memory_plans(w: Weighted) -> None:
    """Check memory plans and budgets that are too small."""
    plans = memory(w.structure)
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


def devices(w: Weighted) -> None:
    """Check ``jax.vmap`` under ``jax.shard_map``, within a memory budget."""
    _expect_transformed(w, "under vmap and shard_map, within a memory budget", sharded=False)


def sharded_batches(w: Weighted) -> None:
    """Check batches sharded over two devices; skip with a single device."""
    if jax.device_count() < 2:
        raise SkipTest(
            "sharded: jax has one device; XLA_FLAGS=--xla_force_host_platform_device_count=2 makes "
            "two of a CPU"
        )
    _expect_transformed(w, "of a divided batch", sharded=True)


def _expect_transformed(w: Weighted, description: str, *, sharded: bool) -> None:
    second = w.case.with_weights(w.base, 3)
    computed, recomputed = programs.transformed(w, second, sharded=sharded)
    saves = recomputed["log partition and marginals"]
    require(saves or not (w.case.scans and w.case.saves), "a memory budget saves nothing")
    require(w.case.scans or not saves, f"a budget saves memory; the case says {w.case.scans=}")
    alone = [programs.answers(x) for x in (w, second)]
    for name, expected in jax.tree.map(lambda *xs: np.stack(xs), *alone).items():
        expect_same(computed[name], expected, f"{name} {description}", 1e-5)


# The least number of items.
ITEMS = 5

# The least number of entries used along the longest axis.
POSITIONS = 9

# The least number of entries used along any axis longer than one.
ENTRIES = 5


def _used(w: Weighted) -> dict[str, tuple[int, ...]]:
    most: dict[str, tuple[int, ...]] = {}
    for item, e in w.each():
        marks = w.with_item(w.zeros, item, e.used)
        for path, leaf in jax.tree_util.tree_leaves_with_path(marks):
            rows = np.asarray(leaf)[w.case.rows(item)]
            name = jax.tree_util.keystr(path).lstrip(".") or "the log weights"
            # An axis of size one cannot be longer.
            used = tuple(
                int(x.max(initial=-1)) + 1 if size > 1 else ENTRIES
                for x, size in zip(np.argwhere(rows).T, rows.shape, strict=True)
            )
            most[name] = tuple(map(max, most.get(name, used), used))
    return most


def size(w: Weighted) -> None:
    """Check that the case has enough items, positions and entries, and an empty item."""
    used = _used(w)
    empty = any(len(e.parts) == 1 and not e.parts.any() for _, e in w.each())
    short = [
        f"{name} has {', '.join(map(str, axes))}"
        for name, axes in used.items()
        if any(x < ENTRIES for x in axes)
    ]
    longest = max((x for axes in used.values() for x in axes), default=0)
    lacking: dict[str, str] = {}
    if len(w.items) < ITEMS:
        lacking["items"] = f"it has {len(w.items)} items; a fault in item {ITEMS - 1} needs {ITEMS}"
    if not empty:
        lacking["an empty item"] = (
            "every item has a derivation that uses parts; add one whose only derivation uses none"
        )
    if longest < POSITIONS:
        lacking["positions"] = (
            f"derivations use at most {longest} entries along any axis; a fault at position "
            f"{POSITIONS - 1} needs {POSITIONS}"
        )
    if short:
        lacking["entries"] = (
            f"derivations use fewer than {ENTRIES} entries along an axis: {'; '.join(short)}; a "
            f"fault in state or label {ENTRIES - 1} needs {ENTRIES}"
        )
    missing = [f"{name}: {text}" for name, text in lacking.items() if name not in w.case.lacks]
    needless = [name for name in w.case.lacks if name not in lacking]
    require(
        not missing,
        f"the case cannot show some faults. {'. '.join(missing)}. To keep the enumeration short, "
        "let `build` forbid most parts of a large item; what the structure cannot have goes into "
        "Case(..., lacks={name: reason})",
    )
    require(not needless, f"the case says that it lacks {needless}, but has it")


CHECKS: Mapping[str, Check] = {
    "number of derivations": number_of_derivations,
    "log partition": log_partition,
    "marginals": marginals,
    "slopes": slopes,
    "slopes in reverse mode": slopes_in_reverse_mode,
    "averages": averages,
    "infinite divergence": infinite_divergence,
    "best": best,
    "ranked": ranked,
    "ties": ties,
    "samples": samples,
    "log prob": log_prob,
    "padding": padding,
    "NaN in padding": nan_in_padding,
    "independent items": independent_items,
    "impossible": impossible,
    "NaN": nan,
    "large weights": large_weights,
    "double precision": double_precision,
    "uncompiled": without_compilation,
    "totals": totals,
    "transformations": transformations,
    "memory plans": memory_plans,
    "devices": devices,
    "sharded": sharded_batches,
    "size": size,
}


def check(case: Case, only: Collection[str] | None = None, base: Divisible = Log()) -> None:
    """Compare all results of a structure with the enumeration of its derivations.

    Args:
        only: keys of ``CHECKS`` to run; all by default.
        base: the semiring of the distribution.

    Raises:
        AssertionError: with the names and messages of all failures.
        ValueError: if a check is unknown.
        unittest.SkipTest: if every check is skipped.
    """
    if unknown := set(only or ()) - set(CHECKS):
        raise ValueError(f"no checks: {sorted(unknown)}; there are {', '.join(CHECKS)}")
    w = case.with_weights(base)
    names = [name for name in CHECKS if only is None or name in only]
    failures: dict[str, Exception] = {}
    skipped: list[str] = []
    for name in names:
        try:
            CHECKS[name](w)
        except SkipTest as reason:
            skipped.append(str(reason))
        except Exception as error:  # noqa: BLE001 - whatever a stranger's structure raises
            failures[name] = error
    if failures:
        lines = [
            f"{case.name}, in {base.name} and {w.dtype}: {len(failures)} of {len(names)} checks "
            "fail"
        ]
        lines += [f"{name}: {_description(error)}" for name, error in failures.items()]
        raise AssertionError("\n".join(lines)) from next(iter(failures.values()))
    if skipped and len(skipped) == len(names):
        raise SkipTest("; ".join(skipped))


def _description(error: Exception) -> str:
    text = str(error).strip()
    return text if isinstance(error, AssertionError) else f"{type(error).__name__}: {text}"
