"""Predictions of a parser in the MISC column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.sentences import Expected
from semipunct.formats.conllu.misc import with_attributes
from semipunct.formats.conllu.reading import expected_attributes, expected_in

WRITTEN = ("SemipunctHead=0.5000|SemipunctAfter=0.0000|SemipunctBefore=0.2500%20“",
           "SemipunctHead=1.0000|SemipunctAfter=0.7500%20.%20”")  # fmt: skip
KNOWN = Expected((0.5, 1.0), (("“",), (), (".", "”")), (0.25, 0.0, 0.75))


def columns(known: Expected) -> list[str]:
    return [with_attributes("_", row) for row in expected_attributes(known)]


def test_attributes_written_out():
    assert tuple(columns(KNOWN)) == WRITTEN
    assert expected_in(WRITTEN) == KNOWN


PROBABILITY = st.integers(0, 10_000).map(lambda n: n / 10_000)
STRING = st.lists(st.sampled_from([",", "|", "=", "%", "…", "°"]), max_size=3).map(tuple)


@given(st.data(), st.integers(1, 4))
def test_they_come_back(data: st.DataObject, words: int):
    slots = words + 1
    expected = Expected(
        tuple(data.draw(st.lists(PROBABILITY, min_size=words, max_size=words))),
        tuple(data.draw(st.lists(STRING, min_size=slots, max_size=slots))),
        tuple(data.draw(st.lists(PROBABILITY, min_size=slots, max_size=slots))),
    )
    assert expected_in(columns(expected)) == expected


@pytest.mark.parametrize(
    "damaged",
    [
        ("_", "_"),
        (WRITTEN[0], "_"),
        (WRITTEN[1], WRITTEN[1]),
        (WRITTEN[0].replace("0.5", "half"), WRITTEN[1]),
        (WRITTEN[0].replace("0.5", "nan"), WRITTEN[1]),
        (WRITTEN[0].replace("0.5", "7.5"), WRITTEN[1]),
    ],
)
def test_attributes_that_are_not_ours_are_none(damaged: tuple[str, ...]):
    assert expected_in(damaged) is None
