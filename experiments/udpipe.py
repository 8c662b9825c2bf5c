"""UDPipe as a competitor in tagging and parsing: trained on a treebank without its punctuation.

    python experiments/udpipe.py --name zh --train TRAIN... --dev DEV... --output FOLDER
    python experiments/udpipe.py --name es --split FILE --output FOLDER

UDPipe 1 (Straka and Straková 2017: an averaged perceptron with a guesser, and a transition-based
parser with a hidden layer) gets the words, tags and trees that our models get, and no embeddings
from elsewhere. As with ours, the iteration counts that was best on the development data; the
parser is trained and measured on the tags of its own tagger. The settings are those that UDPipe's
authors published with their models of UD 2.0, by ``--settings``.

Leaves ``NAME-udpipe-0.parsing.json.gz`` in the folder, which ``semipunct compare`` reads, and
``NAME-udpipe-0.json`` with the time of training, the speed and the size. ``--models`` keeps the
model and its tagger; what is there is not trained again. Needs the extra ``peers``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.figures import machine, report
from treebanks import add_treebanks, check_treebanks, sentences, stripped
from ufal import udpipe

from semipunct.corpus import Sentence
from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.sentences import MISSING
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.results import Result, write_result
from semipunct.evaluation.signature import join_signature
from semipunct.files import write_bytes
from semipunct.trees import DependencyTree

METHOD = "morphodita_parsito"
"""The only kind of model that UDPipe 1 has."""

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
"""The settings of a tagger and a lemmatiser that languages share."""

PARSER: Settings = {
    "iterations": 30, "hidden_layer": 200, "batch_size": 10,
    "embedding_upostag": 20, "embedding_feats": 20, "embedding_xpostag": 0, "embedding_form": 50,
    "embedding_lemma": 0, "embedding_deprel": 20, "learning_rate_final": 0.001,
    "transition_system": "projective", "transition_oracle": "dynamic", "structured_interval": 8,
}  # fmt: skip
"""The settings of the parser that languages share."""

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
"""What the authors chose for each language, of the tagger and of the parser."""


def main() -> None:
    """Train, unless the model is there; then parse the development words and measure."""
    arguments = parse()
    training, dev = sentences(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    stem = f"{arguments.name}-udpipe-0"
    figures: dict[str, Any] = {"treebank": arguments.name}
    with tempfile.TemporaryDirectory() as folder:
        path = (arguments.models or Path(folder)) / f"{stem}.udpipe"
        path.parent.mkdir(parents=True, exist_ok=True)
        figures |= trained(training, dev, *settings(arguments), path)
        figures["megabytes"] = round(path.stat().st_size / 1e6, 1)
        model = udpipe.Model.load(str(path))
    predicted = parsed(model, dev)
    digest = treebank_digest(dev)[:12]
    signature = {"task": "parsing", "system": "udpipe", "seed": "0", "treebank": digest}
    result = Result(
        stem,
        join_signature({**signature, "version": udpipe.__version__}),
        parsing_statistics(dev, predicted),
    )
    write_result(arguments.output / f"{stem}.parsing.json.gz", result)
    figures |= result.figures.as_dict() | speed(model, dev, arguments.passes) | machine()
    report(figures, arguments.output / f"{stem}.json")


def settings(arguments: argparse.Namespace) -> tuple[str, str]:
    """Return the settings of tagger and parser, as UDPipe takes them."""
    tagger, parser = OF_LANGUAGE[arguments.settings]
    both = (TAGGER | tagger, PARSER | parser | dict(arguments.set))
    tagger_line, parser_line = (";".join(f"{k}={v}" for k, v in s.items()) for s in both)
    return tagger_line, parser_line


def trained(
    training: Sequence[Sentence], dev: Sequence[Sentence], tagger: str, parser: str, path: Path
) -> dict[str, Any]:
    """Train a tagger, and a parser on its tags, unless they are there.

    Args:
        training: sentences to learn from.
        dev: sentences to choose the best iteration on.
        tagger: settings.
        parser: settings.
        path: the model; its tagger and the times that both took are kept beside it.

    Returns:
        The times.

    Raises:
        SystemExit: if the model there was trained with other settings, or UDPipe complains.
    """
    alone = path.with_name(f"{path.stem}.tagger.udpipe")
    stages = (
        ("tagger", alone, (tagger, udpipe.Trainer.NONE), [tagger]),
        ("parser", path, (f"from_model=file:{alone}", parser), [tagger, parser]),
    )
    times: dict[str, Any] = {}
    for name, target, lines, wanted in stages:
        beside = target.with_suffix(".json")
        if not target.exists():
            began = time.perf_counter(), time.process_time()
            content = fit(training, dev, *lines)
            found: dict[str, Any] = {
                "settings": wanted,
                f"{name}_seconds": round(time.perf_counter() - began[0]),
                f"{name}_processor_seconds": round(time.process_time() - began[1]),
            }
            beside.write_text(json.dumps(found), "utf-8")
            write_bytes(target, content)
        found = json.loads(beside.read_text("utf-8"))
        if found.pop("settings", None) != wanted:
            raise SystemExit(f"{target}: trained with other settings; name another folder")
        times |= found
    return times


def fit(training: Sequence[Sentence], dev: Sequence[Sentence], tagger: str, parser: str) -> bytes:
    """Train a model.

    Args:
        training: sentences to learn from.
        dev: sentences to choose the best iteration on.
        tagger: its settings, or the model that it is taken from.
        parser: its settings, or ``none``.

    Returns:
        The content of a model file.

    Raises:
        SystemExit: if UDPipe complains.
    """
    error = udpipe.ProcessingError()
    content = udpipe.Trainer.train(
        METHOD, read(stripped(training)), read(stripped(dev)),
        udpipe.Trainer.NONE, tagger, parser, error,
    )  # fmt: skip
    if error.occurred():
        raise SystemExit(f"UDPipe could not be trained: {error.message}")
    return content


def read(text: str) -> Any:
    """Read CoNLL-U with UDPipe.

    Raises:
        SystemExit: if UDPipe complains.
    """
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(text)
    found, sentence = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(f"UDPipe could not read the treebank: {error.message}")
    return found


def bare(sentence: Sentence) -> Any:
    """Hand the words of a sentence to UDPipe, without tags and tree."""
    found = udpipe.Sentence()
    for form in sentence.forms:
        found.addWord(form)
    return found


def analyse(model: Any, sentence: Any) -> None:
    """Tag and parse a sentence in place.

    Args:
        model: of UDPipe.
        sentence: of UDPipe.

    Raises:
        SystemExit: if UDPipe complains.
    """
    error = udpipe.ProcessingError()
    done = model.tag(sentence, model.DEFAULT, error) and model.parse(sentence, model.DEFAULT, error)
    if not done:
        raise SystemExit(f"UDPipe could not parse a sentence: {error.message}")


def parsed(model: Any, gold: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with the tags and trees of a model in place of their own.

    Args:
        model: of UDPipe.
        gold: sentences of which the model sees the words alone.
    """
    found: list[Sentence] = []
    for sentence in gold:
        answer = bare(sentence)  # owns its words, which are no longer there once it is gone
        analyse(model, answer)
        words = list(answer.words)[1:]
        tree = DependencyTree(tuple(w.head for w in words), tuple(w.deprel for w in words))
        columns = {
            "upos": tuple(w.upostag or MISSING for w in words),
            "xpos": tuple(w.xpostag or MISSING for w in words),
            "feats": tuple(w.feats or MISSING for w in words),
            "lemmas": tuple(w.lemma or MISSING for w in words),
        }
        found.append(replace(sentence, tree=tree, **columns))
    return found


