"""Drawings of derivations and phrases, parsed by a reader independent of the drawing code."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.drawing import draw_derivation, draw_phrases
from semipunct.papers.commas.trees import PhraseTree
from tests.papers.commas.nested import Nested, constituents, leaves, nested, nested_trees
from tests.papers.commas.test_trees import flat

RAIN = Derivation((0, 1, 2, 1), ("S[dcl]", "NP", "N", r"S[dcl]\NP"), (1, 0, 0, 0))


def test_a_drawing_written_out():
    assert draw_derivation(RAIN, ("Rain", "falls")).split("\n") == [
        "Rain    falls",
        r" N    S[dcl]\NP",
        "---*",
        " NP",
        "--------------<",
        "    S[dcl]",
    ]


def test_what_is_too_wide_is_cut():
    tree = flat(nested("( (S (NP (DT the) (NN bird)) (VP (VBD sang) (NP (DT a) (NN song)))))"))
    forms = ("the", "bird", "sang", "a", "song")
    assert draw_phrases(tree, forms, width=16).split("\n") == [
        "[1]",
        "",
        "sang  a   song",
        "VBD   DT   NN",
        "      --------",
        "         NP",
        "--------------",
        "      VP",
        "",
        "the  bird  [1]",
        "DT    NN   VP",
        "---------",
        "   NP",
        "--------------",
        "      S",
    ]
    drawing = draw_phrases(tree, forms, width=25)
    assert "[1]" not in drawing
    assert max(map(len, drawing.split("\n"))) == 25


def test_letters_of_other_widths():
    tree = PhraseTree((0, 1, 1, 1), ("S", "N", "V", "X"))
    drawn = draw_phrases(tree, ("犬犬", "e\u0301", "a\tb\x07")).split("\n")
    assert drawn == ["犬犬  e\u0301  a b\ufffd", " N    V   X", "-------------", "      S"]


def read_back(drawing: str) -> list[tuple[str, int, int]]:
    """Return label, start and end of the nodes of an uncut drawing, from columns alone."""
    lines = drawing.split("\n")
    words = [match.span() for match in re.finditer(r"\S+", lines[0])]
    tags = [match.span() for match in re.finditer(r"\S+", lines[1])]
    # A column has the width of the wider of word and tag; centres determine which nodes are above.
    centres = [(min(a, c) + max(b, d)) / 2 for (a, b), (c, d) in zip(words, tags, strict=True)]
    nodes = [(lines[1][slice(*span)], i, i + 1) for i, span in enumerate(tags)]
    for rule, below in zip(lines[2::2], lines[3::2], strict=True):
        for dashes in re.finditer(r"-[^\s]*", rule):
            inside = [
                i for i, centre in enumerate(centres) if dashes.start() <= centre <= dashes.end()
            ]
            label = below[dashes.start() : dashes.end()].strip()
            nodes.append((label, inside[0], inside[-1] + 1))
    return nodes


@given(nested_trees)
def test_a_drawing_is_the_tree(tree: Nested):
    forms = [form for _, form in leaves(tree)]
    drawn = draw_phrases(flat(tree), ["w" * len(form) for form in forms], width=10_000)
    assert sorted(read_back(drawn)) == sorted(constituents(tree))


@given(nested_trees, st.integers(8, 60))
def test_cut_drawings_have_all_words_and_labels_once(tree: Nested, width: int):
    phrases = flat(tree)
    forms = [f"w{number}" for number in range(phrases.words)]
    drawn = draw_phrases(phrases, forms, width=width)
    for form in forms:
        assert len(re.findall(rf"\b{form}\b", drawn)) == 1
    numbers = re.findall(r"(?m)^\[(\d+)\]\n\n", drawn)
    assert all(drawn.count(f"[{number}]") == 2 for number in numbers)  # above, and in place
    assert numbers == [str(k + 1) for k in range(len(numbers))]
    blocks = drawn.split("\n\n")
    labels = sorted(label for label, _, _ in constituents(tree))
    # A part that is drawn separately has its label there, and again in place of its number.
    seen = [label for b in blocks if not b.startswith("[") or "\n" in b for label in labels_of(b)]
    assert len(seen) == len(labels) + len(numbers)


def labels_of(block: str) -> list[str]:
    return [label for line in block.split("\n")[1::2] for label in line.split()]


def test_derivations_fit_where_they_can():
    n = 60
    depths, names = [], []
    for depth in range(n):
        depths += [depth, depth + 1]
        names += ["NP", "NP/NP"]
    tree = Derivation((*depths, n), (*names, "NP"), (0,) * (2 * n + 1))
    drawn = draw_derivation(tree, ["w"] * (n + 1), width=40)
    assert max(map(len, drawn.split("\n"))) <= 40
    assert len(re.findall(r"(?m)^\[\d+\]$", drawn)) >= 9
    assert drawn.count(">") == n


def test_depth_is_no_matter():
    n = 10_000
    tree = PhraseTree(tuple(range(n)), ("X",) * n)
    assert len(draw_phrases(tree, ("a",)).split("\n")) == 2 * n
    deep = PhraseTree((*range(n), n, *range(n, 0, -1)), (*["S"] * n, "A", *["B"] * n))
    assert max(map(len, draw_phrases(deep, ["w"] * (n + 1), width=80).split("\n"))) <= 80


def test_what_is_asked_wrongly():
    with pytest.raises(UsageError, match="1 form for 2 leaves"):
        draw_derivation(RAIN, ("Rain",))
    with pytest.raises(UsageError, match="the width is 0 columns"):
        draw_phrases(PhraseTree((0,), ("UH",)), ("Yes",), width=0)
    with pytest.raises(UsageError, match=r"'S\[' is not a category"):
        draw_derivation(Derivation((0, 1), ("S[", "NP"), (0, 0)), ("a",))
