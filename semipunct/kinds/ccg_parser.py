"""The CCG parser: words with tags in, derivations out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from semipunct.corpus import Entry, Sentence
from semipunct.corpus.omission import without_omitted
from semipunct.errors import UsageError
from semipunct.formats import Writer, format_of
from semipunct.formats.ccgbank import Ccgbank, auto_line
from semipunct.models.ccg.decoding import CcgParse, CcgParser
from semipunct.models.ccg.parser import CcgModel
from semipunct.pipelines.assessment import Assessment
from semipunct.pipelines.parsing import beyond_trees
from semipunct.pipelines.task import Documents, Helpers, Request, Task, Tasks
from semipunct.tasks.base import model_of_kind
from semipunct.tasks.options import ParseOptions
from semipunct.tasks.parse_derivations import compare_derivations
from semipunct.tasks.run import Chunk, Outcome
from semipunct.trees.coindexation import coindex
from semipunct.trees.derivations import Derivation
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.formats.ccgbank import AutoRecord
    from semipunct.formats.verbatim import VerbatimRecord
    from semipunct.pipelines.task import EvaluateRequest
    from semipunct.tasks.base import Trained

    Derived = Entry[VerbatimRecord[AutoRecord], Sentence[Derivation]]


class ParseDerivations(Task[ParseOptions, CcgParse]):
    """Parses words and tags of files of derivations."""

    name = "parse"
    outcome = "left out"

    def __init__(self, model: Trained[Any], helpers: Helpers, options: ParseOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse(
            "a model of the kind ccg-parser",
            {"--tokeniser": helpers.tokeniser, **beyond_trees(helpers, options)},
        )
        self._parser = CcgParser(model_of_kind(model, CcgModel), model.parameters)
        self._missing = self._incomplete = 0

    def read(self, request: Request) -> Documents:
        if format_of(*request.inputs, default="ccgbank").name != "ccgbank":
            raise UsageError(
                f"{request.inputs[0]}: a model of the kind ccg-parser reads words and tags from "
                "files of derivations; give a file whose name ends in .auto"
            )

        def assess(outcomes: Sequence[Outcome[CcgParse]]) -> Assessment:
            model: Any = self.model
            pairs = [(entry.content, parse) for entry, parse in outcomes if parse is not None]
            sentences = [sentence for sentence, _ in pairs]
            trees = [parse.derivation for _, parse in pairs]
            result = compare_derivations(request.system, model.digest, sentences, trees)
            return Assessment.of(result)

        return Documents(
            entries=_read(request.inputs), format=Ccgbank(), form="ccgbank", assess=assess
        )

    def answer_chunk(self, chunk: Chunk) -> Iterator[CcgParse]:
        for parse in self._parser.parse(chunk.contents):
            self._missing += parse.derivation is None
            self._incomplete += not parse.complete
            yield parse

    def messages(self) -> Iterator[str]:
        yield from self.omitted.messages()
        if self._missing:
            yield f"{quantity(self._missing, 'sentence')} left out: no derivation was found"
        if self._incomplete:
            number = quantity(self._incomplete, "sentence")
            yield f"{number} not fully parsed: the chart became too large"

    def write(
        self, outcomes: Iterator[Any], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        for outcome in outcomes:
            stream.writelines(_texts(outcome))


def _read(paths: Sequence[str]) -> Iterator[Entry[Any, Any]]:
    for path in paths:
        yield from Ccgbank().read_derivations(path)


def _texts(outcome: Outcome[CcgParse]) -> Iterator[str]:
    entry, parse = outcome
    if parse is None or parse.derivation is None:
        return
    record, tree = cast("Derived", entry).record.source, parse.derivation
    leaves = [
        leaf._replace(dependency_category=str(coindex(tree.parsed[node])))
        for leaf, node in zip(record.leaves, tree.leaves, strict=True)
    ]
    yield f"ID={record.sentence_id} PARSER=SEMIPUNCT NUMPARSE=1\n{auto_line(tree, leaves)}\n"


def assess_derivations(request: EvaluateRequest) -> Assessment:
    """Compare derivations with those of sentences."""
    sentences = without_omitted(request.examples)
    parser = CcgParser(model_of_kind(request.model, CcgModel), request.model.parameters)
    trees = [parse.derivation for parse in parser.parse(sentences)]
    return Assessment.of(compare_derivations(request.system, request.digest, sentences, trees))


TASKS = Tasks(evaluate=assess_derivations, parse=ParseDerivations)
