"""The block for udapi: found by its name, with the heads that the command chooses."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import semipunct
from semipunct.errors import UsageError
from tests.cli.test_normalise_marks import ENHANCED, GOVERNING, RIGHT
from tests.commands import sample_lines

pytest.importorskip("udapi", reason="the extra udapi is not installed")
from udapi.core.document import Document  # pyright: ignore[reportMissingTypeStubs]
from udapi.core.run import create_block  # pyright: ignore[reportMissingTypeStubs]

NAME = ".semipunct.udapi.Normalise"


def read(path: Path) -> Any:
    document: Any = Document()
    document.from_conllu_string(path.read_text("utf-8"))
    return document


@pytest.mark.parametrize(
    "options",
    [{}, {"convention": "unit", "strict": 1}, {"only": "pair,highest", "convention": "unit"}],
)
def test_the_block_does_what_the_command_does(tmp_path: Path, options: dict[str, Any]):
    """udapi writes the same trees, whether it or the command has attached the marks."""
    source, target = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text("".join([RIGHT, ENHANCED, GOVERNING, *sample_lines()[:60]]), "utf-8")
    document = read(source)
    before = document.to_conllu_string()
    create_block(NAME, **options).run(document)
    rules = options.get("only", "").split(",") if "only" in options else ()
    settings: dict[str, Any] = {
        "convention": options.get("convention"),
        "strict": bool(options.get("strict")),
    }
    normalised = semipunct.normalise(source, only=rules, **settings)
    assert normalised.changes
    target.write_text(normalised.text, "utf-8")
    assert document.to_conllu_string() == read(target).to_conllu_string()
    assert document.to_conllu_string() != before


def test_options_are_checked():
    for options in ({"only": "pear"}, {"convention": "ud"}, {"strict": "yes"}):
        with pytest.raises(UsageError):
            create_block(NAME, **options)


def test_sentences_without_a_tree_are_named_and_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "in.conllu"
    path.write_text(RIGHT + ENHANCED.replace("\t6\tobj\t6:obj", "\t0\troot\t0:root"), "utf-8")
    document = read(path)
    before = document.to_conllu_string()
    create_block(NAME, convention="unit").run(document)
    assert document.to_conllu_string() == before
    assert "a: word" in caplog.text or "a#" in caplog.text


def test_semipunct_does_not_import_udapi():
    code = (
        "import sys, semipunct, semipunct.cli; semipunct.normalise; print('udapi' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
