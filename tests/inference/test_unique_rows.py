"""Draws that agree are told apart once, and choose from one distribution."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semipunct.inference.unique_rows import Categorical, Numbering, RowCache, unique_rows


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 1 << 40]), st.integers(0, 1 << 40)),
        min_size=1,
        max_size=20,
    )
)
def test_rows_are_of_one_kind_if_they_are_equal(rows: list[tuple[int, int, int]]):
    """Columns whose codes together would not fit into 64 bits included."""
    first, kind = unique_rows(*np.array(rows, np.int64).T)
    assert len(first) == len(set(rows))
    assert [rows[i] for i in first[kind].tolist()] == rows


def test_no_rows():
    first, kind = unique_rows(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert len(first) == len(kind) == 0


def test_things_are_numbered_as_they_come_up():
    numbers = Numbering(())
    assert [numbers.number(x) for x in ((",",), (), (".",), (",",))] == [1, 0, 2, 1]
    assert numbers.things == [(), (",",), (".",)]


def test_rows_are_read_once_for_each_thing():
    numbers = Numbering("")
    asked: list[str] = []

    def read(things: list[str]) -> np.ndarray:
        asked.extend(things)
        return np.array([[len(thing), thing.count("a")] for thing in things])

    cache = RowCache(numbers, read)
    for thing in ("aa", "b", "aa"):
        numbers.number(thing)
    assert cache[np.array([0, 2, 1, 1])].tolist() == [[0, 0], [1, 0], [2, 2], [2, 2]]
    numbers.number("aba")
    assert cache[np.array([3])].tolist() == [[3, 2]]
    assert asked == ["", "aa", "b", "aba"]


def test_a_point_chooses_a_column():
    log_weight = np.array([[0.0, np.log(2), 0.0], [np.log(3), -np.inf, 0.0]], np.float32)
    kind = np.array([0, 0, 0, 0, 1, 1, 1])
    choice = Categorical.of(log_weight - 50, kind)
    points = np.array([0.0, 0.24, 0.26, 0.76, 0.74, 0.76, 0.999])
    assert choice.draw(points).tolist() == [0, 0, 1, 2, 0, 2, 2]
    np.testing.assert_allclose(choice.probability(0), [0.25] * 4 + [0.75] * 3, rtol=1e-6)
    np.testing.assert_allclose(choice.probability(1), [0.5] * 4 + [0.0] * 3, rtol=1e-6)
