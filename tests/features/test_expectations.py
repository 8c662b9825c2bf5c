"""Attributes that templates derive from the predictions of a parser."""

from dataclasses import replace

from semipunct.corpus.sentences import Expected
from semipunct.features.attributes import Attributes
from semipunct.features.templates import attribute_table
from semipunct.features.vocabulary import Vocabulary
from tests.models.punctuation.cases import sentence

PLAIN = sentence([2, 0, 2], ["", ",", "", "."])
KNOWN = replace(
    PLAIN,
    expected=Expected((0.3, 0.96, 0.8), ((",",), (",", "”"), (), (".",)), (0.01, 0.5, 0.0, 1.0)),
)


def columns(*sentences: object) -> dict[str, list[int]]:
    table = Attributes(
        sentences,  # type: ignore[arg-type]
        Vocabulary.of([PLAIN], ["<unk>", ",", "."]),
        attribute_table(),
    )
    names = ("sure", "expected_left", "expected_right")
    return {name: table.single(name).tolist() for name in names}


def test_columns_written_out():
    comma, period = 2, 3  # after the unknown mark; each has nine classes of probability
    assert columns(KNOWN) == {
        "sure": [1, 4, 3],
        # The constituents are the first word, all three words, and the last word.
        "expected_left": [1, 1, 1],
        "expected_right": [1 + 9 * comma + 5, 1 + 9 * period + 8, 1 + 9 * period + 8],
    }


def test_nothing_is_known_of_a_treebank():
    of_known = columns(KNOWN)
    mixed = columns(PLAIN, KNOWN, PLAIN)
    assert {name: column[3:6] for name, column in mixed.items()} == of_known
    assert all(column[:3] == column[6:] == [0, 0, 0] for column in mixed.values())
