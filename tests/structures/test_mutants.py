"""The conformance suite detects planted faults; cases that cannot show them are refused."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures import LinearChain
from semipunct.structures.chain import linear_chain
from semipunct.structures.testing import Case, check
from tests.structures.cases import CASES, chain_events
from tests.structures.mutants import OF_ANSWERS, OF_RANGE, OF_SIZE
from tests.structures.test_testing import case_of

MUTANTS = {**OF_RANGE, **OF_SIZE, **OF_ANSWERS}
QUICK = {"log partition", "marginals", "number of derivations", "best", "padding", "log prob"}
"""Checks that compile little."""
BY_COST = [
    pytest.param(kind, marks=() if name in QUICK else pytest.mark.exhaustive)
    for kind, name in MUTANTS.items()
]


@pytest.mark.parametrize("kind", BY_COST, ids=lambda kind: kind.__name__)
def test_the_intended_check_finds_a_mutant(kind: type[LinearChain]):
    with pytest.raises(AssertionError, match=f"\n{MUTANTS[kind]}: "):
        check(case_of(kind), [MUTANTS[kind]])


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", OF_RANGE, ids=lambda kind: kind.__name__)
def test_no_other_check_finds_a_mutant_of_range(kind: type[LinearChain]):
    check(case_of(kind), ["log partition", "best", "impossible"])


def cut(kind: type[LinearChain], items: slice, longest: int, states: int) -> Case:
    """Return a chain of some items of the case, with fewer positions and states."""
    chain: Any = CASES[0].build()
    lengths = jnp.minimum(chain.lengths, longest)[items]
    emission = jnp.zeros((len(lengths), longest, states))
    transition = jnp.zeros((len(lengths), longest - 1, states, states))
    small = linear_chain(emission, transition, lengths)

    def derivations(item: int) -> Any:
        for states_of in np.ndindex(*[states] * int(lengths[item])):
            parts = jax.tree.map(lambda x: np.zeros(x.shape[1:]), small.weights)
            parts.emission[np.arange(len(states_of)), list(states_of)] = 1
            for position, pair in enumerate(itertools.pairwise(states_of)):
                parts.transition[(position, *pair)] = 1
            yield next(iter(chain_events(0)))._replace(parts=parts)

    return Case(f"small {kind.__name__}", lambda: kind(small.weights, small.lengths), derivations)


SMALL = {
    "IsWrongAtPositionEight": (slice(None), 3, 5, "positions"),
    "IsWrongInTheFifthState": (slice(None), 3, 3, "entries"),
    "IsWrongForTheFifthItem": (slice(4), 3, 3, "items"),
    "IsWrongForEmptyItems": (slice(1, None), 3, 3, "an empty item"),
}
"""For each mutant of size a case that is too small to show it, and what the case lacks."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", OF_SIZE, ids=lambda kind: kind.__name__)
def test_a_case_too_small_for_a_fault_is_refused(kind: type[LinearChain]):
    items, longest, states, lacks = SMALL[kind.__name__]
    case = cut(kind, items, longest, states)
    check(case, [OF_SIZE[kind]])
    with pytest.raises(AssertionError, match=f"\nsize: the case cannot show.* {lacks}: "):
        check(case, ["size"])
    every = dict.fromkeys(("positions", "entries"), "for a test")
    whole = cut(kind, slice(None), 3, 3)
    check(replace(whole, lacks=every), ["size"])


def test_what_a_case_says_it_lacks_is_lacking():
    with pytest.raises(AssertionError, match=r"size: the case says that it lacks \['items'\], but"):
        check(replace(CASES[0], lacks={"items": "for a test"}), ["size"])
    with pytest.raises(ValueError, match=r"lacks \['labels'\]; a case may lack items, an empty"):
        replace(CASES[0], lacks={"labels": "for a test"})
