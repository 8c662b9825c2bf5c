"""The text model: restoration and correction of running text, and restoration of treebanks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.located import Located
from semipunct.corpus.treebank import with_omitted, without_omitted
from semipunct.errors import UsageError
from semipunct.files import display_name
from semipunct.formats import Format, format_of, read_entries
from semipunct.formats.conllu import Conllu
from semipunct.formats.running_text import lines_of_text, read_lines
from semipunct.formats.subtitles import Subtitles
from semipunct.formats.text import Text
from semipunct.formats.transcripts import Transcripts
from semipunct.kinds.answers import Answers, CorrectWork, RestoreWork, Unit, refuse
from semipunct.kinds.texts import write_text
from semipunct.tasks.correct_running_text import (
    check,
    correct_parts,
    correct_running_text,
    with_default,
)
from semipunct.tasks.notices import ForeignWords, Omissions
from semipunct.tasks.restore_running_text import (
    Part,
    restore_running_text,
    restored_parts,
    running_text_signature,
    with_compared_marks,
)
from semipunct.tasks.run import Chunk, Outcome, answer_entries

_JOINED = 2**12
"""The lines that are corrected together, if sentences cross them."""

if TYPE_CHECKING:
    from semipunct.kinds.assessment import Assessment
    from semipunct.kinds.requests import CorrectRequest, RestoreRequest, TextRequest
    from semipunct.render.punctuated_text import PunctuatedText
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.base import Trained
    from semipunct.tasks.correction import Corrected
    from semipunct.tasks.options import CorrectOptions, Lines, RestoreOptions
    from semipunct.tasks.restoration import Restoration


def prepare_restoration(model: SavedModel[Any], request: RestoreRequest) -> RestoreWork:
    """Prepare the restoration of marks and capitals in text, or in treebanks in CoNLL-U.

    Args:
        model: a text model.
        request: the files and options.

    Raises:
        UsageError: if an option is invalid for a text model, or a file is of another format.
    """
    refuse(
        "a text model",
        {"--parser": request.parsers, "--tokeniser": request.tokeniser},
    )
    inputs, options = request.inputs, request.options
    form = format_of(*inputs, words=True, default=Text.name)
    is_text = isinstance(form, Text)
    if not is_text and form.name != Conllu.name:
        raise UsageError(
            f"{display_name(inputs[0])}: a text model restores plain text, subtitles, transcripts "
            f"in JSON and treebanks in CoNLL-U, but this is {form.name}; give one of these"
        )
    if is_text and request.form == "conllu":
        raise UsageError(
            "--format conllu needs the trees of a treebank, or of --parser with a punctuation "
            "model; choose --format text or json"
        )
    written = request.form or ("text" if is_text else "conllu")
    settings: dict[str, Any] = {
        "ends": request.lines or _meaning_of_lines(form),
        "objective": request.objective or "f1",
        "lower": request.lower,
    }
    entries: Iterator[Any]
    if is_text:
        entries = read_lines(inputs, whole=request.gold or written == "json")
    else:  # marks are attached by trees
        entries = read_entries(inputs)
    omitted, foreign = Omissions("left unchanged"), ForeignWords(model.model.vocabulary)

    def assess(outcomes: Sequence[Outcome[Restoration[Any]]]) -> Assessment:
        # Imported here, since a process that only restores starts faster without it.
        from semipunct.kinds.assessment import assess_restorations, restorations_of

        restored = [with_compared_marks(restoration) for restoration in restorations_of(outcomes)]
        # Capitals may have been restored, but what is compared is the same.
        sentences: list[Any] = [entry.content for entry, restoration in outcomes if restoration]
        line = running_text_signature(model.digest, sentences, options, **settings)
        return assess_restorations(request.system, line, restored, most=request.confusions)

    return RestoreWork(
        entries=foreign.watch(entries),
        format=form,
        answer=partial(_answer_in_parts, model, options, settings, omitted),
        assess=assess,
        messages=lambda: (*omitted.messages(), *foreign.messages()),
        has_capitals=True,
        written=written,
        unit=_unit(form, settings["ends"]),
    )


def _unit(form: Format[Any], ends: Lines) -> Unit:
    if ends == "none":
        return "file"
    return "line" if isinstance(form, Text) else "sentence"


def _meaning_of_lines(form: Format[Any]) -> Lines:
    """Return what the end of a line says by default."""
    if isinstance(form, Subtitles | Transcripts):
        return "none"
    return "paragraph" if isinstance(form, Text) else "sentence"


def _answer_in_parts(
    model: SavedModel[Any],
    options: RestoreOptions,
    settings: dict[str, Any],
    omitted: Omissions,
    entries: Iterable[Entry[Any, Any]],
) -> Iterator[Outcome[Restoration[Any]]]:
    """Restore entries as parts of texts, each of which is a file."""
    waiting: deque[Entry[Any, Any]] = deque()

    def parts() -> Iterator[Part]:
        last: Part | None = None
        for entry in entries:
            waiting.append(entry)
            content, record = entry.content, entry.record
            ends_line = not isinstance(record, Located) or record.ends_line
            is_turn = isinstance(record, Located) and record.ends_text
            if isinstance(content, Omitted):
                omitted.count(content)
                if last is not None and ends_line:
                    last = last._replace(ends_line=True)
                continue
            if last is not None:
                yield last._replace(ends_text=last.ends_text or last.words.path != content.path)
            last = Part(content, ends_line, is_turn, is_turn)
        if last is not None:
            yield last

    for restored in restored_parts(model, parts(), options, **settings):
        while isinstance(waiting[0].content, Omitted):
            yield waiting.popleft(), None
        yield waiting.popleft(), restored
    yield from ((entry, None) for entry in waiting)


def restore_texts(
    model: Trained[Any], texts: Sequence[str], request: TextRequest
) -> list[PunctuatedText]:
    """Restore texts by a text model alone.

    Args:
        model: a text model with its weights.
        texts: of any length.
        request: the options and the other models.
    """
    names = ("parser", "tokeniser", "text_model", "trees", "share")
    if needless := [name for name in names if getattr(request, name) not in (None, 0)]:
        raise UsageError(f"a text model needs no other; leave out {', '.join(needless)}")
    lines_of_texts = [lines_of_text(text, "text") for text in texts]
    usable = [without_omitted([line.content for line in lines]) for lines in lines_of_texts]
    parts = (Part(words, ends_text=words is lines[-1]) for lines in usable for words in lines)
    restored = restored_parts(
        model, parts, request.options, ends=request.ends, objective=request.objective or "f1"
    )
    written: list[PunctuatedText] = []
    for lines, words in zip(lines_of_texts, usable, strict=True):
        answers = with_omitted([line.content for line in lines], list(islice(restored, len(words))))
        in_capitals = [
            line if isinstance(answer, Omitted) else line.recase(answer.sentence.forms)
            for line, answer in zip(lines, answers, strict=True)
        ]
        written.append(write_text(in_capitals, answers))
    return written


def prepare_correction(model: SavedModel[Any], request: CorrectRequest) -> CorrectWork:
    """Prepare the correction of running text.

    Args:
        model: a text model.
        request: the files and options.

    Raises:
        UsageError: if an option is invalid for a text model, or a file is not text.
        TreebankError: if references do not match the text.
    """
    refuse(
        "a text model",
        {
            "--parser": request.parser, "--tokeniser": request.tokeniser,
            "--analysis": request.analysis, **request.supported_by_few,
        },
    )  # fmt: skip
    inputs = request.inputs
    form = format_of(*inputs, words=True, default=Text.name)
    if not isinstance(form, Text):
        raise UsageError(
            f"{display_name(inputs[0])}: a text model corrects text, subtitles and transcripts in "
            f"JSON, but this is {form.name}; give text, one paragraph a line, or a model of --kind "
            "correction"
        )
    # Imported here, since a process that restores starts faster without it.
    from semipunct.kinds.comparison import prepare_comparison

    options = with_default(request.options)
    check(options, model.model)
    omitted, foreign = Omissions("left unchanged"), ForeignWords(model.model.vocabulary)
    crosses_lines = _meaning_of_lines(form) == "none"
    entries, assess = prepare_comparison(
        model, foreign.watch(read_lines(inputs, whole=True)), request, options, running=True
    )

    def answer(chunk: Chunk) -> Sequence[Corrected]:
        if crosses_lines:
            return correct_parts(model, _parts(chunk.entries), options)
        return correct_running_text(model, chunk.contents, options)

    return CorrectWork(
        entries=entries,
        format=form,
        answer=lambda read: answer_entries(
            read, answer, omitted, size=_JOINED if crosses_lines else None
        ),
        assess=assess,
        messages=lambda: (*omitted.messages(), *foreign.messages()),
        written="text",
        # Lines that sentences cross are corrected together, wherever the file begins among them.
        unit="corpus" if crosses_lines else "line",
    )


def _parts(entries: Sequence[Entry[Any, Any]]) -> list[Part]:
    """Return lines of texts, each of which ends with its file or with a turn of a speaker."""
    following = [*entries[1:], None]
    return [
        Part(
            entry.content,
            ends_text=entry.record.ends_text
            or after is None
            or after.content.path != entry.content.path,
        )
        for entry, after in zip(entries, following, strict=True)
    ]


def correct_texts(
    model: Trained[Any], texts: Sequence[str], options: CorrectOptions
) -> list[PunctuatedText]:
    """Correct the marks of texts.

    Args:
        model: a text model with its weights.
        texts: of any length, one paragraph a line.
        options: of the correction.
    """
    lines_of_texts = [lines_of_text(text, "text") for text in texts]
    contents = [line.content for lines in lines_of_texts for line in lines]
    corrected = iter(correct_running_text(model, contents, options))
    return [write_text(lines, list(islice(corrected, len(lines)))) for lines in lines_of_texts]


def correct_sentences(
    model: Trained[Any],
    sentences: Sequence[Any],
    options: CorrectOptions,
    *,
    parser: Trained[Any] | None,
    analysis: Trained[Any] | None,
    first: int,
) -> list[Any]:
    """Correct lines of running text.

    Args:
        model: a text model with its weights.
        sentences: lines of text.
        options: of the correction.
        parser: must be None.
        analysis: must be None.
        first: the number of the first line, which has no effect.
    """
    for name, value in (("parser", parser), ("analysis", analysis)):
        if value is not None:
            raise UsageError(f"a text model reads no trees; leave out {name}")
    return correct_running_text(model, sentences, options)


def restore_sentences(
    model: Trained[Any], sentences: Sequence[Any], options: RestoreOptions, first: int
) -> list[Any]:
    """Restore the marks and capitals of sentences.

    Args:
        model: a text model with its weights.
        sentences: lines of text.
        options: of the restoration.
        first: the number of the first sentence, which has no effect.
    """
    return restore_running_text(model, sentences, options)


ANSWERS = Answers(
    restore=prepare_restoration,
    restore_sentences=restore_sentences,
    restore_texts=restore_texts,
    correct=prepare_correction,
    correct_sentences=correct_sentences,
    correct_texts=correct_texts,
)
