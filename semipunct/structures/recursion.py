"""Running the steps of a dynamic program, within a budget of memory for the reverse pass.

The reverse pass of a scan needs what each step kept: its residuals. Where they exceed the budget
the steps are cut into chunks, only the state at the start of each chunk is kept, and the rest is
computed again, one chunk at a time (Chen et al. 2016; Griewank and Walther 2000).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.wording import counted

Carry = Any
Slices = Any
Outputs = Any
Step = Callable[[Carry, Slices], Carry]
StepWithOutputs = Callable[[Carry, Slices], tuple[Carry, Outputs]]
MIB = 2**20


class Plan(NamedTuple):
    """A plan of one scan.

    Attributes:
        steps: the number of its steps.
        chunk: steps whose residuals are kept at a time; all of them if nothing is computed twice.
        residual_mib: what the residuals of all steps would take, in MiB.
        kept_mib: what is kept under this plan, in MiB; states at the starts of chunks included.
    """

    steps: int
    chunk: int
    residual_mib: float
    kept_mib: float

    @property
    def recomputes(self) -> bool:
        """True if the reverse pass runs the steps a second time."""
        return self.chunk < self.steps


@dataclass(frozen=True)
class Recursion:
    """A way of running steps: within a budget of memory, or without one.

    Attributes:
        budget_mib: MiB that the reverse pass of one scan may keep, or None for no limit. What
            goes in and comes out, weights and gradients, is not part of it.
        report: is told the plan of each scan, when it is traced.
    """

    budget_mib: float | None = None
    report: Callable[[Plan], None] | None = field(default=None, compare=False)

    def scan(self, step: Step, state: Carry, slices: Slices, steps: int) -> Carry:
        """Apply ``step`` to the state for each index along axis 1 of the slices.

        Args:
            step: from a state, and slices ``[batch, ...]``, to the next state.
            state: a pytree of arrays.
            slices: a pytree of arrays ``[batch, steps, ...]``.
            steps: their number.

        Raises:
            ValueError: if not even one step at a time fits into the budget.
        """
        if steps == 0:
            return state
        return self.scan_outputs(lambda x, y: (step(x, y), None), state, slices, steps)[0]

    def scan_outputs(
        self, step: StepWithOutputs, state: Carry, slices: Slices, steps: int
    ) -> tuple[Carry, Outputs]:
        """Apply ``step`` as ``scan`` does, and return what it puts out beside the last state.

        Args:
            step: from a state, and slices ``[batch, ...]``, to the next state and to outputs
                ``[batch, ...]``, a pytree of arrays.
            state: a pytree of arrays.
            slices: a pytree of arrays ``[batch, steps, ...]``.
            steps: their number; 1 or more.

        Returns:
            The last state, and the outputs, ``[batch, steps, ...]``. They are no part of the
            budget.

        Raises:
            ValueError: if not even one step at a time fits into the budget.
        """
        read, sliced = _reader(slices)
        indexed = (jnp.arange(steps), sliced)

        def body(carry: Carry, indexed: Any) -> tuple[Carry, Outputs]:
            return step(carry, read(*indexed))

        def run(carry: Carry, indexed: Any) -> tuple[Carry, Outputs]:
            return jax.lax.scan(body, carry, indexed)

        state, outputs = self._run(body, run, state, indexed, steps)
        return state, jax.tree.map(lambda x: jnp.moveaxis(x, 0, 1), outputs)

    def _run(
        self, body: Callable[..., Any], run: Callable[..., Any], state: Carry, indexed: Any,
        steps: int,
    ) -> tuple[Carry, Outputs]:  # fmt: skip
        """Run all steps, in chunks if the budget demands it; outputs have the steps in front."""
        if self.budget_mib is None and self.report is None:
            return run(state, indexed)
        plan = self._plan(body, state, indexed[1], steps)
        if self.report is not None:
            self.report(plan)
        if not plan.recomputes:
            return run(state, indexed)
        whole = steps // plan.chunk * plan.chunk
        chunks = jax.tree.map(lambda x: x[:whole].reshape(-1, plan.chunk, *x.shape[1:]), indexed)
        again: Callable[[Carry, Any], tuple[Carry, Outputs]] = jax.checkpoint(run)
        state, chunked = jax.lax.scan(again, state, chunks)
        outputs = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), chunked)
        if whole < steps:
            state, rest = again(state, jax.tree.map(lambda x: x[whole:], indexed))
            outputs = jax.tree.map(lambda *xs: jnp.concatenate(xs), outputs, rest)
        return state, outputs

    def _plan(self, body: Callable[..., Any], state: Carry, sliced: Slices, steps: int) -> Plan:
        first = jax.eval_shape(lambda x: jax.tree.map(lambda y: y[0], x), sliced)
        residuals = _residual_bytes(body, state, first)
        states = sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(state))
        whole = steps * residuals / MIB
        if self.budget_mib is None or whole <= self.budget_mib:
            return Plan(steps, steps, whole, whole)

        def kept(chunk: int) -> float:
            return (math.ceil(steps / chunk) * states + chunk * residuals) / MIB

        best = min(range(1, steps + 1), key=kept)
        if kept(best) > self.budget_mib:
            raise ValueError(
                f"a budget of {self.budget_mib:g} MiB is too small for {counted(steps, 'step')} "
                f"with {residuals / MIB:.3g} MiB of residuals each: at least {kept(best):.3g} MiB"
            )
        # Of the chunks that fit the longest: the fewer, the less there is to start over.
        chunk = max(c for c in range(best, steps) if kept(c) <= self.budget_mib)
        return Plan(steps, chunk, whole, kept(chunk))


def _residual_bytes(body: Callable[..., Any], state: Carry, slices: Slices) -> int:
    """Return the bytes that the reverse pass of one step needs of its forward pass."""

    def residuals(carry: Carry, sliced: Slices) -> Any:
        # The function that jax.vjp returns is a pytree of what it kept.
        kept = jax.vjp(lambda c, x: body(c, (jnp.int32(0), x)), carry, sliced)[1]
        return jax.tree.leaves(kept)

    kept: list[Any] = jax.eval_shape(residuals, state, slices)
    return sum(math.prod(x.shape) * x.dtype.itemsize for x in kept)


def _reader(slices: Slices) -> tuple[Callable[[jax.Array, Slices], Slices], Slices]:
    """Return a function by which a step reads its slices, and what is scanned over for that.

    Values are read in place, by index: moving the steps to the front would copy everything. Only
    tangents take that way (and cotangents, back): they must, or each step of the reverse pass
    would add to an array of full size. The moved values themselves are never used, and dropped
    by the compiler.
    """
    moved = jax.tree.map(lambda x: jnp.moveaxis(x, 1, 0), slices)
    return lambda index, moving: jax.tree.map(
        lambda x, y: _read(x, index, y) if _floating(x) else y, slices, moving
    ), moved


def _floating(x: jax.Array) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.floating))


@jax.custom_jvp
def _read(array: jax.Array, index: jax.Array, moving: jax.Array) -> jax.Array:
    """Read entry ``index`` along axis 1 of an array; the derivative is that of ``moving``.

    The array must stay differentiable by itself: where jax differentiates a reverse pass again it
    forgets rules such as the one below, and takes the derivative of what is written here.
    """
    return jax.lax.dynamic_index_in_dim(array, index, 1, keepdims=False)


@_read.defjvp
def _read_jvp(
    primals: tuple[jax.Array, jax.Array, jax.Array], tangents: tuple[Any, Any, jax.Array]
) -> tuple[jax.Array, jax.Array]:
    return _read(*primals), tangents[2]
