"""Correction of punctuation: systems on a treebank with learners' errors, or on JFLEG.

    python experiments/correction.py MODEL... --dev TREEBANK... [--parser PARSER] [--errors-seed N]
    python experiments/correction.py MODEL... --source FILE --corrected FILE [--parser PARSER]
    python experiments/correction.py MODEL... --jfleg FOLDER --parser PARSER

Errors are made in correct treebanks (``corpus.synthetic.learners``); or a parallel treebank is
given; or learners' sentences with four references each, of which slots between words count that
both share. Trees are those of the treebank, with ``--parser`` the parser's, which reads words
alone.

Systems of the punctuation models MODEL: ``nothing`` leaves what was written, ``restoration``
ignores it, ``repair`` takes it for likely (``restore --keep repair``). Others have options for
their models, of which several are runs of one system with other seeds: ``bilstm-restoration``
(``--restoring-tagger``, of correct text), ``bilstm-correction`` (``--tagger``, of its preset
``correction``), ``paper`` (``--paper``, preset ``paper-correction``, with ``--analysis``: T'_e is
the best tree), ``paper-sampled`` (the same models; ``--analyses`` trees T'_e are drawn) and
``correction`` (``--corrector``), of which ``least-risk`` takes the strings of least expected edit
distance, seen as corrections in training or not.

Each row has the means over the runs of a system, and p of the paired permutation test of F0.5
between it and ``--against``. The last column is F0.5 of all that leads from bare words to the
result, as docs/decisions/0029-corrections.md explains. With ``--output`` results are stored as
SYSTEM-RUN.json.gz, for ``semipunct compare``; with ``--speed`` a line tells the sentences a second
of each system, once compiled.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.corpus.digest import parallel_digest
from semipunct.corpus.parallel import ParallelSentence, aligned, as_written
from semipunct.corpus.synthetic import english_learner_errors, erroneous
from semipunct.evaluation.aggregation import aggregate
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.correction import CorrectionFigures, correction_statistics
from semipunct.evaluation.restoration import Slots
from semipunct.evaluation.results import Result, write_result
from semipunct.evaluation.signature import join_signature
from semipunct.formats import read_treebank
from semipunct.formats.parallel import read_parallel_texts, read_parallel_treebanks
from semipunct.models.parsing.parser import Parser
from semipunct.models.slot_tagging.tagger import TaggerPunctuator
from semipunct.store.checkpoint import load
from semipunct.tasks.correct import correct
from semipunct.tasks.parse import parse
from semipunct.tasks.restore import restore
from semipunct.version import __version__

REFERENCES = 4
"""Of JFLEG."""

Trained = Any
"""A model with its weights; None for a system that needs none."""


class Given(NamedTuple):
    """The model and the options that a system is given.

    Attributes:
        model: its own.
        options: the command line.
    """

    model: Trained
    options: argparse.Namespace


System = Callable[[Given, Sequence[Sentence]], Sequence[Slots]]
"""A function from sentences as they were written to their slots as they should be."""


def nothing(_given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Leave what was written.

    Args:
        _given: not looked at.
        sentences: as they were written.
    """
    return [sentence.slots for sentence in sentences]


