"""Parsing of tagged treebanks by the beam parser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TextIO

from semipunct.corpus import Sentence, Treebank
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import UsageError
from semipunct.evaluation.parsing import ParsingStatistics
from semipunct.evaluation.results import figures_signature
from semipunct.files import display_name
from semipunct.formats import Annotation, Writer, format_of, read_entries
from semipunct.formats.conllu import Conllu, Record
from semipunct.formats.conllu.from_text import analysed_entry
from semipunct.formats.registry import with_marks
from semipunct.papers.transitions.encoding import check_tags
from semipunct.papers.transitions.parser import BeamParser, Parse
from semipunct.pipelines.assessment import Assessment, assess_parses
from semipunct.pipelines.chunks import Chunk, Outcome
from semipunct.pipelines.notices import check_any
from semipunct.pipelines.options import ParseOptions
from semipunct.pipelines.parsing import beyond_trees
from semipunct.pipelines.task import Documents, Helpers, Request, Task, Tasks
from semipunct.pipelines.trained import Trained, model_of_kind
from semipunct.pipelines.tree_writing import OURS
from semipunct.trees import DependencyTree, without_words


def parse_tagged(model: Trained[Any], sentences: Sequence[Sentence]) -> list[DependencyTree]:
    """Parse sentences; return trees over their words, without punctuation.

    Words that depend on punctuation are attached to its head.

    Args:
        model: a beam parser with its weights.
        sentences: words and punctuation with tags (``formats.registry.with_marks``); punctuation
            that the parser does not attach may be in slots.

    Raises:
        ModelError: if the model is of another kind.
        TreebankError: if the tags or marks to parse are missing.
    """
    fitted = model_of_kind(model, BeamParser)
    if not sentences:
        return []
    check_tags(sentences, fitted.options)
    parses_of_all = fitted.parse(model.parameters, sentences)
    return [_of_words(*pair) for pair in zip(sentences, parses_of_all, strict=True)]


def _of_words(sentence: Sentence, parse_with_marks: Parse) -> DependencyTree:
    marks = [number for number, tag in enumerate(sentence.upos, 1) if tag == PUNCTUATION]
    # Marks that were not parsed may be attached anywhere: they are removed.
    root = 1 + parse_with_marks.heads.index(0)
    heads = tuple(root if head < 0 else head for head in parse_with_marks.heads)
    return without_words(DependencyTree(heads, parse_with_marks.relations), marks)


CHUNK = 1024


class ParseTagged(Task[ParseOptions, Sentence]):
    """Parses treebanks with tags and marks, whose trees are ignored."""

    name = "parse"
    chunk = CHUNK
    outcome = "not parsed"

    def __init__(self, model: Trained[Any], helpers: Helpers, options: ParseOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse(
            "a model of the kind beam-parser",
            {"--tokeniser": helpers.tokeniser, **beyond_trees(options)},
        )
        self._is_compared = False

    def read(self, request: Request) -> Documents:
        for name in request.inputs:
            if format_of(name).name == "text":
                raise UsageError(
                    f"{display_name(name)}: a model of the kind beam-parser reads tags, which text "
                    "does not have; give CoNLL-U, for example as written by semipunct parse with a "
                    "model of the kind parser"
                )
        self._is_compared = request.gold

        def assess(outcomes: Sequence[Outcome[Sentence]]) -> Assessment:
            model: Any = self.model
            treebank = Treebank.of(entry for entry, _ in outcomes)
            check_any(treebank, request.inputs, "sentence")
            line = figures_signature(
                ParsingStatistics.task, model.digest[:12], treebank_digest(treebank.sentences)
            )
            parses = [sentence for _, sentence in outcomes if sentence is not None]
            assessment = assess_parses(request.system, line, treebank, parses)
            if model.model.options.labelled:
                return assessment
            message = "the parser predicts no relations (model.labelled): LAS is meaningless"
            return replace(assessment, messages=[*assessment.messages, message])

        return Documents(
            entries=read_entries(request.inputs), format=Conllu(), form="conllu", assess=assess
        )

    def answer_chunk(self, chunk: Chunk) -> Iterator[Sentence]:
        trees = parse_tagged(self.model, [with_marks(entry) for entry in chunk.entries])
        for sentence, tree in zip(chunk.contents, trees, strict=True):
            yield replace(sentence, tree=tree, expected=None)

    def messages(self) -> Iterable[str]:
        return () if self._is_compared else self.omitted.messages()

    def write(
        self, outcomes: Iterator[Any], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        for entry, sentence in outcomes:
            if sentence is not None:
                annotation = Annotation(replaces=OURS)
                stream.write(writer.annotate(analysed_entry(entry, sentence), annotation))
            elif isinstance(entry.record, Record):
                stream.write(writer.source_text(entry))

    def writer(self, documents: Documents, first: Sequence[Any] = ()) -> Writer[Any]:
        return Conllu().writer()


TASKS = Tasks(parse=ParseTagged)
