"""The parser of phrases: words in, trees in brackets out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Entry, Words
from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.marks_as_words import with_marks_as_words
from semipunct.corpus.omission import without_omitted
from semipunct.errors import TreebankError
from semipunct.evaluation.brackets import BracketStatistics, bracket_statistics
from semipunct.evaluation.results import Result
from semipunct.evaluation.signature import figures_signature
from semipunct.formats import format_of, read_phrases, read_words
from semipunct.formats.ptb.writing import write_phrases
from semipunct.formats.registry import COMMA_TAGS, read_whole_phrases
from semipunct.kinds.assessment import Assessment
from semipunct.kinds.reading import read_by_tokeniser, running_text_format
from semipunct.kinds.requests import EvaluateRequest
from semipunct.models.constituency.labels import read_tree
from semipunct.models.constituency.parser import PhraseParser
from semipunct.tasks.base import model_of_kind
from semipunct.tasks.notices import LongSentences, Omissions
from semipunct.tasks.parse_phrases import parse_phrases, phrase_trees
from semipunct.tasks.run import Chunk, Outcome

if TYPE_CHECKING:
    from semipunct.corpus.sentences import Sentence


class ParsePhrases(Task[ParseOptions, "Sentence[Any]"]):
    """Parses words into phrases."""

    name = "parse"
    outcome = "not parsed"

    def __init__(self, model: Trained[Any], helpers: Helpers, options: ParseOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse("a model of the kind phrase-parser", beyond_trees(helpers, options))
        self.omitted = Omissions(self.outcome, keeps_markup=False)
        self._long = LongSentences()

    def read(self, request: Request) -> Documents:
        inputs = request.inputs
        form = FORMATS["ptb"]
        entries: Iterator[Any]
        if self.helpers.tokeniser is not None:
            running_text_format(inputs)
            entries = read_by_tokeniser(inputs, self.helpers.tokeniser)
        elif format_of(*inputs, words=True).name == form.name:
            entries = read_phrases(inputs, COMMA_TAGS)
        else:
            entries = read_words(inputs)

        def assess(_: Sequence[Outcome[Any]]) -> Assessment:
            model: Any = self.model
            treebank = read_whole_phrases(inputs)
            if not treebank:
                raise TreebankError(
                    f"{', '.join(inputs)}: no sentence is left; give trees with words"
                )
            return assess_phrases(
                EvaluateRequest(
                    system=request.system, model=model, digest=model.digest, examples=treebank
                )
            )

        return Documents(entries=entries, format=form, form="ptb", assess=assess, reads_again=True)

    def answer_chunk(self, chunk: Chunk) -> Sequence[Sentence[Any]]:
        sentences = [_with_commas_in_slots(entry) for entry in chunk.entries]
        self._long.count(sentences)
        return parse_phrases(self.model, sentences)

    def messages(self) -> Iterable[str]:
        return [*self.omitted.messages(), *self._long.messages()]

    def write(
        self, outcomes: Iterator[Any], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        stream.writelines(write_phrases(tree) for _, tree in outcomes if tree is not None)


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


TASKS = Tasks(evaluate=assess_phrases, parse=ParsePhrases)
