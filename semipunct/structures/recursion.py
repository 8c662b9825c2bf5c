"""Scans over the steps of a dynamic program, with a memory budget for the reverse pass.

If residuals exceed the budget, only the state at the start of each chunk of steps is stored, and
the reverse pass recomputes one chunk at a time (Chen et al. 2016; Griewank and Walther 2000).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.wording import quantity
from semirings.base import Semiring, take
from semirings.devices import scan
from semirings.log import Log

Carry = Any
Slices = Any
Outputs = Any
Step = Callable[[Carry, Slices], Carry]
StepWithOutputs = Callable[[Carry, Slices], tuple[Carry, Outputs]]
MIB = 2**20


class Plan(NamedTuple):
    """The memory plan of one scan.

    Attributes:
        chunk: steps whose residuals are stored at a time; all of them without recomputation.
        residual_mib: residuals of all steps.
        kept_mib: memory used, including states at the starts of chunks.
    """

    steps: int
    chunk: int
    residual_mib: float
    kept_mib: float

    @property
    def recomputes(self) -> bool:
        return self.chunk < self.steps


def memory(
    structure: Any, recursion: Recursion | None = None, semiring: Semiring = Log()
) -> list[Plan]:
    """Return the memory plan of each scan's reverse pass without running it."""
    plans: list[Plan] = []
    how = Recursion(recursion.budget_mib if recursion else None, plans.append)

    def marking(structure: Any) -> Any:
        expanded = structure.expand()
        feature = jax.tree.map(jnp.zeros_like, expanded.log_weights)
        return expanded.total(semiring, feature, how).log_scale

    jax.eval_shape(marking, structure)
    return plans


@dataclass(frozen=True)
class Recursion:
    """Runs the steps of a dynamic program, optionally within a memory budget.

    Attributes:
        budget_mib: MiB stored for the reverse pass of one scan, excluding inputs and outputs; None
            for no limit.
        report: called with the plan of each scan during tracing.
    """

    budget_mib: float | None = None
    report: Callable[[Plan], None] | None = None

    def scan(self, step: Step, state: Carry, slices: Slices, steps: int) -> Carry:
        """Apply ``step`` for each index along axis 1 of the slices, ``[batch, steps, ...]``.

        Raises:
            ValueError: if the budget is too small for a single step at a time.
        """
        if steps == 0:
            return state
        return self.scan_outputs(lambda x, y: (step(x, y), None), state, slices, steps)[0]

    def scan_outputs(
        self, step: StepWithOutputs, state: Carry, slices: Slices, steps: int
    ) -> tuple[Carry, Outputs]:
        """Like ``scan``, with a ``step`` that also returns outputs ``[batch, ...]``.

        Outputs are stacked along axis 1 and not counted in the budget.
        """
        read, sliced = _reader(slices)
        indexed = (jnp.arange(steps), sliced)

        def body(carry: Carry, indexed: Any) -> tuple[Carry, Outputs]:
            return step(carry, read(*indexed))

        def run(carry: Carry, indexed: Any) -> tuple[Carry, Outputs]:
            return scan(body, carry, indexed)

        state, outputs = self._run(body, run, state, indexed, steps)
        return state, jax.tree.map(lambda x: jnp.moveaxis(x, 0, 1), outputs)

    def scan_states(
        self, step: Step, state: Carry, slices: Slices, steps: int
    ) -> tuple[Carry, Outputs]:
        """Like ``scan``; also return the first component of the state after each step."""
        if steps == 0:
            return state, take[:, :0](take[:, None](state[0]))

        def step_with_output(before: Carry, sliced: Slices) -> tuple[Carry, Outputs]:
            after = step(before, sliced)
            return after, after[0]

        return self.scan_outputs(step_with_output, state, slices, steps)

    def _run(
        self, body: Callable[..., Any], run: Callable[..., Any], state: Carry, indexed: Any,
        steps: int,
    ) -> tuple[Carry, Outputs]:  # fmt: skip
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
        state, chunked = scan(again, state, chunks)
        outputs = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), chunked)
        if whole < steps:
            state, last_outputs = again(state, take[whole:](indexed))
            outputs = jax.tree.map(lambda *xs: jnp.concatenate(xs), outputs, last_outputs)
        return state, outputs

    def _plan(self, body: Callable[..., Any], state: Carry, sliced: Slices, steps: int) -> Plan:
        first = jax.eval_shape(lambda x: take[0](x), sliced)
        residuals = _residual_bytes(body, state, first)
        states = sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(state))
        whole = steps * residuals / MIB
        if self.budget_mib is None or whole <= self.budget_mib:
            return Plan(steps, steps, whole, whole)

        def mebibytes(chunk: int) -> float:
            return (math.ceil(steps / chunk) * states + chunk * residuals) / MIB

        best = min(range(1, steps + 1), key=mebibytes)
        if mebibytes(best) > self.budget_mib:
            raise ValueError(
                f"a budget of {self.budget_mib:g} MiB is too small for {quantity(steps, 'step')} "
                f"with {residuals / MIB:.3g} MiB of residuals each: at least "
                f"{mebibytes(best):.3g} MiB"
            )
        # Longer chunks need less recomputation.
        chunk = max(c for c in range(best, steps) if mebibytes(c) <= self.budget_mib)
        return Plan(steps, chunk, whole, mebibytes(chunk))


def _residual_bytes(body: Callable[..., Any], state: Carry, slices: Slices) -> int:
    """Return the size of the residuals of one step, except those stored once for all steps."""

    def residuals(carry: Carry, sliced: Slices) -> Any:
        # The function that jax.vjp returns is a pytree of its residuals.
        residual_leaves = jax.vjp(lambda c, x: body(c, (jnp.int32(0), x)), carry, sliced)[1]
        return jax.tree.leaves(residual_leaves)

    program = jax.make_jaxpr(residuals)(state, slices).jaxpr
    varying = {*program.invars}
    for equation in program.eqns:
        if any(not hasattr(x, "val") and x in varying for x in equation.invars):
            varying.update(equation.outvars)
    stored = {x for x in program.outvars if not hasattr(x, "val") and x in varying}
    return sum(math.prod(x.aval.shape) * x.aval.dtype.itemsize for x in stored)


def _reader(slices: Slices) -> tuple[Callable[[jax.Array, Slices], Slices], Slices]:
    """Return a function that reads the slices of a step, and the arrays to scan over."""
    # Values are read in place by index: moving the step axis to the front would copy them. Tangents
    # are moved, since otherwise each reverse step would add to an array of full size. The compiler
    # removes the unused moved values.
    moved = jax.tree.map(lambda x: jnp.moveaxis(x, 1, 0), slices)
    return lambda index, moving: jax.tree.map(
        lambda x, y: _read(x, index, y) if _floating(x) else y, slices, moving
    ), moved


def _floating(x: jax.Array) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.floating))


@jax.custom_jvp
def _read(array: jax.Array, index: jax.Array, moving: jax.Array) -> jax.Array:
    """Read entry ``index`` along axis 1, with the derivative of ``moving``."""
    # JAX ignores the custom rule when it differentiates a reverse pass.
    return jax.lax.dynamic_index_in_dim(array, index, 1, keepdims=False)


@_read.defjvp
def _read_jvp(
    primals: tuple[jax.Array, jax.Array, jax.Array], tangents: tuple[Any, Any, jax.Array]
) -> tuple[jax.Array, jax.Array]:
    return _read(*primals), tangents[2]
