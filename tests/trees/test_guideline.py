"""Heads of marks by the principles of the guidelines: examples, and laws on any tree."""

from collections.abc import Sequence
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from semipunct.trees.conventions import CONVENTIONS, Context, Convention, Conventions
from semipunct.trees.guideline import HeadChange, Judgement
from semipunct.trees.mark_places import MarkedTree
from tests.trees.cases import crosses_nothing, dominates, trees

PAIRS = {"(": ")", "“": "”"}


def judgement(heads: Sequence[int], relations: Sequence[str], forms: Sequence[str]) -> Judgement:
    """Judge a sentence whose marks are the tokens of the relation ``punct``."""
    is_mark = [relation == "punct" for relation in relations]
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []
    for token, form in enumerate(forms, start=1):
        if is_mark[token - 1] and form in PAIRS:
            waiting.append(token)
        elif is_mark[token - 1] and waiting and form == PAIRS[forms[waiting[-1] - 1]]:
            pairs.append((waiting.pop(), token))
    tree = MarkedTree([0, *heads], [False, *is_mark])
    return Judgement(tree, ["", *relations], ["", *forms], pairs)


def told(sentence: str) -> Judgement:
    """Read a sentence: each token is ``form/relation/head``, of marks ``form/head``."""
    parts = [token.rsplit("/", 2) for token in sentence.split()]
    rows = [part if len(part) == 3 else [part[0], "punct", part[1]] for part in parts]
    forms, relations, heads = zip(*rows, strict=True)
    return judgement([int(head) for head in heads], relations, forms)


def moved(sentence: str, **options: object) -> list[tuple[int, int, str]]:
    return [(c.mark, c.after, c.rule) for c in told(sentence).changes(**options)]  # pyright: ignore[reportArgumentType]


UNIT = Conventions("unit")
GOVERNOR = Conventions("governor")

FRONTED = "In/case/2 May/obl/4 ,/4 rained/root/0 ./4"
CONJUNCTS = "apples/root/0 ,/1 pears/conj/1 ,/1 and/cc/6 figs/conj/1"


def test_each_principle():
    assert moved(FRONTED) == [(3, 2, "unit")]
    assert moved(CONJUNCTS) == [(2, 3, "conjunct"), (4, 6, "conjunct")]
    assert moved("He/nsubj/2 left/root/0 early/advmod/2 ./3", strict=True) == [(4, 2, "highest")]
    # Both brackets belong to the word that they enclose.
    assert moved("He/nsubj/5 (/5 Bo/appos/1 )/1 left/root/0") == [(2, 3, "pair"), (4, 3, "pair")]


def test_commas_around_a_unit_are_a_pair():
    assert moved("Ada/nsubj/6 ,/6 a/det/4 vet/appos/1 ,/6 left/root/0") == [
        (2, 4, "unit"),
        (5, 4, "pair"),
    ]


def test_the_reason_is_told():
    def problems(sentence: str) -> list[str]:
        return [change.problem for change in told(sentence).changes()]

    assert problems(FRONTED) == ["it is attached to the governor of the unit"]
    assert problems(CONJUNCTS) == ["it separates conjuncts"] * 2
    assert problems("a/det/3 ,/4 man/nsubj/4 left/root/0") == [
        "it makes another arc non-projective"
    ]
    assert problems("He/nsubj/3 ,/5 left/root/0 at/case/5 ten/obl/3") == [
        "its arc spans words that its head does not dominate"
    ]
    assert problems("He/nsubj/2 left/root/0 ./4 ”/2") == ["a mark has no dependents"]


def test_heads_that_the_guidelines_leave_open_stay():
    # Either "from Leeds" or "a vet from Leeds" may be what ends at the comma.
    sentence = "a/det/2 vet/nsubj/6 from/case/4 Leeds/nmod/2 ,/4 left/root/0"
    assert moved(sentence) == []
    assert moved(sentence, strict=True) == [(5, 2, "unit")]


def test_the_convention_of_the_treebank():
    assert moved(FRONTED, conventions=GOVERNOR) == []
    inner = "said/root/0 In/case/3 May/obl/5 ,/5 rained/ccomp/1"
    votes = told(inner).votes()
    assert votes == [((",", False, "obl"), "governor")]
    assert told(FRONTED).votes() == []  # attached to the root, as by a program
    assert moved(FRONTED, conventions=Conventions.of(votes)) == []
    # One context differs from all others of a treebank.
    other: list[tuple[Context, Convention]] = [((",", True, "conj"), "unit")] * 100
    assert Conventions.of(votes * 9 + other).at((",", False, "obl")) == "governor"
    assert Conventions.of(votes + other).at((",", False, "obl")) == "unit"
    assert Conventions.of([]).at((",", False, "obl")) == "unit"


