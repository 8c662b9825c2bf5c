"""A client of the public interface, read by a type checker and never run.

``make lint`` checks it, and ``tests/test_types.py``. Lines with a comment to ignore an error must
have one: otherwise the comment is reported as unnecessary.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from collections.abc import Iterator
from typing import Any, assert_type

import semipunct
from semipunct import treebanks
from semipunct.corpus import Omitted
from semipunct.evaluation import Result
from semipunct.evaluation.parsing import ParsingFigures, ParsingStatistics
from semipunct.evaluation.restoration import RestorationFigures, RestorationStatistics
from semipunct.papers.ccg.figures import DerivationFigures, DerivationStatistics
from semipunct.pipelines.explanations import Explanation
from semipunct.pipelines.marked_text import PunctuatedText
from semipunct.pipelines.parses import Parse


def texts(stream: Iterator[str]) -> None:
    """Call the methods of a pipeline on text; options are typed keywords."""
    nlp = semipunct.load("en", parser="parser")
    assert_type(nlp, semipunct.Pipeline)
    assert_type(nlp("so"), PunctuatedText)
    assert_type(nlp.restore("so", keep="replace", marks={","}, lines="none"), PunctuatedText)
    assert_type(nlp.correct("so", minimum_confidence=0.9), PunctuatedText)
    assert_type(nlp.parse("so", decoder="best"), list[Parse | Omitted])
    assert_type(nlp.explain("so", restore=True), list[Explanation])
    assert_type(nlp.pipe(stream, keep="keep"), Iterator[PunctuatedText])
    assert_type(nlp.pipe(stream, "correct", analyses=3), Iterator[PunctuatedText])
    nlp("so", keep="all")  # pyright: ignore[reportCallIssue, reportArgumentType]
    nlp("so", kep="keep")  # pyright: ignore[reportCallIssue]
    nlp.pipe(stream, "correct", keep="keep")  # pyright: ignore[reportArgumentType]


def metrics(
    parsing: Result[ParsingStatistics],
    restoration: Result[RestorationStatistics],
    derivations: Result[DerivationStatistics],
    stored: Result,
) -> None:
    """Read the figures of metrics."""
    assert_type(parsing.figures, ParsingFigures)
    assert_type(restoration.figures, RestorationFigures)
    assert_type(derivations.figures, DerivationFigures)
    assert_type(stored.figures.as_dict(), dict[str, Any])


def work() -> None:
    """Work with treebanks."""
    train, dev = semipunct.read("train.conllu"), semipunct.read("dev.conllu")
    assert_type(dev, semipunct.Treebank)
    nlp = semipunct.Pipeline(semipunct.train(train, dev, "m", settings=["preset=loglinear"]))
    assert_type(nlp.restore(dev, samples=20), list[semipunct.Restoration])
    assert_type(nlp.decode(dev[:3], nbest=2), list[list[semipunct.Analysis]])
    (best,) = nlp.decode(dev)[0]
    assert_type(best.log_posterior, float)
    for several in treebanks.jackknife(train, dev, folds=2, trees=3):
        nlp.restore([several[0].sentence])
    assert_type(treebanks.normalise("rain.conllu", convention="unit"), treebanks.NormalisedTreebank)
    passages = semipunct.read("train.conllu", examples="passages")
    semipunct.train(passages, passages, "tokeniser", kind="tokeniser")
    treebanks.normalise("rain.conllu", convention="latin")  # pyright: ignore[reportArgumentType]
