"""Files without text: every command that reads says what they are and what to do."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import Cli

COMMANDS: dict[str, Callable[..., tuple[object, ...]]] = {
    "stats": lambda file, **_: ("stats", file),
    "restore words": lambda file, model, parser, **_: (
        "restore", model, file, "--parser", parser),
    "restore running text": lambda file, model, parser, tokeniser, **_: (
        "restore", model, file, "--parser", parser, "--tokeniser", tokeniser),
    "parse": lambda file, parser, **_: ("parse", parser, file),
    "parse running text": lambda file, parser, tokeniser, **_: (
        "parse", parser, file, "--tokeniser", tokeniser),
    "normalise": lambda file, **_: ("normalise", file, "--commas", "ccg"),
    "train": lambda file, treebank, folder, **_: (
        "train", file, "--dev", treebank, "-o", folder),
}  # fmt: skip
"""Every command that reads sentences, with what else it needs."""

TEXT_ONLY = {"restore running text", "parse running text"}
NO_OTHER_FORMAT = {"normalise"}


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


def test_standard_input(cli: Cli, parser: Path):
    assert "<stdin>: no text was found" in cli("parse", parser, "-").message
