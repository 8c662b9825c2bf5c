"""Whatever a model says, brackets and quotation marks that are inserted have their partners."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.corpus import Words
from semipunct.corpus.word_streams import items, word_stream
from semipunct.features.word_shapes import SHAPES
from semipunct.marks import Puncteme
from semipunct.marks.balance import matcher_of, without_lone_marks
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.options import TextOptions
from semipunct.models.running_text.reader import Case, Reading
from semipunct.pipelines.options import Lines, RestoreOptions
from semipunct.pipelines.text_choice import Chooser, Read

PARTNERS = {"“": "”", "(": ")"}
MARKS = frozenset("“”(),.")
TEXT = "“So ba,” do (gu) so, ke. So mo, li (al) “so” do. So gu. "
STREAM = word_stream("a.txt", items([TEXT * 5]))
MODEL = TextModel.fit(STREAM.passages(50), TextOptions(size=8, layers=1))


def lone(slots: Sequence[Puncteme]) -> list[str]:
    """Return the marks without a partner, of which each closes the last one that is open."""
    waiting: list[str] = []
    alone: list[str] = []
    for token in (token for string in slots for token in string):
        if token in PARTNERS:
            waiting.append(token)
        elif token in PARTNERS.values():
            if waiting and PARTNERS[waiting[-1]] == token:
                waiting.pop()
            else:
                alone.append(token)
    return waiting + alone


def reads(
    chance: np.random.Generator,
    size: int,
    places: Sequence[int],
    ends: Lines,
    slots: Sequence[Puncteme],
) -> list[Read]:
    """Return a text cut into lines, with arbitrary distributions."""
    strings = chance.dirichlet(np.full(len(MODEL.strings), 0.1), size + 1).astype(np.float32)
    pairs = np.zeros((len(MODEL.strings), SHAPES), np.float32)
    shapes = np.zeros((size, SHAPES), np.float32)
    edges = [0, *sorted({place for place in places if place < size}), size]
    return [
        Read(
            words,
            Reading(strings[a : b + 1], shapes[a:b], pairs),
            Case.EVERYTHING,
            ends != "none" or b == size,
            ends_turn=False,
            line=words,
        )
        for a, b in pairwise(edges)
        if a < b
        for words in (
            Words("1", "a.txt", 1, ("so",) * (b - a), tuple(slots[a : b + 1]), source="text"),
        )
    ]


@settings(max_examples=8)
@given(
    ends=st.sampled_from(["none", "paragraph"]),
    seed=st.integers(0, 2**32),
    size=st.integers(1, 90),
    places=st.lists(st.integers(1, 90), max_size=4),
)
def test_inserted_marks_are_balanced(ends: Lines, seed: int, size: int, places: list[int]):
    some = reads(np.random.default_rng(seed), size, places, ends, [()] * (size + 1))
    chooser = Chooser(MODEL, RestoreOptions(keep="replace"), ends, 0.1)
    found = list(chooser.restore(some))
    assert [one.sentence.forms for one in found] == [one.words.forms for one in some]
    lines = [list(one.slots) for one in found]
    assert lone([string for line in lines for string in line]) == []
    if ends == "paragraph":
        assert [lone(line) for line in lines] == [[]] * len(lines)


def test_the_chooser_inserts_marks():
    some = reads(np.random.default_rng(3), 90, [], "none", [()] * 91)
    for marks in (None, MARKS):
        chooser = Chooser(MODEL, RestoreOptions(keep="replace", marks=marks), "none", 0.1)
        (found,) = chooser.restore(some)
        inserted = {token for string in found.slots for token in string}
        assert {",", "."} <= inserted
        # Only if asked for, in a text without any.
        assert bool(inserted & set(PARTNERS)) == (marks is not None)


def test_two_closing_marks_are_no_pair_where_another_mark_opens():
    slots = [("“",), (",", "”"), (), (".", "”"), ("(",), ("”", ")")]
    nothing: list[Puncteme] = [()] * 6
    english, swedish = matcher_of("“”(),."), matcher_of("”(),.")
    assert without_lone_marks(slots, nothing, english) == [
        ("“",), (",", "”"), (), (".",), ("(",), (")",),
    ]  # fmt: skip
    assert without_lone_marks(slots, [(), (), (), (".", "”"), (), ()], english)[3] == (".", "”")
    twice = [("”",), (), (".", "”")]
    assert without_lone_marks(twice, nothing[:3], swedish) == twice
    assert without_lone_marks(twice, nothing[:3], english) == [(), (), (".",)]
