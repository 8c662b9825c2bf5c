"""Pictures of underlying trees: well-formed, with every word, mark and edit, side by side."""

from itertools import combinations, pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import INITIAL, Edit
from semipunct.models.punctuation.decode import Analysis, SlotAnalysis
from semipunct.pages.pictures import Arc, Drawing, picture
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
    assert len(groups[0].findall(f"{SVG}path")) == n
    # Texts of one line do not overlap.
    words = [t for t in groups[0].findall(f"{SVG}text") if t.get("class") in ("word", "underlying")]
    places = sorted((float(t.get("x", "")), len(t.text or "")) for t in words)
    for (a, length), (b, other) in pairwise(places):
        assert b - a >= 8 * (length + other) / 2


def test_words_are_drawn_in_their_direction():
    """The first word is leftmost, or rightmost in a script that is written from right to left."""
    for forms, sign in (("ab cd ef", 1), ("גשם ירד אז", -1), ("a גשם ירד", -1)):
        words = [[(form, "word")] for form in forms.split()]
        arcs = [Arc(None, 0, "root"), Arc(0, 1, "dep"), Arc(1, 2, "dep")]
        first, second, third, width = Drawing("", "", words, arcs).centres
        assert (second - first) * sign > 0
        assert (third - second) * sign > 0
        assert 0 < min(first, third) < max(first, third) < width


def test_arcs_of_one_level_do_not_overlap():
    """Crossing arcs, and an old and a new arc of one mark, have lines of their own."""
    arcs = [Arc(None, 0, "root"), Arc(0, 2, "a"), Arc(3, 1, "b"), Arc(0, 3, "c"), Arc(1, 3, "d")]
    levels = Drawing("", "", [[("w", "word")]] * 4, arcs).levels
    spans = [
        (min(a.head, a.dependent), max(a.head, a.dependent)) for a in arcs[1:] if a.head is not None
    ]
    for (a, level), (b, other) in combinations(zip(spans, levels[1:], strict=True), 2):
        assert level != other or a[1] <= b[0] or b[1] <= a[0]
    assert levels[0] > max(levels[1:])
