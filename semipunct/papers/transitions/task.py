"""The beam parser: tagged treebanks in, with the parser's trees out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Sentence, Treebank
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import UsageError
from semipunct.evaluation.parsing import ParsingStatistics
from semipunct.evaluation.results import figures_signature
from semipunct.files import display_name
from semipunct.formats import Annotation, format_of, read_entries
from semipunct.formats.conllu import Conllu, Record
from semipunct.formats.conllu.from_text import analysed_entry
from semipunct.formats.registry import with_marks
from semipunct.kinds.answers import Answers, ParseWork, refuse
from semipunct.kinds.assessment import Assessment, assess_parses
from semipunct.kinds.requests import refused_by_other_parsers
from semipunct.papers.transitions.encoding import check_tags
from semipunct.papers.transitions.parser import BeamParser, Parse
from semipunct.render.analyses import OURS
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.tasks.notices import Omissions
from semipunct.tasks.reading import check_any
from semipunct.tasks.run import Chunk, Outcome, answer_entries
from semipunct.trees import DependencyTree, without_words

if TYPE_CHECKING:
    from semipunct.kinds.requests import ParseRequest
    from semipunct.store.checkpoint import SavedModel


def parse_tagged(model: Trained[Any], sentences: Sequence[Sentence]) -> list[DependencyTree]:
    """Return the trees of a beam parser over the words of sentences, without their punctuation.

    If the parser attaches punctuation, words that depend on it are attached to its head.

    Args:
        model: a parser of the kind ``beam-parser`` with its weights.
        sentences: words and punctuation with their tags (``formats.registry.with_marks``); for a
            parser that attaches no punctuation, it may also be in slots. Trees are ignored.

    Returns:
        Trees over the n >= 1 words that do not have the tag PUNCT; without ``model.labelled``, all
        relations but that of the root are ``_``.

    Raises:
        ModelError: if the model is of another kind.
        TreebankError: if no word has a tag in the column that the parser reads, or the parser
            attaches punctuation and the punctuation is in slots.
    """
    fitted = model_of_kind(model, BeamParser)
    if not sentences:
        return []
    check_tags(sentences, fitted.options)
    parses_of_all = fitted.parse(model.parameters, sentences)
    return [_of_words(*pair) for pair in zip(sentences, parses_of_all, strict=True)]


def _of_words(sentence: Sentence, parse_with_marks: Parse) -> DependencyTree:
    marks = [number for number, tag in enumerate(sentence.upos, 1) if tag == PUNCTUATION]
    # Marks that were not parsed are leaves anywhere, as they are removed.
    root = 1 + parse_with_marks.heads.index(0)
    heads = tuple(root if head < 0 else head for head in parse_with_marks.heads)
    return without_words(DependencyTree(heads, parse_with_marks.relations), marks)


CHUNK = 1024
"""Sentences parsed at a time."""


def prepare_parsing(model: SavedModel[Any], request: ParseRequest) -> ParseWork:
    """Prepare the parsing of treebanks with tags and marks, whose trees are ignored.

    Args:
        model: a beam parser.
        request: the files and options.

    Raises:
        UsageError: for text, which has no tags, and for options that the parser does not support.
        TreebankError: if a file is missing or damaged, or its words have no tags.
    """
    unsupported = {"--tokeniser": request.tokeniser, **refused_by_other_parsers(request)}
    refuse("a model of the kind beam-parser", unsupported)
    for name in request.inputs:
        if format_of(name).name == "text":
            raise UsageError(
                f"{display_name(name)}: a model of the kind beam-parser reads tags, which text "
                "does not have; give CoNLL-U, for example as written by semipunct parse with a "
                "model of the kind parser"
            )
    omitted = Omissions("not parsed")

    def answer(chunk: Chunk) -> Iterator[Sentence]:
        trees = parse_tagged(model, [with_marks(entry) for entry in chunk.entries])
        for sentence, tree in zip(chunk.contents, trees, strict=True):
            yield replace(sentence, tree=tree, expected=None)

    def assess(outcomes: Sequence[Outcome[Sentence]]) -> Assessment:
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

    return ParseWork(
        entries=read_entries(request.inputs),
        answer=lambda read: answer_entries(read, answer, omitted, size=CHUNK),
        assess=assess,
        messages=lambda: () if request.gold else omitted.messages(),
        texts=_texts,
    )


def _texts(outcome: Outcome[Sentence]) -> Iterator[str]:
    """Yield a sentence as CoNLL-U, unchanged if it is omitted."""
    writer = Conllu().writer()
    entry, sentence = outcome
    if sentence is not None:
        yield writer.annotate(analysed_entry(entry, sentence), Annotation(replaces=OURS))
    elif isinstance(entry.record, Record):
        yield writer.source_text(entry)


ANSWERS = Answers(parse=prepare_parsing)
