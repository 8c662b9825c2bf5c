"""``semipunct restore --parser --text``: sentences and marks of a text model, trees of a parser."""

import json
from pathlib import Path

import pytest

from tests.commands import Cli
from tests.models.running_text.texts import text

RIGHT = text(40, 7)
BARE = RIGHT.lower().replace(",", "").replace(".", "")
FEW = ("--samples", 10)


@pytest.fixture
def restored(cli: Cli, model: Path, parser: Path, text_model: Path):
    """Restore a text from standard input; all of the weight is the text model's."""

    def run(text: str, *options: object, share: float = 1):
        command = ("restore", model, "-", "--parser", parser, "--text", text_model, *FEW)
        return cli(*command, "--parser-share", share, *options, stdin=text.encode())

    return run


def test_a_transcript_gets_sentences_marks_and_capitals(restored):
    assert restored(BARE + "\n", "--format", "text").out == RIGHT + "\n"
    lines = BARE.replace(" ", "\n") + "\n\n"
    found = restored(lines, "--format", "text", "--lines", "none")
    assert found.out == RIGHT.replace(" ", "\n") + "\n\n"
    edits = restored(BARE, "--format", "text", "--objective", "edits")
    assert edits.out == RIGHT
    one = restored("so ba so do\n", "--format", "text", "--lines", "sentence")
    assert one.out.count(".") == 1


def test_the_trees_are_those_of_a_parser(restored):
    found = restored(BARE)
    assert found.out.count("# sent_id") == RIGHT.count(".")
    rows = [row.split("\t") for row in found.out.splitlines() if row[:1].isdigit()]
    assert {row[3] for row in rows if row[1] in ".,"} == {"PUNCT"}
    assert all(row[6] != "_" for row in rows)
    named = [json.loads(line) for line in restored(BARE, "--format", "json").out.splitlines()]
    assert [one["sent_id"] for one in named][:2] == ["#1.1", "#1.2"]


def test_marks_that_stand_are_kept(restored):
    assert restored("So ba; do\r\n", "--format", "text").out == "So ba; do.\r\n"
    found = restored("So ba; do\r\n", "--format", "text", "--keep", "replace")
    assert found.out == "So ba do.\r\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--text", "TEXT"), "give --parser as well"),
        (("--text", "TEXT", "--parser", "PARSER", "--tokeniser", "X"), "leave out --tokeniser"),
        (("--parser", "PARSER", "--lines", "none"), "--lines is for a text model"),
        (("--objective", "f1"), "--objective is for a text model"),
        (("--text", "TEXT", "--parser", "PARSER", "--lines", "none", "--gold"), "are known"),
    ],
)
def test_wrong_usage(
    cli: Cli, model: Path, parser: Path, text_model: Path, treebanks: dict[str, Path],
    options: tuple[str, ...], message: str,
):  # fmt: skip
    named = [{"TEXT": text_model, "PARSER": parser, "X": parser}.get(o, o) for o in options]
    result = cli("restore", model, treebanks["dev"], *named)
    assert result.status == 2
    assert message in result.message
