"""The order in which constituents of one tree are absorbed into their parents.

An absorption (``trees``) reads three vectors: two of its own node, at its left and right edges, and
the running vector of its parent on the shared side. Each is the result of an earlier absorption, or
(source -1) a vector of a slot automaton. Dependents on one side are absorbed from nearest to
farthest, each into the previous result; the last one yields the node's own vector at that edge.
Nodes between two empty slots, the majority in English, have no choice: their weight is a factor of
the sentence.

For example, let "a b c d" have heads 2, 0, 2, 3 and marks at slots 2, 3 and 4. Node a lies between
the empty slots 0 and 1, so the order is a chain of three absorptions::

    kid  parent   at_left         at_right         meeting
    d    c        -1 (slot 3)     -1 (slot 4)      -1 (slot 3)
    c    b        -1 (slot 2)     result of d       -1 (slot 2)
    b    (root)   -1 (slot 0)     result of c       -1 (slot 0)

The last result is the sentence's last vector, at slot 4.
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

    Nodes are numbered from 0, slots from 0 to n. Sources and successors are absorptions, or -1.

    Attributes:
        kid: ``[absorptions]`` the absorbed node.
        from_left: whether it precedes its parent.
        left_slot, right_slot: slots at the edges of its constituent.
        at_left, at_right: sources of its vectors at these edges.
        meeting: source of its parent's running vector.
        last: source of the sentence's last vector.
        successor: ``[absorptions, 2]`` the next dependent on the same side, and the parent.
        height: length of the longest chain of successors.
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
        heads: ``[n]`` numbered from 1; 0 for the root.
        left, right: ``[n]`` slots at the edges of constituents.
        empty: ``[n + 1]`` whether a slot's automaton has one state.
    """
    is_empty = np.asarray(empty, bool)
    # Empty slots accept only the empty label.
    untouched = is_empty[left] & is_empty[right]
    parent = np.asarray(heads, np.int64) - 1
    from_left = (np.arange(len(heads)) < parent) & (parent >= 0)
    # From short to long constituents: an arbitrary order that breaks ties.
    touched = np.flatnonzero(~untouched)
    touched = touched[np.argsort((right - left)[touched], kind="stable")]
    index = np.full(len(heads), _NONE, np.int64)
    index[touched] = np.arange(len(touched))

    at_left, at_right, meeting = (np.full(len(touched), _NONE, np.int64) for _ in range(3))
    successor = np.full((len(touched), 2), _NONE, np.int64)
    last = _NONE
    for head, on_left, kids in _sides(touched, parent, from_left):
        # Lines 8 and 9 of Algorithm 1. Matrix products could be bracketed into shorter chains;
        # vectors must pass through the dependents one by one.
        outer = left if on_left else right
        numbers: list[int] = index[kids].tolist()
        # At an empty outer slot the result is a number, so the next dependent starts from the
        # automaton's own vector without waiting.
        leaves_vector = ~is_empty[outer[kids]]
        successor[numbers[:-1], 0] = numbers[1:]
        meeting[numbers[1:]] = np.where(leaves_vector[:-1], numbers[:-1], _NONE)
        # The farthest dependent shares its outer edge with the head's constituent.
        farthest = numbers[-1]
        source = farthest if leaves_vector[-1] else _NONE
        if head < 0:
            last = source
        elif index[head] >= 0:
            successor[farthest, 1] = index[head]
            (at_left if on_left else at_right)[index[head]] = source

    order = _topological(successor)
    # The extra last entry maps -1 to -1.
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
    """Order the absorptions of the mirrored tree, with mirrored slots but the same node numbers."""
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
    sides: dict[tuple[int, bool], list[int]] = {}
    for kid in touched.tolist():
        sides.setdefault((int(parent[kid]), bool(from_left[kid])), []).append(kid)
    for (head, on_left), kids in sides.items():
        yield head, on_left, sorted(kids, reverse=on_left)


def _topological(successor: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sort absorptions topologically, the last one ready first."""
    graph: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(successor)), ()))
    for i, following in enumerate(successor.tolist()):
        for j in following:
            if j >= 0:
                graph.add(j, i)
    graph.prepare()
    # This order determines the rounding of a sentence's product of factors.
    ready = list(graph.get_ready())
    order: list[int] = []
    while ready:
        order.append(ready.pop())
        graph.done(order[-1])
        ready.extend(graph.get_ready())
    return np.array(order, np.int64)


def _heights(successor: Ints) -> Ints:
    # In reverse topological order, successors come first. The chain includes the absorption itself.
    height = [1] * len(successor)
    for i, following in reversed(list(enumerate(successor.tolist()))):
        height[i] += max((height[j] for j in following if j >= 0), default=0)
    return np.array(height, np.int32)
