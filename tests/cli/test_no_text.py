"""Files without text: every command that reads says what they are and what to do."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import Cli
from tests.files.test_contents import JPEG, archive

COMMANDS: dict[str, Callable[..., tuple[object, ...]]] = {
    "stats": lambda file, **_: ("stats", file),
    "evaluate": lambda file, model, **_: ("evaluate", model, file),
    "decode": lambda file, model, **_: ("decode", model, file),
    "restore": lambda file, model, **_: ("restore", model, file),
    "restore words": lambda file, model, parser, **_: (
        "restore", model, file, "--parser", parser),
    "restore running text": lambda file, model, parser, tokeniser, **_: (
        "restore", model, file, "--parser", parser, "--tokeniser", tokeniser),
    "parse": lambda file, parser, **_: ("parse", parser, file),
    "parse running text": lambda file, parser, tokeniser, **_: (
        "parse", parser, file, "--tokeniser", tokeniser),
    "parse and compare": lambda file, parser, **_: ("parse", parser, file, "--gold"),
    "analyse": lambda file, model, **_: ("analyse", model, file),
    "normalise": lambda file, **_: ("normalise", file, "--commas", "ccg"),
    "correct": lambda file, corrector, **_: ("correct", corrector, file),
    "train": lambda file, treebank, folder, **_: (
        "train", file, "--dev", treebank, "-o", folder),
    "dev": lambda file, treebank, folder, **_: (
        "train", treebank, "--dev", file, "-o", folder),
    "jackknife": lambda file, treebank, folder, **_: (
        "jackknife", file, "--dev", treebank, "-o", folder),
}  # fmt: skip
"""Every command that reads sentences, with what else it needs."""

TEXT_ONLY = {"restore running text", "parse running text"}
NO_OTHER_FORMAT = {"normalise"}

WORD = archive("[Content_Types].xml", "word/document.xml")


@pytest.fixture
def arguments(
    model: Path, parser: Path, tokeniser: Path, corrector: Path, treebanks: dict[str, Path],
    tmp_path: Path,
) -> dict[str, object]:  # fmt: skip
    """What commands need besides the file."""
    return {
        "model": model, "parser": parser, "tokeniser": tokeniser, "corrector": corrector,
        "treebank": treebanks["dev"], "folder": tmp_path / "out",
    }  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_an_empty_file(
    cli: Cli, arguments: dict[str, object], command: str, tmp_path: Path
):
    names = {"empty.txt", "empty.conllu", "empty.mrg", "empty.auto"}
    names = {"empty.txt"} if command in TEXT_ONLY else names
    names = {"empty.auto"} if command in NO_OTHER_FORMAT else names
    for name in names:
        path = tmp_path / name
        path.write_bytes(b"")
        result = cli(*COMMANDS[command](path, **arguments))
        assert result.status == 1, (name, result.err)
        assert re.search(
            rf"{re.escape(str(path))}: no \w+ was found \(the file is empty or .*\); give ",
            result.message,
        )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_a_word_document(
    cli: Cli, arguments: dict[str, object], command: str, tmp_path: Path
):
    path = tmp_path / "my thesis.docx"
    path.write_bytes(WORD)
    result = cli(*COMMANDS[command](path, **arguments))
    assert (result.status, result.message) == (
        1,
        f"error: {path}: this is a Word document (.docx), not plain text in UTF-8; save it as "
        f"plain text in UTF-8 and name that file (pandoc --to plain --wrap none '{path}' -o "
        "OUT.txt)",
    )


@pytest.mark.parametrize("name", ["a.txt", "a.conllu", "a.mrg", "a.auto", "a.m2", "a.zip"])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (WORD, "a Word document"),
        (JPEG, "an image, .* recognise its text first"),
        ("so wahr\n".encode("utf-16"), "text in UTF-16, .* iconv -f UTF-16 "),
        (b"%PDF-1.4\n%\xe2\n", r"a PDF document, .*\(pdftotext "),
        (b"{\\rtf1 so}", r"a document in rich text format \(.rtf\)"),
    ],
)
def test_the_suffix_makes_no_difference(
    cli: Cli, tmp_path: Path, name: str, content: bytes, told: str
):
    path = tmp_path / name
    path.write_bytes(content)
    result = cli("stats", path)
    assert result.status == 1
    assert re.search(rf"{re.escape(str(path))}: this is {told}", result.message)


def test_standard_input(cli: Cli, parser: Path):
    result = cli("parse", parser, "-", stdin=WORD)
    assert "<stdin>: this is a Word document" in result.message
    assert "none IN -o" in result.message
    assert "<stdin>: no text was found" in cli("parse", parser, "-").message


def test_a_large_document(cli: Cli, tmp_path: Path):
    """The members that say what it is may follow megabytes without a line end."""
    path = tmp_path / "large.docx"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("word/document.xml", "x" * 3_000_000)
    assert "a Word document" in cli("stats", path).message
