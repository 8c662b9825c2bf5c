"""Models that are trained once for all tests, by the first worker that needs them."""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.formats import read_treebank
from semipunct.models.kind import Criterion
from semipunct.training.config import Config, load_config
from semipunct.training.report import Progress, TrainingResult
from tests.commands import Result, run, sample_lines

PATIENCE = 600.0
"""Seconds to wait for the result of another worker."""

# Batches of equal shape and few contexts: compilation takes nearly all of the time.
SETTINGS = (
    "train.visits=48",
    "train.batch_size=4",
    "train.evaluate_every=16",
    "train.patience=0",
    "train.seed=3",
    "train.prune=0",
    "model.templates=N",
    "model.minimum_token_count=2",
)

TINY = ("train.visits=96", "train.batch_size=32", "model.minimum_pair_count=1")
"""Settings of the model for tests of commands."""

Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Create a folder once in a run of the suite, for all of its workers.

    The worker that creates the lock creates the folder; the others wait for it. Tests that change
    such a folder use a copy.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once"
    shared.mkdir(exist_ok=True)

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder = shared / name
        ready, failed, lock = (shared / f"{name}.{state}" for state in ("ready", "failed", "lock"))
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            end = time.monotonic() + PATIENCE
            while not ready.exists():
                assert not failed.exists(), f"making {folder} has failed"
                assert time.monotonic() < end, f"{folder} is not ready after {PATIENCE:.0f} s"
                time.sleep(0.1)
            return folder
        folder.mkdir()
        try:
            make(folder)
        except BaseException:
            failed.touch()
            raise
        ready.touch()
        return folder

    return made


@dataclass(frozen=True)
class Tiny:
    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    config: Config


@dataclass(frozen=True)
class Finished:
    folder: Path
    result: TrainingResult
    reports: list[Progress]


@pytest.fixture(scope="session")
def tiny() -> Tiny:
    with resources.as_file(resources.files("semipunct.data") / "sample.conllu") as path:
        sentences = read_treebank([path]).sentences
    return Tiny(sentences[:24], sentences[24:36], load_config(None, SETTINGS))


@pytest.fixture(scope="session")
def finished(tiny: Tiny, once: Once) -> Finished:
    """A finished run: its output files, return value and progress reports."""

    def make(folder: Path) -> None:
        from semipunct.models.contents import without_arrays
        from semipunct.training.train import train

        reports: list[Progress] = []
        result = train(
            tiny.train, tiny.dev, folder / "model", config=tiny.config,
            report=reports.append, command="semipunct train",
        )  # fmt: skip
        np.savez(folder / "parameters.npz", **result.parameters)
        plain, arrays = without_arrays(result.model.to_data())
        np.savez(folder / "arrays.npz", **arrays)
        rest = asdict(replace(result, model=None, parameters={}))
        told = {
            "result": rest,
            "model": plain,
            "reports": [asdict(progress) for progress in reports],
        }
        (folder / "told.json").write_text(json.dumps(told), encoding="utf-8")

    from semipunct.models.contents import with_arrays

    folder = once("finished", make)
    told = json.loads((folder / "told.json").read_text("utf-8"))
    with np.load(folder / "parameters.npz") as arrays:
        parameters = dict(arrays)
    # The store is not used here, since it is tested elsewhere.
    with np.load(folder / "arrays.npz") as arrays:
        data = with_arrays(told["model"], dict(arrays))
    model = tiny.config.kind.load().from_data(data, tiny.config.model)
    metrics = tuple(told["result"].pop("metrics"))
    criterion = Criterion(**told["result"].pop("criterion"))
    rest: dict[str, Any] = {**told["result"], "metrics": metrics, "criterion": criterion}
    result = TrainingResult(**{**rest, "model": model, "parameters": parameters})
    return Finished(folder / "model", result, [Progress(**each) for each in told["reports"]])


@pytest.fixture(scope="session")
def treebanks(once: Once) -> dict[str, Path]:
    """Three small parts of the sample: train, dev, test."""
    sentences = sample_lines()
    parts = {"train": sentences[:120], "dev": sentences[120:140], "test": sentences[140:160]}

    def make(folder: Path) -> None:
        for name, part in parts.items():
            (folder / f"{name}.conllu").write_text("".join(part), encoding="utf-8")

    folder = once("treebanks", make)
    return {name: folder / f"{name}.conllu" for name in parts}


@pytest.fixture(scope="session")
def training_run(treebanks: dict[str, Path], once: Once) -> tuple[Result, Path]:
    """One training run with the command: its output, and the folder."""

    def make(folder: Path) -> None:
        settings = [text for setting in TINY for text in ("--set", setting)]
        result = run(
            "train", treebanks["train"], "--dev", treebanks["dev"], "-o", folder / "tiny",
            "--seed", 1, *settings,
        )  # fmt: skip
        assert result.status == 0, result.err
        (folder / "result.json").write_text(json.dumps(asdict(result)), encoding="utf-8")

    folder = once("command", make)
    return Result(**json.loads((folder / "result.json").read_text("utf-8"))), folder / "tiny"


@pytest.fixture(scope="session")
def model(training_run: tuple[Result, Path]) -> Path:
    """A model folder."""
    return training_run[1]


CORRECTING = (
    "train.visits=960", "train.batch_size=32", "train.learning_rate=0.03", "train.prune=0",
    "train.evaluate_every=960", "model.templates=N,written,history",
    "model.minimum_token_count=2", "model.minimum_pair_count=1",
)  # fmt: skip
"""Settings of the correction model for tests of commands."""


def mistaken(text: str) -> str:
    """Return a treebank with a semicolon in place of every comma."""
    lines = (line for line in text.splitlines(keepends=True) if not line.startswith("# text"))
    return "".join(lines).replace("\t,\t,\tPUNCT\t", "\t;\t,\tPUNCT\t")


@pytest.fixture(scope="session")
def parallel_treebanks(treebanks: dict[str, Path], once: Once) -> dict[str, Path]:
    """The parts of the sample with these errors."""

    def make(folder: Path) -> None:
        for name, path in treebanks.items():
            (folder / f"{name}.conllu").write_text(mistaken(path.read_text("utf-8")), "utf-8")

    folder = once("parallel", make)
    return {name: folder / f"{name}.conllu" for name in treebanks}


@pytest.fixture(scope="session")
def corrector(treebanks: dict[str, Path], parallel_treebanks: dict[str, Path], once: Once) -> Path:
    """The folder of a correction model for these errors, trained with the command."""

    def make(folder: Path) -> None:
        settings = [text for setting in CORRECTING for text in ("--set", setting)]
        result = run(
            "train", parallel_treebanks["train"], "--corrected", treebanks["train"],
            "--dev", parallel_treebanks["dev"], "--dev-corrected", treebanks["dev"],
            "--kind", "correction", "-o", folder / "model", *settings,
        )  # fmt: skip
        assert result.status == 0, result.err

    return once("corrector", make) / "model"
