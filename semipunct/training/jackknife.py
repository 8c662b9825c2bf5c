"""Jackknifing: every part of a treebank is predicted by a model trained on the other parts.

The predictions of a model for its own training data are far better than those for new text. A model
that takes the output of another model as input, such as the trees of a parser, should therefore be
trained on predictions for sentences that the other model has not seen.

How correction models learn from such trees is in docs/decisions/0037-correcting-parsed-text.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path

from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.sentences import Sentence
from semipunct.errors import UsageError
from semipunct.models.kind import Config
from semipunct.store.folder import is_model_folder
from semipunct.training.report import Progress, TrainingResult
from semipunct.training.train import train
from semipunct.wording import quantity


def folds(sentences: int, count: int) -> list[range]:
    """Divide sentences into consecutive parts, whose sizes differ by at most one.

    Consecutive sentences are often from the same text, so a held-out part is from other texts.

    Args:
        sentences: the number of sentences.
        count: the number of parts.

    Raises:
        UsageError: if there are fewer than two parts, or fewer sentences than parts.
    """
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
    *,
    report: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Iterator[tuple[range, TrainingResult]]:
    """Train one model for each part of a treebank, on the other parts.

    Args:
        config: the settings of all models.
        sentences: the treebank.
        dev: development sentences, on which the best weights are selected.
        folder: the folder for the models. Finished models of the same sentences are not trained
            again, and an interrupted run is resumed.
        count: the number of parts.
        report: a function called at each step.
        stop: a function called after each batch; if it returns true, the run is saved and the
            iteration ends.

    Yields:
        The numbers of the sentences of a part, and the model that has not seen them; the last model
        may be unfinished.

    Raises:
        UsageError: as in ``folds``.
        TreebankError, ModelError, TrainingError: as in ``semipunct.training.train.train``.
    """
    digest = treebank_digest(sentences)[:12]
    for number, part in enumerate(folds(len(sentences), count), 1):
        remaining = list(chain(sentences[: part.start], sentences[part.stop :]))
        place = Path(folder) / f"{digest}-{number}-of-{count}"
        resume = is_model_folder(place)
        outcome = train(
            remaining, dev, place, config=config, resume=resume, report=report, stop=stop
        )
        yield part, outcome
        if outcome.interrupted:
            return
