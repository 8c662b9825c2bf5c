import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.trees import DependencyTree, lift_arcs
from semipunct.trees.conventions import CONVENTIONS
from semipunct.trees.guideline import mark_heads
from tests.trees.cases import crosses_nothing, plain, trees

TOKENS = [",", ".", "“", "”", '"', "(", ")", "-", "?"]


def with_tokens(heads, chosen):
    """Return the heads of words and tokens together, in text order."""
    numbers = {0: 0}
    position = len(chosen[0])
    for word in range(1, len(heads) + 1):
        position += 1
        numbers[word] = position
        position += len(chosen[word])
    token_heads = [numbers[head] for head in chosen[0]]
    for word, head in enumerate(heads, start=1):
        token_heads += [numbers[head], *(numbers[governor] for governor in chosen[word])]
    return token_heads


def tree_of(heads, relations):
    return DependencyTree(tuple(heads), tuple(relations.split()))


def slots_of(pattern):
    return [tuple(part.split()) for part in pattern.split("_")]


# Heads are numbered among words only; expected values follow the guidelines.
CASES = {
    # In Ramadi , there was a demonstration .
    "fronted adverbial": (
        [2, 4, 4, 0, 6, 4],
        "case obl expl root det nsubj",
        "_ _ , _ _ _ _ .",
        {"unit": [2, 4], "governor": [4, 4]},
    ),
    # apples , pears , and figs : the following conjunct
    "conjuncts": (
        [0, 1, 4, 1],
        "root conj cc conj",
        "_ , _ , _ _",
        {"unit": [2, 4], "governor": [1, 1]},
    ),
    # manzanas , peras , y higos, with the conjunction on the first conjunct as in UD 1
    "conjunction of UD 1": (
        [0, 1, 1, 1],
        "root conj cc conj",
        "_ , _ ; _ _",
        {"unit": [2, 1], "governor": [1, 1]},
    ),
    # Yassin , a leader , died : commas around an apposition belong to it
    "apposition": (
        [4, 3, 1, 0],
        "nsubj det appos root",
        "_ , _ _ , _ .",
        {"unit": [3, 3, 4], "governor": [1, 4, 4]},
    ),
    # He , however , left : as above, with both units before their head
    "parenthetical before its head": (
        [3, 3, 0],
        "nsubj advmod root",
        "_ , _ , _ .",
        {"unit": [2, 2, 3], "governor": [3, 3, 3]},
    ),
    # He left . She stayed : a stop belongs to the unit before it
    "stop inside": (
        [2, 0, 4, 2],
        "nsubj root nsubj parataxis",
        "_ _ . _ _ .",
        {"unit": [2, 2], "governor": [2, 2]},
    ),
    # “ Go home , ” he said . : the quotation is one constituent
    "quotation": (
        [4, 1, 4, 0],
        "ccomp advmod nsubj root",
        "“ _ _ , ” _ _ .",
        {"unit": [1, 1, 1, 4], "governor": [1, 1, 1, 4]},
    ),
    # He said “ go . ” : the stop inside the quotation must stay inside
    "stop in quotation": (
        [2, 0, 2],
        "nsubj root ccomp",
        "_ _ “ _ . ”",
        {"unit": [3, 3, 3], "governor": [3, 3, 3]},
    ),
    # He ( quickly today ) left : two units without a common node depend on the same word
    "pair around two units": (
        [4, 4, 4, 0],
        "nsubj advmod advmod root",
        "_ ( _ _ ) _",
        {"unit": [4, 4], "governor": [4, 4]},
    ),
    # the “ big dog ” that barks : the highest word enclosed, whose constituent is larger
    "pair within a constituent": (
        [3, 3, 0, 5, 3],
        "det amod root nsubj acl",
        "_ “ _ _ ” _ _",
        {"unit": [3, 3], "governor": [3, 3]},
    ),
    # ( a [ b ] ) : nested pairs in one slot
    "nested pairs": (
        [0, 1],
        "root dep",
        "( _ [ _ ] )",
        {"unit": [1, 2, 2, 1], "governor": [1, 2, 2, 1]},
    ),
    "edges": ([0], "root", "- — _ ... !", {"unit": [1] * 4, "governor": [1] * 4}),
}


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", CASES)
def test_guidelines(name, convention):
    heads, relations, pattern, expected = CASES[name]
    tree = tree_of(heads, relations)
    chosen = mark_heads(tree, slots_of(pattern), convention)
    assert [head for row in chosen for head in row] == expected[convention]