def speed(model: Any, gold: Sequence[Sentence], passes: int) -> dict[str, Any]:
    """Measure how many sentences a second are tagged and parsed, in one process that is warm.

    UDPipe has one thread; where others keep the machine busy, its processor's seconds are fairer.

    Args:
        model: of UDPipe.
        gold: sentences of which the model sees the words alone.
        passes: the median of so many is told.
    """
    seconds: list[float] = []
    processor: list[float] = []
    for _ in range(passes):
        waiting = [bare(sentence) for sentence in gold]
        began = time.perf_counter(), time.process_time()
        for sentence in waiting:
            analyse(model, sentence)
        seconds.append(time.perf_counter() - began[0])
        processor.append(time.process_time() - began[1])
    return {
        "sentences_per_second": round(len(gold) / statistics.median(seconds), 1),
        "sentences_per_processor_second": round(len(gold) / statistics.median(processor), 1),
    }


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_treebanks(parser)
    parser.add_argument(
        "--settings", choices=sorted(OF_LANGUAGE), help="whose; by default those of --name, or en"
    )
    parser.add_argument(
        "--set", nargs="*", default=[], type=lambda text: text.split("=", 1),
        metavar="NAME=VALUE", help="settings of the parser to replace",
    )  # fmt: skip
    parser.add_argument("--passes", type=int, default=5, help="over the data, for the speed")
    parser.add_argument("--models", type=Path, help="a folder")
    parser.add_argument("--output", required=True, type=Path, help="a folder")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    if arguments.settings is None:
        arguments.settings = arguments.name if arguments.name in OF_LANGUAGE else "en"
    return arguments


if __name__ == "__main__":
    main()
