"""``restore`` with a text model: comparison with the input, and treebanks."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.models.running_text.texts import text

RIGHT = text(60, 11)


def treebank(path: Path, lines: str, head: str = "") -> Path:
    """Write sentences of words and marks as CoNLL-U, in which the first word is the root."""
    blocks: list[str] = []
    for number, line in enumerate(lines.splitlines(), start=1):
        rows = [f"# sent_id = s{number}"]
        for place, form in enumerate(line.split(" "), start=1):
            tag = "X" if form[0].isalnum() else "PUNCT"
            above = head or str(int(place > 1))
            relation = (
                "_" if head else ("root" if place == 1 else "punct" if tag == "PUNCT" else "dep")
            )
            rows.append(f"{place}\t{form}\t_\t{tag}\t_\t_\t{above}\t{relation}\t_\t_")
        blocks.append("\n".join(rows) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path


SENTENCES = "So ba do , but gu .\nSo ke li al .\nSo mo , but so .\n"


def figures(*command: Any) -> dict[str, Any]:
    result = run("restore", *command, "--gold", "--json")
    assert result.status == 0, result.err
    return json.loads(result.out)


@pytest.mark.parametrize(
    "options", [(), ("--case", "restore"), ("--lines", "none", "--objective", "edits")]
)
def test_a_text_is_compared_with_itself(text_model: Path, tmp_path: Path, options: tuple[str, ...]):
    path = tmp_path / "a.txt"
    path.write_text(RIGHT.replace(". ", ".\n"), encoding="utf-8")
    found = figures(text_model, path, *options)
    assert found["sentences"] == 60
    assert found["micro"]["f1"] > 0.98
    assert found["average_edit_distance"] < 0.01
    assert set(found["marks"]) == {",", "."}
    assert f"capitals:{'hidden' if '--case' in options else 'shown'}" in found["signature"]


def test_mistakes_are_counted(text_model: Path, tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("So ba, do.\nSo gu but ke.\n", encoding="utf-8")
    found = figures(text_model, path, "--confusions", "5", "--result", tmp_path / "r.json")
    assert found["edit_distance"] == 2
    assert found["marks"][","] == {
        "true_positives": 0, "predicted": 1, "gold": 1, "precision": 0.0, "recall": 0.0, "f1": 0.0,
    }  # fmt: skip
    assert {(c["gold"], c["predicted"]) for c in found["confusions"]} == {(",", ""), ("", ",")}
    assert (tmp_path / "r.json").exists()


def test_treebanks_are_restored_and_compared(text_model: Path, tmp_path: Path):
    path = treebank(tmp_path / "a.conllu", SENTENCES)
    found = figures(text_model, path)
    assert (found["sentences"], found["edit_distance"]) == (3, 0)
    assert "lines:sentence" in found["signature"]
    bare = treebank(tmp_path / "b.conllu", SENTENCES.replace(" ,", "").replace(" .", ""))
    written = run("restore", text_model, bare)
    assert written.status == 0, written.err
    forms = [
        " ".join(line.split("\t")[1] for line in block.splitlines() if line[0] != "#")
        for block in written.out.strip().split("\n\n")
    ]
    assert forms == SENTENCES.splitlines()
    as_text = run("restore", text_model, bare, "--format", "text")
    assert as_text.out == SENTENCES.replace(" ,", ",").replace(" .", ".")


def test_capitals_of_a_treebank_stay_unless_they_are_hidden(text_model: Path, tmp_path: Path):
    path = treebank(tmp_path / "a.conllu", "so ba but gu\nSO mo\n")
    command = ("restore", text_model, path, "--format", "text")
    assert run(*command).out == "so ba, but gu.\nSO mo.\n"
    assert run(*command, "--case", "restore").out == "So ba, but gu.\nSo mo.\n"


def test_marks_need_trees_to_be_attached_to(text_model: Path, tmp_path: Path):
    path = treebank(tmp_path / "a.conllu", "so ba but gu\n", head="_")
    refused = run("restore", text_model, path)
    assert refused.status == 1
    assert "a.conllu:2: sentence s1: the HEAD is '_'" in refused.message


def test_the_dot_of_an_abbreviation_is_a_period(text_model: Path, tmp_path: Path):
    path = treebank(tmp_path / "a.conllu", "So ba. do\nSo ke li.\n")
    found = figures(text_model, path)
    assert set(found["marks"]) == {"."}
    assert found["marks"]["."]["gold"] == 2


def test_other_models_and_formats_are_refused(model: Path, text_model: Path, tmp_path: Path):
    path = treebank(tmp_path / "a.conllu", SENTENCES)
    for option in (("--case", "restore"), ("--lines", "none"), ("--objective", "f1")):
        refused = run("restore", model, path, *option)
        assert refused.status == 2
        assert f"{option[0]} is for a text model" in refused.message
    trees = tmp_path / "a.mrg"
    trees.write_text("(S (X so) (X ba))\n", encoding="utf-8")
    refused = run("restore", text_model, trees)
    assert refused.status == 2
    assert "this is ptb" in refused.message


def test_a_text_in_another_language_is_noticed(text_model: Path, tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("So ba do but gu und das ist alles was wir ihm sagen\n", encoding="utf-8")
    for command in ("restore", "correct"):
        result = run(command, text_model, path)
        assert result.status == 0
        assert "does not know 62% of the 13 words" in result.err
    path.write_text("So ba do but gu so ke li but al mo ba do und das\n", encoding="utf-8")
    assert "does not know" not in run("restore", text_model, path).err


def test_code_stays_as_it_is(text_model: Path, tmp_path: Path):
    path = tmp_path / "a.md.txt"
    block = "```\nso ba do but gu so\n```\n"
    path.write_text(f"# so ba\n{block}so ba do but gu\n", encoding="utf-8")
    assert run("restore", text_model, path).out == f"# So ba\n{block}So ba do, but gu.\n"
    assert run("correct", text_model, path).out.startswith(f"# so ba\n{block}")


def test_the_dash_before_an_item_is_not_replaced(text_model: Path, tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("- so ba do but gu\n", encoding="utf-8")
    assert run("restore", text_model, path, "--keep", "replace").out == "- So ba do, but gu.\n"
