"""Attributes that templates derive from the written marks and from the predictions of a parser."""

from dataclasses import replace

from semipunct.corpus.sentences import Expected, Written
from semipunct.features.attributes import Attributes
from semipunct.features.optional import ANALYSED, EXPECTATIONS, WRITTEN
from semipunct.features.templates import attribute_table
from semipunct.features.vocabulary import Vocabulary
from tests.models.punctuation.cases import sentence

# The constituents are the first word, all three words, and the last word.
PLAIN = sentence([2, 0, 2], ["", ",", "", "."])

KNOWN = replace(
    PLAIN,
    written=Written(
        ((), (), (",",), (".", "”")), (((), (",",)), ((), (".",)), (("“",), ()))
    ),
    expected=Expected((0.3, 0.96, 0.8), ((",",), (",", "”"), (), (".",)), (0.01, 0.5, 0.0, 1.0)),
)  # fmt: skip


def columns(*sentences: object) -> dict[str, list[int]]:
    table = Attributes(
        sentences,  # type: ignore[arg-type]
        Vocabulary.of([PLAIN], ["<unk>", ",", "."]),
        attribute_table(),
    )
    return {name: table.single(name).tolist() for name in (*WRITTEN, *ANALYSED, *EXPECTATIONS)}


def test_columns_written_out():
    tokens = 5  # <unk>, comma, period, one for all unseen tokens, none
    unknown, comma, period, none = 1, 2, 3, 4

    def string(length: int, first: int, last: int) -> int:
        return 1 + (length * tokens + first) * tokens + last

    empty, quoted = string(0, none, none), string(2, period, unknown)
    # For single marks: those of the vocabulary, nothing, no slot.
    nothing, no_slot = 5, 6
    columns_found = columns(KNOWN)
    assert columns_found == {
        "written_left": [empty, empty, string(1, comma, comma)],
        "written_right": [empty, quoted, quoted],
        "written_before": [no_slot, no_slot, nothing],
        "written_second": [nothing, nothing, 1 + unknown],
        "written_last_but_one": [nothing, 1 + comma, 1 + comma],
        "written_after": [1 + comma, no_slot, no_slot],
        "written_final": [1 + unknown] * 3,
        # Distances in half octaves from the last marked slot before, to the next one after.
        "written_since": [1, 1, 1 + 4],
        "written_until": [1, 1, 1],
        "written_inside": [1, 2, 1],
        "written_marks": [2, 2, 2],
        "analysed_left": [empty, empty, string(1, unknown, unknown)],
        "analysed_right": [string(1, comma, comma), string(1, period, period), empty],
        # Each mark has nine classes of probability.
        "sure": [1, 4, 3],
        "expected_left": [1, 1, 1],
        "expected_right": [1 + 9 * comma + 5, 1 + 9 * period + 8, 1 + 9 * period + 8],
    }


def test_nothing_is_known_of_a_treebank():
    of_known = columns(KNOWN)
    mixed = columns(PLAIN, KNOWN, PLAIN)
    assert {name: column[3:6] for name, column in mixed.items()} == of_known
    assert all(column[:3] == column[6:] == [0, 0, 0] for column in mixed.values())


def test_a_sentence_without_analysis_among_others():
    plain = replace(KNOWN, written=replace(KNOWN.written, pairs=None))  # type: ignore[type-var]
    assert columns(plain, KNOWN)["analysed_left"][:3] == [0, 0, 0]
    assert columns(plain)["written_left"] == columns(KNOWN)["written_left"]
