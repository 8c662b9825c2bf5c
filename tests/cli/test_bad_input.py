"""Bad input leads to one clear message, exit status 1 (usage: 2), and no partial output."""

import os
import re
from pathlib import Path

import pytest

from tests.commands import Cli, Result
from tests.formats.conllu.builders import sentence, word

GOOD = sentence(word(1, "Go", 0, "root"), word(2, "!", 1, "punct", "PUNCT"))

TEXTS: dict[str, tuple[bytes, str]] = {
    "cyclic tree": (
        sentence(word(1, "a", 0), word(2, "b", 3), word(3, "c", 2)).encode(),
        r":2: sentence #1: .*cycle",
    ),
    "two roots": (
        sentence("# sent_id = s", word(1, "a", 0), word(2, "b", 0)).encode(),
        r":3: sentence s: .*second root",
    ),
    "HEAD out of range": (sentence(word(1, "a", 0), word(2, "b", 9)).encode(), r":2: .*HEAD 9"),
    "9 columns": (b"1\ta\ta\tX\t_\t_\t0\troot\t_\n\n", r":1: .*9 columns instead of 10"),
    "bad UTF-8": (b"1\t\xff\ta\tX\t_\t_\t0\troot\t_\t_\n\n", r":1: .*UTF-8"),
    "NUL byte": (b"1\t\0\ta\tX\t_\t_\t0\troot\t_\t_\n\n", r":1: .*NUL"),
    "empty file": (b"", "no sentence"),
    "comments only": (b"# nothing\n\n# here\n", "no sentence"),
}


