r"""Parsers from words alone beside ours: UDPipe 1 and supar, trained on the same treebank.

    python experiments/parser_peers.py --name zh --train TRAIN... --dev DEV... --models FOLDER \
        [--systems ...] [--seeds ...] [--output FILE]

Systems read words without punctuation or pre-trained embeddings:

- ``parser``: our default parser; ``restoring``: the same with ``train.punctuation=1``.
- ``udpipe``: UDPipe 1 with its authors' settings for UD 2.0 and its own tags (extra ``peers``).
- ``supar``: the biaffine parser of Dozat and Manning (2017), without tags, for projective trees
  with one root (supar 1.1, which requires torch).

``p`` is of LAS and of UAS against ``parser``, over the seeds of both. Models and results in
``--models`` are reused. Speed is of a warm process; UDPipe and supar use one core.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.figures import machine, report, use_device
from models import trained
from tables import chance, compared, markdown
from treebanks import add_treebanks, check_treebanks, sentences, stripped

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.sentences import MISSING
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.results import Result, join_signature, write_result
from semipunct.files import write_bytes
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.parses import parse
from semipunct.pipelines.trained import InPlace
from semipunct.training.config import load_config
from semipunct.trees import DependencyTree

Settings = dict[str, float | str]

TAGGER: Settings = {
    "models": 2,
    "templates_1": "tagger", "guesser_prefixes_max_1": 0, "prune_features_1": 0,
    "use_lemma_1": 1, "use_xpostag_1": 1, "use_feats_1": 1,
    "provide_lemma_1": 0, "provide_xpostag_1": 1, "provide_feats_1": 1,
    "templates_2": "lemmatizer", "guesser_prefixes_max_2": 4, "prune_features_2": 0,
    "use_lemma_2": 1,
    "provide_lemma_2": 1, "provide_xpostag_2": 0, "provide_feats_2": 0,
}  # fmt: skip
"""Settings of the tagger and the lemmatiser shared by all languages."""

PARSER: Settings = {
    "iterations": 30, "hidden_layer": 200, "batch_size": 10,
    "embedding_upostag": 20, "embedding_feats": 20, "embedding_xpostag": 0, "embedding_form": 50,
    "embedding_lemma": 0, "embedding_deprel": 20, "learning_rate_final": 0.001,
    "transition_system": "projective", "transition_oracle": "dynamic", "structured_interval": 8,
}  # fmt: skip
"""Settings of the parser shared by all languages."""

OF_LANGUAGE: dict[str, tuple[Settings, Settings]] = {
    "en": (
        {"guesser_suffix_rules_1": 12, "guesser_enrich_dictionary_1": 6,
         "guesser_suffix_rules_2": 6, "guesser_enrich_dictionary_2": 6,
         "use_xpostag_2": 0, "use_feats_2": 0},
        {"learning_rate": 0.01, "l2": 0.5},
    ),
    "zh": (
        {"guesser_suffix_rules_1": 12, "guesser_enrich_dictionary_1": 5,
         "guesser_suffix_rules_2": 8, "guesser_enrich_dictionary_2": 5,
         "use_xpostag_2": 1, "use_feats_2": 1},
        {"learning_rate": 0.02, "l2": 0.3},
    ),
}  # fmt: skip
"""Settings of the tagger and of the parser chosen by the authors for each language."""


# supar 1.1 stores Python objects, which torch refuses to load since version 2.6.
os.environ.setdefault("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")

SUPAR = {
    "feat": ["char"], "embed": None, "unk": "unk", "encoder": "lstm", "build": True,
    "lr": 2e-3, "mu": 0.9, "nu": 0.9, "eps": 1e-12, "weight_decay": 0, "clip": 5.0,
    "decay": 0.75, "decay_steps": 5000, "checkpoint": False, "verbose": False,
}  # fmt: skip
"""Settings of supar for a parser with characters, without embeddings."""


OURS = {"parser": (), "restoring": ("train.punctuation=1",)}
PEERS = ("udpipe", "supar")


def system(
    name: str, seed: int, data: tuple[Sequence[Sentence], Sequence[Sentence]],
    arguments: argparse.Namespace,
) -> tuple[Callable[[Sequence[Sentence]], list[Sentence]], dict[str, Any]]:  # fmt: skip
    """Return a parser as a function, and the costs of its training."""
    path = arguments.models / f"{arguments.name}-{name}-{seed}"
    path.parent.mkdir(parents=True, exist_ok=True)
    if name == "udpipe":
        model, times = udpipe_model(arguments, *data, path.with_suffix(".udpipe"))
        return partial(parsed_by_udpipe, model), times
    if name == "supar":
        model, times = supar_model(arguments, *data, path)
        return partial(parsed_by_supar, model), times
    settings = [*arguments.set, *OURS[name]]
    config = load_config(None, settings, {"train.seed": seed}, "parser")
    fitted = InPlace.of(trained(config, *data, path, Parser))
    return lambda some: [one.sentence for one in parse(fitted, some)], {}


def main() -> None:
    """Train missing models, parse the development words with each, and print the table."""
    arguments = options()
    use_device(arguments.device)
    enable_compilation_cache()
    data = sentences(arguments)
    dev = data[1]
    digest = treebank_digest(dev)[:12]
    results: dict[str, dict[int, Result[Any]]] = {}
    speed: dict[str, Any] = {}
    for name in arguments.systems:
        for seed in [0] if name in PEERS else arguments.seeds:
            parser, times = system(name, seed, data, arguments)
            predicted = parser(dev)
            of = {"task": "parsing", "system": name, "seed": str(seed), "treebank": digest}
            result = Result(name, join_signature(of), parsing_statistics(dev, predicted))
            path = arguments.models / f"{arguments.name}-{name}-{seed}.parsing.json.gz"
            write_result(path, result)
            results.setdefault(name, {})[seed] = result
            speed[name] = {"sentences_per_second": per_second(parser, dev, arguments.passes)}
            speed[name] |= times
    rows = compared(results, "parser", lambda r: {k: getattr(r.figures, k) for k in SHOWN})
    for row in rows:
        if "p" in row:
            row["p of uas"] = chance(results[row["system"]], results["parser"], "uas")
    print(markdown(rows))
    report(arguments.name, {"rows": rows, "speed": speed, **machine()}, arguments.output)


SHOWN = ("las", "uas", "upos")
"""The figures of the table."""


def per_second(
    parser: Callable[[Sequence[Sentence]], Any], dev: Sequence[Sentence], passes: int
) -> float:
    """Return the sentences parsed per second, the median of several warm passes."""
    seconds: list[float] = []
    for _ in range(passes):
        began = time.perf_counter()
        parser(dev)
        seconds.append(time.perf_counter() - began)
    return round(len(dev) / statistics.median(seconds), 1)


def udpipe_model(
    arguments: argparse.Namespace, training: Sequence[Sentence], dev: Sequence[Sentence], path: Path
) -> tuple[Any, dict[str, Any]]:
    """Return a UDPipe model and its training times; trained first unless it exists."""
    from ufal import udpipe

    of_tagger, of_parser = OF_LANGUAGE[arguments.name if arguments.name in OF_LANGUAGE else "en"]
    tagger, parser = (
        ";".join(f"{k}={v}" for k, v in {**shared, **own, **dict(given)}.items())
        for shared, own, given in (
            (TAGGER, of_tagger, arguments.tagger_set), (PARSER, of_parser, arguments.udpipe_set),
        )
    )  # fmt: skip
    alone = path.with_name(f"{path.stem}.tagger.udpipe")
    stages = (
        ("tagger", alone, (tagger, udpipe.Trainer.NONE), [tagger]),
        ("parser", path, (f"from_model=file:{alone}", parser), [tagger, parser]),
    )
    texts = [read_by_udpipe(stripped(sentences)) for sentences in (training, dev)]
    times: dict[str, Any] = {}
    for name, target, lines, settings in stages:
        beside = target.with_suffix(".json")
        if not target.exists():
            began = time.perf_counter()
            error, none = udpipe.ProcessingError(), udpipe.Trainer.NONE
            content = udpipe.Trainer.train("morphodita_parsito", *texts, none, *lines, error)
            if error.occurred():
                raise SystemExit(f"UDPipe could not be trained: {error.message}")
            seconds = round(time.perf_counter() - began)
            record = {"settings": settings, f"{name}_seconds": seconds}
            beside.write_text(json.dumps(record), "utf-8")
            write_bytes(target, content)
        record = json.loads(beside.read_text("utf-8"))
        if record.pop("settings", None) != settings:
            raise SystemExit(f"{target}: trained with other settings; name another folder")
        times |= record
    return udpipe.Model.load(str(path)), times


def read_by_udpipe(text: str) -> Any:
    """Read CoNLL-U with UDPipe."""
    from ufal import udpipe

    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(text)
    sentences, sentence = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(f"UDPipe could not read the treebank: {error.message}")
    return sentences


def parsed_by_udpipe(model: Any, gold: Sequence[Sentence]) -> list[Sentence]:
    """Replace tags and trees of sentences by a UDPipe model's."""
    from ufal import udpipe

    sentences: list[Sentence] = []
    for sentence in gold:
        answer = udpipe.Sentence()  # owns its words, which are freed together with it
        for form in sentence.forms:
            answer.addWord(form)
        error = udpipe.ProcessingError()
        if not all(step(answer, model.DEFAULT, error) for step in (model.tag, model.parse)):
            raise SystemExit(f"UDPipe could not parse a sentence: {error.message}")
        words = list(answer.words)[1:]
        tree = DependencyTree(tuple(w.head for w in words), tuple(w.deprel for w in words))
        columns = {
            "upos": tuple(w.upostag or MISSING for w in words),
            "xpos": tuple(w.xpostag or MISSING for w in words),
            "feats": tuple(w.feats or MISSING for w in words),
            "lemmas": tuple(w.lemma or MISSING for w in words),
        }
        sentences.append(replace(sentence, tree=tree, **columns))
    return sentences


