import pytest
from hypothesis import given

from semipunct.trees import DependencyTree, Junction, Tree, tree_fault
from tests.trees.cases import Constituency, any_trees, plain, trees


def ancestors(tree: Tree, node: int) -> list[int]:
    """Return the path from a node to the root, both included."""
    way = [node]
    while tree.parents[way[-1]] >= 0:
        way.append(tree.parents[way[-1]])
    return way


def words_below(tree: Tree, node: int) -> list[int]:
    """Return the words that a node dominates, by definition."""
    nodes = range(len(tree.parents))
    anchored = (tree.anchors[n] for n in nodes if node in ancestors(tree, n))
    return sorted(word for word in anchored if word)


# (S (NP (D the) (N dog)) (VP (V barks))): a phrase of one word, and nodes out of order.
SMALL = Constituency(
    words=3,
    parents=(2, 0, -1, 2, 0, 3),
    anchors=(0, 2, 0, 0, 1, 3),
    labels=("NP", "N", "S", "VP", "D", "V"),
)


def test_a_constituency_tree_written_out():
    assert SMALL.left == (0, 1, 0, 2, 0, 2)
    assert SMALL.right == (2, 2, 3, 3, 1, 3)
    assert SMALL.junctions == (
        Junction((), (2, 0, 4)),
        Junction((4,), (1,)),
        Junction((1, 0), (3, 5)),
        Junction((5, 3, 2), ()),
    )
    sides = [(f"<{label}", f"{label}>") for label in SMALL.labels]
    assert [" ".join(slot) for slot in SMALL.gather([((a,), (b,)) for a, b in sides])] == [
        "<S <NP <D", "D> <N", "N> NP> <VP <V", "V> VP> S>",
    ]  # fmt: skip


def test_a_dependency_tree_written_out():
    # Word 2 is the root; word 4 depends on 3 and 3 on 2.
    tree = DependencyTree((2, 0, 2, 3), ("a", "root", "b", "c"))
    assert (tree.words, tree.root) == (4, 2)
    assert (tree.parents, tuple(tree.anchors)) == ((1, -1, 1, 2), (1, 2, 3, 4))
    assert tree.labels == ("a", "root", "b", "c")
    assert tree.edges == ((0, 0, 2, 3), (1, 4, 4, 4))
    assert tree.junctions == (
        Junction((), (1, 0)), Junction((0,), ()), Junction((), (2,)), Junction((), (3,)),
        Junction((3, 2, 1), ()),
    )  # fmt: skip
    pairs = [("(", ")"), ("", "."), (",", ","), ("“", "”")]
    assert ["".join(slot) for slot in tree.gather(pairs)] == ["(", ")", ",", "“", "”,."]


@given(trees())
def test_edges_of_a_non_projective_tree_are_its_outermost_words(heads: tuple[int, ...]):
    tree = plain(heads)
    for node in range(tree.words):
        below = words_below(tree, node)
        assert (tree.left[node], tree.right[node]) == (below[0] - 1, below[-1])


@given(any_trees)
def test_what_meets_at_a_slot(tree: Tree):
    """Of constituents that share an edge, the deeper node is the inner one."""
    depth = {node: len(ancestors(tree, node)) for node in range(len(tree.parents))}
    below = {node: words_below(tree, node) for node in depth}
    sides = [((f"l{node}", "x"), (f"r{node}",)) for node in depth]
    strings = tree.gather(sides)
    assert len(strings) == len(tree.junctions) == tree.words + 1
    for slot, (junction, string) in enumerate(zip(tree.junctions, strings, strict=True)):
        ending = [node for node in depth if below[node][-1] == slot]
        starting = [node for node in depth if below[node][0] == slot + 1]
        ending.sort(key=lambda node: -depth[node])
        starting.sort(key=lambda node: depth[node])
        assert junction == (tuple(ending), tuple(starting))
        literal = [*(sides[node][1] for node in ending), *(sides[node][0] for node in starting)]
        assert string == [token for side in literal for token in side]


@pytest.mark.parametrize(
    "heads, word, problem",
    [
        ([0, 5], 2, "not a word of the sentence (0 to 2)"),
        ([0, -1], 2, "HEAD -1 is not a word"),
        ([0, 2], 2, "itself"),
        ([0, 0], 2, "second root (HEAD 0) beside word 1"),
        ([2, 1], 1, "cycle of HEADs (1 to 2 to 1)"),
        ([0, 3, 4, 2], 2, "cycle of HEADs (2 to 3 to 4 to 2)"),
        ([], 1, "no word of the sentence is the root"),
    ],
)
def test_what_is_no_tree_is_described(heads, word, problem):
    blamed, fault = tree_fault(heads)
    assert blamed == word
    assert problem in fault


def test_a_long_cycle_is_shown_in_part():
    n = 100_000
    _, fault = tree_fault([n, *range(1, n)])
    assert "..." in fault
    assert len(fault) < 100


def test_a_long_chain_is_no_matter():
    n = 100_000
    tree = plain(tuple(range(n)))
    assert tree_fault(tree.heads) is None
    assert tree.left == tuple(range(n))
    assert tree.right == (n,) * n
    assert tree.junctions[n].ending == tuple(range(n - 1, -1, -1))
    assert len(tree.gather([((), (node,)) for node in range(n)])[n]) == n
