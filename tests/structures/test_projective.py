"""Projective trees compared with all assignments of heads, and with closed formulas."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import comb

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures.projective import ArcParts, projective_trees
from semirings import Log, Real, Semiring
from tests.semirings.strings import Strings
from tests.structures.enumerated import log_partition, summed

WORDS = 4
ALL_LENGTHS = np.arange(WORDS + 1)
LARGE = (25, 25, 25)


def trees(words: int, single_root: bool) -> Iterator[tuple[int, ...]]:
    """Return all head assignments without cycles in which each arc covers words below its head."""
    for heads in itertools.product(range(words + 1), repeat=words):
        paths = [path(heads, word) for word in range(1, words + 1)]
        if not all(paths) or (single_root and words and heads.count(0) != 1):
            continue
        arcs = list(enumerate(heads, 1))
        if all(
            head in paths[inner - 1]
            for word, head in arcs
            for inner in range(min(word, head) + 1, max(word, head))
        ):
            yield heads


def path(heads: tuple[int, ...], word: int) -> list[int]:
    """Return a word and its ancestors up to the root; nothing if there is a cycle."""
    passed = [word]
    while passed[-1]:
        if len(passed) > len(heads):
            return []
        passed.append(heads[passed[-1] - 1])
    return passed


def test_two_words_written_out():
    arcs = np.full((WORDS + 1, WORDS + 1, WORDS + 1), -np.inf, np.float32)
    arcs[0, :3, :3] = np.log([[1, 2, 3], [1, 1, 5], [1, 7, 1]])
    lengths = np.where(ALL_LENGTHS == 0, 2, 0)
    for single_root, expected in ((True, 2 * 5 + 3 * 7), (False, 2 * 5 + 3 * 7 + 2 * 3)):
        total, _ = summed(projective_trees(arcs, lengths, single_root))
        np.testing.assert_allclose(np.exp(total), [expected, 1, 1, 1, 1], rtol=1e-5)


@pytest.mark.parametrize("semiring", [Log(), Real()], ids=["log", "real"])
def test_trees_are_counted(semiring: Semiring):
    """The lengths require more than one block of widths."""
    for single_root in (True, False):
        trees = projective_trees(np.zeros(LARGE, np.float32), np.arange(LARGE[0]), single_root)
        numbers = [1] + [
            comb(3 * n - 2, n - 1) // n if single_root else comb(3 * n, n) // (2 * n + 1)
            for n in range(1, LARGE[0])
        ]
        log_counts = log_partition(semiring)(trees)
        np.testing.assert_allclose(
            log_counts, np.log(np.array(numbers, float)), rtol=1e-5, atol=1e-5
        )


def test_distant_weights_stay_in_range_in_real():
    """Scales differ between words, and would overflow without rescaling of the arcs."""
    arcs = np.random.default_rng(4).normal(size=LARGE).astype(np.float32)
    arcs += np.linspace(-60, 60, LARGE[2], dtype=np.float32)
    trees = projective_trees(arcs, np.arange(LARGE[0]))
    expected, in_real = (log_partition(s)(trees) for s in (Log(), Real()))
    np.testing.assert_allclose(in_real, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.usefixtures("strict_numerics")
def test_factors_come_in_the_order_of_dependents():
    heads, semiring = (3, 1, 0, 3), Strings(8, 5)
    assert heads in set(trees(WORDS, True))
    arcs = np.full((1, WORDS + 1, WORDS + 1), -np.inf, np.float32)
    arcs[0, heads, range(1, WORDS + 1)] = 0.0
    dependents = np.broadcast_to(np.arange(WORDS + 1, dtype=np.float32), arcs.shape)
    for single_root in (True, False):
        structure = projective_trees(arcs, None, single_root)
        total = jax.jit(lambda x, y: x.total(semiring, y))(structure, ArcParts(dependents))
        assert semiring.read(total.value) == [(1, 2, 3, 4)]


@pytest.mark.parametrize(
    "shape, lengths, message",
    [
        ((2, 3, 4), None, r"arcs has shape \(2, 3, 4\).*'words'"),
        ((3,), None, r"arcs has shape \(3,\); expected 3 axes"),
        ((2, 3, 3), [1], r"lengths has shape \(1,\) and arcs has shape \(2, 3, 3\)"),
        ((2, 3, 3), [1, 3], r"lengths\[1\] is 3"),
        ((2, 3, 3), [1.0, 2.0], "lengths must be integers"),
    ],
)
def test_bad_arguments(shape: tuple[int, ...], lengths: list[float] | None, message: str):
    with pytest.raises(UsageError, match=message):
        projective_trees(jnp.zeros(shape), None if lengths is None else jnp.array(lengths))
