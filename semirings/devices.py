"""Types of arrays within ``jax.shard_map``: the axes of devices along which they vary.

JAX requires that what a loop carries, and what the rules of custom derivatives return, varies along
the same axes as what replaces it. Arrays made from shapes vary along none.
"""

from __future__ import annotations

from typing import Any

import jax


def axes_of(values: Any) -> frozenset[str]:
    """Return the axes of devices along which any of the arrays varies.

    Args:
        values: a pytree of arrays.
    """
    return frozenset().union(*(_axes(x) for x in jax.tree.leaves(values)))


def _axes(x: Any) -> frozenset[str]:
    kind: Any = x if isinstance(x, jax.ShapeDtypeStruct) else jax.typeof(x)
    # In other versions of JAX the axes are an attribute of the type itself.
    manual = getattr(kind, "manual_axis_type", None)
    return getattr(kind, "vma", None) or frozenset() if manual is None else manual.varying


def varying(values: Any, axes: frozenset[str]) -> Any:
    """Let arrays vary along axes of devices, without changing them.

    Args:
        values: a pytree of arrays.
        axes: names of axes; usually none, and the result is the argument.
    """
    if not axes:
        return values

    def varied(x: Any) -> Any:
        missing = tuple(sorted(axes - axes_of(x)))
        return jax.lax.pcast(x, missing, to="varying") if missing else x

    return jax.tree.map(varied, values)


def scan(body: Any, state: Any, xs: Any, **options: Any) -> tuple[Any, Any]:
    """Run ``jax.lax.scan`` from a state that varies along the same axes as later states.

    Args:
        body: maps a state and a slice to the next state and outputs.
        state: a pytree of arrays.
        xs: a pytree of arrays, or None.
        **options: those of ``jax.lax.scan``.
    """
    if jax.sharding.get_abstract_mesh().manual_axes:
        first = jax.eval_shape(lambda xs: jax.tree.map(lambda x: x[0], xs), xs)
        stable = False
        while not stable:  # an array may affect another one only after several steps
            before = [axes_of(x) for x in jax.tree.leaves(state)]
            after = jax.eval_shape(lambda state, x: body(state, x)[0], state, first)
            state = jax.tree.map(lambda x, y: varying(x, axes_of(y)), state, after)
            stable = before == [axes_of(x) for x in jax.tree.leaves(state)]
    return jax.lax.scan(body, state, xs, **options)
