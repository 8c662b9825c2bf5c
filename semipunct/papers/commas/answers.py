"""Commas restored in trees, words and text, and phrases of words: what the models answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Entry, Words
from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.omission import without_omitted
from semipunct.errors import ModelError, TreebankError, UsageError
from semipunct.evaluation.results import Result
from semipunct.evaluation.signature import figures_signature
from semipunct.formats import format_of, read_words
from semipunct.kinds.answers import Answers, ParseWork, RestoreWork, refuse
from semipunct.kinds.assessment import Assessment, assess_restorations, restorations_of
from semipunct.kinds.reading import read_by_tokeniser, running_text_format
from semipunct.kinds.requests import EvaluateRequest, refused_by_other_parsers
from semipunct.kinds.texts import write_text
from semipunct.papers.commas.figures import BracketStatistics, bracket_statistics
from semipunct.papers.commas.marks_as_words import with_marks_as_words
from semipunct.papers.commas.parser import PhraseParser, read_tree
from semipunct.papers.commas.parsing import parse_phrases, phrase_trees
from semipunct.papers.commas.ptb import COMMA_TAGS, PTB, read_phrases, read_whole_phrases
from semipunct.papers.commas.punctuation import write_phrases
from semipunct.papers.commas.task import (
    check,
    commas_signature,
    restore_commas,
    restore_commas_of_words,
)
from semipunct.store.checkpoint import of_kind
from semipunct.tasks.base import model_of_kind
from semipunct.tasks.notices import LongSentences, Omissions
from semipunct.tasks.run import Chunk, Outcome, answer_entries
from semipunct.tasks.sentences_of_text import sentences_of_text

if TYPE_CHECKING:
    from semipunct.corpus.sentences import Sentence
    from semipunct.kinds.requests import ParseRequest, RestoreRequest, TextRequest
    from semipunct.render.punctuated_text import PunctuatedText
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.base import Trained
    from semipunct.tasks.options import RestoreOptions
    from semipunct.tasks.restoration import Restoration


def prepare_restoration(model: SavedModel[Any], request: RestoreRequest) -> RestoreWork:
    """Prepare the restoration of commas in trees in brackets or, with a parser, in words or text.

    Args:
        model: a comma model.
        request: the files and options.

    Raises:
        ModelError: if a model is of another kind, or the parser reads commas.
        UsageError: if an option is invalid for a comma model.
    """
    refuse(
        "a comma model",
        {
            "--trees": request.trees, "--parser-share": request.share is not None,
            "--text": request.text_model, "--lines": request.lines,
            "--objective": request.objective, "--lower": request.lower,
        },
    )  # fmt: skip
    if len(request.parsers) > 1:
        raise UsageError("a comma model uses only one parser; give --parser once")
    options = request.options
    check(options)
    parser = of_kind(request.parsers[0], PhraseParser) if request.parsers else None
    entries: Iterator[Any]
    form = PTB
    if request.tokeniser is not None:
        form = running_text_format(request.inputs)
        entries = read_by_tokeniser(request.inputs, request.tokeniser)
    elif parser is None or format_of(*request.inputs, words=True).name == form.name:
        entries = read_phrases(request.inputs, COMMA_TAGS)
    else:
        form = format_of(*request.inputs, words=True)
        entries = read_words(request.inputs)
    omitted = Omissions("left unchanged")

    def answer(chunk: Chunk) -> Sequence[Restoration[Any]]:
        if parser is None:
            return restore_commas(model, chunk.contents, options)
        return restore_commas_of_words(model, parser, chunk.contents, options)

    def assess(outcomes: Sequence[Outcome[Restoration[Any]]]) -> Assessment:
        restored = restorations_of(outcomes)
        line = commas_signature(model.digest, [r.sentence for r in restored], options)
        return assess_restorations(
            request.system, line, restored, most=request.confusions, marks=COMMA_TAGS
        )

    return RestoreWork(
        entries=entries,
        format=form,
        answer=lambda read: answer_entries(read, answer, omitted),
        assess=assess,
        messages=omitted.messages,
    )


def restore_texts(
    model: Trained[Any], texts: Sequence[str], request: TextRequest
) -> list[PunctuatedText]:
    """Restore the commas of texts, given a parser of phrases.

    Args:
        model: a comma model with its weights.
        texts: of any length.
        request: the options and the other models.
    """
    parser = request.parser
    if parser is None:
        raise UsageError(
            f"a model of the kind {model.model.kind} restores text with a parser; give parser"
        )
    if isinstance(parser, Sequence):
        raise ModelError("a comma model uses only one parser; give it alone, not in a list")
    if request.text_model is not None:
        raise ModelError("a comma model does not use a text model; give none")
    written: list[PunctuatedText] = []
    for text in texts:
        parts = sentences_of_text(text, request.tokeniser)
        contents = [part.content for part in parts]
        restored = restore_commas_of_words(model, parser, contents, request.options)
        written.append(write_text(parts, restored, request.case))
    return written


def restore_sentences(
    model: Trained[Any], sentences: Sequence[Any], options: RestoreOptions, first: int
) -> list[Any]:
    """Restore the commas of sentences.

    Args:
        model: a comma model with its weights.
        sentences: words and phrases.
        options: of the restoration.
        first: the number of the first sentence, which has no effect.
    """
    return restore_commas(model, sentences, options)


COMMAS = Answers(
    restore=prepare_restoration, restore_sentences=restore_sentences, restore_texts=restore_texts
)


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


PHRASE_PARSER = Answers(evaluate=assess_phrases, parse=prepare_parsing)
