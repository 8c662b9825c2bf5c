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

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
_NONE = -1


@dataclass(frozen=True, slots=True)
class Absorptions:
    """The absorptions of one sentence in topological order.

    Nodes are numbered from 0, slots from 0 to n. Sources are earlier absorptions, or -1.

    Attributes:
        kid: ``[absorptions]`` the absorbed node.
        from_left: whether it precedes its parent.
        left_slot, right_slot: slots at the edges of its constituent.
        sources: ``[absorptions, 3]`` of its vectors at these edges (``at_left``, ``at_right``), and
            of its parent's running vector (``meeting``).
        last: source of the sentence's last vector.
        untouched: ``[words]`` whether a node lies between two empty slots.
    """

    words: int
    kid: Ints
    from_left: npt.NDArray[np.bool_]
    left_slot: Ints
    right_slot: Ints
    sources: Ints
    last: int
    untouched: npt.NDArray[np.bool_]

    @property
    def height(self) -> Ints:
        """``[absorptions]`` the length of the longest chain from each one to the last."""
        height = [1] * (len(self.sources) + 1)  # the last entry is for no source
        for i, read in reversed([*enumerate(self.sources.tolist())]):
            for j in read:
                height[j] = max(height[j], height[i] + 1)
        return np.array(height[:-1], np.int32)


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
    # The words between a node's parent and its outer edge include its dependents and its nearer
    # siblings, which are absorbed before it.
    extent = np.where(from_left, parent - left, right - parent - 1)
    touched = np.flatnonzero(~untouched)
    kid = touched[np.argsort(extent[touched], kind="stable")]
    # The source of the running vector on either side of each node, at last of no node.
    running = [_NONE] * (len(heads) + 1), [_NONE] * (len(heads) + 1)
    sources: list[tuple[int, int, int]] = []
    # At an empty outer slot the result is a number, so the next dependent starts from the
    # automaton's own vector.
    leaves_vector = ~is_empty[np.where(from_left, left, right)]
    for i, k in enumerate(kid.tolist()):
        side = running[0 if from_left[k] else 1]
        sources.append((running[0][k], running[1][k], side[parent[k]]))
        side[parent[k]] = i if leaves_vector[k] else _NONE
    return Absorptions(
        words=len(heads),
        kid=kid.astype(np.int32),
        from_left=from_left[kid],
        left_slot=left[kid],
        right_slot=right[kid],
        sources=np.array(sources, np.int32).reshape(-1, 3),
        last=running[1][-1],
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
