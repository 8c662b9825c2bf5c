"""Commas in derivations: rules before and after (figure 9), and their cost in parsing (figure 10).

Paper: Tse and Curran (2008). Derivations are converted from phrases, or read from ``.auto`` files.

``rules`` counts the rules with commas of a treebank, before and after normalisation. ``nodes``
builds charts with the grammars of several treebanks from the supertags of one parser. ``parse``
compares parsers trained with ``semipunct train --kind ccg-parser`` with the first one.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from benchmarks.figures import report

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.results import Result
from semipunct.papers.ccg.ccgbank import read_derived_sentences
from semipunct.papers.ccg.chart import Counts
from semipunct.papers.ccg.comparison import compare_derivations
from semipunct.papers.ccg.conversion import Unconverted, convert_phrases
from semipunct.papers.ccg.conversion.steps import unlicensed_rules
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.figures import DerivationStatistics
from semipunct.papers.ccg.grammar import Grammar
from semipunct.papers.ccg.normalisation import comma_table, normalise_commas
from semipunct.papers.ccg.parser import CcgModel
from semipunct.papers.ccg.predicates import predicate_dependencies
from semipunct.papers.ccg.task import CcgParser
from semipunct.papers.commas.ptb import Malformed, read_bracketings
from semipunct.store.checkpoint import load


def derivations(paths: Sequence[str]) -> tuple[list[Derivation], dict[str, Any]]:
    """Read derivations or convert phrases; count the sentences that could not be converted."""
    trees_read: list[Derivation] = []
    reasons: Counter[str] = Counter()
    for path in paths:
        if path.removesuffix(".gz").endswith(".auto"):
            trees_read += [s.tree for s in read_derived_sentences([path])]
            continue
        for tree in read_bracketings(path):
            if isinstance(tree, Malformed):
                reasons[tree.reason] += 1
                continue
            try:
                trees_read.append(convert_phrases(tree.tree, tree.forms).derivation)
            except Unconverted as error:
                reasons[str(error)] += 1
    total = len(trees_read) + reasons.total()
    return trees_read, {
        "trees": total,
        "converted": len(trees_read),
        "coverage": len(trees_read) / total,
        "reasons": dict(reasons.most_common(12)),
    }


def rules(paths: Sequence[str]) -> dict[str, Any]:
    """Count the rules with commas before and after normalisation."""
    before, coverage = derivations(paths)
    tables: dict[str, Any] = {}
    table_before = comma_table(before)
    for name in ("before", "paper", "better"):
        after = before if name == "before" else normalise_commas(before, name)  # type: ignore[arg-type]
        changed = sum(
            a.tags != b.tags or predicate_dependencies(a) != predicate_dependencies(b)
            for a, b in zip(before, after, strict=True)
            if a is not b
        )
        table = comma_table(after)
        tables[name] = {
            "instances": dict(table.instances.most_common()),
            "left_rules": len(table.left),
            "right_rules": len(table.right),
            "rules": table.absorption_rules,
            "new_rules": len(table.right.keys() - table_before.right.keys()),
            "changed": changed,
            "unlicensed": sum(bool(unlicensed_rules(tree)) for tree in after),
        }
    return {**coverage, "tables": tables}


def nodes(
    folder: str,
    dev: str,
    grammars: Sequence[tuple[str, str, str]],
    runs: int,
    *,
    headed: bool = False,
) -> dict[str, Any]:
    """Compare the charts built with several grammars; ratios are relative to the first one.

    Args:
        folder: the parser that provides the supertags.
        grammars: name, file of derivations and rules with commas on the left
            (``semipunct.papers.ccg.options.LeftCommas``) of each grammar.
        runs: timed passes, alternating between grammars.
        headed: whether items with different heads are distinct.
    """
    trained = load(folder, CcgModel)
    sentences = read_derived_sentences([dev])
    supertags = CcgParser(trained.model, trained.parameters).supertags(sentences)
    parsers: dict[str, CcgParser] = {}
    for name, path, left in grammars:
        grammar = Grammar.of((s.tree for s in read_derived_sentences([path])), left)  # type: ignore[arg-type]
        lexical = [grammar.categories[i] for i in grammar.lexical]
        trained_grammar = trained.model.grammar
        if lexical != [trained_grammar.categories[i] for i in trained_grammar.lexical]:
            raise UsageError(f"{path} has other categories of words than the treebank of {folder}")
        options = replace(trained.model.options, heads=headed)
        model = replace(trained.model, options=options, grammar=grammar)
        parsers[name] = CcgParser(model, trained.parameters)
    figures: dict[str, Any] = {}
    counts: dict[str, npt.NDArray[np.int64]] = {}
    times: dict[str, list[float]] = {name: [] for name in parsers}
    for _ in range(max(1, runs)):
        for name, parser in parsers.items():
            start = time.process_time()
            charts = [parser.chart(rows) for rows in supertags]
            times[name].append(time.process_time() - start)
            counts[name] = np.array([chart.counts for chart in charts])
            figures[name] = {
                "rules": len(parser.model.grammar.rules),
                "coverage": sum(chart.forest is not None for chart in charts) / len(charts),
            }
    first = next(iter(parsers))
    for name, values in figures.items():
        for place, kind in enumerate(Counts._fields):
            of_grammar, base = counts[name][:, place], counts[first][:, place]
            values[f"{kind}_nodes"] = float(of_grammar.mean())
            values[f"{kind}_ratio"] = float(of_grammar.sum() / base.sum())
            values[f"{kind}_interval"] = interval(of_grammar, base)
        values["processor_seconds"] = statistics.mean(times[name])
        values["processor_ratio"] = statistics.median(
            a / b for a, b in zip(times[name], times[first], strict=True)
        )
    return {
        "sentences": len(sentences),
        "headed": headed,
        "runs": runs,
        "grammars": figures,
    }


def interval(counts: npt.NDArray[np.int64], base: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return the 95% bootstrap interval of a ratio of sums over ``[sentences]``."""
    drawn = np.random.default_rng(0).integers(0, len(counts), (10_000, len(counts)))
    low, high = np.percentile(counts[drawn].sum(1) / base[drawn].sum(1), (2.5, 97.5))
    return float(low), float(high)