def supar_model(
    arguments: argparse.Namespace, training: Sequence[Sentence], dev: Sequence[Sentence], path: Path
) -> tuple[Any, dict[str, int]]:
    """Return a supar parser, trained first unless it exists, its best epoch and training time."""
    from supar import BiaffineDependencyParser
    from torch import manual_seed, set_num_threads

    set_num_threads(1)
    limits = {"epochs": arguments.epochs, "batch_size": arguments.batch_size}
    beside = path.with_suffix(".json")
    if not path.exists():
        manual_seed(1)
        with tempfile.TemporaryDirectory() as folder:
            # supar also reports figures of a test set, which are not used.
            parts = {"train": training, "dev": dev, "test": dev[:1]}
            files = {name: str(Path(folder) / f"{name}.conllx") for name in parts}
            for name, part in parts.items():
                lines = stripped(part).splitlines(keepends=True)
                content = "".join(line for line in lines if line[0] != "#")
                Path(files[name]).write_text(content, "utf-8")
            parser = BiaffineDependencyParser.build(str(path), **SUPAR, **files)
            parser.train(**SUPAR, **limits, **files, path=str(path), punct=True, tree=True)
        seconds = round(parser.elapsed.total_seconds())
        record = {"limits": limits, "best_epoch": parser.best_e, "training_seconds": seconds}
        beside.write_text(json.dumps(record), "utf-8")
    times = json.loads(beside.read_text("utf-8"))
    if times.pop("limits") != limits:
        raise SystemExit(f"{path}: trained with other settings; name another folder")
    return BiaffineDependencyParser.load(str(path)), times


