"""Checks of hypergraphs given as arrays, and of derivations given as hyperedges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError

NOTHING = 0
"""The node of an absent tail; its value is one."""


def cycle_of(
    heads: Sequence[int], tails: Sequence[Sequence[int]], unordered: Sequence[int]
) -> list[int]:
    """Return nodes each of which is derived from the next, and the last from the first.

    Args:
        heads: ``[edges]``.
        tails: ``[edges, tails]``.
        unordered: the hyperedges that no order of levels includes, each with a tail that another
            of them derives.
    """
    into = {heads[edge]: edge for edge in unordered}
    path: list[int] = []
    node = heads[unordered[0]]
    while node not in path:
        path.append(node)
        node = next(tail for tail in tails[into[node]] if tail in into)
    return path[path.index(node) :]


def check_derivations(
    heads: npt.NDArray[np.int32],
    tails: npt.NDArray[np.int32],
    order: Sequence[int],
    root: int,
    nodes: int,
) -> None:
    """Check that the root has a derivation, and that no derivation can use a node twice.

    The marks of a derivation cannot represent two uses of a node: they would be marked as one.

    Args:
        heads: ``[edges]``.
        tails: ``[edges, tails]``.
        order: the hyperedges such that all hyperedges into a tail precede those out of it.
        root: the node of whole derivations.
        nodes: the number of nodes, ``NOTHING`` included.

    Raises:
        UsageError: if it has none, or one can.
    """
    below = [1 << node if node != NOTHING else 0 for node in range(nodes)]
    derived = {NOTHING}
    for edge in order:
        head, within, last = int(heads[edge]), 0, NOTHING
        for tail in tails[edge].tolist():
            if shared := within & below[tail]:
                raise UsageError(
                    f"hyperedge {edge} derives node {head} from {last} and {tail}, both of "
                    f"which may use node {shared.bit_length() - 1}; give each use a separate node"
                )
            within |= below[tail]
            last = tail if tail != NOTHING else last
        below[head] |= within
        if derived.issuperset(tails[edge].tolist()):
            derived.add(head)
    if root not in derived:
        why = (
            "each hyperedge into it has a tail without one"
            if root in heads
            else "no hyperedge leads to it"
        )
        raise UsageError(
            f"the root, node {root}, has no derivation: {why}; give hyperedges without tails into "
            f"the smallest parts, or the root {NOTHING} if the only derivation is to be empty"
        )


def ends_of(edges: jax.Array, tails: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    """Return the places of heads, ``[batch, edges]``, and of tails, ``[batch, edges, tails]``.

    Args:
        edges: ``[batch, levels, width, fan]`` the hyperedges into each node; -1 for none.
        tails: ``[batch, levels, width, fan, tails]`` the places of their tails.
        count: the number of hyperedges.
    """
    batch, levels, width, fan = edges.shape
    row, number = jnp.arange(batch)[:, None], edges.reshape(batch, levels * width * fan)
    number = jnp.where(number < 0, count, number)
    place = jnp.repeat(1 + jnp.arange(levels * width), fan)
    heads = jnp.zeros((batch, count), int).at[row, number].set(place, mode="drop")
    of_edges = tails.reshape(batch, levels * width * fan, tails.shape[-1])
    none = jnp.zeros((batch, count, of_edges.shape[-1]), tails.dtype)
    return heads, none.at[row, number].set(of_edges, mode="drop")


def uses_of(
    numbers: jax.Array, edges: jax.Array, tails: jax.Array, roots: jax.Array, count: int
) -> tuple[jax.Array, jax.Array]:
    """Return the number of uses of each hyperedge, and whether they form a derivation.

    They do if each node that is the root or a tail is derived once, and no other node. Without
    cycles, that is a tree.

    Args:
        numbers: ``[..., batch, most]`` the numbers of hyperedges, -1 for none.
        edges: as for ``ends_of``.
        tails: likewise.
        roots: ``[batch]`` the places of the roots.
        count: the number of hyperedges.

    Returns:
        ``[..., batch, edges]`` the numbers of uses; and ``[..., batch]``.
    """
    batch, places = len(edges), edges[0].size + 1
    flat = numbers.reshape(math.prod(numbers.shape[:-2]), *numbers.shape[-2:])
    item, draw = jnp.arange(batch), jnp.arange(len(flat))[:, None, None]
    used = jnp.zeros((len(flat), batch, count), int)
    used = used.at[draw, item[:, None], jnp.where(flat < 0, count, flat)].add(1, mode="drop")
    heads, below = ends_of(edges, tails, count)
    none = jnp.zeros((len(flat), batch, places), int)
    derived = none.at[:, item[:, None], heads].add(used)
    needed = none.at[:, item[:, None, None], below].add(used[..., None])
    needed = needed.at[:, item, roots].add(1)
    # Place 0, of ``NOTHING``, is needed any number of times.
    same = jnp.all((derived == needed)[..., 1:] & (derived <= 1)[..., 1:], -1)
    leading = numbers.shape[:-1]
    return used.reshape(*leading, count), same.reshape(leading)


def fault_of(
    used: npt.NDArray[np.bool_],
    heads: npt.NDArray[np.int32],
    tails: npt.NDArray[np.int32],
    root: int,
) -> str:
    """Return why hyperedges are not those of a derivation.

    Args:
        used: ``[edges]`` whether each is used.
        heads: ``[edges]`` the head of each.
        tails: ``[edges, tails]`` the tails of each.
        root: the node of whole derivations.
    """
    edges = np.flatnonzero(used).tolist()
    needed = {root, *tails[used].ravel().tolist()} - {NOTHING}
    into: dict[int, list[int]] = {}
    for edge in edges:
        into.setdefault(int(heads[edge]), []).append(edge)
    for several in into.values():
        if len(several) > 1:
            return f"hyperedges {several[0]} and {several[1]} lead to the same node"
    for node, (edge, *_) in into.items():
        if node not in needed:
            return (
                f"hyperedge {edge} leads to a node that is neither the root nor a tail of another"
            )
    for edge in edges:
        if {*tails[edge].tolist()} - {NOTHING, *into}:
            return f"no hyperedge leads to a tail of hyperedge {edge}"
    return "no hyperedge leads to the root"
