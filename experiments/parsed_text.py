"""Restoring punctuation from words alone: the columns of Figure 4 with parsed trees.

    python experiments/parsed_text.py --name zh --train TRAIN... --dev DEV... \
        --models FOLDER --output FOLDER [--systems ...] [--seeds ...]

One parser is trained on the treebank, and one on the treebank without each of its folds
(``semipunct jackknife``). Every system and seed is then trained on the output of these parsers on
sentences that they were not trained on, and restores the development treebank
from its words, with the trees and tags of the first parser. Systems:

- ``gold``: the default model, trained on the treebank's own trees; ``gold-trees`` is its result
  with the trees of the development treebank.
- ``jackknifed``: the same model, trained on parsed sentences and on the treebank.
- ``parsed``: the preset ``parsed``, which also uses the probabilities of the parser.
- ``drawn``: the same, trained on ``--draws`` trees and tags of each sentence that are sampled from
  the parser, instead of the best ones.
- ``crf``, ``attention``: the recurrent taggers with tags of the parser, trained on jackknifed ones.

For the models, rows show the gain from a mean with the parser's own prediction (``--shares``), from
several trees (``--trees``), and from all parsers together (``committee``: that of the whole
treebank, and those of the folds). ``semipunct compare`` reads the files
``NAME-SYSTEM-SEED[...].restoration.json.gz`` in the folder; existing files are kept.
"""

import argparse
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from models import trained
from parsers import ParsedTreebank, add_parsers, parsed_treebank
from treebanks import add_treebanks, check_treebanks, sentences

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.corpus.digest import treebank_digest
from semipunct.evaluation.aggregation import aggregate
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import Result, read_result, write_result
from semipunct.evaluation.signature import join_signature
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.papers.analysis.tagger import SlotTagger, TaggerPunctuator
from semipunct.store.checkpoint import SavedModel
from semipunct.tasks.base import Slots, Trained
from semipunct.tasks.restore import Restorer
from semipunct.tasks.restore_words import restore_words
from semipunct.training.config import load_config
from semipunct.version import __version__

OURS = {"gold": "loglinear", "jackknifed": "loglinear", "parsed": "parsed", "drawn": "parsed"}
"""The preset of each system that is a punctuation model."""

TAGGERS = ("crf", "attention")


