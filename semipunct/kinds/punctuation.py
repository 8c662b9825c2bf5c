"""The punctuation model: perplexity, and restoration of trees, or of words with a parser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from semipunct.corpus.located import Located
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import UsageError
from semipunct.formats import format_of, read_entries, read_words
from semipunct.formats.text import Text
from semipunct.kinds.answers import Answers, RestoreWork
from semipunct.kinds.assessment import Assessment, assess_restorations, restorations_of
from semipunct.kinds.criteria import assess_perplexity
from semipunct.kinds.reading import (
    read_by_text_model,
    read_by_tokeniser,
    running_text_format,
    unit_of,
)
from semipunct.kinds.texts import write_text
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store.checkpoint import of_kind
from semipunct.tasks.base import InPlace
from semipunct.tasks.notices import LongSentences, Omissions, UnseenValues
from semipunct.tasks.restore import restoration_signature, restore
from semipunct.tasks.restore_words import restore_words
from semipunct.tasks.run import CHUNK, Chunk, Numbering, Outcome, answer_entries
from semipunct.tasks.sentences_of_text import sentences_by_text_model, sentences_of_text

if TYPE_CHECKING:
    from semipunct.kinds.requests import RestoreRequest, TextRequest
    from semipunct.render.punctuated_text import PunctuatedText
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.base import Trained
    from semipunct.tasks.options import RestoreOptions
    from semipunct.tasks.restoration import Restoration


def prepare_restoration(model: SavedModel[Any], request: RestoreRequest) -> RestoreWork:
    """Prepare the restoration of all marks that a punctuation model knows.

    Args:
        model: a punctuation model.
        request: the files and options.

    Raises:
        ModelError: if a model is of another kind.
        UsageError: if an option is invalid, or files have different formats.
    """
    if request.lower:
        raise UsageError(f"--lower is for a text model, and {model.path} is another one")
    if request.text_model is None:
        for name in ("lines", "objective"):
            if getattr(request, name) is not None:
                raise UsageError(f"--{name} is for a text model, and {model.path} is another one")
    fitted = InPlace.of(of_kind(model, PunctuationModel))
    options = request.options
    options.check(fitted.model)
    parsers = [of_kind(parser, Parser) for parser in request.parsers]
    # The comparison needs the punctuation of the input, read as a treebank.
    needs_words = bool(parsers) and not request.gold
    entries: Iterator[Any]
    if request.tokeniser is not None:
        form = running_text_format(request.inputs)
        entries = read_by_tokeniser(request.inputs, request.tokeniser)
    else:
        form = format_of(*request.inputs, words=needs_words)  # before any of it is read
        if request.text_model is not None and form.name == Text.name:
            lines = request.lines or "paragraph"
            entries = read_by_text_model(request.inputs, request.text_model, lines, options.keep)
        elif request.lines is not None:
            raise UsageError(
                "--lines is for running text, but the sentences of these files are known; leave it "
                "out"
            )
        else:
            entries = (read_words if needs_words else read_entries)(request.inputs)
    omitted = Omissions("left unchanged")
    unseen, long = UnseenValues(fitted.model), LongSentences()

    def answer(chunk: Chunk) -> Sequence[Restoration[Any]]:
        sentences = chunk.contents
        if parsers:
            long.count(sentences)
            # Relations of a parser are the same in every run, and not the user's to change.
            return restore_words(
                fitted, parsers, sentences, options, trees=request.trees, share=request.share,
                text_model=request.text_model, objective=request.objective, first=chunk.numbers,
            )  # fmt: skip
        unseen.count(sentences)
        return restore(fitted, sentences, options, first=chunk.numbers)

    def assess(outcomes: Sequence[Outcome[Restoration[Any]]]) -> Assessment:
        restored = restorations_of(outcomes)
        line = restoration_signature(model.digest, [r.sentence for r in restored], options)
        return assess_restorations(request.system, line, restored, most=request.confusions)

    return RestoreWork(
        entries=entries,
        format=form,
        answer=lambda read: answer_entries(read, answer, omitted, first=request.first),
        assess=assess,
        messages=lambda: [*omitted.messages(), *long.messages(), *unseen.messages()],
        parsed=bool(parsers),
        # A text model reads sentences that follow each other as one text.
        unit="corpus"
        if request.text_model is not None
        else unit_of(form, tokenised=request.tokeniser is not None),
        is_numbered=True,
        chunk=CHUNK,
    )


def restore_texts(
    model: Trained[Any], texts: Sequence[str], request: TextRequest
) -> list[PunctuatedText]:
    """Restore texts by a punctuation model and a parser.

    Args:
        model: a punctuation model with its weights.
        texts: of any length.
        request: the options and the other models.
    """
    text_model = request.text_model
    if request.parser is None:
        raise UsageError(
            f"a model of the kind {model.model.kind} restores text with a parser; give parser"
        )
    if text_model is None:
        parts_of_texts = [sentences_of_text(text, request.tokeniser) for text in texts]
        return _restore_parts(model, parts_of_texts, request)
    if request.tokeniser is not None:
        raise UsageError("a text model finds sentences and capitals itself; give no tokeniser")
    # One by one, since it reads sentences that follow each other as one text.
    written: list[PunctuatedText] = []
    for text in texts:
        parts = sentences_by_text_model(text, text_model, request.options, request.ends)
        written += _restore_parts(model, [parts], request)
    return written


def _restore_parts(
    model: Trained[Any], parts_of_texts: Sequence[Sequence[Located]], request: TextRequest
) -> list[PunctuatedText]:
    """Restore texts whose sentences are known."""
    contents_of_texts = [[part.content for part in parts] for parts in parts_of_texts]
    numbers = [
        number
        for contents in contents_of_texts
        for number in Numbering().next_numbers(without_omitted(contents))
    ]
    restored = restore_words(
        model, request.parser or (), [*chain.from_iterable(contents_of_texts)], request.options,
        trees=request.trees, share=request.share, text_model=request.text_model,
        objective=request.objective, first=numbers,
    )  # fmt: skip
    answers = iter(restored)
    return [write_text(parts, list(islice(answers, len(parts)))) for parts in parts_of_texts]


def restore_sentences(
    model: Trained[Any], sentences: Sequence[Any], options: RestoreOptions, first: int
) -> list[Any]:
    """Restore the punctuation of sentences.

    Args:
        model: a punctuation model with its weights.
        sentences: words and trees.
        options: of the restoration.
        first: the number of the first sentence.
    """
    return restore(model, sentences, options, first=first)


ANSWERS = Answers(
    evaluate=assess_perplexity,
    restore=prepare_restoration,
    restore_sentences=restore_sentences,
    restore_texts=restore_texts,
)
