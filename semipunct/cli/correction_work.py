"""Preparation of ``semipunct correct``: reading and correcting sentences, by kind of model."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from semipunct.cli.treebanks import InPieces, Unseen
from semipunct.errors import UsageError
from semipunct.files import display_name

if TYPE_CHECKING:
    from semipunct.formats import Format
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.correction import Corrected, CorrectOptions


class Work(NamedTuple):
    """The sentences to correct, and the function that corrects them.

    Attributes:
        entries: of files.
        form: their format.
        corrected: returns corrected sentences, given sentences and the number of the first.
        parsed: whether a parser makes their trees.
        running: whether words are separated from their marks as in running text.
        say: prints messages after all sentences are corrected.
    """

    entries: Iterator[Any]
    form: "Format[Any]"
    corrected: "Callable[[Sequence[Any], int], Sequence[Corrected]]"
    parsed: bool
    running: bool
    say: Callable[[], None]


def work_on_trees(
    model: "SavedModel[Any]",
    inputs: Sequence[str],
    options: "CorrectOptions",
    *,
    parser: str | None,
    tokeniser: str | None,
    analysis: str | None,
) -> Work:
    """Prepare the correction of trees, or with a parser of words or text.

    Args:
        model: a correction model.
        inputs: the files.
        options: of the correction.
        parser: the folder of a parser, if any.
        tokeniser: that of a tokeniser of running text.
        analysis: that of a punctuation model of uncorrected text.

    Raises:
        ModelError: if a model is of another kind.
        UsageError: if an option is invalid, or files have different formats.
    """
    from semipunct.cli.running_text import read_running_text, running_text_format
    from semipunct.formats import format_of, read_entries, read_words
    from semipunct.models.parsing.parser import Parser
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.models.segmentation.tokeniser import Tokeniser
    from semipunct.store.checkpoint import load
    from semipunct.tasks.base import InPlace
    from semipunct.tasks.correct import correct, correction_model

    fitted = correction_model(model)
    options.check(fitted.model)
    parsing = load(parser, Parser) if parser is not None else None
    finder = InPlace.of(load(analysis, PunctuationModel)) if analysis is not None else None
    entries: Iterator[Any]
    if tokeniser is not None:
        words_of = load(tokeniser, Tokeniser)
        form = running_text_format(inputs)
        entries = read_running_text(inputs, words_of)
    else:
        form = format_of(*inputs, words=parsing is not None)
        entries = read_words(inputs) if parsing is not None else read_entries(inputs)
    unseen, cut = Unseen(model.model), InPieces()

    def corrected(sentences: Sequence[Any], number: int) -> "Sequence[Corrected]":
        # Relations of a parser are the same in every run, and not the user's to change.
        looked_at = unseen if parsing is None else cut
        looked_at.look_at(sentences)
        return correct(fitted, sentences, options, parser=parsing, analysis=finder, first=number)

    def say() -> None:
        cut.say()
        unseen.say()

    return Work(entries, form, corrected, parsing is not None, False, say)


def work_on_running_text(
    model: "SavedModel[Any]",
    inputs: Sequence[str],
    options: "CorrectOptions",
    *,
    refused: dict[str, bool],
) -> Work:
    """Prepare the correction of running text by a text model.

    Args:
        model: a text model.
        inputs: files of text.
        options: of the correction.
        refused: options that such a model does not support, and whether they were given.

    Raises:
        UsageError: if an option is invalid for a text model, or a file is not text.
    """
    from semipunct.formats import FORMATS, format_of
    from semipunct.formats.running_text import read_lines
    from semipunct.formats.text import Text
    from semipunct.tasks.correct_running_text import check, correct_running_text

    if wrong := [name for name, is_given in refused.items() if is_given]:
        raise UsageError(f"a text model does not support {wrong[0]}; leave it out")
    for path in inputs:
        form = format_of(path, words=True, default=Text.name)
        if form.name != Text.name:
            raise UsageError(
                f"{display_name(path)}: a text model corrects text, but this is {form.name}; give "
                "text, one paragraph a line, or a model of --kind correction"
            )
    check(options, model.model)

    def corrected(lines: Sequence[Any], _: int) -> "Sequence[Corrected]":
        return correct_running_text(model, lines, options)

    return Work(
        read_lines(inputs, whole=True), FORMATS[Text.name], corrected, False, True, lambda: None
    )