@pytest.fixture(params=TEXTS)
def bad(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A bad file, after a good sentence where possible, and a pattern for the message."""
    content, pattern = TEXTS[request.param]
    path = tmp_path / "bad.conllu"
    path.write_bytes(content)
    return path, pattern


def check(result: Result, pattern: str, status: int = 1) -> None:
    assert result.status == status, result.err
    assert re.search(pattern, result.message), result.message


def test_stats_of_a_bad_file(cli: Cli, bad: tuple[Path, str]):
    check(cli("stats", bad[0], "--json"), "bad.conllu" + ".*" + bad[1])


def test_decode_a_bad_file(cli: Cli, model: Path, bad: tuple[Path, str], tmp_path: Path):
    out = tmp_path / "out.conllu"
    out.write_text("mine")
    check(cli("decode", model, bad[0], "-o", out), bad[1])
    assert out.read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.conllu", "out.conllu"]


def test_missing_files(cli: Cli, model: Path, treebanks: dict[str, Path], tmp_path: Path):
    gone, out = tmp_path / "gone.conllu", tmp_path / "model"
    check(cli("train", treebanks["dev"], "--dev", gone, "-o", out), "gone.conllu: .*no such file")
    check(cli("evaluate", model, gone), "gone.conllu: .*no such file")
    check(cli("stats", tmp_path), "directory")
    check(cli("evaluate", gone, treebanks["dev"]), "no such folder")
    assert not out.exists()


def test_an_output_folder_that_is_not_ours_is_left_alone(
    cli: Cli, treebanks: dict[str, Path], tmp_path: Path
):
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter.tex").write_text("years of work")
    result = cli("train", treebanks["train"], "--dev", treebanks["dev"], "-o", folder)
    check(result, "thesis: .*neither empty nor a model folder")
    check(cli("quickstart", "-o", folder), "neither empty nor a model folder")
    assert [p.name for p in folder.iterdir()] == ["chapter.tex"]


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without write permission, even for root."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    access = os.access

    def denied(path: str | Path, mode: int) -> bool:
        return not (mode & os.W_OK and Path(path) == folder) and access(path, mode)

    monkeypatch.setattr(os, "access", denied)
    return folder


TARGETS = {
    "train": ("train", "absent.conllu", "--dev", "absent.conllu", "-o"),
    "quickstart": ("quickstart", "-o"),
    "decode": ("decode", "no model", "absent.conllu", "-o"),
    "restore": ("restore", "no model", "absent.conllu", "-o"),
    "restore --result": ("restore", "no model", "absent.conllu", "--gold", "--result"),
    "evaluate --result": ("evaluate", "no model", "absent.conllu", "--result"),
    "analyse --plot": ("analyse", "no model", "--plot"),
}


@pytest.mark.parametrize("command", TARGETS)
def test_targets_are_checked_before_anything_is_read(
    cli: Cli, tmp_path: Path, read_only: Path, command: str
):
    """All commands follow the same rule and return the same exit status."""
    file = tmp_path / "file"
    file.touch()
    for target in (read_only / "new" / "out.svg", file / "out.svg"):
        check(cli(*TARGETS[command], target), f"{target}: .*not a writable folder")
    folder = tmp_path / "folder.svg"
    (folder / "mine").mkdir(parents=True)
    check(cli(*TARGETS[command], folder), "this is a folder|neither empty nor a model folder")
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "file",
        "folder.svg",
        "mine",
        "read-only",
    ]


@pytest.mark.parametrize(
    "command", ["train", "quickstart", "restore --result", "evaluate --result", "analyse --plot"]
)
def test_what_is_no_stream_does_not_go_to_standard_output(cli: Cli, command: str):
    result = cli(*TARGETS[command], "-")
    assert (result.status, result.out) == (2, "")


@pytest.mark.parametrize(
    "settings, pattern",
    [
        (("train.batchsize=3",), "train.batchsize.*train.batch_size"),
        (("train.visits=many",), "train.visits is 'many'"),
        (("preset=neurl",), "preset"),
    ],
)
def test_unknown_settings(
    cli: Cli, treebanks: dict[str, Path], tmp_path: Path, settings: tuple[str, ...], pattern: str
):
    out = tmp_path / "model"
    options = [text for setting in settings for text in ("--set", setting)]
    result = cli("train", treebanks["train"], "--dev", treebanks["dev"], "-o", out, *options)
    check(result, pattern, status=2)
    file = tmp_path / "config.toml"
    file.write_text("[train]\nbatch_siz = 3\n")
    result = cli("train", treebanks["dev"], "--dev", treebanks["dev"], "-o", out, "--config", file)
    check(result, r"config.toml:2: .*batch_siz.*train.batch_size")
    assert not out.exists()


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (("correct", "model", "in.conllu", "--gold", "kept", "-o", "alias"), "kept"),
        (("rephrase", "model", "in.conllu", "--edits", "kept", "-o", "alias"), "kept"),
        (("restore", "kept", "in.conllu", "-o", "alias"), "kept"),
        (("restore", "model", "a.txt", "--parser", "kept", "-o", "kept/config.json"), "kept"),
        (("parse", "kept", "a.txt", "-o", "kept/new.conllu"), "kept"),
    ],
)
def test_what_is_read_and_stays_is_not_overwritten(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], kept: str
):
    monkeypatch.chdir(tmp_path)
    if command[-1].startswith("kept/"):
        Path(kept).mkdir()
        Path(kept, "config.json").write_text("mine", "utf-8")
    else:
        Path(kept).write_text("mine", "utf-8")
    Path("alias").symlink_to(kept)
    result = cli(*command)
    assert result.status == 2
    assert f"{command[-1]}: is also read and would be overwritten" in result.message
    files = [*Path(kept).rglob("*")] if Path(kept).is_dir() else [Path(kept)]
    assert [p.read_text("utf-8") for p in files] == ["mine"]


@pytest.mark.parametrize("name", ["decode", "restore", "parse", "correct", "rephrase"])
def test_standard_input_is_read_once(cli: Cli, name: str):
    result = cli(name, "model", "-", "-")
    assert result.status == 2
    assert "standard input is named twice" in result.message
