"""The conformance suite finds a planted fault by each check, and refuses cases that are wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from semipunct.structures import Distribution
from semipunct.structures.testing import CHECKS, Case, Event, check
from semipunct.structures.testing.case import Enumeration, chi_square
from tests.structures.cases import chain_events
from tests.structures.mutants import CHAIN, FAULTS, MUTANTS, NUMBERS, Faulty, NoPytree, case_of


@pytest.mark.parametrize("name", [*FAULTS, *MUTANTS])
def test_a_wrong_structure_is_found(name: str):
    case = case_of(MUTANTS[name]) if name in MUTANTS else case_of(
        Faulty, fault=NUMBERS[name]
    )  # fmt: skip
    check_name = name.partition(":")[0]
    with pytest.raises(AssertionError, match="1 of 1 checks fail") as caught:
        check(case, [check_name])
    assert f"\n{check_name}: " in str(caught.value)


def test_every_check_has_a_structure_to_find():
    found = {name.partition(":")[0] for name in (*FAULTS, *MUTANTS)}
    assert found == {*CHECKS} - {"size", "sharded"}  # below; and in test_devices


def test_without_its_faults_the_structure_is_right():
    check(case_of(Faulty, fault=-1), ["log partition", "averages", "best", "ranked", "samples"])


@pytest.mark.parametrize(
    "items, longest, states, lacks",
    [
        (slice(None), 3, 5, "positions"),
        (slice(None), 3, 3, "entries"),
        (slice(4), 3, 3, "items"),
        (slice(1, None), 3, 3, "an empty item"),
    ],
)
def test_a_case_too_small_for_a_fault_is_refused(
    items: slice, longest: int, states: int, lacks: str
):
    chain: Any = CHAIN.build()
    lengths = jnp.minimum(chain.lengths, longest)[items]
    emission = jnp.zeros((len(lengths), longest, states))
    transition = jnp.zeros((len(lengths), longest - 1, states, states))
    small = replace(chain, weights=type(chain.weights)(emission, transition), lengths=lengths)

    def derivations(item: int) -> Any:
        for path in np.ndindex(*[states] * int(lengths[item])):
            parts = jax.tree.map(lambda x: np.zeros(x.shape[1:]), small.weights)
            parts.emission[np.arange(len(path)), list(path)] = 1
            for place in range(len(path) - 1):
                parts.transition[place, path[place], path[place + 1]] = 1
            yield Event(parts)

    case = Case("small", lambda: small, derivations)
    with pytest.raises(AssertionError, match=f"\nsize: the case cannot show.* {lacks}: "):
        check(case, ["size"])


def test_what_a_case_says_it_lacks_is_lacking():
    with pytest.raises(AssertionError, match=r"size: the case says that it lacks \['items'\], but"):
        check(replace(CHAIN, lacks={"items": "for a test"}), ["size"])
    with pytest.raises(ValueError, match=r"lacks \['labels'\]; a case may lack items, an empty"):
        replace(CHAIN, lacks={"labels": "for a test"})


def test_all_failures_are_reported():
    with pytest.raises(AssertionError) as caught:
        check(case_of(NoPytree), ["transformations", "best"])
    message = str(caught.value)
    assert message.startswith("NoPytree, in log and float32: 2 of 2 checks fail\nbest: TypeError")
    assert "\ntransformations: TypeError: " in message


@pytest.mark.parametrize(
    "events, said",
    [
        ([], "item 0 has no derivation"),
        (
            [Event(np.zeros(3))],
            r"item 0 has parts of the shapes \[\(3,\)\]; the item's rows .* have",
        ),
    ],
)
def test_a_wrong_enumeration_is_an_error(events: list[Event], said: str):
    with pytest.raises(AssertionError, match=said):
        check(replace(CHAIN, derivations=lambda item: events), ["best"])


def test_an_enumeration_that_repeats_itself_is_found():
    case = replace(CHAIN, derivations=lambda item: [*chain_events(item)] * 2)
    with pytest.raises(AssertionError, match="enumeration of item 0 repeats itself: 1 of 2 differ"):
        check(case, ["number of derivations"])


def test_what_is_no_check_is_refused():
    with pytest.raises(ValueError, match=r"no checks: \['entropy'\]; there are number of"):
        check(CHAIN, ["entropy"])


def test_what_is_no_derivation_is_named():
    e = Enumeration.of(np.eye(3), np.zeros(3), np.zeros(3))
    assert e.find(np.eye(3)[[2, 0]]).tolist() == [2, 0]
    with pytest.raises(
        AssertionError, match=r"1 of 2 .* uses the parts \[0, 2\], so often: \[1.0, 2"
    ):
        e.find(np.array([[0.0, 1, 0], [1, 0, 2]]))


def test_chi_square_is_that_of_scipy():
    rng = np.random.default_rng(0)
    for cells in (2, 12, 100):
        expected = rng.uniform(5, 50, cells)
        observed = rng.poisson(expected)
        statistic = ((observed - expected) ** 2 / expected).sum()
        p_of_scipy = stats.chi2.sf(statistic, cells - 1)
        assert chi_square(observed, expected) == pytest.approx(p_of_scipy, rel=1e-3, abs=1e-6)
    assert chi_square(np.array([30, 3, 4, 3]), np.array([30.0, 3, 4, 3])) == 1
    assert chi_square(np.array([40, 0]), np.array([38.0, 2])) == 1  # one cell is left


def test_structures_of_two_classes_are_not_taken_for_each_other():
    kinds = (MUTANTS["double precision"], MUTANTS["memory plans"])
    first, second = (jax.tree.structure(Distribution(case_of(x).build())) for x in kinds)
    assert first != second
    assert repr(first) != repr(second)
