"""The model and its competitors in one protocol: perplexity (Table 3) and restoration (Figure 4).

    python experiments/competitors.py --name en --train TRAIN... --dev DEV... --output FOLDER
    python experiments/competitors.py --name es --split FILE --output FOLDER

Every system and seed stores two files in the folder, ``NAME-SYSTEM-SEED.perplexity.json.gz`` and
``.restoration.json.gz``, which are read by ``semipunct compare`` and ``systems.py``; existing files
are kept. Systems: ``trivial``, ``crf``, ``attention``, the model with the channel ``none``, ``l2r``
or ``r2l``, and its preset ``neural``. ``--models`` stores the models in folders NAME-SYSTEM-SEED;
existing models are not retrained.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from models import trained
from treebanks import add_treebanks, check_treebanks, sentences

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.corpus.digest import treebank_digest
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import Result, write_result
from semipunct.evaluation.signature import join_signature
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions
from semipunct.papers.analysis.tagger import SlotTagger, TaggerPunctuator, Trivial
from semipunct.tasks.base import Punctuator
from semipunct.tasks.restore import Restorer
from semipunct.training.config import load_config
from semipunct.version import __version__

OURS = {
    "none": ["model.channel=none"],
    "l2r": ["model.channel=l2r"],
    "r2l": ["model.channel=r2l"],
    "neural": ["preset=neural"],
}
TAGGERS = ("attention", "crf")
SYSTEMS = ("trivial", *TAGGERS, *OURS)

PREDICTED = {"tokens": f">={ModelOptions().minimum_token_count}"}
"""The random variable that all systems are scored on, as ``semipunct evaluate`` describes it."""


def fit(
    system: str, seed: int, training: Sequence[Sentence], dev: Sequence[Sentence],
    arguments: argparse.Namespace,
) -> Punctuator:  # fmt: skip
    """Train one system.

    Args:
        system: name of the system.
        seed: seed of the training.
        training: training sentences.
        dev: development sentences, for choosing the best weights.
        arguments: the command line.
    """
    if system == "trivial":
        return Trivial.fit(training)
    with tempfile.TemporaryDirectory() as folder:
        path = (arguments.models or Path(folder)) / f"{arguments.name}-{system}-{seed}"
        if system in TAGGERS:
            visits = arguments.epochs * len(training)
            settings = [f"preset={system}", f"train.visits={visits}"]
            config = load_config(None, settings, {"train.seed": seed}, "slot-tagger")
            tagger = trained(config, training, dev, path, SlotTagger)
            return TaggerPunctuator(tagger.model, tagger.parameters)
        config = load_config(None, [*OURS[system], *arguments.set], {"train.seed": seed})
        loaded = trained(config, training, dev, path, PunctuationModel)
        return Restorer(loaded.model, loaded.parameters)


def main() -> None:
    """Train, score and restore with every system and seed missing from the folder."""
    arguments = parse()
    enable_compilation_cache()
    training, dev = sentences(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    digest = treebank_digest(dev)[:12]
    for system in arguments.systems:
        for seed in arguments.seeds if system != "trivial" else [0]:
            stem = f"{arguments.name}-{system}-{seed}"
            target = arguments.output / f"{stem}.restoration.json.gz"
            if target.exists():
                continue
            began = time.perf_counter()
            fitted = fit(system, seed, training, dev, arguments)
            fitting = time.perf_counter() - began
            of = {"system": system, "seed": str(seed), "treebank": digest, "version": __version__}
            scores = PerplexityStatistics(
                fitted.log_likelihoods(dev), np.array([len(s.slots) for s in dev])
            )
            write_result(
                arguments.output / f"{stem}.perplexity.json.gz",
                Result(stem, join_signature({"task": "perplexity", **PREDICTED, **of}), scores),
            )
            restored = restoration_statistics([s.slots for s in dev], fitted.restore(dev))
            signature = join_signature({"task": "restoration", **of})
            write_result(target, Result(stem, signature, restored))
            print(
                f"{stem}: perplexity {scores.figures().perplexity:.4f}, edit distance per slot "
                f"{restored.figures().average_edit_distance:.4f}, fitted in {fitting:.0f} s",
                flush=True,
            )


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_treebanks(parser)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=20, help="epochs of the recurrent systems")
    parser.add_argument("--set", nargs="*", default=[], help="settings of the punctuation model")
    parser.add_argument("--models", type=Path, help="a folder")
    parser.add_argument("--output", required=True, type=Path, help="a folder")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
