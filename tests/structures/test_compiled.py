"""Questions are compiled once for each shape, and never answer for what has changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution, linear_chain
from semipunct.structures.base import Total, is_constant
from semipunct.structures.chain import LinearChain
from semirings import Log, Viterbi

TOTALS: list[str] = []


@partial(
    jax.tree_util.register_dataclass, data_fields=["weights", "lengths"], meta_fields=["method"]
)
@dataclass(frozen=True)
class Counted(LinearChain):
    """A chain that notes each run of its recursion as Python code."""

    def total(self, semiring: Any, feature: Any = None, *rest: Any, **named: Any) -> Total:
        TOTALS.append(semiring.name)
        return super().total(semiring, feature, *rest, **named)

    def trace(self, *arguments: Any) -> Any:
        TOTALS.append("samples")
        return super().trace(*arguments)


def chain(seed: int, length: int = 5) -> Distribution[Counted]:
    random = np.random.default_rng(seed)
    made = linear_chain(jnp.asarray(random.normal(size=(2, length, 3))), jnp.zeros((3, 3)))
    return Distribution(Counted(made.weights, made.lengths, made.method))


QUESTIONS = {
    "log partition": lambda d: d.log_partition(),
    "argmax": lambda d: d.argmax(),
    "sample": lambda d: d.sample(jax.random.key(0), 2),
    "sum": lambda d: d.sum_in(Viterbi()),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_traced_once_for_each_shape(name: str):
    ask = QUESTIONS[name]
    first = ask(chain(0))
    TOTALS.clear()
    second = ask(chain(1))
    assert not TOTALS
    leaves = zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True)
    assert any((np.asarray(x) != np.asarray(y)).any() for x, y in leaves)
    ask(chain(1, length=6))
    assert TOTALS


def test_a_program_traces_a_question_as_its_own():
    assert "name=log_partition" not in str(jax.make_jaxpr(lambda d: d.log_partition())(chain(0)))
    program = jax.jit(lambda d: d.log_partition())
    np.testing.assert_allclose(program(chain(2)), chain(2).log_partition(), rtol=1e-6)


class Tempered(Log):
    """A semiring with an attribute that is no field of the data class."""

    def __init__(self, temperature: float) -> None:
        object.__setattr__(self, "temperature", temperature)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return log_weight / self.temperature


def test_a_semiring_that_changes_is_asked_anew():
    assert is_constant(Log())
    semiring = Tempered(1.0)
    assert not is_constant(semiring)
    d = chain(3)
    first = d.sum_in(semiring)
    object.__setattr__(semiring, "temperature", 2.0)
    second = d.sum_in(semiring)
    assert (np.asarray(first.value) != np.asarray(second.value)).any()


def test_two_distributions_are_compared_in_every_call():
    d = chain(4)
    shorter = Distribution(replace(d.structure, lengths=jnp.array([5, 4])))
    assert (np.asarray(d.kl_divergence(d)) == 0).all()
    with pytest.raises(UsageError, match="lengths"):
        d.kl_divergence(shorter)


def test_numbers_that_are_too_small():
    for ask in (lambda d: d.top_k(0), lambda d: d.sample(jax.random.key(0), 0)):
        with pytest.raises(UsageError, match="is 0"):
            ask(chain(5))
