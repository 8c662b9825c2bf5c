"""Projectivisation of trees by lifting arcs (Nivre and Nilsson 2005)."""

import heapq
from collections.abc import Sequence

from semipunct.trees.tree import DependencyTree


def lift_arcs(tree: DependencyTree) -> tuple[DependencyTree, int]:
    """Lift non-projective arcs until none remains; return the tree and the number of lifts.

    The shortest non-projective arc (in a tie, the leftmost dependent) is lifted first, to the
    head's head. The time is almost linear for projective trees.
    """
    heads = tree.heads
    parent = [0, *heads]
    left_break, right_break = _breaks(tree)
    # Lifting only removes words from the set that a word dominates, so an arc stays non-projective
    # until it is lifted itself: entries of the heap never become stale.
    queue = [
        (abs(head - word), word)
        for word, head in enumerate(heads, start=1)
        if not left_break[head] < word < right_break[head]
    ]
    if not queue:
        return tree, 0
    dependents: list[set[int]] = [set() for _ in parent]
    for word, head in enumerate(heads, start=1):
        dependents[head].add(word)
    heapq.heapify(queue)
    lifts = 0
    while queue:
        _, word = heapq.heappop(queue)
        former_head, grandparent = parent[word], parent[parent[word]]
        low, high = left_break[former_head], right_break[former_head]
        for lost in _dominated_between(word, low, high, parent, dependents):
            if lost < former_head:
                left_break[former_head] = max(left_break[former_head], lost)
            elif lost > former_head:
                right_break[former_head] = min(right_break[former_head], lost)
        lifts += 1
        parent[word] = grandparent
        dependents[former_head].discard(word)
        dependents[grandparent].add(word)
        if not left_break[grandparent] < word < right_break[grandparent]:
            heapq.heappush(queue, (abs(grandparent - word), word))
        if (low, high) != (left_break[former_head], right_break[former_head]):
            for dependent in dependents[former_head]:
                if (
                    low < dependent < high
                    and not left_break[former_head] < dependent < right_break[former_head]
                ):
                    heapq.heappush(queue, (abs(former_head - dependent), dependent))
    return DependencyTree(tuple(parent[1:]), tree.relations), lifts


def _breaks(tree: DependencyTree) -> tuple[list[int], list[int]]:
    """Find the nearest positions on both sides of each word that it does not dominate."""
    heads, n = tree.heads, tree.words
    order = [node + 1 for node in tree.order]
    size = [1] * (n + 1)
    for word in reversed(order):
        size[heads[word - 1]] += size[word]
    # Depth-first numbers without a traversal: each word gets a block within its head's block.
    first = [0] * (n + 1)
    free = [1] * (n + 1)
    for word in order:
        head = heads[word - 1]
        first[word] = free[head]
        free[head] += size[word]
        free[word] = first[word] + 1
    left = [-1] * (n + 1)
    right = [n + 1] * (n + 1)
    for word in reversed(order):
        low, high = first[word], first[word] + size[word]
        # Words dominated by a dominated neighbour are dominated, too, so whole blocks are skipped.
        position = word - 1
        while position > 0 and low <= first[position] < high:
            position = left[position]
        left[word] = position
        position = word + 1
        while position <= n and low <= first[position] < high:
            position = right[position]
        right[word] = position
    return left, right


def _dominated_between(
    word: int, low: int, high: int, parent: Sequence[int], dependents: Sequence[set[int]]
) -> list[int]:
    """List the words that ``word`` dominates, at least all between ``low`` and ``high``.

    Searches down from the word if it dominates few words, otherwise up from the positions.
    """
    dominated = [word]
    for node in dominated:
        if len(dominated) + len(dependents[node]) > high - low:
            break
        dominated.extend(dependents[node])
    else:
        return dominated
    head = parent[word]
    below = {head: False, word: True}
    for position in range(low + 1, high):
        path = [position]
        while path[-1] not in below:
            path.append(parent[path[-1]])
        below.update(dict.fromkeys(path, below[path[-1]]))
    return [position for position in range(low + 1, high) if below[position]]
