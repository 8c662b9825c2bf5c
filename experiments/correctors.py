"""Trained correctors on a treebank with learner errors, or on JFLEG.

    python experiments/correctors.py MODEL... --dev TREEBANK... [--parser PARSER] [--errors-seed N]
    python experiments/correctors.py MODEL... --source FILE --corrected FILE [--parser PARSER]
    python experiments/correctors.py MODEL... --jfleg FOLDER [--parser PARSER]

``correction.py`` trains all of them. The data are correct treebanks with sampled errors
(``corpus.learners``), a parallel treebank, or sentences of learners with four references
each, of which only slots between words shared by both are scored. Trees are those of the treebank,
or with ``--parser`` those of the parser, which reads words alone.

Systems that use the punctuation models MODEL:

- ``nothing`` keeps what was written.
- ``restoration`` ignores what was written.
- ``repair`` has a bias towards what was written (``restore --keep repair``).

Systems whose models are given by options, where several models are runs of one system with
different seeds:

- ``bilstm-restoration``: ``--restoring-tagger``, trained on correct text.
- ``bilstm-correction``: ``--tagger``, of its preset ``correction``.
- ``paper``: ``--paper``, of preset ``paper-correction``, with ``--analysis`` and the best T'_e.
- ``paper-sampled``: the same models, with ``--analyses`` sampled trees T'_e.
- ``correction``: ``--corrector``.
- ``text``: ``--text``, text models, which read no trees but words with their clitics.
- ``least-risk``: the same models, with the strings of minimum expected edit distance, whether or
  not these are corrections seen in training.

Each row has the means over the runs of a system, and p of the paired permutation test of F0.5
against ``--against``. The last column is F0.5 of all edits from bare words to the result, as
docs/decisions/0029-corrections.md explains. With ``--output`` results are stored as
SYSTEM-RUN.json.gz, for ``semipunct compare``; with ``--speed`` a line reports the sentences per
second of each system, after compilation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from correcting import checkers, systems
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
    "languagetool": "",
    "harper": "",
    "text": "text",
}
"""The systems, each with the option that names its models; empty if it needs none."""

WITHOUT_TREES = {"nothing", "languagetool", "harper", "text"}
"""The systems that read words and marks alone."""


def loaded(name: str, options: argparse.Namespace) -> Iterator[System]:
    """Yield the runs of a system, as functions.

    Args:
        name: name of the system.
        options: the command line.
    """
    if not SYSTEMS[name]:
        # The result is the same in every run; copies allow comparison with all runs of the others.
        runs = (len(getattr(options, option)) for option in SYSTEMS.values() if option)
        yield from [_without_model(name)] * max(1, *runs)
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
            case "text":
                yield partial(systems.text, model, confidence=options.confidence)
            case "least-risk":
                yield partial(systems.least_risk, model)
            case _:
                yield partial(systems.correction, model, confidence=options.confidence)


def _without_model(name: str) -> System:
    """Return a system that needs no model."""
    match name:
        case "languagetool":
            return partial(checkers.checked, checkers.languagetool())
        case "harper":
            return partial(checkers.checked, checkers.harper())
        case _:
            return systems.nothing


def sentences(options: argparse.Namespace) -> Pairs:
    """Read the sentences to correct, or create them by sampling errors.

    Args:
        options: the command line.
    """
    parser = load(options.parser, Parser) if options.parser else None
    if options.jfleg:
        return of_learners(options.jfleg, parser, options.first)
    if options.source:
        pairs: Pairs = read_parallel_treebanks(options.source, options.corrected).sentences
    else:
        pairs = with_errors(read_treebank(options.dev).sentences, options.errors_seed)
    pairs = pairs[: options.first]
    return pairs if parser is None else parsed(pairs, parser)


def main() -> None:
    """Correct with every system, print the tables and store the results."""
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
    add("--dev", nargs="+", type=Path, default=[], help="correct treebanks to sample errors in")
    add("--errors-seed", type=int, default=0, help="random seed of the errors")
    add("--source", nargs="+", type=Path, default=[], help="the written text")
    add("--corrected", nargs="+", type=Path, default=[], help="the same text, corrected")
    add("--jfleg", type=Path, help="folder of JFLEG")
    add("--parser", type=Path, help="a parser; required for JFLEG if a system reads trees")
    add("--restoring-tagger", nargs="+", type=Path, default=[], help="slot taggers")
    add("--tagger", nargs="+", type=Path, default=[], help="slot taggers that read marks")
    add("--paper", nargs="+", type=Path, default=[], help="models of preset paper-correction")
    add("--analysis", type=Path, help="a punctuation model of what was written, for --paper")
    add("--analyses", type=int, default=20, help="sampled trees of paper-sampled")
    add("--corrector", nargs="+", type=Path, default=[], help="correction models")
    add("--text", nargs="+", type=Path, default=[], help="text models")
    add("--confidence", type=float, help="minimum probability of a correction")
    add("--first", type=int, help="number of sentences to use")
    add("--systems", nargs="+", choices=SYSTEMS, help="default: all with models")
    add("--against", choices=SYSTEMS, help="reference system for p; default: the last")
    add("--errors", type=int, default=8, help="number of kinds of errors to list")
    add("--speed", action="store_true", help="correct twice and report the speed")
    add("--output", type=Path, help="folder to store the results in")
    options = parser.parse_args()
    ways = [options.dev, options.source, options.jfleg]
    if sum(map(bool, ways)) != 1:
        parser.error("give one of --dev, --source and --jfleg")
    if bool(options.source) != bool(options.corrected):
        parser.error("--source and --corrected belong together")
    if bool(options.paper) != bool(options.analysis):
        parser.error("--paper and --analysis belong together")
    if options.systems is None:
        with_models = [
            name for name, option in SYSTEMS.items() if option and getattr(options, option)
        ]
        options.systems = ["nothing", *with_models]
    for name in options.systems:
        option = SYSTEMS[name]
        if option and not getattr(options, option):
            option_name = option.replace("_", "-")
            parser.error(f"{name} needs models: give {'--' * (option != 'model')}{option_name}")
    if options.jfleg and not options.parser and not WITHOUT_TREES.issuperset(options.systems):
        parser.error("--jfleg and --parser belong together, unless no system reads trees")
    options.against = options.against or options.systems[-1]
    return options


if __name__ == "__main__":
    main()
