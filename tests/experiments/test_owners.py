"""The owners of marks are counted in underlying trees, and shares of heads by program."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from semipunct.formats import read_entries
from semipunct.models.punctuation.decode import Analysis

ROWS = ("Rain NOUN 3 nsubj", ", PUNCT 3 punct", "fell VERB 0 root", "“ PUNCT 3 punct",
        "here ADV 3 advmod", ". PUNCT 3 punct", "” PUNCT 3 punct")  # fmt: skip


@pytest.fixture
def owners(driver: Any) -> ModuleType:
    return driver("owners")


def test_marks_are_owned_by_words(owners: ModuleType, tmp_path: Path):
    path = tmp_path / "in.conllu"
    lines = [
        "\t".join((str(n), form, "_", tag, "_", "_", head, relation, "_", "_"))
        for n, row in enumerate(ROWS, start=1)
        for form, tag, head, relation in [row.split(" ")]
    ]
    path.write_text("\n".join(lines) + "\n\n", "utf-8")
    (entry,) = read_entries([path])
    # The comma belongs to “Rain”; the quotation marks to “here” in one draw of two, and to “fell”.
    here = (((), (",",)), ((), (".",)), (("“",), ("”",)))
    fell = (((), (",",)), ((), (".",)), ((), ()))
    draws = [Analysis(entry.content, pairs, -1.0, -1.0, ()) for pairs in (here, fell)]
    counted = owners.owners(entry, draws)
    assert counted == {2: {1: 2}, 4: {5: 1}, 6: {3: 2}, 7: {5: 1}}


def test_shares(owners: ModuleType):
    row = owners.Attachment
    rows = [
        row(False, 1, 1, 2, 1.0, 3),
        row(True, 1, 1, 2, 0.5, 3),
        row(True, 2, 1, 2, 0.95, 3),
        row(True, 3, 1, 2, 0.2, 3),
    ]
    shares = owners.figures(rows)
    assert (shares["marks"], shares["open"], shares["owner differs"]) == (4, 3, 3)
    assert shares["rules"] == {"open": 0.3333, "all": 0.5}
    assert shares["owner"] == {"open": 0.3333, "all": 0.5}
    assert shares["owner if confident"] == {"open": 0.6667, "all": 0.75}
    assert shares["governor"] == {"open": 0.3333, "all": 0.5}
    assert shares["either"] == {"open": 0.6667, "all": 0.75}
