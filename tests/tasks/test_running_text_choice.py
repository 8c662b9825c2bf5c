"""Whatever a model says, brackets and quotation marks that are inserted have their partners."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.corpus import Words
from semipunct.corpus.word_streams import items, word_stream
from semipunct.features.word_shapes import SHAPES
from semipunct.marks import Puncteme
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.options import TextOptions
from semipunct.models.running_text.reader import Reading
from semipunct.tasks.restoration import RestoreOptions
from semipunct.tasks.running_text_choice import Chooser, Lines, Read

PARTNERS = {"“": "”", "(": ")"}
STREAM = word_stream("a.txt", items(["“So ba,” do (gu) so. (Ke) “mo.” So “(li) al”, so. "] * 5))
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
    sharp = chance.choice([0.1, 1.0])
    strings = chance.dirichlet(np.full(len(MODEL.strings), sharp), size + 1).astype(np.float32)
    pairs = np.zeros((len(MODEL.strings), SHAPES), np.float32)
    shapes = np.zeros((size, SHAPES), np.float32)
    edges = [0, *sorted({place for place in places if place < size}), size]
    return [
        Read(
            Words("1", "a.txt", 1, ("so",) * (b - a), tuple(slots[a : b + 1]), source="text"),
            Reading(strings[a : b + 1], shapes[a:b], pairs),
            True,
            ends != "none" or b == size,
        )
        for a, b in pairwise(edges)
        if a < b
    ]


@pytest.mark.parametrize("ends", ["none", "paragraph"])
@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(1, 200),
    places=st.lists(st.integers(1, 200), max_size=8),
)
def test_inserted_marks_are_balanced(ends: Lines, seed: int, size: int, places: list[int]):
    some = reads(np.random.default_rng(seed), size, places, ends, [()] * (size + 1))
    chooser = Chooser(MODEL, RestoreOptions(keep="replace"), ends, 0.1)
    found = list(chooser.restored(some))
    assert [one.sentence.forms for one in found] == [one.words.forms for one in some]
    lines = [list(one.slots) for one in found]
    assert lone([string for line in lines for string in line]) == []
    if ends == "paragraph":
        assert [lone(line) for line in lines] == [[]] * len(lines)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32),
    slots=st.lists(
        st.sampled_from([(), (), ("“",), ("”",), ("(",), (")",), (",",)]), min_size=2, max_size=30
    ),
)
def test_marks_that_stand_keep_their_partners(seed: int, slots: list[Puncteme]):
    size = len(slots) - 1
    (read,) = reads(np.random.default_rng(seed), size, [], "paragraph", slots)
    (found,) = Chooser(MODEL, RestoreOptions(), "paragraph", 0.1).restored([read])
    assert all(new == old for new, old in zip(found.slots, slots, strict=True) if old)
    before = [token for string in slots for token in string]
    after = [token for string in found.slots for token in string]
    inserted = {m: after.count(m) - before.count(m) for pair in PARTNERS.items() for m in pair}
    assert len(lone(found.slots)) <= len(lone(slots))
    if not lone(slots):
        assert all(inserted[a] == inserted[b] for a, b in PARTNERS.items())


def test_the_chooser_inserts_marks():
    some = reads(np.random.default_rng(3), 150, [], "none", [()] * 151)
    chooser = Chooser(MODEL, RestoreOptions(keep="replace"), "none", 0.1)
    (found,) = chooser.restored(some)
    marks = [token for string in found.slots for token in string]
    assert min(marks.count(mark) for mark in "“”(),.") > 0
