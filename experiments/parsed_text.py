r"""Restoring punctuation from words alone: the columns of Figure 4 with parsed trees.

    python experiments/parsed_text.py --name zh --train TRAIN... --dev DEV... \
        --models FOLDER [--systems ...] [--seeds ...] [--output FILE]

Systems restore the development treebank with the trees and tags of a parser. For training, trees
come from parsers that did not see the sentences (``semipunct jackknife``). Systems:

- ``gold``: the default model, trained on gold trees; ``gold-trees``: the same, tested on gold
  trees.
- ``jackknifed``: the same model, trained on parsed sentences and on the treebank.
- ``parsed``: the preset ``parsed``, which also uses the probabilities of the parser.
- ``crf``, ``attention``: the recurrent taggers, trained on jackknifed tags.

Further rows average with the parser's own prediction (``--shares``), use several trees
(``--trees``), or all parsers (``committee``). Models and results in ``--models`` are reused.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.figures import report
from competitors import Restorer
from models import trained
from parsers import ParsedTreebank, add_parsers, parsed_treebank
from tables import compared, markdown, stored
from taggers import TaggerPunctuator
from treebanks import add_treebanks, check_treebanks, sentences

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import Result, join_signature
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.papers.analysis.tagger import SlotTagger
from semipunct.pipelines.pipeline import Pipeline
from semipunct.pipelines.trained import Slots, Trained
from semipunct.store.checkpoint import SavedModel
from semipunct.training.config import load_config
from semipunct.version import __version__

OURS = {"gold": "loglinear", "jackknifed": "loglinear", "parsed": "parsed"}
"""The preset of each system that is a punctuation model."""

TAGGERS = ("crf", "attention")


def main() -> None:
    """Train and restore missing systems, and print the table."""
    arguments = options()
    enable_compilation_cache()
    training, dev = sentences(arguments)
    models = arguments.models / arguments.name
    treebank = parsed_treebank(arguments, training, dev, models)
    experiment = Experiment(arguments, models, treebank, training, dev)
    results: dict[str, dict[int, Result]] = {}
    for system in arguments.systems:
        for seed in arguments.seeds:
            for label, restore in experiment.ways(system, seed):
                result = experiment.measured(label, seed, restore)
                results.setdefault(label, {})[seed] = result
    rows = compared(dict(sorted(results.items())), arguments.ours)
    print(f"\n{markdown(rows)}\n")
    report(arguments.name, {"edits per slot": rows}, arguments.output)


@dataclass(frozen=True)
class Experiment:
    """The data and the parsers shared by all systems."""

    arguments: argparse.Namespace
    models: Path
    parsed: ParsedTreebank
    training: Sequence[Sentence]
    dev: Sequence[Sentence]

    def ways(self, system: str, seed: int) -> Iterator[tuple[str, Callable[[], list[Slots]]]]:
        """Yield labelled ways to restore with one trained system."""
        place = self.models / f"{system}-{seed}"
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
            extended = [*self.training, *self.parsed.training]
            model = trained(config, extended, self.parsed.dev, place, PunctuationModel)
        for trees in (0, *self.arguments.trees):
            for share in (0.0, *self.arguments.shares):
                label = system + (f"-{trees}-trees" if trees else "")
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
        restorations = Pipeline(model, parser=parsers).restore(self.dev, trees=trees, share=share)
        return [restoration.slots for restoration in restorations]

    def measured(self, label: str, seed: int, restore: Callable[[], list[Slots]]) -> Result:
        path = self.models / f"{label}-{seed}.restoration.json.gz"

        def measure() -> Result:
            digest = treebank_digest(self.dev)[:12]
            of = {"system": label, "seed": str(seed), "treebank": digest, "version": __version__}
            figures = restoration_statistics([s.slots for s in self.dev], restore())
            return Result(label, join_signature({"task": "restoration", **of}), figures)

        result = stored(path, measure)
        print(f"{path.name}: {result.statistics.score:.4f}", flush=True)
        return result


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
    add_parsers(parser)
    parser.add_argument(
        "--ours", default="parsed-0.3-parser", help="the label that p compares with"
    )
    parser.add_argument("--models", required=True, type=Path, help="a folder")
    parser.add_argument("--output", type=Path, help="file of the table")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
