"""Axes of devices along which arrays vary within ``jax.shard_map``.

JAX requires that loop states, and results of custom derivative rules, vary along the same axes as
the values that they replace.
"""

from __future__ import annotations

from typing import Any

import jax


def axes_of(values: Any) -> frozenset[str]:
    """Return the axes of devices along which any array of a pytree varies."""
    return frozenset().union(*(_axes(x) for x in jax.tree.leaves(values)))


def _axes(x: Any) -> frozenset[str]:
    kind: Any = x if isinstance(x, jax.ShapeDtypeStruct) else jax.typeof(x)
    # Some versions of JAX have the axes in the type itself.
    manual = getattr(kind, "manual_axis_type", None)
    return getattr(kind, "vma", None) or frozenset() if manual is None else manual.varying


def varying(values: Any, axes: frozenset[str]) -> Any:
    """Let the arrays of a pytree vary along axes of devices, without changing them."""
    if not axes:
        return values

    def varied(x: Any) -> Any:
        missing = tuple(sorted(axes - axes_of(x)))
        return jax.lax.pcast(x, missing, to="varying") if missing else x

    return jax.tree.map(varied, values)


def scan(body: Any, state: Any, xs: Any, **options: Any) -> tuple[Any, Any]:
    """Run ``jax.lax.scan`` from a state that varies along the same axes as later states."""
    if jax.sharding.get_abstract_mesh().manual_axes:
        first = jax.eval_shape(lambda xs: jax.tree.map(lambda x: x[0], xs), xs)
        stable = False
        while not stable:  # an array may affect another one only after several steps
            before = [axes_of(x) for x in jax.tree.leaves(state)]
            after = jax.eval_shape(lambda state, x: body(state, x)[0], state, first)
            state = jax.tree.map(lambda x, y: varying(x, axes_of(y)), state, after)
            stable = before == [axes_of(x) for x in jax.tree.leaves(state)]
    return jax.lax.scan(body, state, xs, **options)
