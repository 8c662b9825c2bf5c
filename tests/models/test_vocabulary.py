"""Codes of the values in training data."""

from semipunct.models.vocabulary import Vocabulary, frequent, frequent_by_kind


class Known(Vocabulary, frozen=True, dict=True):
    """A vocabulary with two kinds of values, and another field."""

    letter: tuple[str, ...]
    pair: tuple[tuple[str, ...], ...]
    table: dict[str, str]


def test_values_that_are_frequent_enough_in_order():
    assert frequent("abracadabra", 2) == ("a", "b", "r")
    assert frequent((), 1) == ()
    items = [{"x": "ab", "y": "c"}, {"x": "b", "y": "c"}]
    assert frequent_by_kind(items, ("x", "y"), 2) == {"x": ("b",), "y": ("c",)}
    assert frequent_by_kind([], ("x",), 1) == {"x": ()}


def test_codes_written_out():
    vocabulary = Known(("a", "b"), (("c",), ("c", "d")), {})
    assert vocabulary.codes("letter", "bca").tolist() == [2, 0, 1]
    assert vocabulary.codes("pair", [("c", "d"), ()]).tolist() == [2, 0]
    assert vocabulary.sizes(("letter", "pair")) == {"letter": 3, "pair": 3}
    rows = vocabulary.rows({"pair": [("c",), ("c",)], "letter": "bz"}, ("letter", "pair"))
    assert rows.tolist() == [[2, 0], [1, 1]]
    assert vocabulary.codes("letter", "").shape == (0,)
