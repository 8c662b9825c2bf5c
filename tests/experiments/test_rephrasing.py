"""The driver for Table 6: its language model, its orders, and the errors it counts."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from semipunct.formats.conllu.reading import to_entry
from semipunct.models.punctuation.regeneration import Mark, UnderlyingTree
from tests.formats.conllu.builders import record, word

FIRST = (("a", "b"), ((), (",",), (".",)))
SECOND = (("b", "c"), ((), (), (".",)))


@pytest.fixture
def tables(driver: Any) -> Any:
    """The driver."""
    return driver("rephrasing")


@pytest.fixture
def language(driver: Any) -> Any:
    """Its language model."""
    return driver("trigrams")


@pytest.fixture
def seen(tables: Any) -> list[Any]:
    """Two sentences."""
    return [tables.Surface(*FIRST), tables.Surface(*SECOND)]


@pytest.fixture
def pair(tables: Any) -> Any:
    """*a , b c .* with the comma below b, on which c depends."""
    one = record(
        word(1, "a", 0, "root", "VERB"), word(2, ",", 3, "punct", "PUNCT"),
        word(3, "b", 1, "obj", "NOUN"), word(4, "c", 3, "acl", "ADJ"),
        word(5, ".", 1, "punct", "PUNCT"),
    )  # fmt: skip
    return tables.Pair(to_entry(one).content, to_entry(one, "words").content)


@pytest.mark.parametrize("smoothing", ["added", "interpolated"])
@pytest.mark.parametrize("history", [("a", ","), ("b", "c"), ("x", "y")])
def test_probabilities_add_up_to_one(
    language: Any, seen: list[Any], smoothing: str, history: tuple[str, str]
):
    known = ("a", "b", "c", ",", ".", *language.EDGES[1])
    log_p = getattr(language.Trigrams(seen, len(known)), smoothing)
    assert math.fsum(math.exp(log_p((*history, token))) for token in known) == pytest.approx(1)


def test_added_counts_written_out(language: Any, seen: list[Any]):
    model = language.Trigrams(seen, 6)
    assert model.added(("<s>", "<s>", "a")) == pytest.approx(math.log(1.001 / 2.006))
    assert model.added(("<s>", "a", "c")) == pytest.approx(math.log(0.001 / 1.006))


def test_trigrams_with_punctuation(language: Any, seen: list[Any]):
    found = language.trigrams(seen[1])
    assert [tokens for tokens, _ in found] == [
        ("<s>", "<s>", "b"), ("<s>", "b", "c"), ("b", "c", "."), ("c", ".", "</s>"),
    ]  # fmt: skip
    assert [has for _, has in found] == [False, False, True, True]


def test_marks_as_words_are_marks_again(tables: Any, pair: Any):
    expected = tables.Surface(("c", "b", "a"), ((), (",",), (), (".",)))
    assert pair.base((4, 2, 3, 1, 5)) == expected
    assert pair.base((1, 2, 3, 4, 5)) == pair.original


def test_half_has_the_order_of_base(tables: Any, pair: Any):
    assert tables.same_order(pair, (4, 2, 3, 5, 1)) == {1: [2, 1], 2: [3, 2]}


def test_faults_written_out(tables: Any, seen: list[Any]):
    known = {kind for surface in seen for kind in tables.slot_kinds(surface)}
    for slots, faults in (
        (((), (",",), (".",)), set()),
        (((",",), (), (".",)), {"sentence-initial"}),
        (((), (",", ","), (".",)), {"doubled"}),
        (((), (), (",", ".")), {"other strings"}),
        (((), ("(",), (".",)), {"other strings", "unpaired"}),
        (((), ("(",), (")", ".")), {"other strings"}),
    ):
        surface = tables.Surface(("a", "b"), slots)
        assert tables.invalid(surface, known, 0) == faults
    assert tables.unpaired(tables.Surface(("a",), (("“",), ("”", ")")))) == 1


def test_faults_after_deleting(tables: Any):
    """*a , b , c d .* without *b*: Base leaves two commas, Full leaves none."""
    one = record(
        word(1, "a", 0, "root", "VERB"), word(2, ",", 1, "punct", "PUNCT"),
        word(3, "b", 1, "appos", "NOUN"), word(4, ",", 1, "punct", "PUNCT"),
        word(5, "c", 1, "obj", "NOUN"), word(6, "d", 5, "nmod", "NOUN"),
        word(7, ".", 1, "punct", "PUNCT"),
    )  # fmt: skip
    pair = tables.Pair(to_entry(one).content, to_entry(one, "words").content)
    comma, stop = (Mark(","),), (Mark("."),)
    sides = (((), stop), (comma, comma), ((), ()), ((), ()))
    tree = UnderlyingTree(pair.slots, sides, (1, 2, 3, 4))

    def surface(new: UnderlyingTree, chance: object, *, drawn: bool) -> list[tuple[str, ...]]:
        met = new.sentence.tree.gather(new.sides)
        first, *rest = [tuple(mark.token for mark in marks) for marks in met]
        return [(",",), *rest] if drawn else [first, *rest]

    found = tables.compressed([pair], [tree], SimpleNamespace(surface=surface), 0)
    assert found == {
        "sentences": 1,
        "base": {"doubled": 1, "any": 1},
        "full": {"sentence-initial": 1, "any": 1},
        "full, most probable": {"any": 0},
    }
