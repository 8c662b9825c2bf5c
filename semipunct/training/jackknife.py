"""Jackknifing: every part of a treebank is left to a model that was trained on the others.

What is made by a model for its own training data is far better than what it makes of new text. A
model that is to work on the output of another one, such as the trees of a parser, is trained on
what that gives for sentences that it has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path

from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.sentences import Sentence
from semipunct.errors import UsageError
from semipunct.models.kind import Config
from semipunct.store.folder import is_model_folder
from semipunct.training.loop import train
from semipunct.training.report import Progress, TrainingResult
from semipunct.wording import counted


def folds(sentences: int, count: int) -> list[range]:
    """Divide sentences into parts of consecutive ones, whose sizes differ by one at most.

    Consecutive sentences are often of one text: a part that is held out is of other texts.

    Args:
        sentences: how many there are.
        count: how many parts.

    Raises:
        UsageError: if there are fewer than two parts, or fewer sentences than parts.
    """
    if not 2 <= count <= sentences:
        raise UsageError(
            f"{counted(count, 'fold')} of {counted(sentences, 'sentence')}; give at least 2, and "
            "no more than there are sentences"
        )
    return [range(*ends) for ends in pairwise(sentences * i // count for i in range(count + 1))]


def jackknifed(
    config: Config,
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    folder: str | Path,
    count: int,
    *,
    report: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Iterator[tuple[range, TrainingResult]]:
    """Train a model without each part of a treebank in turn.

    Args:
        config: the settings of all of them.
        sentences: the treebank.
        dev: others to choose the best weights on.
        folder: for the models. Those of the same sentences that are finished are not trained
            again, and an interrupted one is continued.
        count: how many parts.
        report: called at each step.
        stop: asked after each batch; once true, the run is saved and this ends.

    Yields:
        The numbers of the sentences of a part, and the model that has not seen them; the last one
        may be interrupted.

    Raises:
        UsageError: as ``folds`` does.
        TreebankError, ModelError, TrainingError: as ``semipunct.training.loop.train`` does.
    """
    digest = treebank_digest(sentences)[:12]
    for number, part in enumerate(folds(len(sentences), count), 1):
        others = list(chain(sentences[: part.start], sentences[part.stop :]))
        place = Path(folder) / f"{digest}-{number}-of-{count}"
        resume = is_model_folder(place)
        result = train(config, others, dev, place, resume=resume, report=report, stop=stop)
        yield part, result
        if result.interrupted:
            return
