"""UDPipe as a competitor in tagging and parsing, trained on a treebank without its punctuation.

    python experiments/udpipe.py --name zh --train TRAIN... --dev DEV... --output FOLDER
    python experiments/udpipe.py --name es --split FILE --output FOLDER

UDPipe 1 (Straka and Straková 2017: an averaged perceptron with a guesser, and a transition-based
parser with a hidden layer) gets the same words, tags and trees as the models of this project, and
no pre-trained embeddings. As in this project, the iteration with the best development result is
kept; the parser is trained and evaluated with the tags of its own tagger. The settings are those
that the authors of UDPipe published with their models of UD 2.0, chosen by ``--settings``.

Writes ``NAME-udpipe-0.parsing.json.gz`` to the folder, for ``semipunct compare``, and
``NAME-udpipe-0.json`` with the training time, the speed and the size. ``--models`` stores the model
and its tagger; existing ones are not retrained. Requires the extra ``peers``.
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
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.sentences import MISSING
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.results import Result, join_signature, write_result
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


def main() -> None:
    """Train the model unless it exists; then parse the development words and evaluate."""
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
    comparison = Result(
        stem,
        join_signature({**signature, "version": udpipe.__version__}),
        parsing_statistics(dev, predicted),
    )
    write_result(arguments.output / f"{stem}.parsing.json.gz", comparison)
    figures |= comparison.figures.as_dict() | speed(model, dev, arguments.passes) | machine()
    report(figures, arguments.output / f"{stem}.json")


def settings(arguments: argparse.Namespace) -> tuple[str, str]:
    """Return the settings of tagger and parser in the format of UDPipe."""
    tagger, parser = OF_LANGUAGE[arguments.settings]
    lines = (TAGGER | tagger | dict(arguments.tagger_set), PARSER | parser | dict(arguments.set))
    tagger_line, parser_line = (";".join(f"{k}={v}" for k, v in s.items()) for s in lines)
    return tagger_line, parser_line


def trained(
    training: Sequence[Sentence], dev: Sequence[Sentence], tagger: str, parser: str, path: Path
) -> dict[str, Any]:
    """Train a tagger, and a parser on its tags, unless they exist.

    Args:
        training: training sentences.
        dev: development sentences, for choosing the best iteration.
        tagger: settings of the tagger.
        parser: settings of the parser.
        path: path of the model; its tagger and the training times of both are stored beside it.

    Returns:
        The training times.

    Raises:
        SystemExit: if the existing model has other settings, or UDPipe reports an error.
    """
    alone = path.with_name(f"{path.stem}.tagger.udpipe")
    stages = (
        ("tagger", alone, (tagger, udpipe.Trainer.NONE), [tagger]),
        ("parser", path, (f"from_model=file:{alone}", parser), [tagger, parser]),
    )
    times: dict[str, Any] = {}
    for name, target, lines, settings in stages:
        beside = target.with_suffix(".json")
        if not target.exists():
            began = time.perf_counter(), time.process_time()
            content = fit(training, dev, *lines)
            record: dict[str, Any] = {
                "settings": settings,
                f"{name}_seconds": round(time.perf_counter() - began[0]),
                f"{name}_processor_seconds": round(time.process_time() - began[1]),
            }
            beside.write_text(json.dumps(record), "utf-8")
            write_bytes(target, content)
        record = json.loads(beside.read_text("utf-8"))
        if record.pop("settings", None) != settings:
            raise SystemExit(f"{target}: trained with other settings; name another folder")
        times |= record
    return times


def fit(training: Sequence[Sentence], dev: Sequence[Sentence], tagger: str, parser: str) -> bytes:
    """Train a model.

    Args:
        training: training sentences.
        dev: development sentences, for choosing the best iteration.
        tagger: settings of the tagger, or a model to take it from.
        parser: settings of the parser, or ``none``.

    Returns:
        The content of a model file.

    Raises:
        SystemExit: if UDPipe reports an error.
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
        SystemExit: if UDPipe reports an error.
    """
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(text)
    sentences, sentence = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(f"UDPipe could not read the treebank: {error.message}")
    return sentences


def bare(sentence: Sentence) -> Any:
    """Return a UDPipe sentence with the words alone, without tags and tree."""
    udpipe_sentence = udpipe.Sentence()
    for form in sentence.forms:
        udpipe_sentence.addWord(form)
    return udpipe_sentence


def analyse(model: Any, sentence: Any) -> None:
    """Tag and parse a sentence in place.

    Args:
        model: a UDPipe model.
        sentence: a UDPipe sentence.

    Raises:
        SystemExit: if UDPipe reports an error.
    """
    error = udpipe.ProcessingError()
    succeeded = model.tag(sentence, model.DEFAULT, error) and model.parse(
        sentence, model.DEFAULT, error
    )
    if not succeeded:
        raise SystemExit(f"UDPipe could not parse a sentence: {error.message}")


def parsed(model: Any, gold: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with their tags and trees replaced by those of a model.

    Args:
        model: a UDPipe model.
        gold: sentences; the model reads only their words.
    """
    sentences: list[Sentence] = []
    for sentence in gold:
        answer = bare(sentence)  # owns its words, which are freed together with it
        analyse(model, answer)
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


def speed(model: Any, gold: Sequence[Sentence], passes: int) -> dict[str, Any]:
    """Measure the sentences tagged and parsed per second in one warm process.

    UDPipe is single-threaded; on a machine with other load, the figure per CPU second is fairer.

    Args:
        model: a UDPipe model.
        gold: sentences; the model reads only their words.
        passes: number of passes; the result is the median.
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
        "--settings", choices=sorted(OF_LANGUAGE), help="a language; default: that of --name, or en"
    )
    parser.add_argument(
        "--set", nargs="*", default=[], type=lambda text: text.split("=", 1),
        metavar="NAME=VALUE", help="settings of the parser to replace",
    )  # fmt: skip
    parser.add_argument(
        "--tagger-set", nargs="*", default=[], type=lambda text: text.split("=", 1),
        metavar="NAME=VALUE", help="settings of the tagger to replace",
    )  # fmt: skip
    parser.add_argument("--passes", type=int, default=5, help="passes over the data, for the speed")
    parser.add_argument("--models", type=Path, help="a folder")
    parser.add_argument("--output", required=True, type=Path, help="a folder")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    if arguments.settings is None:
        arguments.settings = arguments.name if arguments.name in OF_LANGUAGE else "en"
    return arguments


if __name__ == "__main__":
    main()
