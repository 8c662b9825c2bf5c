r"""Correction of punctuation from treebanks to tables: section 6.2, on text.

    python experiments/correction.py --name en --train TRAIN... --dev DEV... --models FOLDER \
        [--jfleg FOLDER] [--systems ...] [--seeds ...] [--output FILE]
    python experiments/correction.py --name en --train TRAIN... --dev DEV... --models FOLDER \
        --jfleg FOLDER --text MODEL --systems nothing harper languagetool text --seeds 0

Learner errors are sampled in a correct treebank (``corpus.synthetic.learners``). Trees and tags
come from parsers that read words alone and were not trained on the sentences. Systems:

- ``nothing`` keeps the written marks.
- ``restoration`` ignores them (preset ``parsed``); ``repair`` prefers them (``--keep repair``).
- ``bilstm-restoration``, ``bilstm-correction``: recurrent taggers; the latter reads written marks.
- ``paper``: preset ``paper-correction``, with T'_e from a model of written text and a channel
  regularised towards a model of correct text, which alone is ``paper-restoration``.
- ``correction``: preset ``parsed-correction``; ``correction-gold`` is trained on gold trees;
  ``least-risk`` minimises the expected edit distance.
- ``text``: the text model ``--text``, on words with clitics, without trees.
- ``languagetool``, ``harper``: rules (extra ``checkers``).

Models and results in ``--models`` are reused. Rows have means over the seeds and p of the paired
permutation test of F0.5 against ``--against`` (docs/decisions/correction.md). ``--first`` and
``--visits`` make a quick trial.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks.figures import report
from correcting.experiment import SYSTEMS, Experiment
from parsers import add_parsers
from tables import Row, chance, compared, markdown
from treebanks import add_treebanks, check_treebanks

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.evaluation.results import Result

EACH = {"edits per slot": "average_edit_distance", "harm": "harm", "edits": "proposed"}
"""Figures of single seeds, with their names in ``CorrectionFigures``."""


def main() -> None:
    """Train missing models, correct, and print tables for all data."""
    arguments = options()
    enable_compilation_cache()
    experiment = Experiment(arguments)
    for name in experiment.names:
        runs = {
            system: {seed: experiment.run(system, name, seed) for seed in arguments.seeds}
            for system in arguments.systems
        }
        edits = {system: {s: r.edits for s, r in of.items()} for system, of in runs.items()}
        rows = compared(edits, arguments.against, shown)
        for row in rows:
            each = [edits[row["system"]][seed].figures for seed in row["seeds"]]
            row["edits"] /= len(each)
            row["of each seed"] = {k: [getattr(f, n) for f in each] for k, n in EACH.items()}
            bare = {seed: run.bare for seed, run in runs[row["system"]].items()}
            row["from bare words"] = sum(r.statistics.score for r in bare.values()) / len(bare)
            if row["system"] != "paper" and "paper" in runs:
                row["p from bare words"] = chance(
                    bare, {seed: run.bare for seed, run in runs["paper"].items()}
                )
        print(f"\n{name}\n\n{markdown(rows)}\n")
        report(name, {"F0.5": rows}, arguments.output)


def shown(result: Result[Any]) -> Row:
    """Return the figures of a system over all seeds."""
    figures = result.figures
    return {
        "precision": None if figures.proposed == 0 else figures.precision,
        "recall": figures.recall,
        "edits per slot": figures.average_edit_distance,
        "harm": figures.harm,
        "edits": figures.proposed,
        "sentences": figures.sentences,
        "slots": figures.judged,
    }


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_treebanks(parser)
    add = parser.add_argument
    add("--jfleg", type=Path, help="folder of JFLEG")
    add("--text", type=Path, help="a text model")
    add("--confidence", type=float, help="minimum probability of its corrections")
    add("--systems", nargs="+", choices=SYSTEMS, default=[s for s in SYSTEMS if s != "text"])
    add("--seeds", nargs="+", type=int, default=[0, 1, 2])
    add("--errors-seed", type=int, default=1, help="seed of the training errors")
    add("--dev-errors-seed", type=int, default=0, help="seed of the errors to correct")
    add("--epochs", type=int, default=12, help="epochs of the recurrent taggers, in treebank sizes")
    add("--visits", type=int, help="sentence visits of all models except parsers")
    add("--first", type=int, help="number of sentences for training and for correction")
    add("--against", choices=SYSTEMS, default="correction", help="reference system for p")
    add_parsers(parser)
    add("--models", required=True, type=Path, help="a folder")
    add("--output", type=Path, help="file of the tables")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    if "text" in arguments.systems and not arguments.text:
        parser.error("the system text needs a model: give --text")
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
