"""Surface strings of modified underlying trees."""

import math
from dataclasses import replace

import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.marks import ABBREVIATION, EDITS, OPEN, UNK
from semipunct.models.punctuation.decode import Analysis, SlotAnalysis
from semipunct.models.punctuation.regeneration import Mark, Regenerator, UnderlyingTree
from semipunct.models.punctuation.rewriting import Rewriter, WindowPass
from semipunct.trees import Arrangement, DependencyTree
from tests.models.punctuation.cases import model


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_the_likeliest_path_is_the_best_of_all(direction: str):
    m = model(direction, final_mark=True)
    rewriter = Rewriter.of(m, m.initial_parameters(5, 1.5))
    (window_pass,) = rewriter.passes
    symbols = range(1, len(rewriter.inventory.symbols))
    chance = np.random.default_rng(0)
    for length in (1, 2, 3, 5, 6):
        for _ in range(5):
            string = tuple(int(x) for x in chance.choice(symbols, length))
            listed = window_pass.outcomes(string)
            best = max(paths.log_best for paths in listed.values())
            log_best = listed[window_pass.likeliest(string)].log_best
            assert log_best == pytest.approx(best)


def analysed(pairs, slots, underlying, forms=("a", "b", "c", "d"), heads=(0, 1, 2, 1)):
    n = len(forms)
    tree = DependencyTree(heads, ("root", *["dep"] * (n - 1)))
    sentence = Sentence("s", "made", 1, forms, *[("_",) * n] * 4, tree, slots)
    met = tuple(SlotAnalysis(u, (), x) for u, x in zip(underlying, slots, strict=True))
    return Analysis(sentence, pairs, 0.0, 0.0, met)


def keeping() -> Rewriter:
    """A channel that keeps everything, except that a period absorbs a preceding comma."""
    m = model("l2r", final_mark=False)
    rewriter = Rewriter.of(m, m.initial_parameters(0, 0.0))
    number = {s: i for i, s in enumerate(rewriter.inventory.symbols)}
    table = np.full_like(rewriter.passes[0].log_probability, -math.inf)
    table[EDITS.index("keep")] = 0.0
    for edit, log_p in (("keep", -math.inf), ("absorb_left", 0.0)):
        table[EDITS.index(edit), number[","], number["."]] = log_p
    return replace(rewriter, passes=(WindowPass(rewriter.inventory, False, table),))


def test_marks_go_with_their_constituent_and_meet_others():
    """*a , b c , d .* becomes *a d , b c .*, its last comma absorbed by the period, and *a d .*"""
    comma, stop = (",",), (".",)
    analysis = analysed(
        (((), stop), (comma, comma), ((), ()), ((), ())),
        ((), comma, (), comma, stop),
        ((), comma, (), comma, stop),
    )
    tree = UnderlyingTree.of(analysis)
    regenerator = Regenerator(keeping(), final_mark=False)
    chance = np.random.default_rng(0)
    assert regenerator.surface(tree, chance, drawn=True) == analysis.sentence.slots
    moved = Arrangement(analysis.sentence.tree)
    moved.move(2, 1, "last")
    rearranged = tree.rearrange(moved)
    assert rearranged.sentence.forms == ("a", "d", "b", "c")
    for drawn in (False, True):
        surface = regenerator.surface(rearranged, chance, drawn=drawn)
        assert surface == ((), (), comma, (), stop)
    gone = Arrangement(analysis.sentence.tree)
    gone.delete(2)
    surface = regenerator.surface(tree.rearrange(gone), chance, drawn=False)
    assert surface == ((), (), stop)


def test_a_bracket_goes_with_its_partner():
    """*a ( b c ) .* with the two brackets around b and c, of which c is deleted."""
    analysis = analysed(
        (((), (".",)), (("(",), ()), ((), (")",)), ((), ())),
        ((), ("(",), (), (")",), (".",)),
        ((), ("(",), (), (")",), (".",)),
    )
    tree = UnderlyingTree.of(analysis)
    assert tree.sides[1][0] == (Mark("(", pair=1),)
    assert tree.sides[2][1] == (Mark(")", pair=1),)
    arrangement = Arrangement(analysis.sentence.tree)
    assert tree.rearrange(arrangement).sides == tree.sides
    arrangement.delete(3)
    left = tree.rearrange(arrangement)
    assert left.sides == (((), (Mark("."),)), ((), ()), ((), ()))


