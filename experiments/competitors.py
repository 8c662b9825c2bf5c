"""The model and its competitors in one protocol: perplexity (Table 3) and restoration (Figure 4).

    python experiments/competitors.py --name en --train TRAIN... --dev DEV... --models FOLDER
    python experiments/competitors.py --name es --split FILE --models FOLDER [--output FILE]

Systems: ``trivial``, ``crf``, ``attention``, and the model with the channel ``none``, ``l2r`` or
``r2l``, the reference. Models and results in ``--models`` are reused.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.figures import report
from models import trained
from tables import Row, compared, markdown, stored
from taggers import TaggerPunctuator, Trivial
from treebanks import add_treebanks, check_treebanks, sentences

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import Result, join_signature
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from semipunct.papers.analysis.tagger import SlotTagger
from semipunct.pipelines.pipeline import Pipeline
from semipunct.pipelines.trained import InPlace
from semipunct.training.config import load_config
from semipunct.version import __version__

CHANNELS = ("none", "l2r", "r2l")
TAGGERS = ("attention", "crf")
SYSTEMS = ("trivial", *TAGGERS, *CHANNELS)

PREDICTED = {"tokens": f">={ModelOptions().minimum_token_count}"}
"""The random variable that all systems are scored on, as ``semipunct evaluate`` describes it."""


def fit(
    system: str, seed: int, training: Sequence[Sentence], dev: Sequence[Sentence],
    arguments: argparse.Namespace,
) -> Any:  # fmt: skip
    """Train one system."""
    if system == "trivial":
        return Trivial.fit(training)
    path = arguments.models / f"{arguments.name}-{system}-{seed}"
    if system in TAGGERS:
        visits = arguments.epochs * len(training)
        settings = [f"preset={system}", f"train.visits={visits}"]
        config = load_config(None, settings, {"train.seed": seed}, "slot-tagger")
        tagger = trained(config, training, dev, path, SlotTagger)
        return TaggerPunctuator(tagger.model, tagger.parameters)
    settings = [f"model.channel={system}", *arguments.set]
    config = load_config(None, settings, {"train.seed": seed})
    loaded = trained(config, training, dev, path, PunctuationModel)
    return Restorer(loaded.model, loaded.parameters)


class Restorer(InPlace[PunctuationModel]):
    """A punctuation model as a system like the others."""

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> Any:
        return corpus_log_likelihood(self.model, self.parameters, sentences)

    def restore(self, sentences: Sequence[Sentence]) -> list[Any]:
        """Return the punctuation of least expected edit distance."""
        return [restored.slots for restored in Pipeline(self).restore(sentences)]


def measured(
    task: str, system: str, seed: int, data: tuple[Sequence[Sentence], Sequence[Sentence]],
    arguments: argparse.Namespace,
) -> Result:  # fmt: skip
    """Score or restore the development sentences with a system, as ``task`` names."""
    training, dev = data
    fitted = fit(system, seed, training, dev, arguments)
    of = {"system": system, "seed": str(seed), "treebank": treebank_digest(dev)[:12]}
    of["version"] = __version__
    if task == "perplexity":
        slots = np.array([len(s.slots) for s in dev])
        scores = PerplexityStatistics(fitted.log_likelihoods(dev), slots)
        return Result(system, join_signature({"task": task, **PREDICTED, **of}), scores)
    figures = restoration_statistics([s.slots for s in dev], fitted.restore(dev))
    return Result(system, join_signature({"task": task, **of}), figures)


def main() -> None:
    """Train, score and restore with every system and seed, and print the tables."""
    arguments = parse()
    enable_compilation_cache()
    data = sentences(arguments)
    tables: dict[str, list[Row]] = {}
    for task, title in (("perplexity", "perplexity"), ("restoration", "edits per slot")):
        results: dict[str, dict[int, Result]] = {}
        for system in arguments.systems:
            for seed in arguments.seeds if system != "trivial" else [0]:
                path = arguments.models / f"{arguments.name}-{system}-{seed}.{task}.json.gz"
                result = stored(path, partial(measured, task, system, seed, data, arguments))
                results.setdefault(system, {})[seed] = result
                print(f"{path.name}: {result.statistics.score:.4f}", flush=True)
        tables[title] = compared(results, arguments.ours)
        print(f"\n{title}\n\n{markdown(tables[title])}\n")
    report(arguments.name, tables, arguments.output)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_treebanks(parser)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=20, help="epochs of the recurrent systems")
    parser.add_argument("--set", nargs="*", default=[], help="settings of the punctuation model")
    parser.add_argument("--ours", default="r2l", choices=SYSTEMS, help="reference system for p")
    parser.add_argument("--models", type=Path, required=True, help="a folder")
    parser.add_argument("--output", type=Path, help="file of the table")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
