"""Pictures of underlying trees: well-formed, with every word, mark and edit, side by side."""

from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from semipunct.inference.decode import Analysis, SlotAnalysis
from semipunct.marks import INITIAL, Edit
from semipunct.render.tree_pictures import picture
from tests.models.punctuation.cases import sentence
from tests.trees.cases import trees

SVG = "{http://www.w3.org/2000/svg}"


def analysis(heads: tuple[int, ...], marks: list[str]) -> Analysis:
    """Make an analysis that keeps all marks; the last comma is absorbed by a period."""
    slots = [SlotAnalysis((mark,) if mark else (), (), (mark,) if mark else ()) for mark in marks]
    slots[0] = SlotAnalysis((INITIAL,), (), (INITIAL,))
    slots[-1] = SlotAnalysis((",", "."), (Edit("absorb_left", ",", "."),), (".",))
    return Analysis(sentence(heads, marks), (((), ()),) * len(heads), -2.0, -1.0, tuple(slots))


@given(trees(6), st.data())
def test_everything_is_drawn(heads: tuple[int, ...], data: st.DataObject):
    n = len(heads)
    tokens = st.sampled_from(["", "", ",", "<", "&", "。"])
    marks = data.draw(st.lists(tokens, min_size=n + 1, max_size=n + 1))
    root = ElementTree.fromstring(picture([analysis(heads, marks)] * 2))
    groups = root.findall(f"{SVG}g")
    assert len(groups) == 2
    drawn: dict[str, list[str]] = {}
    for text in groups[0].findall(f"{SVG}text"):
        drawn.setdefault(text.get("class", ""), []).append(text.text or "")
    assert drawn["word"] == [f"w{i}" for i in range(n)]
    assert sorted(drawn["relation"]) == sorted(["root", *["dep"] * (n - 1)])
    assert drawn["surface"] == [*filter(None, marks[1:-1]), "."]
    assert drawn["underlying"] == [*filter(None, marks[1:-1]), ", ."]
    assert drawn["edit"] == [", . → ."]
    assert len(groups[0].findall(f"{SVG}path")) == n - 1
    # Texts of one line do not overlap.
    words = [t for t in groups[0].findall(f"{SVG}text") if t.get("class") in ("word", "underlying")]
    places = sorted((float(t.get("x", "")), len(t.text or "")) for t in words)
    for (a, length), (b, other) in pairwise(places):
        assert b - a >= 8 * (length + other) / 2


def test_nothing_to_draw():
    assert ElementTree.fromstring(picture([])).findall(f"{SVG}g") == []