def test_an_absorbed_bracket_without_a_partner_is_left_out():
    """*a ( b ) . c d* whose analysis ends *b* and *a* with a bracket each; one was absorbed."""
    opening, closing = ("(",), (")",)
    analysis = analysed(
        (((), closing), (opening, closing), ((), ()), ((), ())),
        ((), opening, closing, (), ()),
        ((), opening, (")", ")"), (), ()),
        heads=(3, 1, 0, 3),
    )
    tree = UnderlyingTree.of(analysis)
    assert tree.sides[0] == ((), ())
    assert [mark.token for mark in tree.sides[1][1]] == [")"]
    gone = Arrangement(analysis.sentence.tree)
    gone.delete(2)
    regenerator = Regenerator(keeping(), final_mark=False)
    surface = regenerator.surface(tree.rearrange(gone), np.random.default_rng(0), drawn=False)
    assert surface == ((), (), (), ())
    # If the surface has both brackets, both stay; if it has two of three, one is removed.
    slots = (*analysis.slots[:2], SlotAnalysis((")", ")"), (), (")", ")")), *analysis.slots[3:])
    assert len(UnderlyingTree.of(replace(analysis, slots=slots)).sides[0][1]) == 1
    three = replace(
        analysis,
        pairs=(((), (")", ")")), *analysis.pairs[1:]),
        slots=(*slots[:2], SlotAnalysis((")",) * 3, (), (")", ")")), *slots[3:]),
    )
    assert len(UnderlyingTree.of(three).sides[0][1]) == 1


def test_unknown_quotation_marks_are_partners_by_their_spelling():
    """*a ‘ b c ’ d* loses both marks, which are unknown to the channel, with *c*."""
    analysis = analysed(
        (((), ()), ((UNK,), ()), ((), (UNK,)), ((), ())),
        ((), ("‘",), (), ("’",), ()),
        ((), (UNK,), (), (UNK,), ()),
    )
    tree = UnderlyingTree.of(analysis)
    assert tree.sides[1][0] == (Mark(UNK, ("‘",), 1),)
    gone = Arrangement(analysis.sentence.tree)
    gone.delete(3)
    assert not any(side for sides in tree.rearrange(gone).sides for side in sides)


def test_unknown_marks_and_open_punctemes_are_spelt_as_they_were():
    analysis = analysed(
        (((), ()), ((UNK,), (OPEN,)), ((), ()), ((), (UNK,))),
        ((), ("♥",), (), (":", "-", ")"), ("☂",)),
        ((), (UNK,), (), (OPEN,), (UNK,)),
    )
    tree = UnderlyingTree.of(analysis)
    assert tree.sides[1] == ((Mark(UNK, ("♥",)),), (Mark(OPEN, (":", "-", ")")),))
    assert tree.sides[3] == ((), (Mark(UNK, ("☂",)),))
    moved = Arrangement(analysis.sentence.tree)
    moved.move(4, 1, "before")
    regenerator = Regenerator(keeping(), final_mark=False)
    surface = regenerator.surface(tree.rearrange(moved), np.random.default_rng(0), drawn=True)
    assert surface == ((), ("☂",), ("♥",), (), (":", "-", ")"))


def test_the_dot_of_an_abbreviation_stays_with_its_word():
    analysis = analysed(
        (((), ()), ((), (ABBREVIATION,)), ((), ()), ((), ())),
        ((), (), (ABBREVIATION,), (), ()),
        ((), (), (), (), ()),
        heads=(0, 1, 1, 1),
    )
    moved = Arrangement(analysis.sentence.tree)
    moved.move(2, 1, "last")
    rearranged = UnderlyingTree.of(analysis).rearrange(moved)
    regenerator = Regenerator(keeping(), final_mark=False)
    assert rearranged.sentence.forms == ("a", "c", "d", "b")
    # Whether or not the channel has the mark, it appears once, with the word.
    assert rearranged.sentence.slots == ((), (), (), (), (ABBREVIATION,))
    if ABBREVIATION in regenerator.rewriter.inventory.symbols:
        surface = regenerator.surface(rearranged, np.random.default_rng(0), drawn=True)
        assert surface == ((), (), (), (), (ABBREVIATION,))
