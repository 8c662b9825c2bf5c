"""Correction of punctuation from treebanks to tables: section 6.2, on text and on trees.

    python experiments/correction.py --name en --train TRAIN... --dev DEV... --models FOLDER \
        --output FOLDER [--jfleg FOLDER] [--trees parsed gold] [--systems ...] [--seeds ...]

Learner errors are sampled in a correct treebank (``corpus.learners``). With ``--trees
parsed``, the default, a parser is trained on the treebank, and one on the treebank without each of
its folds. All models are trained both on the treebank with its own trees and tags, and on the same
sentences with the trees and tags of parsers not trained on them. The development sentences, and
with ``--jfleg`` those of learners, have the trees and tags of the first parser. Parsers read words
alone, so that written and correct sentences have the same trees. With ``--trees gold`` all trees
are those of the treebank.

Systems:

- ``nothing`` keeps what was written.
- ``restoration`` ignores what was written (preset ``parsed``; on gold trees the default preset).
- ``repair`` is the same model with a bias towards what was written (``restore --keep repair``).
- ``bilstm-restoration`` and ``bilstm-correction`` are recurrent taggers; the second one reads what
  was written.
- ``paper`` is the preset ``paper-correction``, with a model of written text that provides the best
  T'_e, and a model of correct text that its channel is regularised towards.
- ``paper-sampled`` is the same with ``--analyses`` sampled trees T'_e.
- ``paper-restoration`` is the paper's model of correct text alone: restoration as in the paper.
- ``correction-gold`` is the correction model trained on gold trees alone.
- ``correction`` is the correction model of preset ``parsed-correction`` (on gold trees the default
  preset).
- ``least-risk`` is the same with strings of minimum expected edit distance.

Missing models are trained; parsers and restoration models of ``parsed_text.py`` are reused if
``--models`` is its folder. Each row has the means over the seeds, and p of the paired permutation
test of F0.5 against ``--against``. The last column is F0.5 of all edits from bare words to the
result (docs/decisions/0029-corrections.md). ``semipunct compare`` reads the files
``NAME-TREES-DATA-SYSTEM-SEED.correction.json.gz`` in the folder; existing files are kept. For a
quick trial use ``--first`` and ``--visits``.
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
    """Train missing models, correct, and print tables for all trees and data."""
    arguments = options()
    enable_compilation_cache()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for trees in arguments.trees:
        experiment = Experiment(arguments, trees)
        # With gold trees both correction models are the same.
        names = [s for s in arguments.systems if trees != "gold" or s != "correction-gold"]
        runs_of = {name: {s: experiment.runs(s, name) for s in names} for name in experiment.names}
        for name, runs in runs_of.items():
            figures: Any = runs[names[0]][0].edits.figures
            counts = f"{figures.sentences} sentences, {figures.judged} slots that are judged"
            print(f"\n{name}, {trees} trees: {counts}\n")
            table(runs, arguments.against, arguments.errors)


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_treebanks(parser)
    add = parser.add_argument
    add("--jfleg", type=Path, help="folder of JFLEG; requires parsed trees")
    add("--trees", nargs="+", choices=("parsed", "gold"), default=["parsed"])
    add("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    add("--seeds", nargs="+", type=int, default=[0, 1, 2])
    add("--errors-seed", type=int, default=1, help="seed of the training errors")
    add("--dev-errors-seed", type=int, default=0, help="seed of the errors to correct")
    add("--epochs", type=int, default=12, help="epochs of the recurrent taggers, in treebank sizes")
    add("--visits", type=int, help="sentence visits of all models except parsers")
    add("--analyses", type=int, default=20, help="sampled trees of paper-sampled")
    add("--first", type=int, help="number of sentences for training and for correction")
    add("--against", choices=SYSTEMS, default="correction", help="reference system for p")
    add("--errors", type=int, default=8, help="number of kinds of errors to list")
    add_parsers(parser)
    add("--models", required=True, type=Path, help="a folder")
    add("--output", required=True, type=Path, help="a folder")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    if arguments.jfleg and "parsed" not in arguments.trees:
        parser.error("--jfleg has no trees of its own; add parsed to --trees")
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
