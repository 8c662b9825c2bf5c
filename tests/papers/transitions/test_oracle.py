"""The static oracle: its derivations yield the tree that they were computed from."""

from hypothesis import given
from hypothesis import strategies as st

from semipunct.papers.transitions.search import LEFT, RIGHT, SHIFT, arcs, oracle
from semipunct.trees import DependencyTree, lift_arcs


def heads_of(actions: list[int]) -> list[int]:
    heads = [0] * ((len(actions) + 1) // 2)
    for dependent, head in arcs(actions):
        if dependent:
            heads[dependent - 1] = head
    return heads


@st.composite
def projective_heads(draw: st.DrawFn) -> list[int]:
    n = draw(st.integers(1, 9))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return list(lift_arcs(DependencyTree(tuple(heads), ("dep",) * n))[0].heads)


@given(projective_heads())
def test_a_derivation_makes_its_tree(heads: list[int]):
    transitions = oracle(heads)
    assert len(transitions.actions) == 2 * len(heads) - 1
    assert list(transitions.actions).count(SHIFT) == len(heads)
    assert heads_of(transitions.actions.tolist()) == heads
    assert transitions.dependents.tolist() == [d for d, _ in arcs(transitions.actions.tolist())]


def test_arcs_are_made_as_soon_as_they_can_be():
    """She | saw (red) stars yesterday, by hand."""
    heads = [2, 0, 4, 2, 2]
    assert oracle(heads).actions.tolist() == [
        SHIFT, SHIFT, LEFT, SHIFT, SHIFT, LEFT, RIGHT, SHIFT, RIGHT,
    ]  # fmt: skip
