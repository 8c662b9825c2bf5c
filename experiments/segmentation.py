"""Tokens and sentences in running text, compared with UDPipe 1 trained on the same data.

    python experiments/segmentation.py --name en --train TRAIN --dev DEV [--models FOLDER]

The development text is one long line with the spaces of the treebank. F1 of tokens and of sentences
is computed over characters, as in CoNLL 2018. ``stripped`` is the same text in lower case without
marks. UDPipe requires the package ``ufal.udpipe``; ``--without-udpipe`` skips it. With ``--tagger``
a BiLSTM-CRF also finds the ends of sentences in stripped text, given its tokens; it and the
tokeniser are then compared on the passages of the development text.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from models import trained
from treebanks import add_treebanks, check_treebanks, training_and_dev

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.corpus.passages import Passage, Span, sentence_spans
from semipunct.corpus.sentences import MISSING
from semipunct.evaluation.segmentation import SpanCounts
from semipunct.formats.conllu.passages import passages
from semipunct.formats.conllu.records import Record, read_records
from semipunct.models.segmentation.guises import IN_GUISE, Segmentation
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tokeniser import Tokeniser
from semipunct.papers.analysis.tagger import SlotTagger, TaggerPunctuator
from semipunct.training.config import load_config
from semipunct.trees import DependencyTree

WHOLE = sys.maxsize
"""Minimum sizes in sentences and characters for which a passage is a whole file."""

END = "."
"""The mark that stands for the end of a sentence."""

NO_PACKAGE = (
    "the package ufal.udpipe is not installed: pip install ufal.udpipe, or measure without it by "
    "--without-udpipe"
)


def main() -> None:
    """Train both systems, print and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_treebanks(parser)
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the models")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", nargs="*", default=[], help="settings of the tokeniser")
    parser.add_argument("--without-udpipe", action="store_true")
    parser.add_argument("--tagger", action="store_true", help="also train a BiLSTM-CRF")
    parser.add_argument("--udpipe-options", default="", help="for its tokeniser, e.g. epochs=20")
    parser.add_argument("--output", type=Path, help="JSON file to add the systems to")
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    enable_compilation_cache()
    training, dev = split(arguments)
    (whole,) = passages(dev, WHOLE, WHOLE)
    figures_of_run: dict[str, Any] = {"name": arguments.name, "seed": arguments.seed, "systems": {}}
    if arguments.output and arguments.output.exists():  # results of earlier runs are kept
        figures_of_run = json.loads(arguments.output.read_text("utf-8"))
    systems = figures_of_run["systems"]
    if not arguments.without_udpipe:
        systems["udpipe"] = udpipe(training, whole, arguments.udpipe_options)
        print(json.dumps(systems["udpipe"]), flush=True)
    model, systems["semipunct"] = train_tokeniser(training, dev, whole, arguments)
    print(json.dumps(systems["semipunct"]), flush=True)
    if arguments.tagger:
        systems["passages"] = tagger(training, dev, model, arguments)
        print(json.dumps(systems["passages"]))
    if arguments.output:
        arguments.output.write_text(json.dumps(figures_of_run, indent=2) + "\n", "utf-8")


def split(arguments: argparse.Namespace) -> tuple[Sequence[Record], Sequence[Record]]:
    """Read training and development records."""
    if arguments.split is None:
        train, dev = (
            [r for path in paths for r in read_records(path, trees=False)]
            for paths in (arguments.train, arguments.dev)
        )
        return train, dev
    return training_and_dev(list(read_records(arguments.split, trees=False)))


def train_tokeniser(
    training: Sequence[Record],
    dev: Sequence[Record],
    whole: Passage,
    arguments: argparse.Namespace,
) -> tuple[Segmenter, dict[str, float]]:
    """Train the tokeniser, or load an existing one, and evaluate it.

    Args:
        training: training records.
        dev: development records, for choosing the best weights.
        whole: the development text.
        arguments: the command line.
    """
    settings = [f"train.seed={arguments.seed}", *arguments.set]
    config = load_config(None, settings, kind="tokeniser")
    start = time.monotonic()
    arguments.models.mkdir(parents=True, exist_ok=True)
    folder = arguments.models / f"tokeniser-{arguments.name}-{arguments.seed}"
    model = trained(config, [*passages(training)], [*passages(dev)], folder, Tokeniser)
    seconds = time.monotonic() - start
    segmenter = Segmenter(model.model, model.parameters)
    f1_of: dict[str, float] = {"seconds": round(seconds, 1)}
    for name in model.model.options.guises:
        gold = IN_GUISE[name](whole)
        (predicted,) = segmenter.segment([gold.text])
        f1_of |= figures(name, gold, predicted.tokens, predicted.sentences)
    right = sum(
        segmenter.words(form) == (words if len(words) > 1 else ())
        for form, words in zip(whole.forms(), whole.words, strict=True)
    )
    return segmenter, {**f1_of, "expanded_right": right / whole.size}


