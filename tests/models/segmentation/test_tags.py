"""Character tags."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semipunct.models.segmentation.guises import IN_GUISE
from semipunct.models.segmentation.tags import (
    INSIDE,
    LAST,
    OUTSIDE,
    STOP,
    spans_of,
    tags_of,
)
from tests.models.segmentation.passages import passage


def test_tags_written_out():
    gold = IN_GUISE["written"](passage("Go on _.", "No"))
    assert gold.text == "Go on. No"
    assert tags_of(gold).tolist() == [
        INSIDE, LAST, OUTSIDE, INSIDE, LAST, STOP, OUTSIDE, INSIDE, STOP,
    ]  # fmt: skip


WORD = st.sampled_from(["a", "bc", "_.", "_d", "éfg"])
SENTENCE = st.lists(WORD, min_size=1, max_size=4).map(" ".join)


@given(st.lists(SENTENCE, min_size=1, max_size=3))
def test_tags_say_the_tokens_that_they_were_made_of(sentences):
    gold = IN_GUISE["written"](passage(*sentences))
    assert spans_of(tags_of(gold), gold.text) == (gold.tokens, gold.ends)


def test_a_token_does_not_begin_with_a_blank():
    tags = np.array([INSIDE, INSIDE, LAST, OUTSIDE, STOP], np.int8)
    assert spans_of(tags, " ab\tc") == ([(1, 3), (4, 5)], [False, True])
    assert spans_of(np.zeros(2, np.int8), "  ") == ([], [])
