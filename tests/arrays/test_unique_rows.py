"""Identification of distinct rows, so that repeated items are processed once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semipunct.arrays.unique_rows import Numbering, RowCache, unique_rows


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 1 << 40]), st.integers(0, 1 << 40)),
        min_size=1,
        max_size=20,
    )
)
def test_rows_are_of_one_kind_if_they_are_equal(rows: list[tuple[int, int, int]]):
    """This includes columns whose combined codes do not fit into 64 bits."""
    first, kind = unique_rows(*np.array(rows, np.int64).T)
    assert len(first) == len(set(rows))
    assert [rows[i] for i in first[kind].tolist()] == rows


@given(st.lists(st.integers(0, 30), min_size=8, max_size=20))
def test_codes_that_are_marked_come_in_the_order_of_those_that_are_sorted(codes: list[int]):
    """Rows are found by marking, or by sorting if a last column makes their codes sparse."""
    column = np.array(codes)
    spread = np.where(column == 30, 1 << 40, 0)
    marked, sorted_ = unique_rows(column), unique_rows(column, spread)
    assert column[marked[0]].tolist() == column[sorted_[0]].tolist() == sorted(set(codes))
    assert marked[1].tolist() == sorted_[1].tolist()


def test_no_rows():
    first, kind = unique_rows(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert len(first) == len(kind) == 0


def test_things_are_numbered_as_they_come_up():
    numbers = Numbering(())
    assert [numbers.number(x) for x in ((",",), (), (".",), (",",))] == [1, 0, 2, 1]
    assert numbers.items == [(), (",",), (".",)]


def test_rows_are_read_once_for_each_thing():
    numbers = Numbering("")
    strings_read: list[str] = []

    def read(items: list[str]) -> np.ndarray:
        strings_read.extend(items)
        return np.array([[len(item), item.count("a")] for item in items])

    cache = RowCache(numbers, read)
    for string in ("aa", "b", "aa"):
        numbers.number(string)
    assert cache[np.array([0, 2, 1, 1])].tolist() == [[0, 0], [1, 0], [2, 2], [2, 2]]
    numbers.number("aba")
    assert cache[np.array([3])].tolist() == [[3, 2]]
    assert strings_read == ["", "aa", "b", "aba"]