def parse(models: Sequence[tuple[str, str, str]], runs: int) -> dict[str, Any]:
    """Compare parsers, given as (name, folder, derivations), in alternating timed passes."""
    parsers: dict[str, tuple[CcgParser, list[Sentence[Derivation]]]] = {}
    for name, folder, dev in models:
        trained = load(folder, CcgModel)
        parsers[name] = CcgParser(trained.model, trained.parameters), read_derived_sentences([dev])
    figures: dict[str, Any] = {}
    compared: dict[str, Result[DerivationStatistics]] = {}
    for name, (parser, sentences) in parsers.items():
        supertags = parser.supertags(sentences)
        parses = parser.parse(sentences, supertags)
        n = len(sentences)
        trees = [p.derivation for p in parses]
        compared[name] = compare_derivations(name, name, sentences, trees)
        figures[name] = {
            **compared[name].figures.as_dict(),
            "rules": len(parser.model.grammar.rules),
            **{
                f"{kind}_nodes": sum(getattr(p.counts, kind) for p in parses) / n
                for kind in Counts._fields
            },
        }
    busy: dict[str, list[float]] = {name: [] for name in parsers}
    for _ in range(runs):
        for name, (parser, sentences) in parsers.items():
            began = time.process_time()
            parser.parse(sentences)
            busy[name].append(time.process_time() - began)
    first = next(iter(parsers))
    for name in figures.keys() - {first}:
        rows = compare(compared[name], compared[first]).differences
        figures[name]["p"] = {row.measure: row.p for row in rows}
    for name in figures if runs else ():
        n = len(parsers[name][1])
        figures[name] |= {
            "sentences_per_processor_second": n / statistics.mean(busy[name]),
            "processor_ratio": statistics.median(
                a / b for a, b in zip(busy[name], busy[first], strict=True)
            ),
        }
    return {"runs": runs, "parsers": figures}


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    counting = commands.add_parser("rules", help="figure 9")
    counting.add_argument("files", nargs="+", help="phrases (.mrg) or derivations (.auto)")
    charts = commands.add_parser("nodes", help="charts of figure 10, by grammar")
    charts.add_argument("folder", help="folder of a parser of the kind ccg-parser")
    charts.add_argument("dev", help="derivations")
    charts.add_argument(
        "--grammar", nargs=3, action="append", required=True, metavar=("NAME", "TRAIN", "LEFT")
    )
    charts.add_argument("--runs", type=int, default=5)
    charts.add_argument("--headed", action="store_true", help="items of charts have heads")
    comparing = commands.add_parser("parse", help="figure 10")
    comparing.add_argument(
        "--model", nargs=3, action="append", required=True, metavar=("NAME", "FOLDER", "DEV")
    )
    comparing.add_argument("--runs", type=int, default=25)
    for each in (counting, charts, comparing):
        each.add_argument("--output", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    if options.command == "rules":
        figures = rules(options.files)
    elif options.command == "nodes":
        grammars = [tuple(grammar) for grammar in options.grammar]
        figures = nodes(
            options.folder,
            options.dev,
            grammars,
            options.runs,
            headed=options.headed,
        )
    else:
        models = [tuple(model) for model in options.model]
        figures = parse(models, options.runs)
    report(options.command, figures, options.output)


if __name__ == "__main__":
    main()
