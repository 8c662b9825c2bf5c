"""Values of other libraries (`experiments/benchmarks/peers.py --gold`), for the same potentials."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures.base import Structure
from semipunct.structures.chain import linear_chain
from semipunct.structures.distribution import Distribution
from semipunct.structures.grammar import pcfg
from semipunct.structures.projective import projective_trees
from semipunct.structures.spans import span_trees

GOLD = json.loads((Path(__file__).parent / "gold" / "peers.json").read_text("utf-8"))


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def chain() -> Structure:
    """Transpose states: torch-struct has the next state before the preceding one."""
    transition = numbers(2, 3, 5, 4, 4).swapaxes(2, 3)
    return linear_chain(jnp.zeros((3, 6, 4)), jnp.asarray(transition))


def grammar() -> Structure:
    emission, rules, root = numbers(7, 2, 5, 3), numbers(8, 2, 2, 5, 5), numbers(9, 2, 2)
    return pcfg(jnp.asarray(root), jnp.asarray(rules), jnp.asarray(emission))


def trees(single_root: bool) -> Structure:
    """Transpose arcs: supar has the dependent before its head."""
    arcs = numbers(5, 3, 7, 7).swapaxes(1, 2)
    return projective_trees(jnp.asarray(arcs), jnp.array([6, 4, 1]), single_root)


def brackets() -> Structure:
    """Convert spans: supar numbers the boundaries between words."""
    spans = numbers(6, 2, 6, 6)[:, :-1, 1:, None]
    return span_trees(jnp.asarray(spans), jnp.array([5, 3]))


@jax.jit
def ask(structure: Structure) -> tuple[jax.Array, jax.Array]:
    """Compile, since execution step by step takes far longer."""
    d = Distribution(structure)
    return d.log_partition(), d.entropy()


PROBLEMS = {
    ("torch-struct", "chain, seed 2, [3, 5, 4, 4]"): chain,
    ("torch-struct", "spans, seed 4, [2, 5, 5, 3]"): lambda: span_trees(
        jnp.asarray(numbers(4, 2, 5, 5, 3))
    ),
    ("torch-struct", "pcfg, seeds 7 8 9, [2, 5, 3], [2, 2, 5, 5], [2, 2]"): grammar,
    ("supar", "trees of one root, seed 5, [3, 7, 7], lengths 6 4 1"): lambda: trees(True),
    ("supar", "trees of any roots, seed 5, [3, 7, 7], lengths 6 4 1"): lambda: trees(False),
    ("supar", "brackets, seed 6, [2, 6, 6], lengths 5 3"): brackets,
}


@pytest.mark.parametrize("library, problem", PROBLEMS)
def test_values_of_other_libraries(library: str, problem: str):
    expected = GOLD[library][problem]
    log_partition, entropy = ask(PROBLEMS[library, problem]())
    np.testing.assert_allclose(log_partition, expected["log partition"], rtol=1e-5)
    if "entropy" in expected:
        np.testing.assert_allclose(entropy, expected["entropy"], rtol=1e-4, atol=1e-5)


def test_every_value_is_used():
    names = {(library, p) for library in ("torch-struct", "supar") for p in GOLD[library]}
    assert names == set(PROBLEMS)
