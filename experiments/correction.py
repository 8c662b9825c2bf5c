"""Correction of punctuation: systems on a treebank with learners' errors, or on JFLEG.

    python experiments/correction.py MODEL --dev TREEBANK... [--errors-seed N] [--output FOLDER]
    python experiments/correction.py MODEL --source FILE --corrected FILE [--output FOLDER]
    python experiments/correction.py MODEL --jfleg FOLDER --parser PARSER [--output FOLDER]

MODEL is a punctuation model. Errors are made in correct treebanks (``corpus.synthetic.learners``),
trees given; or a parallel treebank is given; or learners' sentences, parsed, with four references
each, of which slots between words count that both share. Systems that need nothing else:
``nothing`` leaves what was written, ``restoration`` ignores it, ``repair`` takes it for likely
(``restore --keep repair``). Each row has the figures of one, and p of the paired permutation test
of F0.5 between it and ``--against``. The last column is F0.5 of all that leads from bare words to
the result, as docs/decisions/0029-corrections.md explains. With ``--output`` results are stored as
SYSTEM.json.gz, for ``semipunct compare``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.corpus.digest import parallel_digest
from semipunct.corpus.parallel import ParallelSentence, aligned
from semipunct.corpus.synthetic import english_learner_errors, erroneous
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.correction import CorrectionFigures, correction_statistics
from semipunct.evaluation.restoration import Slots
from semipunct.evaluation.results import Result, write_result
from semipunct.evaluation.signature import join_signature
from semipunct.formats import read_treebank
from semipunct.formats.parallel import read_parallel_texts, read_parallel_treebanks
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store.checkpoint import SavedModel, load
from semipunct.tasks.parse import parse
from semipunct.tasks.restore import restore
from semipunct.version import __version__

REFERENCES = 4
"""Of JFLEG."""

System = Callable[[SavedModel[PunctuationModel], Sequence[Sentence]], list[Slots]]
"""A function from sentences as they were written to their slots as they should be."""


def nothing(_model: SavedModel[PunctuationModel], sentences: Sequence[Sentence]) -> list[Slots]:
    """Leave what was written.

    Args:
        _model: not looked at.
        sentences: as they were written.
    """
    return [sentence.slots for sentence in sentences]


def restoration(model: SavedModel[PunctuationModel], sentences: Sequence[Sentence]) -> list[Slots]:
    """Restore punctuation from words and trees; what was written is not looked at.

    Args:
        model: of punctuation.
        sentences: as they were written.
    """
    return [found.written for found in restore(model, sentences)]


def repair(model: SavedModel[PunctuationModel], sentences: Sequence[Sentence]) -> list[Slots]:
    """Restore punctuation given that what was written is likely.

    Args:
        model: of punctuation.
        sentences: as they were written.
    """
    return [found.written for found in restore(model, sentences, keep="repair")]


SYSTEMS: dict[str, System] = {
    "nothing": nothing,
    "restoration": restoration,
    "repair": repair,
}


def pairs(options: argparse.Namespace) -> Sequence[ParallelSentence[Sentence]]:
    """Read or make the sentences to correct.

    Args:
        options: the command line.
    """
    if options.jfleg:
        files = [options.jfleg / f"dev.ref{number}" for number in range(REFERENCES)]
        learners = list(read_parallel_texts(options.jfleg / "dev.src", files))[: options.first]
        trees = parse(load(options.parser, Parser), [pair.source for pair in learners])
        return [
            ParallelSentence(found.sentence, (), pair.references)
            for pair, found in zip(learners, trees, strict=True)
        ]
    if options.source:
        return read_parallel_treebanks(options.source, options.corrected).sentences[: options.first]
    clean = read_treebank(options.dev).sentences[: options.first]
    written = erroneous(clean, english_learner_errors(), options.errors_seed)
    return [aligned(one, [right]) for one, right in zip(written, clean, strict=True)]


class Measured(NamedTuple):
    """The edits of a system.

    Attributes:
        result: its edits of what was written.
        bare: F0.5 of the edits that lead from bare words to its punctuation.
    """

    result: Result
    bare: float


def measured(
    name: str, model: SavedModel[PunctuationModel], data: Sequence[ParallelSentence[Sentence]]
) -> Measured:
    """Correct sentences by a system, and count its edits.

    Args:
        name: of the system.
        model: of punctuation.
        data: sentences with references.
    """
    sources = [pair.source for pair in data]
    written, references = [sentence.slots for sentence in sources], [p.references for p in data]
    found = SYSTEMS[name](model, sources)
    statistics = correction_statistics(written, found, references)
    bare = correction_statistics([((),) * len(slots) for slots in written], found, references)
    digest = parallel_digest(data)[:12]
    parts = {"task": "correction", "system": name, "treebank": digest, "version": __version__}
    return Measured(Result(name, join_signature(parts), statistics), bare.score)


def row(system: Measured, against: Result) -> str:
    """Write a row of the table.

    Args:
        system: to show.
        against: the result that p compares with.
    """
    result = system.result
    figures: Any = result.figures
    found: CorrectionFigures = figures
    p = "" if result is against else f"{compare(result, against).differences[0].p:.4f}"
    ratios = (found.edits.precision, found.edits.recall, found.edits.f05)
    cells = [result.system, *(f"{x:.4f}" for x in ratios), f"{found.average_edit_distance:.4f}"]
    more = (f"{found.harm:.2f}", str(found.edits.proposed), p, f"{system.bare:.4f}")
    return " | ".join([*cells, *more])


def by_error(results: Sequence[Result], most: int) -> list[str]:
    """Write how often each system makes the right edit of frequent errors, and a wrong one.

    Args:
        results: of all systems.
        most: how many errors to list.
    """
    figures: list[Any] = [result.figures for result in results]
    found: list[CorrectionFigures] = figures
    needed, proposed = Counter[str](), Counter[str]()
    for error, score in (item for one in found for item in one.errors.items()):
        # Systems may be held against different references.
        needed[error] = max(needed[error], score.needed)
        proposed[error] = max(proposed[error], score.proposed)
    errors = sorted(needed, key=lambda error: (-needed[error], -proposed[error], error))[:most]
    lines: list[str] = []
    for error in errors:
        scores = [one.errors.get(error) for one in found]
        cells = [f"{s.correct}, {s.proposed - s.correct}" if s else "0, 0" for s in scores]
        lines.append(" | ".join([f"`{error}`", str(needed[error]), *cells]))
    return lines


def main() -> None:
    """Correct by every system, print the tables and store the results."""
    options = arguments()
    enable_compilation_cache()
    model = load(options.model, PunctuationModel)
    data = pairs(options)
    systems = [measured(name, model, data) for name in options.systems]
    results = [system.result for system in systems]
    against = next((r for r in results if r.system == options.against), results[0])
    head = (
        "system",
        "precision",
        "recall",
        "F0.5",
        "edits per slot",
        "harm",
        "edits",
        "p",
        "from bare words",
    )
    print(f"{len(data)} sentences, {sum(len(pair.source.slots) for pair in data)} slots")
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for system in systems:
        print(f"| {row(system, against)} |")
    print(f"\n| error | times | {' | '.join(r.system for r in results)} |")
    print(f"|{' --- |' * (len(results) + 2)}")
    for line in by_error(results, options.errors):
        print(f"| {line} |")
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        for result in results:
            write_result(options.output / f"{result.system}.json.gz", result)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("model", type=Path, help="a punctuation model")
    add("--dev", nargs="+", type=Path, default=[], help="correct treebanks, to make errors in")
    add("--errors-seed", type=int, default=0, help="of the errors")
    add("--source", nargs="+", type=Path, default=[], help="what was written")
    add("--corrected", nargs="+", type=Path, default=[], help="the same, corrected")
    add("--jfleg", type=Path, help="the folder of JFLEG")
    add("--parser", type=Path, help="a parser, for JFLEG")
    add("--first", type=int, help="how many sentences to take")
    add("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    add("--against", default="restoration", choices=SYSTEMS, help="what p compares with")
    add("--errors", type=int, default=8, help="how many kinds of errors to list")
    add("--output", type=Path, help="store the results in this folder")
    options = parser.parse_args()
    ways = [options.dev, options.source, options.jfleg]
    if sum(map(bool, ways)) != 1:
        parser.error("give one of --dev, --source and --jfleg")
    if bool(options.source) != bool(options.corrected):
        parser.error("--source and --corrected belong together")
    if bool(options.jfleg) != bool(options.parser):
        parser.error("--jfleg and --parser belong together")
    return options


if __name__ == "__main__":
    main()