def tagger(
    training: Sequence[Record],
    dev: Sequence[Record],
    segmenter: Segmenter,
    arguments: argparse.Namespace,
) -> dict[str, float]:
    """Train a BiLSTM-CRF on the ends of sentences; return the F1 of sentences of both systems.

    Args:
        training: training records.
        dev: development records.
        segmenter: the tokeniser.
        arguments: the command line.
    """
    start = time.monotonic()
    config = load_config(None, [f"train.seed={arguments.seed}"], kind="slot-tagger")
    folder = arguments.models / f"ends-{arguments.name}-{arguments.seed}"
    training_texts, gold = (
        [text for p in passages(records) if (text := IN_GUISE["stripped"](p)).tokens]
        for records in (training, dev)
    )
    data, held = ([*map(as_sentence, some)] for some in (training_texts, gold))
    model = trained(config, data, held, folder, SlotTagger)
    seconds = time.monotonic() - start
    predicted = TaggerPunctuator(model.model, model.parameters).restore(held)
    counts = own_counts = SpanCounts()
    for right, slots, segmented in zip(
        gold, predicted, segmenter.segment([text.text for text in gold]), strict=True
    ):
        ends = [bool(slot) for slot in slots[1:]]
        counts = counts.plus(SpanCounts.of(right.sentences, sentence_spans(right.tokens, ends)))
        own_counts = own_counts.plus(SpanCounts.of(right.sentences, segmented.sentences))
    return {"seconds": round(seconds, 1), "bilstm_crf": counts.f1, "semipunct": own_counts.f1}


def as_sentence(passage: Segmentation) -> Sentence:
    """Return the tokens of a passage as a sentence with a mark after the last token of each."""
    forms = tuple(passage.text[start:end] for start, end in passage.tokens)
    no_tags = (MISSING,) * len(forms)
    chain = DependencyTree(tuple(range(len(forms))), ("root", *("dep" for _ in forms[1:])))
    slots = ((), *((END,) if stops else () for stops in passage.ends))
    return Sentence("passage", "made", 1, forms, *[no_tags] * 4, chain, slots)


def figures(
    name: str, gold: Segmentation, tokens: Sequence[Span], sentences: Sequence[Span]
) -> dict[str, float]:
    """Return the F1 of tokens and of sentences, by name.

    Args:
        name: name of the guise.
        gold: the text with its correct segmentation.
        tokens: tokens of a system.
        sentences: sentences of a system.
    """
    return {
        f"{name}_tokens": SpanCounts.of(gold.tokens, tokens).f1,
        f"{name}_sentences": SpanCounts.of(gold.sentences, sentences).f1,
    }


def udpipe(training: Sequence[Record], whole: Passage, options: str) -> dict[str, float]:
    """Train the tokeniser of UDPipe 1 (Straka, Hajic and Strakova 2016), and evaluate it.

    Args:
        training: training records.
        whole: the development text.
        options: options of its tokeniser, in addition to the defaults.

    Raises:
        SystemExit: if the package is not installed.
    """
    try:
        from ufal import udpipe as package  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise SystemExit(NO_PACKAGE) from error
    start = time.monotonic()
    (text,) = passages(training, WHOLE, WHOLE)
    sentences, error = package.Sentences(), package.ProcessingError()
    reader = package.InputFormat.newConlluInputFormat()
    reader.setText("".join(conllu(text)))
    while True:
        sentence = package.Sentence()
        if not reader.nextSentence(sentence, error):
            break
        sentences.push_back(sentence)
    none = package.Trainer.NONE
    method = "morphodita_parsito"
    model = package.Trainer.train(
        method, sentences, package.Sentences(), options, none, none, error
    )
    if error.occurred():
        raise SystemExit(f"UDPipe cannot be trained: {error.message}")
    with tempfile.NamedTemporaryFile() as file:
        file.write(model)
        file.flush()
        loaded = package.Model.load(file.name)
    seconds = time.monotonic() - start
    gold = IN_GUISE["written"](whole)
    tokens, sentence_spans_found = spans(loaded, package, gold.text)
    return {"seconds": round(seconds, 1), **figures("written", gold, tokens, sentence_spans_found)}


def spans(model: Any, package: Any, text: str) -> tuple[list[Span], list[Span]]:
    """Return the tokens and sentences that UDPipe finds in a text.

    Args:
        model: a UDPipe model.
        package: the module of UDPipe.
        text: the text to segment.
    """
    reader = model.newTokenizer(package.Model.DEFAULT)
    reader.setText(text)
    visible = [i for i, char in enumerate(text) if not char.isspace()]
    tokens: list[Span] = []
    sentences: list[Span] = []
    place = 0
    error = package.ProcessingError()
    sentence = package.Sentence()
    while reader.nextSentence(sentence, error):
        first = len(tokens)
        for form in written(sentence):
            size = sum(not char.isspace() for char in form)
            tokens.append((visible[place], visible[place + size - 1] + 1))
            place += size
        sentences.append((tokens[first][0], tokens[-1][1]))
        sentence = package.Sentence()
    return tokens, sentences


def written(sentence: Any) -> Iterator[str]:
    """Yield the tokens of a UDPipe sentence as written in the text."""
    multiword = {token.idFirst: token for token in sentence.multiwordTokens}
    last = 0
    for word in list(sentence.words)[1:]:
        if word.id <= last:
            continue
        token = multiword.get(word.id)
        last = token.idLast if token else word.id
        yield token.form if token else word.form


def conllu(passage: Passage) -> Iterator[str]:
    """Yield lines of CoNLL-U that encode the spaces of a passage."""
    number = 0
    starts = [start for start, _ in passage.tokens[1:]] + [len(passage.text) + 1]
    rows = zip(passage.tokens, starts, passage.words, passage.ends, strict=True)
    for (first, last), following, words, ends in rows:
        misc = "_" if following > last else "SpaceAfter=No"
        empty = "\t_" * 7 + "\t"
        if len(words) > 1:
            form = passage.text[first:last]
            yield f"{number + 1}-{number + len(words)}\t{form}{empty}{misc}\n"
        for word in words:
            number += 1
            yield f"{number}\t{word}{empty}{'_' if len(words) > 1 else misc}\n"
        if ends:
            yield "\n"
            number = 0


if __name__ == "__main__":
    main()