def main() -> None:
    """Train and restore what is missing in the folder, and print the table."""
    arguments = options()
    enable_compilation_cache()
    training, dev = sentences(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    models = arguments.models / arguments.name
    treebank = parsed_treebank(arguments, training, dev, models)
    experiment = Experiment(arguments, models, treebank, training, dev)
    rows: dict[str, list[Result]] = {}
    for system in arguments.systems:
        for seed in arguments.seeds:
            for label, restore in experiment.ways(system, seed):
                rows.setdefault(label, []).append(experiment.measured(label, seed, restore))
    table(rows, arguments.ours)


@dataclass(frozen=True)
class Experiment:
    """The data and the parsers shared by all systems.

    Attributes:
        arguments: the command line.
        models: folder of all models.
        parsed: the parsers, and the parsed treebank.
        training: sentences of the treebank.
        dev: the development sentences.
    """

    arguments: argparse.Namespace
    models: Path
    parsed: ParsedTreebank
    training: Sequence[Sentence]
    dev: Sequence[Sentence]

    @cached_property
    def drawn(self) -> list[Sentence]:
        """The training sentences with sampled trees."""
        return self.parsed.drawn(self.arguments.draws)

    def ways(self, system: str, seed: int) -> Iterator[tuple[str, Callable[[], list[Slots]]]]:
        """Yield ways to restore with one trained system, each with its label.

        Args:
            system: name of the system.
            seed: seed of its training.
        """
        name = f"drawn-{self.arguments.draws}" if system == "drawn" else system
        place = self.models / f"{name}-{seed}"
        options = {"train.seed": seed}
        if system in TAGGERS:
            visits = self.arguments.epochs * len(self.parsed.training)
            settings = [f"preset={system}", f"train.visits={visits}"]
            config = load_config(None, settings, options, "slot-tagger")
            tagger = trained(config, self.parsed.training, self.parsed.dev, place, SlotTagger)
            yield (
                system,
                partial(TaggerPunctuator(tagger.model, tagger.parameters).restore, self.parsed.dev),
            )
            return
        config = load_config(None, [f"preset={OURS[system]}"], options)
        if system == "gold":
            model = trained(config, self.training, self.dev, place, PunctuationModel)
            yield "gold-trees", partial(Restorer(model.model, model.parameters).restore, self.dev)
        else:
            seen = self.drawn if system == "drawn" else self.parsed.training
            extended = [*self.training, *seen]
            model = trained(config, extended, self.parsed.dev, place, PunctuationModel)
        for trees in (0, *self.arguments.trees):
            for share in (0.0, *self.arguments.shares):
                label = name + (f"-{trees}-trees" if trees else "")
                label += f"-{share:g}-parser" if share else ""
                yield label, partial(self._restored, model, self.parsed.committee[:1], trees, share)
                if not trees:
                    restore = partial(self._restored, model, self.parsed.committee, trees, share)
                    yield f"{label}-committee", restore

    def _restored(
        self,
        model: SavedModel[PunctuationModel],
        parsers: Sequence[Trained[Any]],
        trees: int,
        share: float,
    ) -> list[Slots]:
        restorations = restore_words(model, parsers, self.dev, trees=trees, share=share)
        return [restoration.slots for restoration in restorations]

    def measured(self, label: str, seed: int, restore: Callable[[], list[Slots]]) -> Result:
        """Return the stored result of a system, restoring first if there is none.

        Args:
            label: label of the system.
            seed: seed of its training.
            restore: restores the development sentences.
        """
        stem = f"{self.arguments.name}-{label}-{seed}"
        path = self.arguments.output / f"{stem}.restoration.json.gz"
        if not path.exists():
            digest = treebank_digest(self.dev)[:12]
            of = {"system": label, "seed": str(seed), "treebank": digest, "version": __version__}
            figures = restoration_statistics([s.slots for s in self.dev], restore())
            write_result(path, Result(stem, join_signature({"task": "restoration", **of}), figures))
        comparison = read_result(path)
        print(f"{stem}: {comparison.statistics.score:.4f}", flush=True)
        return comparison


def table(rows: Mapping[str, Sequence[Result]], reference: str) -> None:
    """Print the mean of each system, and p of its difference from the model.

    Args:
        rows: results of the seeds by label.
        reference: label of the model that the others are compared with.
    """
    print("\n| system | seeds | edits per slot | p |\n| --- | --- | --- | --- |")
    for label, runs in sorted(rows.items()):
        mean = statistics.mean(run.statistics.score for run in runs)
        chance = ""
        if reference in rows and label != reference:
            p = compare(aggregate(list(runs)), aggregate(list(rows[reference]))).differences[0].p
            chance = "< 0.001" if p < 0.001 else f"{p:.3f}"
        print(f"| {label} | {len(runs)} | {mean:.4f} | {chance} |")


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_treebanks(parser)
    systems = [*OURS, *TAGGERS]
    parser.add_argument("--systems", nargs="+", choices=systems, default=systems)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--trees", nargs="*", type=int, default=[8], help="numbers of drawn trees")
    parser.add_argument(
        "--shares", nargs="*", type=float, default=[0.3], help="weights of the parser"
    )
    parser.add_argument("--epochs", type=int, default=12, help="epochs of the recurrent systems")
    parser.add_argument("--draws", type=int, default=2, help="trees of each sentence, for drawn")
    add_parsers(parser)
    parser.add_argument(
        "--ours", default="parsed-0.3-parser", help="the label that p compares with"
    )
    parser.add_argument("--models", required=True, type=Path, help="a folder")
    parser.add_argument("--output", required=True, type=Path, help="a folder")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
