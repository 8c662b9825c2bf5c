"""Dependency trees as lists of heads: what makes one, and the constituents of its nodes.

Everywhere `heads[i]` is the head of word i + 1, and 0 is the head of the root.
"""

from collections.abc import Sequence


def tree_fault(heads: Sequence[int]) -> tuple[int, str] | None:
    """Find the first reason why `heads` is not a tree with one root; None if it is one.

    Returns the number (1..n) of a word that is to blame, and what is wrong with it.  Linear in
    the sentence.
    """
    n = len(heads)
    root = 0
    for word, head in enumerate(heads, start=1):
        if head < 0 or head > n:
            return word, f"its HEAD {head} is not a word of the sentence (0 to {n})"
        if head == word:
            return word, f"its HEAD is itself ({head})"
        if head == 0:
            if root:
                return word, f"it is a second root (HEAD 0) beside word {root}"
            root = word
    # 0: not seen; otherwise the word from which the walk that saw it started.
    seen = [0] * (n + 1)
    seen[0] = -1
    for word in range(1, n + 1):
        node = word
        while not seen[node]:
            seen[node] = word
            node = heads[node - 1]
        if seen[node] == word:
            return node, f"it is on a cycle of HEADs ({_cycle(heads, node)})"
    return None if root else (1, "no word of the sentence is the root (HEAD 0)")


def _cycle(heads: Sequence[int], start: int) -> str:
    words = [start]
    while heads[words[-1] - 1] != start:
        words.append(heads[words[-1] - 1])
    shown = words if len(words) <= 8 else words[:7]
    return " to ".join([*map(str, shown), *(["..."] if shown is not words else []), str(start)])


def top_down(heads: Sequence[int]) -> list[int]:
    """List the words (1..n) of a tree so that each comes after its head.

    The reverse order visits each word after all its dependents.  Linear in the sentence.
    """
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        dependents[head].append(word)
    order = list(dependents[0])
    for word in order:  # grows while it is read: breadth first without recursion
        order.extend(dependents[word])
    return order


def constituents(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """Give the slots at the left and right edge of every word's constituent.

    Returns `(left_slots, right_slots)`, each of length n: word i + 1 dominates words between
    slots `left_slots[i]` and `right_slots[i]`, so the first is its first word's number minus 1
    and the second its last word's number (section 2.1).  In a projective tree these are all
    the words between the two slots.
    """
    n = len(heads)
    left_slots = list(range(n))
    right_slots = list(range(1, n + 1))
    for word in reversed(top_down(heads)):
        head = heads[word - 1]
        if head:
            left_slots[head - 1] = min(left_slots[head - 1], left_slots[word - 1])
            right_slots[head - 1] = max(right_slots[head - 1], right_slots[word - 1])
    return left_slots, right_slots
