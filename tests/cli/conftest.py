"""Running commands within the process, so that jax starts once; one tiny model for all."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from semipunct.cli import main


@dataclass(frozen=True)
class Result:
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """The one message of a command that failed for a reason of its user."""
        assert self.out == ""
        assert "Traceback" not in self.err
        lines = self.err.strip().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("error: ")
        return lines[0]

    @property
    def told(self) -> str:
        """What people are told, but for what the tiny model has never seen."""
        lines = self.err.splitlines(keepends=True)
        return "".join(line for line in lines if "that the model has never seen" not in line)


Cli = Callable[..., Result]


def run(*arguments: object, stdin: bytes = b"") -> Result:
    """Run a command as a process would, with streams of its own."""
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    texts = [io.TextIOWrapper(raw, encoding="utf-8", write_through=True) for raw in (out, err)]
    sys.stdout, sys.stderr = texts
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    else:
        status = 0
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    return Result(status, out.getvalue().decode(), err.getvalue().decode())


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(loaded_once: None) -> None:
    """Every command that loads the one tiny model shares what was compiled for it."""


@pytest.fixture
def cli() -> Cli:
    """The command line."""
    return run


def sample_lines() -> list[str]:
    """The sentences of the bundled sample."""
    from importlib import resources

    text = resources.files("semipunct.data").joinpath("sample.conllu").read_text("utf-8")
    return [block + "\n\n" for block in text.strip().split("\n\n")]


@pytest.fixture(scope="session")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three small parts of the sample: train, dev, test."""
    folder = tmp_path_factory.mktemp("treebanks")
    sentences = sample_lines()
    parts = {"train": sentences[:120], "dev": sentences[120:140], "test": sentences[140:160]}
    for name, part in parts.items():
        (folder / f"{name}.conllu").write_text("".join(part), encoding="utf-8")
    return {name: folder / f"{name}.conllu" for name in parts}


TINY = ("train.visits=96", "train.batch_size=32", "model.minimum_pair_count=1")


@pytest.fixture(scope="session")
def training_run(
    treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Result, Path]:
    """The one training of the suite, by the command; and the folder it wrote."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    settings = [text for setting in TINY for text in ("--set", setting)]
    result = run(
        "train", treebanks["train"], "--dev", treebanks["dev"], "-o", folder, "--seed", 1, *settings
    )
    assert result.status == 0, result.err
    return result, folder


@pytest.fixture(scope="session")
def model(training_run: tuple[Result, Path]) -> Path:
    """A model folder."""
    return training_run[1]
