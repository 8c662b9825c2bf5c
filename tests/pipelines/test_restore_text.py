"""One function takes text to text as the command does."""

from pathlib import Path
from typing import Any

import pytest

import semipunct
from semipunct.errors import UsageError
from tests.commands import run

TEXT = " .. so the cat sat\tso it ran\r\n\r\n* * *\n\nso  https://a.b/c?d=e,f ran so he saw it"


@pytest.fixture(scope="module")
def folders(model: Path, parser: Path, tokeniser: Path, text_model: Path) -> dict[str, Path]:
    return {"model": model, "parser": parser, "tokeniser": tokeniser, "text": text_model}


CALLED = {"text": "text_model"}
"""Arguments whose names differ from those of options."""


@pytest.mark.parametrize("parts", [(), ("tokeniser",), ("text",)])
def test_it_writes_what_the_command_writes(
    parts: tuple[str, ...], folders: dict[str, Path], tmp_path: Path
):
    file = tmp_path / "text.txt"
    file.write_bytes(TEXT.encode())
    options = [word for part in parts for word in (f"--{part}", folders[part])]
    found = run(
        "restore", folders["model"], file, "--parser", folders["parser"], *options,
        "--format", "text", "--samples", 40,
    )  # fmt: skip
    assert found.status == 0, found.err
    helpers: dict[str, Any] = {CALLED.get(part, part): folders[part] for part in parts}
    nlp = semipunct.load(folders["model"], parser=folders["parser"], **helpers)
    text = nlp(TEXT, samples=40)
    assert text == found.out
    assert text != TEXT
    check_marks(text)


def check_marks(text: Any) -> None:
    """Marks stand where the text says, in order, and all that is changed is listed."""
    assert any(mark.is_changed for mark in text.marks)
    place = 0
    for mark in text.marks:
        assert place <= mark.start <= mark.end
        assert bool(mark.after) == (mark.start < mark.end)
        if mark.is_changed:
            assert "".join(text[mark.start : mark.end].split()) == mark.after.replace(" ", "")
        place = mark.end


def test_a_text_model_says_what_lines_are(folders: dict[str, Path]):
    helpers: Any = {"parser": folders["parser"], "text_model": folders["text"]}
    nlp = semipunct.load(folders["model"], **helpers)
    lines = "so ba\ndo so\ngu but ke\n"
    options: Any = {"samples": 20, "share": 1}
    assert nlp(lines, lines="none", **options) == "So ba\ndo. So\ngu, but ke.\n"
    assert nlp(lines, lines="sentence", **options).count(".\n") == 3
    with pytest.raises(UsageError, match="give one of the two"):
        semipunct.load(folders["model"], tokeniser=folders["tokeniser"], **helpers)(lines)


@pytest.mark.parametrize("lines", ["paragraph", "none"])
def test_a_text_model_alone_writes_what_the_command_writes(
    lines: Any, folders: dict[str, Path], tmp_path: Path
):
    file = tmp_path / "text.txt"
    text = TEXT + "\nso ba but do so\r\nke\n"
    file.write_bytes(text.encode())
    found = run("restore", folders["text"], file, "--lines", lines)
    assert found.status == 0, found.err
    model = semipunct.load(folders["text"])
    answer = model.restore(text, lines=lines)
    assert answer == found.out
    check_marks(answer)
    assert "So ba, but do. So\r\n" in found.out or lines == "paragraph"
    with pytest.raises(UsageError, match="a text model does not support --parser"):
        semipunct.load(folders["text"], parser=folders["text"]).restore(text, trees=3)
