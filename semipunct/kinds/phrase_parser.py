"""The parser of phrases: words in, trees in brackets out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Entry, Words
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.marks_as_words import with_marks_as_words
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import TreebankError
from semipunct.evaluation.brackets import BracketStatistics, bracket_statistics
from semipunct.evaluation.results import Result, figures_signature
from semipunct.formats import format_of, read_phrases, read_words
from semipunct.formats.ptb.writing import write_phrases
from semipunct.formats.registry import COMMA_TAGS, read_whole_phrases
from semipunct.kinds.answers import Answers, ParseWork, refuse
from semipunct.kinds.assessment import Assessment
from semipunct.kinds.reading import read_by_tokeniser, running_text_format
from semipunct.kinds.requests import EvaluateRequest, refused_by_other_parsers
from semipunct.models.constituency.labels import read_tree
from semipunct.models.constituency.parser import PhraseParser
from semipunct.tasks.base import model_of_kind
from semipunct.tasks.notices import LongSentences, Omissions
from semipunct.tasks.parse_phrases import parse_phrases, phrase_trees
from semipunct.tasks.run import Chunk, Outcome, answer_entries

if TYPE_CHECKING:
    from semipunct.corpus.sentences import Sentence
    from semipunct.kinds.requests import ParseRequest
    from semipunct.store.checkpoint import SavedModel


def prepare_parsing(model: SavedModel[Any], request: ParseRequest) -> ParseWork:
    """Prepare the parsing of words into phrases.

    Args:
        model: a parser of phrases.
        request: the files and options.

    Raises:
        UsageError: if an option is invalid, or a tokeniser is given and the words are known.
        TreebankError: if a file is missing or damaged.
    """
    refuse("a model of the kind phrase-parser", refused_by_other_parsers(request))
    entries: Iterator[Any]
    if request.tokeniser is not None:
        running_text_format(request.inputs)
        entries = read_by_tokeniser(request.inputs, request.tokeniser)
    elif format_of(*request.inputs, words=True).name == "ptb":
        entries = read_phrases(request.inputs, COMMA_TAGS)
    else:
        entries = read_words(request.inputs)
    omitted, long = Omissions("not parsed", keeps_markup=False), LongSentences()

    def answer(chunk: Chunk) -> Sequence[Sentence[Any]]:
        sentences = [_with_commas_in_slots(entry) for entry in chunk.entries]
        long.count(sentences)
        return parse_phrases(model, sentences)

    def assess(_: Sequence[Outcome[Any]]) -> Assessment:
        treebank = read_whole_phrases(request.inputs)
        if not treebank:
            raise TreebankError(
                f"{', '.join(request.inputs)}: no sentence is left; give trees with words"
            )
        return assess_phrases(
            EvaluateRequest(
                system=request.system, model=model, digest=model.digest, examples=treebank
            )
        )

    return ParseWork(
        entries=entries,
        answer=lambda read: answer_entries(read, answer, omitted),
        assess=assess,
        messages=lambda: [*omitted.messages(), *long.messages()],
        texts=lambda outcome: () if outcome[1] is None else (write_phrases(outcome[1]),),
        reads_again=True,
    )


def _with_commas_in_slots(entry: Entry[Any, Any]) -> Any:
    """Return the words of an entry with commas in their slots and all other marks as words."""
    content = entry.content
    return with_marks_as_words(content, COMMA_TAGS) if isinstance(content, Words) else content


def assess_phrases(request: EvaluateRequest) -> Assessment:
    """Compare phrases with those of sentences."""
    fitted, sentences = (
        model_of_kind(request.model, PhraseParser),
        without_omitted(request.examples),
    )
    read = [read_tree(s, commas=fitted.options.commas) for s in sentences]
    trees = phrase_trees(request.model, [forms for forms, _ in read])
    treebank = request.treebank or treebank_digest(sentences)
    line = figures_signature(BracketStatistics.task, request.digest[:12], treebank)
    statistics = bracket_statistics([tree for _, tree in read], trees)
    return Assessment.of(Result(request.system, line, statistics))


ANSWERS = Answers(evaluate=assess_phrases, parse=prepare_parsing)