def test_marks_of_one_slot_do_not_cross():
    # a ) b , c with a and b before their head c: the comma after the bracket that closes b.
    chosen = mark_heads(tree_of([3, 3, 0], "x x root"), slots_of("_ ( _ , ) _"))
    assert chosen[2] == [2, 2]
    # Kept heads are not moved: the new comma before a mark of word 1 must attach as low.
    marks = slots_of("_ , — _")
    chosen = mark_heads(tree_of([2, 0], "x root"), marks, fixed={(1, 1): 1})
    assert chosen[1] == [1, 1]
    chosen = mark_heads(tree_of([0, 1], "root x"), marks, fixed={(1, 0): 2})
    assert chosen[1] == [2, 2]


def test_a_pair_follows_the_mark_that_stays():
    tree, slots = tree_of([2, 3, 0], "x y root"), slots_of("“ _ _ ” _")
    assert mark_heads(tree, slots) == [[2], [], [2], []]
    assert mark_heads(tree, slots, fixed={(0, 0): 3}) == [[3], [], [3], []]
    assert mark_heads(tree, slots, fixed={(2, 0): 3}) == [[3], [], [3], []]
    # Word 1 cannot be the head of the closing mark: the arc would cross the one to word 2.
    assert mark_heads(tree, slots, fixed={(0, 0): 1}) == [[1], [], [2], []]


def test_marks_that_stay_come_before_pairs():
    # The bracket would attach to word 2, to the right of the head of the comma, which is kept.
    tree, slots = tree_of([2, 0, 2], "x root y"), slots_of("_ _ ( , _ )")
    assert mark_heads(tree, slots)[2] == [3, 3]
    assert mark_heads(tree, slots, fixed={(2, 1): 2})[2] == [2, 2]


@st.composite
def projective_trees(draw):
    heads = draw(trees(8))
    relation = st.sampled_from(["conj", "cc", "nsubj", "appos"])
    relations = draw(st.lists(relation, min_size=len(heads), max_size=len(heads)))
    return lift_arcs(DependencyTree(heads, tuple(relations)))[0]


@given(projective_trees(), st.sampled_from(CONVENTIONS), st.data())
def test_no_arc_crosses(tree, convention, data):
    heads = tree.heads
    slot = st.lists(st.sampled_from(TOKENS), max_size=4).map(tuple)
    slots = data.draw(st.lists(slot, min_size=len(heads) + 1, max_size=len(heads) + 1))
    chosen = mark_heads(tree, slots, convention)
    assert lift_arcs(plain(tuple(with_tokens(heads, chosen))))[1] == 0
    # Kept marks may follow the other convention; nothing crosses around them either.
    by_other_convention = mark_heads(tree, slots, CONVENTIONS[convention == CONVENTIONS[0]])
    places = [(i, j) for i, tokens in enumerate(slots) for j in range(len(tokens))]
    picked = data.draw(st.sets(st.sampled_from(places))) if places else set()
    mixed = mark_heads(
        tree, slots, convention, {(i, j): by_other_convention[i][j] for i, j in picked}
    )
    assert all(mixed[i][j] == by_other_convention[i][j] for i, j in picked)
    assert lift_arcs(plain(tuple(with_tokens(heads, mixed))))[1] == 0


@given(trees(7), st.data())
def test_a_sound_head_is_found_if_there_is_one(heads, data):
    tree = DependencyTree(heads, ("dep",) * len(heads))
    slots = [()] * (len(heads) + 1)
    slots[data.draw(st.integers(0, len(heads)))] = (",",)
    mark = slots.index((",",)) + 1
    whole = with_tokens(heads, mark_heads(tree, slots))
    drafts = (
        with_tokens(heads, [[head] if slot else [] for slot in slots])
        for head in range(1, len(heads) + 1)
    )
    assert crosses_nothing(whole, mark) == any(crosses_nothing(draft, mark) for draft in drafts)


def test_a_long_sentence_takes_a_second():
    n = 20_000
    slots = [("(",), *[(",",)] * (n - 1), (")", ".")]
    chosen = mark_heads(DependencyTree(tuple(range(n)), ("dep",) * n), slots)
    assert chosen[0] == [1]
    assert chosen[-1] == [1, 1]
