"""A tiny treebank and one finished run on it, shared by the tests of training."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pytest

from semipunct.corpus import Sentence
from semipunct.formats import read_treebank
from semipunct.training.config import Config, load_config
from semipunct.training.loop import train
from semipunct.training.report import Progress, TrainingResult

# Batches of equal shape and few contexts: compiling is nearly all of the time.
SETTINGS = (
    "train.visits=48",
    "train.batch_size=4",
    "train.evaluate_every=16",
    "train.patience=0",
    "train.seed=3",
    "model.templates=N",
    "model.minimum_token_count=2",
)


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
def finished(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("training") / "model"
    reports: list[Progress] = []
    result = train(
        tiny.config, tiny.train, tiny.dev, folder, report=reports.append, command="semipunct train"
    )
    return Finished(folder, result, reports)
