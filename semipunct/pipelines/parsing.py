"""The parsing task: tags and dependency trees, and their accuracy against a treebank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TextIO

from semipunct.corpus import Treebank
from semipunct.corpus.treebank import without_omitted
from semipunct.files import STANDARD
from semipunct.formats import Writer, format_of, read_entries, read_words, with_crossing_arcs
from semipunct.formats.conllu import Conllu, Record
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.assessment import Assessment, assess_parses
from semipunct.pipelines.chunks import Chunk, Outcome
from semipunct.pipelines.notices import LongSentences, Omissions, check_any
from semipunct.pipelines.options import ParseOptions
from semipunct.pipelines.parses import Parse, parse, parses, parsing_signature
from semipunct.pipelines.segmentation import read_running_text, running_text_format, unit_of
from semipunct.pipelines.task import Documents, Helpers, Request, Task, Tasks, Unit
from semipunct.pipelines.trained import model_of_kind
from semipunct.pipelines.tree_writing import parsed_texts

if TYPE_CHECKING:
    from semipunct.pipelines.task import EvaluateRequest
    from semipunct.pipelines.trained import Trained

# Sentences per chunk.
CHUNK = 1024


class ParseWords(Task[ParseOptions, "Sequence[Parse]"]):
    """Parses words, or running text with a tokeniser, into dependency trees."""

    name = "parse"
    chunk = CHUNK
    outcome = "not parsed"

    def __init__(self, model: Trained[Any], helpers: Helpers, options: ParseOptions) -> None:
        super().__init__(model, helpers, options)
        model_of_kind(model, Parser)
        self._fitted: Any = model
        self.omitted = Omissions(self.outcome, keeps_markup=False)
        self.is_numbered = options.trees > 0
        self._long = LongSentences()
        self.notices = [self.omitted, self._long]

    def read(self, request: Request) -> Documents:
        if request.gold:  # the comparison reports omitted sentences
            self.notices = [self._long]
        treebank = Treebank((), ())
        entries: Iterator[Any]
        if request.gold:
            # Standard input can be read only once.
            read = [*read_entries(request.inputs)]
            if self._fitted.model.options.trees == "nonprojective":
                read = [with_crossing_arcs(entry) for entry in read]
            treebank = Treebank.of(read)
            check_any(treebank, request.inputs, "sentence")
            entries = iter(read)
        elif self.helpers.tokeniser is not None:
            running_text_format(request.inputs)
            entries = read_running_text(request.inputs, self.helpers)
        else:
            entries = read_words(request.inputs)

        def assess(outcomes: Sequence[Outcome[Sequence[Parse]]]) -> Assessment:
            line = parsing_signature(self._fitted.digest[:12], treebank.sentences, self.options)
            sentences = [parsed[0].predicted for _, parsed in outcomes if parsed]
            return assess_parses(request.system, line, treebank, sentences)

        return Documents(
            entries=entries,
            format=Conllu(),
            form="conllu",
            assess=assess,
            unit=self._unit(request),
        )

    def _unit(self, request: Request) -> Unit:
        if request.gold or STANDARD in request.inputs:
            return "file"
        is_tokenised = self.helpers.tokeniser is not None
        units: set[Unit] = {
            unit_of(format_of(path, words=True), tokenised=is_tokenised) for path in request.inputs
        }
        return units.pop() if len(units) == 1 else "file"

    def answer_chunk(self, chunk: Chunk) -> Sequence[Sequence[Parse]]:
        options, words = self.options, chunk.contents
        self._long.count(words)
        if number := options.trees or options.nbest:
            return parses(
                self._fitted, words, number, options, draw=options.trees > 0, first=chunk.numbers
            )
        return [[tree] for tree in parse(self._fitted, words, options)]

    def writer(self, documents: Documents, first: Sequence[Any] = ()) -> Writer[Any]:
        return Conllu().writer()

    def write(
        self, outcomes: Iterator[Any], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        label = "sample" if self.options.trees else "rank" if self.options.nbest else ""
        texts = partial(_texts, label, self.options.probabilities)
        writer.write(chain.from_iterable(map(texts, outcomes)), stream)


def _texts(label: str, probabilities: bool, outcome: Outcome[Sequence[Parse]]) -> Iterator[str]:
    entry, parsed = outcome
    if not parsed and isinstance(entry.record, Record):
        yield Conllu().writer().source_text(entry)
    yield from parsed_texts(entry, parsed or (), label, probabilities=probabilities)


def beyond_trees(options: ParseOptions) -> dict[str, bool]:
    """Return whether each option that only the kind ``parser`` supports was given."""
    return {
        "--decoder": options.decoder != "risk",
        "--trees": options.trees > 0,
        "--nbest": options.nbest > 0,
        "--probabilities": options.probabilities,
    }


def assess_parser(request: EvaluateRequest) -> Assessment:
    """Compare predicted trees and tags with the sentences."""
    options, sentences = ParseOptions(), without_omitted(request.examples)
    line = parsing_signature(request.digest[:12], sentences, options)
    parses = [parsed.predicted for parsed in parse(request.model, sentences, options)]
    return assess_parses(request.system, line, request.examples, parses)


TASKS = Tasks(evaluate=assess_parser, parse=ParseWords)
