"""Correction of punctuation, from treebanks to a table: section 6.2, on text and on trees.

    python experiments/correction.py --name en --train TRAIN... --dev DEV... --models FOLDER \
        --output FOLDER [--jfleg FOLDER] [--trees parsed gold] [--systems ...] [--seeds ...]

Errors of learners are drawn in a correct treebank (``corpus.synthetic.learners``). With ``--trees
parsed``, the default, a parser is trained on the treebank, and one without each part of it: all
models learn from the treebank with its own trees and tags and, beside it, with those of parsers
that have not seen the sentences. The development sentences, and with ``--jfleg`` those of learners,
have the trees and tags of the first parser. Parsers read words alone: what was written and what is
right have the same trees. With ``--trees gold`` all trees are the treebank's.

Systems: ``nothing`` leaves what was written; ``restoration`` ignores it (preset ``parsed``, on the
treebank's trees the default); ``repair`` is the same model, which takes it for likely (``restore
--keep repair``); ``bilstm-restoration`` and ``bilstm-correction`` are recurrent taggers, of which
the second reads what was written; ``paper`` is the preset ``paper-correction``, with a model of
what is written that finds the best T'_e, and one of correct text whose channel its own is close to;
``paper-sampled`` is the same with ``--analyses`` trees T'_e drawn, and ``paper-restoration`` that
model of correct text alone: restoration as the paper has it;
``correction-gold`` is the model of correction that knows the treebank's trees alone,
``correction`` the one of preset ``parsed-correction`` (on the treebank's trees the default), and
``least-risk`` the same with strings of least expected edit distance.

Models that the folder lacks are trained; parsers and models of restoration may be those that
``parsed_text.py`` has left there. Each row has the means over the seeds, and p of the paired
permutation test of F0.5 between it and ``--against``. The last column is F0.5 of all that leads
from bare words to the result (docs/decisions/0029-corrections.md).
``NAME-TREES-DATA-SYSTEM-SEED.correction.json.gz`` in the folder is what ``semipunct compare``
reads; what is there is not made again. For a first try give ``--first`` and ``--visits``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from correcting.experiment import SYSTEMS, Experiment
from correcting.tables import table
from parsers import add_parsers
from treebanks import add_treebanks, check_treebanks

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory


def main() -> None:
    """Train and correct what the folders lack, and print tables for all trees and data."""
    arguments = options()
    enable_compilation_cache()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for trees in arguments.trees:
        experiment = Experiment(arguments, trees)
        # With the treebank's trees both models of correction are the same one.
        names = [s for s in arguments.systems if trees != "gold" or s != "correction-gold"]
        found = {name: {s: experiment.runs(s, name) for s in names} for name in experiment.names}
        for name, runs in found.items():
            figures: Any = runs[names[0]][0].edits.figures
            counts = f"{figures.sentences} sentences, {figures.judged} slots that are judged"
            print(f"\n{name}, {trees} trees: {counts}\n")
            table(runs, arguments.against, arguments.errors)


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_treebanks(parser)
    add = parser.add_argument
    add("--jfleg", type=Path, help="the folder of JFLEG, which parsed trees are needed for")
    add("--trees", nargs="+", choices=("parsed", "gold"), default=["parsed"])
    add("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    add("--seeds", nargs="+", type=int, default=[0, 1, 2])
    add("--errors-seed", type=int, default=1, help="of the errors to learn from")
    add("--dev-errors-seed", type=int, default=0, help="of the errors to correct")
    add("--epochs", type=int, default=12, help="of the recurrent taggers, of the treebank's size")
    add("--visits", type=int, help="of all models but the parsers")
    add("--analyses", type=int, default=20, help="trees that are drawn for paper-sampled")
    add("--first", type=int, help="how many sentences to learn from, and to correct")
    add("--against", choices=SYSTEMS, default="correction", help="what p compares with")
    add("--errors", type=int, default=8, help="how many kinds of errors to list")
    add_parsers(parser)
    add("--models", required=True, type=Path, help="a folder")
    add("--output", required=True, type=Path, help="a folder")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    if arguments.jfleg and "parsed" not in arguments.trees:
        parser.error("--jfleg has no trees of its own; add parsed to --trees")
    return arguments


if __name__ == "__main__":
    hold_memory()  # as semipunct train does
    main()