def restoration(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation from words and trees; what was written is not looked at.

    Args:
        given: a model of punctuation.
        sentences: as they were written.
    """
    return [found.written for found in restore(given.model, sentences)]


def repair(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation given that what was written is likely.

    Args:
        given: a model of punctuation.
        sentences: as they were written.
    """
    return [found.written for found in restore(given.model, sentences, keep="repair")]


def bilstm_restoration(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation by a BiLSTM-CRF that reads words alone.

    Args:
        given: a slot tagger.
        sentences: as they were written.
    """
    return TaggerPunctuator(given.model.model, given.model.parameters).restore(sentences)


def bilstm_correction(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct punctuation by a BiLSTM-CRF that reads what was written.

    Args:
        given: a slot tagger with ``model.written``.
        sentences: as they were written.
    """
    tagger = TaggerPunctuator(given.model.model, given.model.parameters)
    return tagger.correct([as_written(sentence) for sentence in sentences])


def paper(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct by the paper's model: T'_e is the best underlying tree, the best draw is taken.

    Args:
        given: a model of preset paper-correction.
        sentences: as they were written.
    """
    return _paper(given, sentences, 0)


def paper_sampled(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct by the paper's model, summing over trees T'_e that are drawn from their posterior.

    Args:
        given: a model of preset paper-correction.
        sentences: as they were written.
    """
    return _paper(given, sentences, given.options.analyses)


def _paper(given: Given, sentences: Sequence[Sentence], analyses: int) -> Sequence[Slots]:
    analysis = load(given.options.analysis)
    found = correct(given.model, sentences, analysis=analysis, minimise="draws", analyses=analyses)
    return [one.slots for one in found]


def correction(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct by a model of punctuation that looks at what was written.

    Args:
        given: a model of correction.
        sentences: as they were written.
    """
    found = correct(given.model, sentences, minimum_confidence=given.options.confidence)
    return [one.slots for one in found]


def least_risk(given: Given, sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct by the same model to the strings of least expected edit distance, whatever they are.

    Args:
        given: a model of correction.
        sentences: as they were written.
    """
    return [one.slots for one in correct(given.model, sentences, minimise="slots")]


SYSTEMS: dict[str, tuple[System, str]] = {
    "nothing": (nothing, ""),
    "restoration": (restoration, "model"),
    "repair": (repair, "model"),
    "bilstm-restoration": (bilstm_restoration, "restoring_tagger"),
    "bilstm-correction": (bilstm_correction, "tagger"),
    "paper": (paper, "paper"),
    "paper-sampled": (paper_sampled, "paper"),
    "least-risk": (least_risk, "corrector"),
    "correction": (correction, "corrector"),
}
"""The systems, each with the option that names its models."""


def pairs(options: argparse.Namespace) -> Sequence[ParallelSentence[Sentence]]:
    """Read or make the sentences to correct.

    Args:
        options: the command line.
    """
    parser = load(options.parser, Parser) if options.parser else None
    if options.jfleg:
        files = [options.jfleg / f"dev.ref{number}" for number in range(REFERENCES)]
        learners = list(read_parallel_texts(options.jfleg / "dev.src", files))[: options.first]
        trees = parse(parser, [pair.source for pair in learners]) if parser else []
        return [
            ParallelSentence(found.sentence, (), pair.references)
            for pair, found in zip(learners, trees, strict=True)
        ]
    if options.source:
        found = read_parallel_treebanks(options.source, options.corrected).sentences
    else:
        clean = read_treebank(options.dev).sentences
        written = erroneous(clean, english_learner_errors(), options.errors_seed)
        found = [aligned(one, [right]) for one, right in zip(written, clean, strict=True)]
    found = found[: options.first]
    if parser is None:
        return found
    trees = parse(parser, [pair.source for pair in found])
    return [replace(p, source=one.sentence) for p, one in zip(found, trees, strict=True)]


class Measured(NamedTuple):
    """The edits of a system, of all its runs.

    Attributes:
        result: its edits of what was written.
        runs: those of each run.
        bare: F0.5 of the edits that lead from bare words to its punctuation.
        speed: sentences a second, once compiled; None if it was not asked for.
    """

    result: Result
    runs: Sequence[Result]
    bare: float
    speed: float | None


def measured(
    name: str, options: argparse.Namespace, data: Sequence[ParallelSentence[Sentence]]
) -> Measured:
    """Correct sentences by a system, and count its edits.

    Args:
        name: of the system.
        options: the command line.
        data: sentences with references.
    """
    system, option = SYSTEMS[name]
    sources = [pair.source for pair in data]
    written, references = [sentence.slots for sentence in sources], [p.references for p in data]
    nobody = [((),) * len(slots) for slots in written]
    digest = parallel_digest(data)[:12]
    runs: list[Result] = []
    bare: list[float] = []
    speed = None
    for number, path in enumerate(getattr(options, option) if option else [None]):
        given = Given(load(path) if path else None, options)
        found = system(given, sources)
        if options.speed and not number:
            began = time.perf_counter()
            system(given, sources)
            speed = len(sources) / (time.perf_counter() - began)
        parts = {"task": "correction", "system": name, "seed": str(number), "treebank": digest}
        statistics = correction_statistics(written, found, references)
        signature = join_signature({**parts, "version": __version__})
        runs.append(Result(name, signature, statistics))
        bare.append(correction_statistics(nobody, found, references).score)
    return Measured(aggregate(runs), runs, sum(bare) / len(bare), speed)


def chance(system: Measured, against: Measured) -> float:
    """Return p of the difference in F0.5 between two systems, over the runs that both have.

    Args:
        system: one of them.
        against: the other one.
    """
    # A system without models does the same in every run.
    most = max(len(system.runs), len(against.runs))
    several = [
        one.runs if SYSTEMS[one.result.system][1] else [*one.runs] * most
        for one in (system, against)
    ]
    shared = min(map(len, several))
    a, b = (aggregate(runs[:shared]) for runs in several)
    return compare(a, b).differences[0].p


def row(system: Measured, against: Measured) -> str:
    """Write a row of the table.

    Args:
        system: to show.
        against: what p compares with.
    """
    figures: Any = system.result.figures
    found: CorrectionFigures = figures
    p = "" if system is against else f"{chance(system, against):.4f}"
    ratios = (found.edits.precision, found.edits.recall, found.edits.f05)
    cells = [system.result.system, *(f"{x:.4f}" for x in ratios)]
    cells.append(f"{found.average_edit_distance:.4f}")
    edits = f"{found.edits.proposed / len(system.runs):.0f}"
    return " | ".join([*cells, f"{found.harm:.2f}", edits, p, f"{system.bare:.4f}"])


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
    data = pairs(options)
    systems = [measured(name, options, data) for name in options.systems]
    against = next((s for s in systems if s.result.system == options.against), systems[0])
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
    print(f"\n| error | times | {' | '.join(s.result.system for s in systems)} |")
    print(f"|{' --- |' * (len(systems) + 2)}")
    for line in by_error([system.runs[0] for system in systems], options.errors):
        print(f"| {line} |")
    for system in systems:
        scores = ", ".join(f"{run.statistics.score:.4f}" for run in system.runs)
        speed = "" if system.speed is None else f"; {system.speed:.1f} sentences a second"
        print(f"{system.result.system}: F0.5 of each run {scores}{speed}")
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        for system in systems:
            for number, run in enumerate(system.runs):
                write_result(options.output / f"{run.system}-{number}.json.gz", run)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("model", type=Path, nargs="*", help="punctuation models of correct text")
    add("--dev", nargs="+", type=Path, default=[], help="correct treebanks, to make errors in")
    add("--errors-seed", type=int, default=0, help="of the errors")
    add("--source", nargs="+", type=Path, default=[], help="what was written")
    add("--corrected", nargs="+", type=Path, default=[], help="the same, corrected")
    add("--jfleg", type=Path, help="the folder of JFLEG")
    add("--parser", type=Path, help="a parser; JFLEG has no trees")
    add("--restoring-tagger", nargs="+", type=Path, default=[], help="slot taggers")
    add("--tagger", nargs="+", type=Path, default=[], help="slot taggers that read marks")
    add("--paper", nargs="+", type=Path, default=[], help="models of preset paper-correction")
    add("--analysis", type=Path, help="a punctuation model of what was written, for --paper")
    add("--analyses", type=int, default=20, help="trees that are drawn for paper-sampled")
    add("--corrector", nargs="+", type=Path, default=[], help="models of correction")
    add("--confidence", type=float, default=0.5, help="of the corrections that are made")
    add("--first", type=int, help="how many sentences to take")
    add("--systems", nargs="+", choices=SYSTEMS, help="by default all that have models")
    add("--against", choices=SYSTEMS, help="what p compares with; by default the last one")
    add("--errors", type=int, default=8, help="how many kinds of errors to list")
    add("--speed", action="store_true", help="correct twice, and tell how fast")
    add("--output", type=Path, help="store the results in this folder")
    options = parser.parse_args()
    ways = [options.dev, options.source, options.jfleg]
    if sum(map(bool, ways)) != 1:
        parser.error("give one of --dev, --source and --jfleg")
    if bool(options.source) != bool(options.corrected):
        parser.error("--source and --corrected belong together")
    if options.jfleg and not options.parser:
        parser.error("--jfleg and --parser belong together")
    if bool(options.paper) != bool(options.analysis):
        parser.error("--paper and --analysis belong together")
    if options.systems is None:
        options.systems = [
            name for name, (_, own) in SYSTEMS.items() if not own or getattr(options, own)
        ]
    for name in options.systems:
        own = SYSTEMS[name][1]
        if own and not getattr(options, own):
            parser.error(f"{name} needs models: give {'--' * (own != 'model')}{own}")
    options.against = options.against or options.systems[-1]
    return options


if __name__ == "__main__":
    main()
