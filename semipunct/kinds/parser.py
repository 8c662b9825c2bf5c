"""The parser: tags and dependency trees of words, and their agreement with a treebank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Treebank
from semipunct.corpus.treebank import without_omitted
from semipunct.files import STANDARD
from semipunct.formats import format_of, read_entries, read_words, with_crossing_arcs
from semipunct.formats.conllu import Conllu, Record
from semipunct.kinds.answers import Answers, ParseWork, Unit
from semipunct.kinds.assessment import Assessment, assess_parses
from semipunct.kinds.reading import read_by_tokeniser, running_text_format, unit_of
from semipunct.models.parsing.parser import Parser
from semipunct.render.parses import parsed_texts
from semipunct.store.checkpoint import of_kind
from semipunct.tasks.notices import LongSentences, Omissions
from semipunct.tasks.options import ParseOptions
from semipunct.tasks.parse import Parse, parse, parses, parsing_signature
from semipunct.tasks.parse_punctuated import parse_punctuated
from semipunct.tasks.reading import check_any
from semipunct.tasks.run import Chunk, Outcome, answer_entries

if TYPE_CHECKING:
    from semipunct.kinds.requests import EvaluateRequest, ParseRequest
    from semipunct.store.checkpoint import SavedModel

CHUNK = 1024
"""Sentences parsed at a time."""


def prepare_parsing(model: SavedModel[Any], request: ParseRequest) -> ParseWork:
    """Prepare the parsing of words, or with a tokeniser of running text.

    Args:
        model: a parser.
        request: the files and options.

    Raises:
        ModelError: if a model is of another kind.
        UsageError: if an option is invalid, or files are of another format.
        TreebankError: with ``gold``, if a file is missing or damaged or has no trees.
    """
    fitted = of_kind(model, Parser)
    number = request.trees or request.nbest
    omitted, long = Omissions("not parsed", keeps_markup=False), LongSentences()
    treebank = Treebank((), ())

    def answer(chunk: Chunk) -> Sequence[Sequence[Parse]]:
        words: Sequence[Any] = chunk.contents
        long.count(words)
        if number:
            return parses(
                fitted, words, number, request.options, draw=request.trees > 0, first=chunk.numbers
            )
        if request.punctuation is not None:
            parsed = parse_punctuated(fitted, request.punctuation, words, weight=request.weight)
        else:
            parsed = parse(fitted, words, request.options)
        return [[tree] for tree in parsed]

    entries: Iterator[Any]
    if request.gold:
        # Standard input can be read only once.
        read = [*read_entries(request.inputs)]
        if fitted.model.options.trees == "nonprojective":
            read = [with_crossing_arcs(entry) for entry in read]
        treebank = Treebank.of(read)
        check_any(treebank, request.inputs, "sentence")
        entries = iter(read)
    elif request.tokeniser is not None:
        running_text_format(request.inputs)
        entries = read_by_tokeniser(request.inputs, request.tokeniser)
    else:
        entries = read_words(request.inputs)

    def assess(outcomes: Sequence[Outcome[Sequence[Parse]]]) -> Assessment:
        digest = model.digest[:12]
        if request.punctuation is not None:
            digest += f"+{request.weight:g}*{request.punctuation.digest[:12]}"
        line = parsing_signature(digest, treebank.sentences, request.options)
        sentences = [parsed[0].predicted for _, parsed in outcomes if parsed]
        return assess_parses(request.system, line, treebank, sentences)

    label = "sample" if request.trees else "rank" if request.nbest else ""
    return ParseWork(
        entries=entries,
        answer=lambda read: answer_entries(read, answer, omitted, size=CHUNK, first=request.first),
        assess=assess,
        # The comparison says which sentences of a treebank were omitted.
        messages=lambda: [*(() if request.gold else omitted.messages()), *long.messages()],
        texts=partial(_texts, label, request.probabilities),
        write=Conllu().writer().write,
        unit=_unit(request),
        is_numbered=request.trees > 0,
    )


def _unit(request: ParseRequest) -> Unit:
    if request.gold or STANDARD in request.inputs:
        return "file"
    units: set[Unit] = {
        unit_of(format_of(path, words=True), tokenised=request.tokeniser is not None)
        for path in request.inputs
    }
    return units.pop() if len(units) == 1 else "file"


def _texts(label: str, probabilities: bool, outcome: Outcome[Sequence[Parse]]) -> Iterator[str]:
    entry, parsed = outcome
    if not parsed and isinstance(entry.record, Record):
        yield Conllu().writer().source_text(entry)
    yield from parsed_texts(entry, parsed or (), label, probabilities=probabilities)


def assess_parser(request: EvaluateRequest) -> Assessment:
    """Compare trees and tags with those of sentences."""
    options, sentences = ParseOptions(), without_omitted(request.examples)
    line = parsing_signature(request.digest[:12], sentences, options)
    parses = [parsed.predicted for parsed in parse(request.model, sentences, options)]
    return assess_parses(request.system, line, request.examples, parses)


ANSWERS = Answers(evaluate=assess_parser, parse=prepare_parsing)
