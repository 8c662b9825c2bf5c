"""The CCG parser: words with tags in, derivations out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from semipunct.corpus import Entry, Sentence
from semipunct.corpus.omission import without_omitted
from semipunct.errors import UsageError
from semipunct.formats import format_of
from semipunct.kinds.answers import Answers, ParseWork, refuse
from semipunct.kinds.assessment import Assessment
from semipunct.kinds.requests import refused_by_other_parsers
from semipunct.papers.ccg.ccgbank import Ccgbank, auto_line
from semipunct.papers.ccg.comparison import compare_derivations
from semipunct.papers.ccg.decoding import CcgParse, CcgParser
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.parser import CcgModel
from semipunct.papers.ccg.predicates import coindex
from semipunct.tasks.base import model_of_kind
from semipunct.tasks.notices import Omissions
from semipunct.tasks.run import Chunk, Outcome, answer_entries
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.kinds.requests import EvaluateRequest, ParseRequest
    from semipunct.papers.ccg.ccgbank import AutoRecord
    from semipunct.papers.commas.verbatim import VerbatimRecord
    from semipunct.store.checkpoint import SavedModel

    Derived = Entry[VerbatimRecord[AutoRecord], Sentence[Derivation]]


def prepare_parsing(model: SavedModel[Any], request: ParseRequest) -> ParseWork:
    """Prepare the parsing of words and tags of files of derivations.

    Args:
        model: a CCG parser.
        request: the files and options.

    Raises:
        UsageError: if the files are of another format, or for options that the parser does not
            support.
        TreebankError: if a file is missing or damaged.
    """
    unsupported = {"--tokeniser": request.tokeniser, **refused_by_other_parsers(request)}
    refuse("a model of the kind ccg-parser", unsupported)
    if format_of(*request.inputs, default="ccgbank").name != "ccgbank":
        raise UsageError(
            f"{request.inputs[0]}: a model of the kind ccg-parser reads words and tags from files "
            "of derivations; give a file whose name ends in .auto"
        )
    parser = CcgParser(model_of_kind(model, CcgModel), model.parameters)
    omitted = Omissions("left out")
    missing, incomplete = 0, 0

    def answer(chunk: Chunk) -> Iterator[CcgParse]:
        nonlocal missing, incomplete
        for parse in parser.parse(chunk.contents):
            missing += parse.derivation is None
            incomplete += not parse.complete
            yield parse

    def messages() -> Iterator[str]:
        yield from omitted.messages()
        if missing:
            yield f"{quantity(missing, 'sentence')} left out: no derivation was found"
        if incomplete:
            yield f"{quantity(incomplete, 'sentence')} not fully parsed: the chart became too large"

    def assess(outcomes: Sequence[Outcome[CcgParse]]) -> Assessment:
        pairs = [(entry.content, parse) for entry, parse in outcomes if parse is not None]
        sentences = [sentence for sentence, _ in pairs]
        trees = [parse.derivation for _, parse in pairs]
        return Assessment.of(compare_derivations(request.system, model.digest, sentences, trees))

    return ParseWork(
        entries=_read(request.inputs),
        answer=lambda read: answer_entries(read, answer, omitted),
        assess=assess,
        messages=messages,
        texts=_texts,
    )


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


ANSWERS = Answers(evaluate=assess_derivations, parse=prepare_parsing)
