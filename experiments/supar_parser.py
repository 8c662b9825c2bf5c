"""The biaffine parser of supar as a competitor, trained on a treebank without its punctuation.

    python experiments/supar_parser.py --name zh --train TRAIN... --dev DEV... --output FOLDER

The parser of Dozat and Manning (2017) reads the same words as the models of this project, and their
characters; it has no pre-trained embeddings, and predicts no tags. The settings are those of supar;
``--epochs`` limits its training, of which the epoch with the best development result is kept. Trees
are projective and have one root.

Writes ``NAME-supar-0.parsing.json.gz`` to the folder, for ``semipunct compare``, and
``NAME-supar-0.json`` with the training time and the speed of a warm process. ``--models`` stores
the model; an existing one is not retrained. Requires supar 1.1 (``pip install supar``), which
requires torch.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.figures import machine, report
from treebanks import add_treebanks, check_treebanks, sentences, stripped

from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.results import Result, join_signature, write_result
from semipunct.trees import DependencyTree

# supar 1.1 stores Python objects, which torch refuses to load since version 2.6.
os.environ.setdefault("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")

SETTINGS = {
    "feat": ["char"], "embed": None, "unk": "unk", "encoder": "lstm", "build": True,
    "lr": 2e-3, "mu": 0.9, "nu": 0.9, "eps": 1e-12, "weight_decay": 0, "clip": 5.0,
    "decay": 0.75, "decay_steps": 5000, "checkpoint": False, "verbose": False,
}  # fmt: skip
"""Settings of supar for a parser with characters, without embeddings."""


def main() -> None:
    """Train the model unless it exists; then parse the development words and evaluate."""
    arguments = parse()
    try:
        import supar
        import torch
    except ImportError as error:
        raise SystemExit(
            f"{error}: this driver needs supar and torch (pip install supar)"
        ) from None
    torch.set_num_threads(arguments.threads)
    training, dev = sentences(arguments)
    stem = f"{arguments.name}-supar-0"
    figures: dict[str, Any] = {"treebank": arguments.name, "threads": arguments.threads}
    with tempfile.TemporaryDirectory() as folder:
        path = (arguments.models or Path(folder)) / stem
        path.parent.mkdir(parents=True, exist_ok=True)
        limits = {"epochs": arguments.epochs, "batch_size": arguments.batch_size}
        model, times = trained(training, dev, path, limits)
        figures |= limits | times
        parsed(model, dev[:64])  # warm
        began = time.perf_counter()
        predicted = parsed(model, dev)
        seconds = time.perf_counter() - began
        figures["sentences_per_second"] = round(len(dev) / seconds, 1)
    signature = {"task": "parsing", "system": "supar", "seed": "0", "version": supar.__version__}
    digest = treebank_digest(dev)[:12]
    comparison = Result(
        stem,
        join_signature({**signature, "treebank": digest}),
        parsing_statistics(dev, predicted),
    )
    arguments.output.mkdir(parents=True, exist_ok=True)
    write_result(arguments.output / f"{stem}.parsing.json.gz", comparison)
    figures |= {name: getattr(comparison.figures, name) for name in ("las", "uas")} | machine()
    report(figures, arguments.output / f"{stem}.json")


def trained(
    training: Sequence[Sentence], dev: Sequence[Sentence], path: Path, limits: dict[str, int]
) -> tuple[Any, dict[str, int]]:
    """Return a parser of supar, its best epoch and its training time.

    Args:
        training: training sentences.
        dev: development sentences, for choosing the best epoch.
        path: path of the model; settings, best epoch and training time are stored beside it.
        limits: ``epochs``, the passes over the training sentences, and ``batch_size``, in words.

    Raises:
        SystemExit: if the existing model was trained with other settings.
    """
    from supar import BiaffineDependencyParser
    from torch import manual_seed

    beside = path.with_suffix(".json")
    if not path.exists():
        manual_seed(1)
        with tempfile.TemporaryDirectory() as folder:
            # It reports figures of a test set as well, which are not used.
            parts = {"train": training, "dev": dev, "test": dev[:1]}
            files = {name: str(Path(folder) / f"{name}.conllx") for name in parts}
            for name, part in parts.items():
                Path(files[name]).write_text(words(part), "utf-8")
            parser = BiaffineDependencyParser.build(str(path), **SETTINGS, **files)
            parser.train(**SETTINGS, **limits, **files, path=str(path), punct=True, tree=True)
        seconds = round(parser.elapsed.total_seconds())
        record = {"limits": limits, "best_epoch": parser.best_e, "training_seconds": seconds}
        beside.write_text(json.dumps(record), "utf-8")
    times = json.loads(beside.read_text("utf-8"))
    if times.pop("limits") != limits:
        raise SystemExit(f"{path}: trained with other settings; name another folder")
    return BiaffineDependencyParser.load(str(path)), times


def words(sentences: Sequence[Sentence]) -> str:
    """Return the words of sentences with their trees, without comments, in CoNLL-X."""
    return "".join(line for line in stripped(sentences).splitlines(True) if line[0] != "#")


def parsed(parser: Any, gold: Sequence[Sentence]) -> list[Sentence]:
    """Return the words of sentences with the trees of a parser, and no tags.

    Args:
        parser: of supar.
        gold: sentences; the parser reads only their words.
    """

    def untagged(sentence: Sentence) -> dict[str, tuple[str, ...]]:
        # An empty string differs from all tags of a treebank, so none of them counts as right.
        return dict.fromkeys(("upos", "xpos", "feats"), ("",) * len(sentence.forms))

    predicted = parser.predict(
        [list(sentence.forms) for sentence in gold], tree=True, proj=True, verbose=False
    )
    return [
        replace(
            sentence,
            tree=DependencyTree(tuple(prediction.arcs), tuple(prediction.rels)),
            **untagged(sentence),
        )
        for sentence, prediction in zip(gold, predicted.sentences, strict=True)
    ]


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_treebanks(parser)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=5000, help="number of words in a batch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--models", type=Path, help="a folder")
    parser.add_argument("--output", required=True, type=Path, help="a folder")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    return arguments


if __name__ == "__main__":
    main()
