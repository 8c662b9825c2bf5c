"""Chunked scans: the same results within a memory budget, and a plan that states their cost."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures.recursion import Plan, Recursion

STEPS = 12
A = jnp.asarray(np.random.default_rng(0).normal(size=(2, STEPS, 50)), jnp.float32)


def total(recursion: Recursion, a: jax.Array) -> jax.Array:
    """A recursion with noncommutative steps and residuals."""
    end = recursion.scan(
        lambda s, x: jnp.sin(s + x[0]) * jnp.cos(x[0]) + x[1][:, None],
        jnp.zeros(a[:, 0].shape),
        (a, jnp.broadcast_to(jnp.arange(STEPS), (2, STEPS))),
        STEPS,
    )
    return jnp.sum(end)


def plan(budget: float | None) -> Plan:
    plans: list[Plan] = []
    jax.eval_shape(lambda a: total(Recursion(budget, plans.append), a), A)
    assert len(plans) == 1
    return plans[0]


def test_a_scan_is_a_loop():
    state = np.zeros((2, 50))
    for i in range(STEPS):
        state = np.sin(state + A[:, i]) * np.cos(A[:, i]) + i
    assert total(Recursion(), A) == pytest.approx(state.sum(), rel=1e-5)
    assert Recursion().scan(lambda s, x: s + x, jnp.ones(2), jnp.zeros((2, 0)), 0).tolist() == [
        1,
        1,
    ]


def test_without_a_budget_nothing_is_computed_twice():
    unlimited = plan(None)
    assert unlimited.steps == unlimited.chunk == STEPS
    assert not unlimited.recomputes
    assert unlimited.kept_mib == unlimited.residual_mib > 0
    assert plan(1e6) == unlimited


@pytest.mark.parametrize("part", [0.7, 0.9])
def test_a_budget_is_kept_and_changes_no_answer(part: float):
    whole = plan(None).residual_mib
    budget = plan_of = part * whole
    chosen = plan(plan_of)
    assert chosen.recomputes
    assert chosen.kept_mib <= budget
    expected = jax.value_and_grad(lambda a: total(Recursion(), a))(A)
    answers = jax.jit(jax.value_and_grad(lambda a: total(Recursion(budget), a)))(A)
    for x, y in zip(answers, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_what_is_kept_is_what_the_plan_says():
    """The compiled gradient uses less temporary memory."""

    def deep(state: jax.Array, x: jax.Array) -> jax.Array:
        for _ in range(6):
            state = jnp.sin(state) * jnp.cos(x + state)
        return state

    def bytes_of(budget: float | None) -> int:
        a = jnp.tile(A, (1, 40, 20))
        steps = a.shape[1]

        def run(a: jax.Array) -> jax.Array:
            return jnp.sum(Recursion(budget).scan(deep, a[:, 0], a, steps))

        compiled = jax.jit(jax.grad(run)).lower(a).compile()
        analysis = compiled.memory_analysis()
        assert analysis is not None
        return analysis.temp_size_in_bytes

    assert bytes_of(8.0) < 0.5 * bytes_of(None)


def test_what_all_steps_share_is_not_counted_for_each_of_them():
    def residuals(size: int) -> float:
        plans: list[Plan] = []

        def run(shared: jax.Array, a: jax.Array) -> jax.Array:
            kept = Recursion(None, plans.append)
            step = lambda s, x: jnp.sin(jnp.mean(s @ shared, 1)[:, None] + x[:, :1])  # noqa: E731
            return jnp.sum(kept.scan(step, a[:, 0, :1], a, STEPS))

        jax.eval_shape(run, jnp.ones((1, size)), A)
        return plans[0].residual_mib

    assert 0 < residuals(1) == residuals(100_000)


def test_a_budget_that_cannot_be_kept_says_what_could():
    with pytest.raises(ValueError, match=r"1e-06 MiB is too small for 12 steps .* at least"):
        plan(1e-6)


def test_derivatives_of_every_kind_pass_through():
    direction = jnp.ones_like(A)
    gradient = jax.grad(lambda a: total(Recursion(), a))(A)
    _, slope = jax.jvp(lambda a: total(Recursion(), a), (A,), (direction,))
    assert slope == pytest.approx(float(jnp.sum(gradient)), rel=1e-4)
    _, second = jax.jvp(jax.grad(lambda a: total(Recursion(), a)), (A,), (direction,))
    step = 1e-2
    two = [jax.grad(lambda a: total(Recursion(), a))(A + s * direction) for s in (step, -step)]
    np.testing.assert_allclose(second, (two[0] - two[1]) / (2 * step), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("chunked", [False, True])
def test_outputs_of_all_steps_are_kept_in_order(chunked: bool):
    """This includes chunks, a remainder, and their gradient."""
    budget = 0.005 if chunked else None
    plans: list[Plan] = []

    def running(a: jax.Array) -> jax.Array:
        recursion = Recursion(budget, plans.append)
        state, sums = recursion.scan_outputs(
            lambda s, x: (jnp.sin(s) + x, s + jnp.sin(x)), jnp.zeros((2, 50)), a, STEPS
        )
        return jnp.concatenate([sums, state[:, None]], 1)

    expected, state = [], np.zeros((2, 50))
    for i in range(STEPS):
        expected.append(state + np.sin(A[:, i]))
        state = np.sin(state) + A[:, i]
    outputs = running(A)
    np.testing.assert_allclose(outputs, np.stack([*expected, state], 1), rtol=1e-5, atol=1e-5)
    assert plans[0].recomputes == chunked
    assert not chunked or STEPS % plans[0].chunk
    slopes = jax.grad(lambda a: jnp.sum(running(a)[:, 1]))(A)
    np.testing.assert_allclose(slopes[:, 0], np.ones((2, 50)), rtol=1e-5)
    np.testing.assert_allclose(slopes[:, 1], np.cos(A[:, 1]), rtol=1e-5, atol=1e-6)
    assert not slopes[:, 2:].any()