def test_only_some_principles():
    both = "In/case/2 May/obl/5 ,/5 it/nsubj/5 rained/root/0 (/1 a/det/8 lot/obj/5 )/8"
    assert [rule for _, _, rule in moved(both)] == ["unit", "pair"]
    assert moved(both, rules=["pair"]) == [(6, 8, "pair")]
    assert moved(both, rules=["unit"]) == [(3, 2, "unit")]


def test_empty_brackets_and_lone_marks():
    assert moved("f/nsubj/4 (/4 )/1 runs/root/0") == [(2, 1, "unit"), (3, 1, "pair")][:1]
    assert moved("he/nsubj/2 said/root/0 “/2 go/ccomp/2 away/advmod/4") == [(3, 4, "unit")]
    assert moved("so/advmod/4 far/advmod/1 )/4 good/root/0") == [(3, 1, "unit")]


def test_marks_on_which_words_depend_stay():
    sentence = told("a/root/0 -/1 b/conj/2 ./2")
    assert sentence.tree.governing == {2}
    assert [(c.mark, c.after) for c in sentence.changes()] == [(4, 1)]
    assert told("-/punct/0").changes() == []


@st.composite
def sentences(draw: st.DrawFn) -> tuple[tuple[int, ...], list[str], list[str]]:
    """Draw a tree of at most eight tokens, some of them marks, which may have dependents."""
    heads = draw(trees(8))
    n = len(heads)
    relation = st.sampled_from(["punct", "punct", "conj", "cc", "nsubj"])
    relations = draw(st.lists(relation, min_size=n, max_size=n))
    forms = draw(st.lists(st.sampled_from(',."()“”-'), min_size=n, max_size=n))
    return heads, relations, forms


def applied(heads: Sequence[int], changes: Sequence[HeadChange]) -> list[int]:
    new = list(heads)
    for change in changes:
        assert new[change.mark - 1] == change.before != change.after
        new[change.mark - 1] = change.after
    return new


OPTIONS = st.tuples(st.sampled_from(CONVENTIONS), st.booleans())


@given(sentences(), OPTIONS)
def test_laws(sentence: tuple[tuple[int, ...], list[str], list[str]], options: tuple[str, bool]):
    heads, relations, forms = sentence
    convention, strict = Conventions(options[0]), options[1]  # pyright: ignore[reportArgumentType]
    before = judgement(heads, relations, forms)
    new = applied(heads, before.changes(convention, strict=strict))
    movable = set(before.tree.marks)
    for token, (old_head, head) in enumerate(zip(heads, new, strict=True), start=1):
        if old_head != head:
            assert token in movable
            assert relations[head - 1] != "punct" or not before.tree.heads[head]
    assert judgement(new, relations, forms).changes(convention, strict=strict) == []
    if before.tree.is_projective and not before.tree.governing:
        assert all(crosses_nothing(new, mark) for mark in movable)
    else:
        sound = (sum(crosses_nothing(side, mark) for mark in movable) for side in (heads, new))
        assert next(sound) <= next(sound)


@given(trees(8), st.data())
def test_places_of_projective_and_other_trees_are_the_same(
    heads: tuple[int, ...], data: st.DataObject
):
    n = len(heads)
    is_mark = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    tree = MarkedTree([0, *heads], [False, *is_mark])
    before, after = tree.neighbours
    words = [token for token in range(1, n + 1) if token in tree.words]
    arcs_of_words = {
        dominates(heads, heads[word - 1], other)
        for word in words
        if heads[word - 1]
        for other in words
        if min(word, heads[word - 1]) < other < max(word, heads[word - 1])
    }
    assert tree.is_projective == (False not in arcs_of_words)
    if tree.is_projective:
        for mark in tree.marks:
            assert tree.around(mark) == tree.around_in_general(mark, before[mark], after[mark])


def test_a_long_chain_takes_a_second():
    """The time is about quadratic in the length; when it was cubic, this took half a minute."""
    n = 3000
    relations = ["punct" if token % 3 == 0 else "dep" for token in range(1, n + 1)]
    # Each word depends on the one before it, and all marks on the first.
    heads = [1 if t % 3 == 0 else t - 2 if t % 3 == 1 and t > 1 else t - 1 for t in range(1, n + 1)]
    sentence = judgement(heads, relations, ["," if r == "punct" else "w" for r in relations])
    start = process_time()
    changes = sentence.changes()
    assert process_time() - start < 15
    assert [change.mark for change in changes] == [*range(3, n + 1, 3)][: len(changes)]
    assert len(changes) >= n // 3 - 1
    assert all(abs(change.after - change.mark) == 1 for change in changes)
