"""Commands that answer a corpus in parts write what one process writes, however often they die."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import run, sample_lines
from tests.selection import thorough


def joined(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(folder.glob("part-*")))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    folder = tmp_path_factory.mktemp("corpus")
    contents = {
        "a.txt": "so ba do so gu ba. so but ba\n\n" * 70 + "so",
        "b.txt": "\n\nso gu ba do\nso ba, gu\n \n" * 12,
        "c.txt": "so é gu\n```\nso ba do but gu\n\nso ba do but gu\n```\nso gu",
        # The last sentence of the first file lacks its end.
        "a.conllu": "".join(sample_lines()[:6]).rstrip("\n"),
        "b.conllu": "# an empty sentence is left out\n" + "".join(sample_lines()[6:10]),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, "utf-8", newline="")
    return {end: sorted(folder.glob(f"*.{end}")) for end in ("txt", "conllu")}


@pytest.mark.parametrize(
    "command",
    [
        "restore text",
        "restore text --format json --keep replace --lower",
        "correct text --format json",
        "restore model --samples 20",
        thorough(
            "restore model --parser parser --samples 20 --trees 2 --format json --keep replace"
        ),
        thorough("restore model --parser parser --tokeniser tokeniser --samples 4"),
        thorough("correct corrector --samples 20"),
        thorough("parse parser --tokeniser tokeniser"),
        thorough("parse parser --trees 2"),
        "decode model",
    ],
)
def test_parts_are_the_output_of_one_process(
    command: str, files: dict[str, list[Path]], tmp_path: Path, text_model: Path, model: Path,
    parser: Path, tokeniser: Path, corrector: Path, monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    # Modules that import the size come first: they keep what it was when they were imported.
    for place in (
        "batches.commands.decode", "kinds.punctuation", "kinds.correction", "tasks.run",
        "tasks.decode",
    ):  # fmt: skip
        monkeypatch.setattr(f"semipunct.{place}.CHUNK", 2)
    folders = {
        "text": text_model, "model": model, "parser": parser, "tokeniser": tokeniser,
        "corrector": corrector,
    }  # fmt: skip
    name, first, *options = command.split()
    options = [str(folders.get(word, word)) for word in options]
    end = "txt" if first == "text" or "--tokeniser" in command else "conllu"
    inputs = [folders[first], *files[end]]
    whole = run(name, *inputs, *options, "-o", tmp_path / "whole")
    assert whole.status == 0, whole.err
    parts = tmp_path / "parts"
    arguments = (name, *inputs, *options, "--parts", parts, "--part-size", 1)
    assert run(*arguments, "--shard", "2/3").status == 0
    some = {path.name: path.stat().st_mtime_ns for path in parts.iterdir()}
    assert len(some) > 1
    ended = run(*arguments)
    assert ended.status == 0, ended.err
    assert f"{parts}: all " in ended.err
    assert joined(parts) == (tmp_path / "whole").read_text("utf-8")
    assert some.items() <= {p.name: p.stat().st_mtime_ns for p in parts.iterdir()}.items()
    assert len(list(parts.glob("part-*"))) >= 3


def test_a_killed_process_leaves_whole_parts(
    files: dict[str, list[Path]], tmp_path: Path, text_model: Path
):
    parts = tmp_path / "parts"
    arguments = [
        "restore", str(text_model), *map(str, files["txt"]), "--parts", str(parts),
        "--part-size", "1",
    ]  # fmt: skip
    process = subprocess.Popen([sys.executable, "-m", "semipunct", *arguments])
    end = time.monotonic() + 120
    while not (parts / "part-000000").exists() and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert run(*arguments, "--shard", "2/2").status == 0
    assert run(*arguments, "--shard", "1/2").status == 0
    whole = run("restore", text_model, *files["txt"]).out
    assert joined(parts) == whole


def test_mistakes_are_refused(files: dict[str, list[Path]], tmp_path: Path, text_model: Path):
    text, parts = tmp_path / "a.txt", tmp_path / "parts"
    text.write_text("so ba\n" * 300, "utf-8")
    arguments = ("restore", text_model, text, "--parts", parts)
    assert run(*arguments, "--quiet").status == 0

    def message(*options: object) -> str:
        return run(*options).message

    assert "lower false, not true" in message(*arguments, "--lower")
    assert "bytes of a part 1048576, not 2048" in message(*arguments, "--part-size", 2)
    assert 'command "restore", not "correct"' in message("correct", *arguments[1:])
    assert "inputs" in message("restore", text_model, files["txt"][0], "--parts", parts)
    for shard in ("0/2", "3/2", "1", "a/b", "-1/2", "1/0"):
        assert "I from 1 to N" in message(*arguments, f"--shard={shard}")
    assert "--shard needs --parts" in message("restore", text_model, text, "--shard", "1/2")
    assert "--strict needs --parts" in message("restore", text_model, text, "--strict")
    assert "--workers needs --engine" in message(*arguments, "--workers", 2)
    elsewhere = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert "leave out --workers" in message(*arguments, *elsewhere, "--workers", 2)
    assert "--part-size needs --parts" in message("restore", text_model, text, "--part-size", 2)
    assert "excludes --output" in message(*arguments, "--output", tmp_path / "b")
    assert "no manifest.json" in message(*arguments[:-1], tmp_path)
    assert "standard input has none" in message(
        "restore", text_model, "-", "--parts", tmp_path / "new"
    )
    text.touch()
    assert run(*arguments).status == 0  # only the content counts
    text.write_text("so bo\n" * 300, "utf-8")
    assert "another content" in message(*arguments)
    (parts / "manifest.json").write_text("{}", "utf-8")
    assert "is no plan of parts" in message(*arguments)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_line_that_is_no_text_ends_nothing(form: str, tmp_path: Path, text_model: Path):
    lines = [b"so ba do so gu\n"] * 40
    bad = {0: b"so \xff ba\n", 17: b"so \0 ba\n", 39: b"\xe9"}
    damaged, sound = tmp_path / "a.txt", tmp_path / "b.txt"
    damaged.write_bytes(b"".join(bad.get(n, line) for n, line in enumerate(lines)))
    sound.write_bytes(b"".join(lines[: 40 - len(bad)]))
    whole = run("restore", text_model, sound, "--format", form).out
    parts = tmp_path / "parts"
    arguments = ("restore", text_model, damaged, "--format", form, "--parts", parts)
    ended = run(*arguments, "--part-size", 1)
    assert ended.status == 0
    assert (
        f"3 rows without an answer (listed in {parts}/errors-*), first {damaged}:1: " in ended.err
    )
    written = b"".join(p.read_bytes() for p in sorted(parts.glob("part-*"))).splitlines(True)
    answered = b"".join(line for n, line in enumerate(written) if n not in bad).decode()
    name = re.compile('"sent_id": "#[0-9]+"')  # by the line, which is another one here
    assert name.sub("", answered) == name.sub("", whole)
    errors = [
        json.loads(line)
        for path in sorted(parts.glob("errors-*"))
        for line in path.read_text("utf-8").splitlines()
    ]
    assert [error["line"] for error in errors] == [n + 1 for n in bad]
    for n, error in zip(bad, errors, strict=True):
        if form == "text":
            assert written[n] == bad[n]
        else:
            assert json.loads(written[n])["omitted"] == error["error"]
    # Whoever asks again is told again.
    strict = run(*arguments, "--part-size", 1, "--strict", "--quiet")
    assert strict.status == 1
    assert "3 rows without an answer" in strict.message


def test_a_sentence_that_is_damaged_ends_nothing(
    files: dict[str, list[Path]], tmp_path: Path, model: Path
):
    """Draws of the sentences after it are those without it."""
    sentences = sample_lines()[:6]
    damaged, sound = tmp_path / "a.conllu", tmp_path / "b.conllu"
    bad = "1\tso\n\n"
    damaged.write_text("".join([*sentences[:2], bad, *sentences[2:]]), "utf-8")
    sound.write_text("".join(sentences), "utf-8")
    expected = run("restore", model, sound, "--samples", 4).out
    parts = tmp_path / "parts"
    arguments = ("restore", model, damaged, "--samples", 4, "--parts", parts)
    assert "2 columns instead of 10" in run(*arguments, "--strict", "--quiet").message
    assert joined(parts).replace(bad, "") == expected
    assert bad in joined(parts)


def test_malformed_trees_are_counted(tmp_path: Path, model: Path):
    bad = tmp_path / "a.conllu"
    bad.write_text(sample_lines()[5].replace("\t0\t", "\t99\t", 1) + sample_lines()[4], "utf-8")
    arguments = ("decode", model, bad, "--parts", tmp_path / "parts")
    ended = run(*arguments)
    assert ended.status == 0
    assert "1 row without an answer" in ended.err
    assert run(*arguments, "--strict").status == 1


def test_what_depends_on_neighbours_is_refused(
    files: dict[str, list[Path]], tmp_path: Path, model: Path, parser: Path, text_model: Path
):
    parts = ("--parts", tmp_path / "parts")
    restored = ("restore", model, files["txt"][0], "--parser", parser, "--text", text_model)
    assert "depends on its neighbours" in run(*restored, *parts).message
    decoded = ("decode", model, files["conllu"][0], *parts)
    assert "--semiring sampling" in run(*decoded, "--semiring", "sampling").message
    assert "--format svg" in run(*decoded, "--format", "svg").message
    assert not (tmp_path / "parts").exists()


def test_without_dask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text_model: Path):
    monkeypatch.setattr("semipunct.batches.dask_engine.find_spec", lambda name: None)
    corpus = tmp_path / "a.txt"
    corpus.write_text("so ba\n", "utf-8")
    command = ("restore", text_model, corpus, "--parts", tmp_path / "parts", "--engine", "dask")
    assert "pip install 'semipunct[dask]'" in run(*command).message
