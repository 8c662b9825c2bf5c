"""Preparation of ``semipunct restore``: reading and restoring sentences, by kind of model."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from semipunct.cli.restored_sentences import Format
from semipunct.cli.treebanks import InPieces, Unseen, in_chunks
from semipunct.errors import UsageError
from semipunct.files import display_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from semipunct.cli.restored_sentences import Outcome
    from semipunct.corpus import Entry
    from semipunct.formats import Format as FileFormat
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.base import Trained
    from semipunct.tasks.restoration import Restoration, RestoreOptions
    from semipunct.tasks.restore_running_text import Objective, Part
    from semipunct.tasks.running_text_choice import Lines

CHUNK = 256
"""Sentences restored at a time."""


class Work(NamedTuple):
    """The sentences to restore, and the functions to restore and report them.

    Attributes:
        entries: of files.
        form: their format.
        outcomes: yields entries and what was restored, None for those left unchanged, in order.
        signature: of the figures of entries and what was restored.
        parsed: whether trees of a parser are to be written.
        say: prints messages after all sentences are restored.
        marks: the marks that are evaluated; None for all.
        capitals: whether restored sentences come with capitals.
        written: the format of the output if none is named.
        compared: returns what of a restored sentence is compared with the input.
    """

    entries: Iterator[Any]
    form: "FileFormat[Any]"
    outcomes: "Callable[[Iterable[Entry[Any]]], Iterator[Outcome]]"
    signature: "Callable[[Sequence[Outcome]], str]"
    parsed: bool
    say: "Callable[[], None]"
    marks: "Set[str] | None" = None
    capitals: bool = False
    written: Format = Format.CONLLU
    compared: "Callable[[Restoration[Any]], Restoration[Any]]" = lambda found: found


def work_on_marks(
    model: "SavedModel[Any]",
    inputs: Sequence[str],
    options: "RestoreOptions",
    parser: Sequence[str],
    tokeniser: "Trained[Any] | None",
    *,
    gold: bool,
    trees: int,
    share: float | None,
    text_model: "Trained[Any] | None",
    lines: "Lines | None",
    objective: "Objective | None",
) -> Work:
    """Prepare the restoration of all marks that a punctuation model knows.

    Args:
        model: of punctuation.
        inputs: the files.
        options: of the restoration.
        parser: folders of parsers, or of such folders.
        tokeniser: of running text.
        gold: whether the restored punctuation is compared with the input.
        trees: to be drawn from each parser.
        share: the weight of the marks that parsers or the text model predict between words, if it
            is given.
        text_model: to find the sentences of running text, and their marks.
        lines: what the end of a line of running text says.
        objective: what decisions optimise.

    Raises:
        ModelError: if a model is of another kind.
        UsageError: if an option is invalid, or files have different formats.
    """
    from semipunct.cli.running_text import (
        read_by_text_model,
        read_running_text,
        running_text_format,
    )
    from semipunct.formats import format_of, read_entries, read_words
    from semipunct.formats.text import Text
    from semipunct.models.parsing.parser import Parser
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.store.checkpoint import load, of_kind
    from semipunct.store.folder import model_folders
    from semipunct.tasks.base import InPlace
    from semipunct.tasks.restore import restoration_signature
    from semipunct.tasks.restore import restore as run
    from semipunct.tasks.restore_words import restore_words as run_on_words

    fitted = InPlace.of(of_kind(model, PunctuationModel))
    options.check(fitted.model)
    folders = (folder for path in parser for folder in model_folders(path))
    parsers = [load(folder, Parser) for folder in folders]
    # The comparison needs the punctuation of the input, read as a treebank.
    bare = bool(parsers) and not gold
    entries: Iterator[Any]
    if tokeniser is not None:
        form = running_text_format(inputs)
        entries = read_running_text(inputs, tokeniser)
    else:
        form = format_of(*inputs, words=bare)  # before any of it is read
        if text_model is not None and form.name == Text.name:
            ends = lines or "paragraph"
            entries = read_by_text_model(inputs, text_model, ends, options.keep)
        elif lines is not None:
            raise UsageError(
                "--lines is for running text, but the sentences of these files are known; leave it "
                "out"
            )
        else:
            entries = read_words(inputs) if bare else read_entries(inputs)
    unseen, cut = Unseen(fitted.model), InPieces()

    def restored(sentences: Sequence[Any], number: int) -> "Sequence[Restoration[Any]]":
        if parsers:
            cut.look_at(sentences)
            # Relations of a parser are the same in every run, and not the user's to change.
            return run_on_words(
                fitted, parsers, sentences, options, trees=trees, share=share,
                text_model=text_model, objective=objective, first=number,
            )  # fmt: skip
        unseen.look_at(sentences)
        return run(fitted, sentences, options, first=number)

    def say() -> None:
        cut.say()
        unseen.say()

    return Work(
        entries,
        form,
        partial(_in_chunks, restored),
        lambda outcomes: restoration_signature(model.digest, _sentences(outcomes), options),
        bool(parsers),
        say,
    )


def work_on_commas(
    model: "SavedModel[Any]",
    inputs: Sequence[str],
    options: "RestoreOptions",
    parser: Sequence[str],
    tokeniser: "Trained[Any] | None",
    *,
    refused: dict[str, bool],
) -> Work:
    """Prepare the restoration of commas.

    Args:
        model: of commas.
        inputs: the files: trees in brackets or, with a parser, words or text.
        options: of the restoration.
        parser: the folder of a parser of phrases, if any.
        tokeniser: of running text.
        refused: options that such a model does not support, and whether they were given.

    Raises:
        ModelError: if a model is of another kind, or the parser reads commas.
        UsageError: if an option is invalid for a comma model.
    """
    from semipunct.cli.running_text import read_running_text, running_text_format
    from semipunct.formats import FORMATS, format_of, read_phrases, read_words
    from semipunct.formats.registry import COMMA_TAGS
    from semipunct.models.constituency.parser import PhraseParser
    from semipunct.store.checkpoint import load
    from semipunct.tasks.restore_commas import (
        check,
        commas_signature,
        restore_commas,
        restore_commas_of_words,
    )

    if wrong := [name for name, given in refused.items() if given]:
        raise UsageError(f"a comma model does not support {wrong[0]}; leave it out")
    if len(parser) > 1:
        raise UsageError("a comma model uses only one parser; give --parser once")
    check(options)
    phrases = load(parser[0], PhraseParser) if parser else None
    entries: Iterator[Any]
    form = FORMATS["ptb"]
    if tokeniser is not None:
        form = running_text_format(inputs)
        entries = read_running_text(inputs, tokeniser)
    elif phrases is None or format_of(*inputs, words=True).name == form.name:
        entries = read_phrases(inputs, COMMA_TAGS)
    else:
        form = format_of(*inputs, words=True)
        entries = read_words(inputs)

    def restored(sentences: Sequence[Any], _: int) -> "Sequence[Restoration[Any]]":
        if phrases is None:
            return restore_commas(model, sentences, options)
        return restore_commas_of_words(model, phrases, sentences, options)

    return Work(
        entries,
        form,
        partial(_in_chunks, restored),
        lambda outcomes: commas_signature(model.digest, _sentences(outcomes), options),
        False,
        lambda: None,
        COMMA_TAGS,
    )


def work_on_running_text(
    model: "SavedModel[Any]",
    inputs: Sequence[str],
    options: "RestoreOptions",
    ends: "Lines | None",
    objective: "Objective",
    form: Format | None,
    *,
    gold: bool,
    lower: bool,
    refused: dict[str, bool],
) -> Work:
    """Prepare the restoration of marks and capitals by a text model.

    Args:
        model: a text model.
        inputs: files of text, or treebanks in CoNLL-U.
        options: of the restoration.
        ends: what the end of a line says, if it is given.
        objective: what decisions optimise.
        form: of the output, if it is given.
        gold: whether the restored punctuation is compared with the input.
        lower: whether words are read in lower case.
        refused: options that such a model does not support, and whether they were given.

    Raises:
        UsageError: if an option is invalid for a text model, or a file is of another format.
    """
    from semipunct.formats import format_of, read_entries
    from semipunct.formats.conllu import Conllu
    from semipunct.formats.running_text import read_lines
    from semipunct.formats.text import Text
    from semipunct.tasks.restore_running_text import (
        compared,
        restored_parts,
        running_text_signature,
    )

    if wrong := [name for name, given in refused.items() if given]:
        raise UsageError(f"a text model does not support {wrong[0]}; leave it out")
    kind = format_of(*inputs, words=True, default=Text.name)
    if kind.name not in (Text.name, Conllu.name):
        raise UsageError(
            f"{display_name(inputs[0])}: a text model restores plain text and treebanks in "
            f"CoNLL-U, but this is {kind.name}; give one of these"
        )
    is_text = kind.name == Text.name
    if is_text and form is Format.CONLLU:
        raise UsageError(
            "--format conllu needs the trees of a treebank, or of --parser with a punctuation "
            "model; choose --format text or json"
        )
    form = form or (Format.TEXT if is_text else Format.CONLLU)
    lines: Lines = ends or ("paragraph" if is_text else "sentence")
    entries: Iterator[Any]
    if is_text:
        entries = read_lines(inputs, whole=gold or form is Format.JSON)
    else:  # marks are attached by trees
        entries = read_entries(inputs)

    def restored(parts: "Iterable[Part]") -> "Iterator[Restoration[Any]]":
        return restored_parts(model, parts, options, ends=lines, objective=objective, lower=lower)

    def signature(outcomes: "Sequence[Outcome]") -> str:
        # Capitals may have been restored, but what is compared is the same.
        sentences: list[Any] = [entry.content for entry, found in outcomes if found]
        return running_text_signature(
            model.digest, sentences, options, ends=lines, objective=objective, lower=lower
        )

    return Work(
        entries,
        kind,
        partial(_in_parts, restored),
        signature,
        False,
        lambda: None,
        capitals=True,
        written=form,
        compared=compared,
    )


def _sentences(outcomes: "Sequence[Outcome]") -> list[Any]:
    return [found.sentence for _, found in outcomes if found]


def _in_chunks(
    restored: "Callable[[Sequence[Any], int], Sequence[Restoration[Any]]]",
    entries: "Iterable[Entry[Any]]",
) -> "Iterator[Outcome]":
    """Restore entries chunk by chunk, by a function of sentences and the number of the first."""
    from semipunct.corpus import Omitted

    number = 0
    for chunk in in_chunks(entries, CHUNK):
        sentences = [e.content for e in chunk if not isinstance(e.content, Omitted)]
        found = iter(restored(sentences, number))
        number += len(sentences)
        yield from ((e, None if isinstance(e.content, Omitted) else next(found)) for e in chunk)


def _in_parts(
    restored: "Callable[[Iterable[Part]], Iterator[Restoration[Any]]]",
    entries: "Iterable[Entry[Any]]",
) -> "Iterator[Outcome]":
    """Restore entries as parts of texts, each of which is a file."""
    from semipunct.corpus import Omitted
    from semipunct.corpus.located import Located
    from semipunct.tasks.restore_running_text import Part

    waiting: deque[Entry[Any]] = deque()

    def parts() -> "Iterator[Part]":
        last: Part | None = None
        for entry in entries:
            waiting.append(entry)
            content, record = entry.content, entry.record
            ends_line = not isinstance(record, Located) or record.text.endswith("\n")
            if not isinstance(content, Omitted):
                if last is not None:
                    yield last._replace(ends_text=last.words.path != content.path)
                last = Part(content, ends_line)
            elif last is not None and ends_line:
                last = last._replace(ends_line=True)
        if last is not None:
            yield last

    for found in restored(parts()):
        while isinstance(waiting[0].content, Omitted):
            yield waiting.popleft(), None
        yield waiting.popleft(), found
    yield from ((entry, None) for entry in waiting)
