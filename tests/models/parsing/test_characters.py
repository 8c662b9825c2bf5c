"""Character n-grams of words."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semipunct.models.parsing.characters import MOST, codes


@given(st.text(st.characters(), max_size=30), st.integers(2, 2**16))
def test_every_word_has_rows_of_the_table(form: str, buckets: int):
    rows = codes([form, "x"], buckets)
    assert rows.shape == (2, MOST)
    assert rows.min() >= 0
    assert rows.max() < buckets
    assert rows[0, 0] > 0
    np.testing.assert_array_equal(rows[0], codes([form], buckets)[0])


def test_words_share_what_they_have_in_common():
    rows = codes(["walking", "talking", "tall"], 2**20)
    walking, talking, tall = (set(row) - {0} for row in rows)
    # The ends -g -ng -ing -king, the shape, and the pieces within "alking>".
    assert len(walking & talking) > len(walking & tall)
    upper, lower = codes(["A", "a"], 2**20)
    assert not (upper[:4] == lower[:4]).any()


def test_no_words():
    assert codes([], 8).shape == (0, MOST)
