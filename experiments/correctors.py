"""Correctors that are trained already, on a treebank with learners' errors, or on JFLEG.

    python experiments/correctors.py MODEL... --dev TREEBANK... [--parser PARSER] [--errors-seed N]
    python experiments/correctors.py MODEL... --source FILE --corrected FILE [--parser PARSER]
    python experiments/correctors.py MODEL... --jfleg FOLDER --parser PARSER

``correction.py`` trains them all. Errors are made in correct treebanks
(``corpus.synthetic.learners``); or a parallel treebank is given; or learners' sentences with four
references each, of which slots between words count that both share. Trees are those of the
treebank, with ``--parser`` the parser's, which reads words alone.

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
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from correcting import systems
from correcting.data import Pairs, of_learners, parsed, with_errors
from correcting.systems import System
from correcting.tables import Run, counted, speed, table

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.evaluation.results import write_result
from semipunct.formats import read_treebank
from semipunct.formats.parallel import read_parallel_treebanks
from semipunct.models.parsing.parser import Parser
from semipunct.store.checkpoint import load

SYSTEMS = {
    "nothing": "",
    "restoration": "model",
    "repair": "model",
    "bilstm-restoration": "restoring_tagger",
    "bilstm-correction": "tagger",
    "paper": "paper",
    "paper-sampled": "paper",
    "least-risk": "corrector",
    "correction": "corrector",
}
"""The systems, each with the option that names its models; empty for one that needs none."""


def loaded(name: str, options: argparse.Namespace) -> Iterator[System]:
    """Yield the runs of a system, as functions.

    Args:
        name: of the system.
        options: the command line.
    """
    if not SYSTEMS[name]:
        # It does the same in every run, so that it compares with all runs of the others.
        runs = (len(getattr(options, own)) for own in SYSTEMS.values() if own)
        yield from [systems.nothing] * max(1, *runs)
        return
    for path in getattr(options, SYSTEMS[name]):
        model = load(path)
        match name:
            case "restoration":
                yield partial(systems.restoration, model)
            case "repair":
                yield partial(systems.repair, model)
            case "bilstm-restoration":
                yield partial(systems.bilstm_restoration, model)
            case "bilstm-correction":
                yield partial(systems.bilstm_correction, model)
            case "paper" | "paper-sampled":
                analyses = options.analyses if name == "paper-sampled" else 0
                analysis = load(options.analysis)
                yield partial(systems.paper, model, analysis, analyses=analyses)
            case "least-risk":
                yield partial(systems.least_risk, model)
            case _:
                yield partial(systems.correction, model, confidence=options.confidence)


def sentences(options: argparse.Namespace) -> Pairs:
    """Read or make the sentences to correct.

    Args:
        options: the command line.
    """
    parser = load(options.parser, Parser) if options.parser else None
    if options.jfleg and parser is not None:
        return of_learners(options.jfleg, parser, options.first)
    if options.source:
        found: Pairs = read_parallel_treebanks(options.source, options.corrected).sentences
    else:
        found = with_errors(read_treebank(options.dev).sentences, options.errors_seed)
    found = found[: options.first]
    return found if parser is None else parsed(found, parser)


def main() -> None:
    """Correct by every system, print the tables and store the results."""
    options = arguments()
    enable_compilation_cache()
    data = sentences(options)
    sources = [pair.source for pair in data]
    runs: dict[str, list[Run]] = {}
    speeds: dict[str, float] = {}
    for name in options.systems:
        for number, system in enumerate(loaded(name, options)):
            runs.setdefault(name, []).append(counted(name, number, system(sources), data))
            if options.speed and not number:
                speeds[name] = speed(system, data)
    print(f"{len(data)} sentences, {sum(len(source.slots) for source in sources)} slots")
    table(runs, options.against, options.errors)
    for name, rate in speeds.items():
        print(f"{name}: {rate:.1f} sentences a second")
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        for name, several in runs.items():
            for number, run in enumerate(several):
                write_result(options.output / f"{name}-{number}.json.gz", run.edits)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
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
        options.systems = [n for n, own in SYSTEMS.items() if not own or getattr(options, own)]
    for name in options.systems:
        own = SYSTEMS[name]
        if own and not getattr(options, own):
            option = own.replace("_", "-")
            parser.error(f"{name} needs models: give {'--' * (own != 'model')}{option}")
    options.against = options.against or options.systems[-1]
    return options


if __name__ == "__main__":
    main()
