"""Models of words and text that have learned a planted rule, trained once for all tests."""

import shutil
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from semipunct.papers.commas.ptb import read_whole_phrases
from semipunct.store import installed
from tests.models.parsing.treebank import planted
from tests.models.running_text import texts
from tests.models.segmentation.passages import generated
from tests.papers.commas.phrases import files
from tests.trained import Once

PARSER = (
    "model.word=16", "model.ngram=16", "model.hidden=32", "model.layers=2",
    "model.tag_layers=1",
    "model.arc=16", "model.relation=16", "model.minimum_word_count=2", "train.visits=4000",
    "train.batch_size=32", "train.learning_rate=0.01", "train.dropout=0.1",
    "train.evaluate_every=2000", "train.average=0.9",
)  # fmt: skip
TOKENISER = (
    "model.size=12", "model.layers=2", "model.minimum_run_count=1", "train.visits=480",
    "train.evaluate_every=160", "train.learning_rate=0.02", "train.unknown_words=0.02",
    "train.batch_size=4", "train.average=0.9",
)  # fmt: skip
PHRASE_PARSER = (
    "model.word=8", "model.ngram=8", "model.hidden=16", "model.layers=1", "model.tag_layers=1",
    "model.span=16", "model.minimum_word_count=1", "train.visits=4000", "train.batch_size=16",
    "train.learning_rate=0.03", "train.dropout=0.05",
    "train.average=0.9", "train.evaluate_every=4000",
)  # fmt: skip


def _trained(
    once: Once, kind: str, settings: Sequence[str], examples: Sequence[Any], dev: Sequence[Any]
) -> Path:
    def make(folder: Path) -> None:
        from semipunct.training.config import load_config
        from semipunct.training.train import train

        train(examples, dev, folder / "model", config=load_config(None, settings, kind=kind))

    return once(kind, make) / "model"


def figures(folder: Path) -> dict[str, Any]:
    """Return the figures measured with the best weights."""
    from semipunct.store.checkpoint import load

    return load(folder).figures


@pytest.fixture(scope="session")
def parser(once: Once) -> Path:
    """The folder of a parser that analyses words by their endings."""
    return _trained(once, "parser", PARSER, planted(200, 0), planted(40, 1))


@pytest.fixture(scope="session")
def phrase_parser(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a phrase-structure parser for a toy language."""
    paths = files(tmp_path_factory.mktemp("phrases"), 96, 16).values()
    examples, dev = (read_whole_phrases([path]) for path in paths)
    return _trained(once, "phrase-parser", PHRASE_PARSER, examples, dev)


@pytest.fixture(scope="session")
def tokeniser(once: Once) -> Path:
    """The folder of a tokeniser whose sentences begin with *so*."""
    return _trained(once, "tokeniser", TOKENISER, generated(60, 1), generated(12, 2))


TEXT = (
    "model.size=16", "model.layers=1", "model.ngrams=64", "model.strings=4", "train.visits=2400",
    "train.batch_size=16", "train.learning_rate=0.03", "train.average=0.9", "train.lowered=0.5",
    "train.seed=1",
)  # fmt: skip


@pytest.fixture(scope="session")
def text_model(once: Once) -> Path:
    """The folder of a text model whose sentences begin with *so*, with commas before *but*."""
    return _trained(once, "text", TEXT, texts.passages(600, 1), texts.passages(60, 2))


@pytest.fixture
def models_of_xx(text_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registered package of models of the language ``xx``, which has a text model only."""
    package = tmp_path / "site" / "models_of_xx"
    shutil.copytree(text_model, package / "text")
    (package / "__init__.py").write_text("", "utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    points = [EntryPoint("xx", package.name, installed.GROUP)]
    monkeypatch.setattr(installed, "entry_points", lambda group: points)
    monkeypatch.chdir(tmp_path)
    return package
