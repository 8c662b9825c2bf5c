"""Jackknifing: a parser trained on the other parts of a treebank parses each part.

A model predicts its own training data far better than new text. A model that reads the trees of a
parser should therefore be trained on trees of unseen sentences (docs/decisions/correction.md).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.errors import UsageError
from semipunct.models.kind import Config
from semipunct.pipelines.options import ParseOptions
from semipunct.pipelines.parses import Parse, parse, parses
from semipunct.store.folder import is_model_folder
from semipunct.training.config import load_config
from semipunct.training.report import Progress, TrainingResult
from semipunct.training.train import train
from semipunct.wording import quantity

PARSER = "parser"


def jackknife(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    *,
    folds: int = 5,
    trees: int = 0,
    models: str | Path | None = None,
    config: str | Path | None = None,
    settings: Iterable[str] = (),
    seed: int = 0,
    report: Callable[[Progress], None] | None = None,
) -> list[Sequence[Parse]]:
    """Parse each part of a treebank with a parser trained on the other parts.

    A punctuation model for parsed text is trained on these parses together with the treebank
    itself.

    Args:
        models: a folder for the parsers, which are reused if present; None to discard them.

    Returns:
        The parses of each sentence: one, or ``trees`` draws.

    Raises:
        ConfigError: if a setting does not exist or its value is invalid.
        UsageError: if there are fewer than two parts, or fewer sentences than parts.
    """
    chosen = load_config(config, settings, {"train.seed": seed}, PARSER)
    enable_compilation_cache()
    with ExitStack() as held:
        folder = models or held.enter_context(tempfile.TemporaryDirectory())
        parts = jackknifed_parts(
            chosen, train, dev, folder, folds, trees=trees, seed=seed, report=report
        )
        return [parses_of_sentence for _, part in parts for parses_of_sentence in part]


def jackknifed_parts(
    config: Config,
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    folder: str | Path,
    count: int,
    *,
    trees: int = 0,
    seed: int = 0,
    **training: Any,
) -> Iterator[tuple[TrainingResult, Sequence[Sequence[Parse]]]]:
    """Yield the parsers and the parses of the parts of a treebank, in order."""
    options = ParseOptions(seed=seed)
    for part, fitted in train_jackknife(config, sentences, dev, folder, count, **training):
        held_out = [sentences[i] for i in part]
        several: Sequence[Sequence[Parse]] = (
            parses(fitted, held_out, trees, options, first=part.start)
            if trees
            else [[parsed] for parsed in parse(fitted, held_out, options)]
        )
        yield fitted, several


def folds(sentences: int, count: int) -> list[range]:
    """Divide sentences into consecutive folds of equal size, so that whole texts are held out."""
    if not 2 <= count <= sentences:
        raise UsageError(
            f"{quantity(count, 'fold')} of {quantity(sentences, 'sentence')}; give at least 2, and "
            "no more than there are sentences"
        )
    return [range(*ends) for ends in pairwise(sentences * i // count for i in range(count + 1))]


def train_jackknife(
    config: Config,
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    folder: str | Path,
    count: int,
    **training: Any,
) -> Iterator[tuple[range, TrainingResult]]:
    """Train one model per fold on the other folds, and yield it with the held-out indices."""
    digest = treebank_digest(sentences)[:12]
    for number, part in enumerate(folds(len(sentences), count), 1):
        remaining = [*sentences[: part.start], *sentences[part.stop :]]
        place = Path(folder) / f"{digest}-{number}-of-{count}"
        resume = is_model_folder(place)
        outcome = train(remaining, dev, place, config=config, resume=resume, **training)
        yield part, outcome
