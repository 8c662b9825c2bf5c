"""The order in which the constituents of one tree are absorbed into their parents.

Absorbing a constituent (``trees``) reads three vectors: two of its own node, at its left and right
edge, and the running vector of its parent on its side. Each is the result of an earlier absorption
or the initial or final vector of a slot automaton, so absorptions form an acyclic graph:

- dependents on one side of a node are absorbed from the nearest to the farthest, each into the
  result of the previous absorption;
- the farthest one produces the node's own vector at that edge.

Nodes between two slots that are empty on the surface can only choose the empty pair. Their weight
is a factor of the sentence, and they are not part of the graph; in English they are the majority.

-1 means no absorption. As a source it means the vector of the slot automaton: there is no earlier
absorption, or the slot at its outer edge is empty and its result, one number, is a factor of the
sentence.

For example, "a b c d" has the heads 2, 0, 2, 3 and marks at the slots 2, 3 and 4, after b, c and d.
The node a lies between the empty slots 0 and 1, so the graph is a chain of three absorptions::

    kid  parent   at_left         at_right         meeting
    d    c        -1 (slot 3)     -1 (slot 4)      -1 (slot 3)
    c    b        -1 (slot 2)     result of d       -1 (slot 2)
    b    (root)   -1 (slot 0)     result of c       -1 (slot 0)

The result of the last one is the last vector of the sentence, at slot 4. Every absorption has at
most one successor (docs/decisions/recursions.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
_NONE = -1


@dataclass(frozen=True, slots=True)
class Absorptions:
    """The absorptions of one sentence in topological order.

    Nodes count from 0, slots from 0 to n. Sources and successors are indices of absorptions, or -1.

    Attributes:
        kid: ``[absorptions]`` the node whose constituent is absorbed.
        from_left: ``[absorptions]`` whether it is to the left of its parent.
        left_slot: ``[absorptions]`` the slot at the constituent's left edge.
        right_slot: ``[absorptions]`` the slot at its right edge.
        at_left: ``[absorptions]`` source of the kid's vector at its left edge.
        at_right: ``[absorptions]`` source of the kid's vector at its right edge.
        meeting: ``[absorptions]`` source of its parent's running vector, at the slot that they
            share.
        last: source of the sentence's last vector.
        successor: ``[absorptions, 2]`` later absorptions that depend on it: of the next dependent
            on the same side, and of the parent.
        height: ``[absorptions]`` length of the longest chain of successors.
        untouched: ``[words]`` whether a node lies between two empty slots.
    """

    words: int
    kid: Ints
    from_left: npt.NDArray[np.bool_]
    left_slot: Ints
    right_slot: Ints
    at_left: Ints
    at_right: Ints
    meeting: Ints
    last: int
    successor: Ints
    height: Ints
    untouched: npt.NDArray[np.bool_]


def absorptions(
    heads: Sequence[int], left: Ints, right: Ints, empty: Sequence[bool]
) -> Absorptions:
    """Order the absorptions of a projective tree.

    Args:
        heads: ``[n]`` head of each word, numbered from 1; 0 for the root.
        left: ``[n]`` the slot at the left edge of each word's constituent.
        right: ``[n]`` the slot at its right edge.
        empty: ``[n + 1]`` whether a slot's automaton has one state.
    """
    is_empty = np.asarray(empty, bool)
    # The automaton of an empty slot accepts nothing but the empty label, so a node between two of
    # them has no choice. In English most nodes are of this kind: the graph is short without them.
    untouched = is_empty[left] & is_empty[right]
    parent = np.asarray(heads, np.int64) - 1
    from_left = (np.arange(len(heads)) < parent) & (parent >= 0)
    # An initial order, from short to long constituents. It is arbitrary, and breaks ties between
    # independent absorptions.
    touched = np.flatnonzero(~untouched)
    touched = touched[np.argsort((right - left)[touched], kind="stable")]
    index = np.full(len(heads), _NONE, np.int64)
    index[touched] = np.arange(len(touched))

    at_left, at_right, meeting = (np.full(len(touched), _NONE, np.int64) for _ in range(3))
    successor = np.full((len(touched), 2), _NONE, np.int64)
    last = _NONE
    for head, on_left, kids in _sides(touched, parent, from_left):
        # The products of lines 8 and 9 of Algorithm 1, one dependent after the other. Products of
        # matrices could be bracketed at will, into shorter chains; a vector passes one by one.
        outer = left if on_left else right
        numbers: list[int] = index[kids].tolist()
        # At an empty outer slot the product has one row or column, so it ends in a number. The next
        # dependent begins with the automaton's own vector instead of waiting for a vector of one.
        leaves_vector = ~is_empty[outer[kids]]
        successor[numbers[:-1], 0] = numbers[1:]
        meeting[numbers[1:]] = np.where(leaves_vector[:-1], numbers[:-1], _NONE)
        # A vector remains only at a non-empty slot. A dependent farther out would touch that slot,
        # too, so the slot is the edge of the head's own constituent.
        farthest = numbers[-1]
        source = farthest if leaves_vector[-1] else _NONE
        if head < 0:
            last = source
        elif index[head] >= 0:
            successor[farthest, 1] = index[head]
            (at_left if on_left else at_right)[index[head]] = source

    order = _topological(successor)
    # The additional last entry maps -1 to -1.
    rank = np.full(len(touched) + 1, _NONE, np.int64)
    rank[order] = np.arange(len(touched))
    kid = touched[order]
    successor = rank[successor[order]].astype(np.int32)
    return Absorptions(
        words=len(heads),
        kid=kid.astype(np.int32),
        from_left=from_left[kid],
        left_slot=left[kid],
        right_slot=right[kid],
        at_left=rank[at_left[order]].astype(np.int32),
        at_right=rank[at_right[order]].astype(np.int32),
        meeting=rank[meeting[order]].astype(np.int32),
        last=int(rank[last]),
        successor=successor,
        height=_heights(successor),
        untouched=untouched,
    )


def mirrored_absorptions(
    heads: Sequence[int], left: Ints, right: Ints, empty: Sequence[bool]
) -> Absorptions:
    """Order the absorptions of the mirrored tree; nodes keep their numbers, slots are mirrored.

    Args:
        heads: ``[n]`` heads of the unmirrored tree, as for ``absorptions``, like all other
            arguments.
        left: ``[n]`` slots at left edges.
        right: ``[n]`` slots at right edges.
        empty: ``[n + 1]`` whether a slot's automaton has one state.
    """
    words = len(heads)
    mirrored_heads = [words + 1 - h if h else 0 for h in reversed(heads)]
    mirrored = absorptions(mirrored_heads, words - right[::-1], words - left[::-1], empty[::-1])
    kid = (words - 1 - mirrored.kid).astype(np.int32)
    return replace(mirrored, kid=kid, untouched=mirrored.untouched[::-1])


def _sides(
    touched: npt.NDArray[np.int64],
    parent: npt.NDArray[np.int64],
    from_left: npt.NDArray[np.bool_],
) -> Iterator[tuple[int, bool, list[int]]]:
    """Yield heads with each side and the touched dependents on that side, nearest first."""
    sides: dict[tuple[int, bool], list[int]] = {}
    for kid in touched.tolist():
        sides.setdefault((int(parent[kid]), bool(from_left[kid])), []).append(kid)
    for (head, on_left), kids in sides.items():
        yield head, on_left, sorted(kids, reverse=on_left)


def _topological(successor: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the absorptions ``[absorptions]``, each before its successors.

    Absorptions that become ready last come first. The order determines the order of the factors of
    a sentence, hence the rounding of their product.
    """
    graph: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(successor)), ()))
    for i, following in enumerate(successor.tolist()):
        for j in following:
            if j >= 0:
                graph.add(j, i)
    graph.prepare()
    # A stack instead of a queue: the docstring says why.
    ready = list(graph.get_ready())
    order: list[int] = []
    while ready:
        order.append(ready.pop())
        graph.done(order[-1])
        ready.extend(graph.get_ready())
    return np.array(order, np.int64)


def _heights(successor: Ints) -> Ints:
    """Return the length ``[absorptions]`` of the longest chain that starts with each."""
    # Successors come later in a topological order, so one pass from the end suffices.
    height = [1] * len(successor)
    for i, following in reversed(list(enumerate(successor.tolist()))):
        height[i] += max((height[j] for j in following if j >= 0), default=0)
    return np.array(height, np.int32)
