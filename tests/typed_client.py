"""A client of the public interface, read by a type checker and never run.

``make lint`` checks it, and ``tests/test_types.py``. Lines with a comment to ignore an error must
have one: otherwise the comment is reported as unnecessary.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from pathlib import Path
from typing import Any, Literal, assert_type

import semipunct
from semipunct.evaluation import Result
from semipunct.evaluation.parsing import ParsingFigures, ParsingStatistics
from semipunct.evaluation.perplexity import PerplexityFigures
from semipunct.evaluation.restoration import RestorationFigures, RestorationStatistics
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.papers.ccg.figures import DerivationFigures, DerivationStatistics
from semipunct.pipelines.parses import Parse
from semipunct.pipelines.pipeline import Pipeline


def models(path: Path, name: str) -> None:
    """Load models of several kinds."""
    model = semipunct.load(path, PunctuationModel)
    assert_type(model, Pipeline[PunctuationModel])
    assert_type(model.model.options.channel, Literal["none", "l2r", "r2l"])
    assert_type(semipunct.load(path), Pipeline[Any])
    assert_type(semipunct.load(path, name), Pipeline[Any])
    parser = semipunct.load("a", Parser).model
    assert_type(parser, Parser)
    parser.sentences()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def figures(dev: semipunct.Treebank) -> None:
    """Evaluate models; the figures are those of the metric."""
    result = semipunct.evaluate(semipunct.load("model", PunctuationModel), dev)
    assert_type(result.figures, PerplexityFigures)
    assert_type(result.figures.perplexity, float)
    assert_type(result.statistics.figures().slots, int)
    result.figures.scores()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def metrics(
    parsing: Result[ParsingStatistics],
    restoration: Result[RestorationStatistics],
    derivations: Result[DerivationStatistics],
    stored: Result,
) -> None:
    """Read the figures of other metrics."""
    assert_type(parsing.figures, ParsingFigures)
    assert_type(restoration.figures, RestorationFigures)
    assert_type(derivations.figures, DerivationFigures)
    assert_type(stored.figures.as_dict(), dict[str, Any])


def work() -> None:
    """Call a function for each of several commands."""
    train, dev = semipunct.read("train.conllu"), semipunct.read("dev.conllu")
    assert_type(dev, semipunct.Treebank)
    model = semipunct.train(train, dev, "model", settings=["preset=loglinear"])
    assert_type(semipunct.restore(model, dev), list[semipunct.Restoration])
    assert_type(semipunct.decode(model, dev[:3]), list[list[semipunct.Analysis]])
    (best,) = semipunct.decode(model, dev)[0]
    assert_type(best.log_posterior, float)
    for several in semipunct.jackknife(train, dev, folds=2, trees=3):
        parse: Parse = several[0]
        semipunct.restore(model, [parse.sentence])
    rain = semipunct.normalise("rain.conllu", convention="unit")
    assert_type(rain, semipunct.NormalisedTreebank)
    passages = semipunct.read("train.conllu", examples="passages")
    semipunct.train(passages, passages, "tokeniser", kind="tokeniser")
    semipunct.normalise("rain.conllu", convention="latin")  # pyright: ignore[reportArgumentType]
