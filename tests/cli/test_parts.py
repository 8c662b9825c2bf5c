"""Commands that answer a corpus in parts write what one process writes, however often they die."""

from pathlib import Path

import pytest

from tests.commands import run, sample_lines


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
        "restore text --format json --keep replace --case restore",
        "correct text --format json",
        "correct corrector --samples 20",
        "restore model --parser parser --samples 20 --trees 2 --format json --keep replace",
        "parse parser --tokeniser tokeniser",
        "decode model",
    ],
)
def test_parts_are_the_output_of_one_process(
    command: str, files: dict[str, list[Path]], tmp_path: Path, text_model: Path, model: Path,
    parser: Path, tokeniser: Path, corrector: Path, monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    monkeypatch.setattr("semipunct.pipelines.task.Task.chunk", 2)
    for kind in ("punctuation.DecodeTrees", "parsing.ParseWords"):
        monkeypatch.setattr(f"semipunct.pipelines.{kind}.chunk", 2)
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
    assert f"{parts}: " in ended.err
    assert joined(parts) == (tmp_path / "whole").read_text("utf-8")
    assert some.items() <= {p.name: p.stat().st_mtime_ns for p in parts.iterdir()}.items()
    assert len(list(parts.glob("part-*"))) >= 3


def test_mistakes_are_refused(files: dict[str, list[Path]], tmp_path: Path, text_model: Path):
    text, parts = tmp_path / "a.txt", tmp_path / "parts"
    text.write_text("so ba\n" * 300, "utf-8")
    arguments = ("restore", text_model, text, "--parts", parts)
    assert run(*arguments, "--quiet").status == 0

    def message(*options: object) -> str:
        return run(*options).message

    assert '"case": "auto"' in message(*arguments, "--case", "restore")
    assert "part size 1024, not 2" in message(*arguments, "--part-size", 2)
    assert 'task "restore", not "correct"' in message("correct", *arguments[1:])
    assert "was begun with files" in message(
        "restore", text_model, files["txt"][0], "--parts", parts
    )
    for shard in ("0/2", "3/2", "1", "a/b", "-1/2", "1/0"):
        assert "I from 1 to N" in message(*arguments, f"--shard={shard}")
    assert "--shard needs --parts" in message("restore", text_model, text, "--shard", "1/2")
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
    text.write_text("so bo\n" * 301, "utf-8")
    assert "was begun with files" in message(*arguments)
    (parts / "manifest.json").write_text("{}", "utf-8")
    assert "is no plan of parts" in message(*arguments)


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
    monkeypatch.setattr("semipunct.pipelines.dask_engine.find_spec", lambda name: None)
    corpus = tmp_path / "a.txt"
    corpus.write_text("so ba\n", "utf-8")
    command = ("restore", text_model, corpus, "--parts", tmp_path / "parts", "--engine", "dask")
    assert "pip install 'semipunct[dask]'" in run(*command).message
