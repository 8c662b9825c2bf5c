"""Trees of two kinds for tests: dependency trees, and constituency trees with unanchored nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st

from semipunct.trees import DependencyTree, Tree, lift_arcs


@st.composite
def trees(draw: st.DrawFn, largest: int = 12) -> tuple[int, ...]:
    """Draw heads of any tree with one root, projective or not."""
    n = draw(st.integers(1, largest))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for rank, node in enumerate(order[1:], start=1):
        heads[node - 1] = order[draw(st.integers(0, rank - 1))]
    return tuple(heads)


def dominates(heads: Sequence[int], ancestor: int, node: int) -> bool:
    """Tell whether the ancestor is on the path from the node to the root (or is the node)."""
    while node not in (0, ancestor):
        node = heads[node - 1]
    return node == ancestor


def crosses_nothing(heads: Sequence[int], mark: int) -> bool:
    """Compare the arc of a mark with each other arc, and with the words that it spans."""
    low, high = sorted((mark, heads[mark - 1]))
    if not all(dominates(heads, heads[mark - 1], word) for word in range(low + 1, high)):
        return False
    arcs = [sorted((word, head)) for word, head in enumerate(heads, 1) if head and word != mark]
    # Arcs over the mark; one that passes over its head as well crosses without it, too.
    return all(a <= low and high <= b for a, b in arcs if a < mark < b)


def plain(heads: tuple[int, ...]) -> DependencyTree:
    """Build a dependency tree with a unique relation for each word."""
    return DependencyTree(heads, tuple(f"r{word}" for word in range(1, len(heads) + 1)))


@dataclass(frozen=True)
class Constituency(Tree):
    """A constituency tree: a node for each word, and phrases, which have no word.

    Attributes:
        words: number of words.
        parents: ``[nodes]`` the parent of each node, -1 for the root.
        anchors: ``[nodes]`` the word of each node, 0 for a phrase.
        labels: ``[nodes]`` categories.
    """

    words: int = 0
    parents: tuple[int, ...] = ()
    anchors: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()


@st.composite
def constituency_trees(draw: st.DrawFn, largest: int = 6) -> Constituency:
    """Draw a tree over words in order, with unary phrases, and nodes in any order."""
    n = draw(st.integers(1, largest))
    spans = [(0, n, -1)]
    parents: list[int] = []
    anchors: list[int] = []
    while spans:
        start, end, parent = spans.pop()
        node = len(parents)
        parents.append(parent)
        alone = end - start == 1
        if alone and draw(st.booleans()):
            anchors.append(end)
            continue
        anchors.append(0)
        inner = st.integers(start + 1, end - 1)
        cuts = [] if alone else draw(st.lists(inner, max_size=3, unique=True))
        # A phrase may have a single child of the same width, but not without limit.
        if not alone and not cuts and parent >= 0:
            cuts = [start + 1]
        bounds = [start, *sorted(cuts), end]
        if alone:
            parents.append(node)
            anchors.append(end)
            continue
        spans += [(a, b, node) for a, b in pairwise(bounds)]
    order = draw(st.permutations(range(len(parents))))
    place = {node: position for position, node in enumerate(order)}
    return Constituency(
        n,
        tuple(place[parents[node]] if parents[node] >= 0 else -1 for node in order),
        tuple(anchors[node] for node in order),
        tuple("W" if anchors[node] else "XP" for node in order),
    )


projective_trees = trees().map(lambda heads: lift_arcs(plain(heads))[0])
"""Projective dependency trees."""

any_trees = projective_trees | constituency_trees()
"""Trees of either kind in which every node dominates adjacent words."""
