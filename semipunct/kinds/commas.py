"""The comma models: restoration of commas in bracketed trees, or in words with a parser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.errors import ModelError, UsageError
from semipunct.formats import FORMATS, format_of, read_phrases, read_words
from semipunct.formats.registry import COMMA_TAGS
from semipunct.kinds.answers import Answers, RestoreWork, refuse
from semipunct.kinds.assessment import Assessment, assess_restorations, restorations_of
from semipunct.kinds.reading import read_by_tokeniser, running_text_format
from semipunct.kinds.texts import write_text
from semipunct.models.constituency.parser import PhraseParser
from semipunct.store.checkpoint import of_kind
from semipunct.tasks.notices import Omissions
from semipunct.tasks.restore_commas import (
    check,
    commas_signature,
    restore_commas,
    restore_commas_of_words,
)
from semipunct.tasks.run import Chunk, Outcome, answer_entries
from semipunct.tasks.sentences_of_text import sentences_of_text

if TYPE_CHECKING:
    from semipunct.kinds.requests import RestoreRequest, TextRequest
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
    form = FORMATS["ptb"]
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
        written.append(write_text(parts, restored))
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


ANSWERS = Answers(
    restore=prepare_restoration, restore_sentences=restore_sentences, restore_texts=restore_texts
)
