"""Signatures are formatted and parsed in one place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.evaluation.results import join_signature, split_signature

PARTS = st.dictionaries(
    st.text("abcdefg", min_size=1), st.text("abc:>=-5 ", min_size=1), max_size=4
)


@given(PARTS)
def test_signatures_round_trip(parts: dict[str, str]):
    parts = {"task": "perplexity", "treebank": "0f", **parts}
    assert split_signature(join_signature(parts)) == parts


@pytest.mark.parametrize(
    "parts", [{"a|b": "c"}, {"a:b": "c"}, {"a": "b|c"}, {"": "c"}, {"a": ""}], ids=str
)
def test_parts_that_cannot_be_read_back_are_refused(parts: dict[str, str]):
    with pytest.raises(ValueError, match="cannot be a part"):
        join_signature({"task": "perplexity", "treebank": "0f", **parts})
    with pytest.raises(ValueError, match="must name its task and its treebank"):
        join_signature({"task": "perplexity"})