def parsed_by_supar(parser: Any, gold: Sequence[Sentence]) -> list[Sentence]:
    """Replace the trees of sentences by a supar parser's, and remove tags."""

    def untagged(sentence: Sentence) -> dict[str, tuple[str, ...]]:
        # An empty string differs from all tags, so none is correct.
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


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_treebanks(parser)
    add = parser.add_argument
    pairs: dict[str, Any] = {
        "nargs": "*", "default": [], "type": lambda text: text.split("=", 1),
        "metavar": "NAME=VALUE",
    }  # fmt: skip
    add("--systems", nargs="+", choices=(*OURS, *PEERS), default=["parser", "udpipe"])
    add("--seeds", nargs="+", type=int, default=[0, 1, 2], help="seeds of our parsers")
    add("--set", nargs="*", default=[], help="settings of our parsers")
    add("--udpipe-set", **pairs, help="settings of the parser of UDPipe to replace")
    add("--tagger-set", **pairs, help="settings of its tagger to replace")
    add("--epochs", type=int, default=20, help="of supar")
    add("--batch-size", type=int, default=5000, help="number of words in a batch of supar")
    add("--passes", type=int, default=5, help="passes over the data, for the speed")
    add("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    add("--models", type=Path, required=True, help="a folder")
    add("--output", type=Path, help="file of the table")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
