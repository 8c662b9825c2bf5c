"""The correction model: perplexity, and correction of trees, or of words with a parser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.formats import format_of, read_entries, read_words
from semipunct.formats.conllu import Conllu
from semipunct.formats.m2 import M2
from semipunct.formats.text import Text
from semipunct.kinds.answers import Answers, CorrectWork
from semipunct.kinds.comparison import prepare_comparison
from semipunct.kinds.criteria import assess_perplexity
from semipunct.kinds.reading import read_by_tokeniser, running_text_format, unit_of
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.segmentation.tokeniser import Tokeniser
from semipunct.store.checkpoint import of_kind
from semipunct.tasks.base import InPlace
from semipunct.tasks.correct import correct, correction_model
from semipunct.tasks.notices import LongSentences, Omissions, UnseenValues
from semipunct.tasks.run import CHUNK, Chunk, answer_entries

if TYPE_CHECKING:
    from semipunct.kinds.requests import CorrectRequest
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.correction import Corrected


def prepare_correction(model: SavedModel[Any], request: CorrectRequest) -> CorrectWork:
    """Prepare the correction of trees, or with a parser of words or text.

    Args:
        model: a correction model.
        request: the files and options.

    Raises:
        ModelError: if a model is of another kind.
        UsageError: if an option is invalid, or files have different formats.
        TreebankError: if references do not match the input.
    """
    fitted = correction_model(model)
    options = request.options
    options.check(fitted.model)
    parser = None if request.parser is None else of_kind(request.parser, Parser)
    analysis = None
    if request.analysis is not None:
        analysis = InPlace.of(of_kind(request.analysis, PunctuationModel))
    read: Iterator[Any]
    if request.tokeniser is not None:
        form = running_text_format(request.inputs)
        read = read_by_tokeniser(request.inputs, of_kind(request.tokeniser, Tokeniser))
    else:
        form = format_of(*request.inputs, words=parser is not None)
        read = (read_entries if parser is None else read_words)(request.inputs)
    omitted = Omissions("left unchanged")
    unseen, long = UnseenValues(model.model), LongSentences()

    def answer(chunk: Chunk) -> Sequence[Corrected]:
        # Relations of a parser are the same in every run, and not the user's to change.
        (unseen if parser is None else long).count(chunk.contents)
        return correct(
            fitted, chunk.contents, options, parser=parser, analysis=analysis, first=chunk.numbers
        )

    entries, assess = prepare_comparison(model, read, request, options, running=False)
    return CorrectWork(
        entries=entries,
        format=form,
        answer=lambda read: answer_entries(read, answer, omitted, first=request.first),
        assess=assess,
        messages=lambda: [*omitted.messages(), *long.messages(), *unseen.messages()],
        written="m2" if form.name == M2.name else "text" if form.name == Text.name else "conllu",
        parsed=parser is not None,
        # Drawn trees of sentences that are answered together share their random numbers.
        unit="corpus"
        if options.analyses and form.name != Conllu.name
        else unit_of(form, tokenised=request.tokeniser is not None),
        is_numbered=True,
        chunk=CHUNK,
    )


ANSWERS = Answers(evaluate=assess_perplexity, correct=prepare_correction, correct_sentences=correct)
