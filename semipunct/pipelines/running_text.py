"""The tasks of text models: restoration and correction of text, and restoration of treebanks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.located import Located
from semipunct.corpus.treebank import with_omitted, without_omitted
from semipunct.errors import UsageError
from semipunct.files import as_section, display_name
from semipunct.formats import Format, format_of, read_entries
from semipunct.formats.conllu import Conllu
from semipunct.formats.running_text import lines_of_text, read_lines
from semipunct.formats.subtitles import Subtitles
from semipunct.formats.text import Text
from semipunct.formats.transcripts import Transcripts
from semipunct.pipelines.chunks import Chunk, Outcome
from semipunct.pipelines.notices import ForeignWords
from semipunct.pipelines.options import CorrectOptions, Lines, RestoreOptions
from semipunct.pipelines.task import Documents, Helpers, Request, Tasks
from semipunct.pipelines.text_correction import (
    check,
    correct_parts,
    correct_running_text,
    with_default,
)
from semipunct.pipelines.text_restoration import (
    Part,
    restore_running_text,
    restored_parts,
    running_text_signature,
    with_compared_marks,
)
from semipunct.pipelines.writing import CorrectTask, RestoreTask

if TYPE_CHECKING:
    from semipunct.pipelines.assessment import Assessment
    from semipunct.pipelines.results import Corrected, Restoration
    from semipunct.pipelines.trained import Trained


class RestoreText(RestoreTask):
    """Restores marks and capitals in text, or in treebanks in CoNLL-U."""

    has_capitals = True

    def __init__(self, model: Trained[Any], helpers: Helpers, options: RestoreOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse("a text model", {"--parser": helpers.parsers, "--tokeniser": helpers.tokeniser})
        self._foreign = ForeignWords(model.model.vocabulary)
        self.notices.append(self._foreign)

    def read(self, request: Request) -> Documents:
        inputs = request.inputs
        form = format_of(*inputs, words=True, default=Text.name)
        is_text = isinstance(form, Text)
        if not is_text and form.name != Conllu.name:
            raise UsageError(
                f"{display_name(inputs[0])}: a text model restores plain text, subtitles, "
                f"transcripts in JSON and treebanks in CoNLL-U, but this is {form.name}; give one "
                "of these"
            )
        if is_text and request.form == "conllu":
            raise UsageError(
                "--format conllu needs the trees of a treebank, or of --parser with a punctuation "
                "model; choose --format text or json"
            )
        written = request.form or ("text" if is_text else "conllu")
        lines = self.options.lines or _meaning_of_lines(form)
        self.options = replace(self.options, lines=lines)
        entries: Iterator[Any]
        if is_text:
            entries = read_lines(inputs, whole=request.gold or written == "json")
        else:  # trees determine the attachment of marks
            entries = read_entries(inputs)

        def assess(outcomes: Sequence[Outcome[Restoration[Any]]]) -> Assessment:
            # Deferred for a faster start.
            from semipunct.pipelines.assessment import assess_restorations, restorations_of

            model: Any = self.model
            restored = [with_compared_marks(each) for each in restorations_of(outcomes)]
            # Capitals may have been restored; marks are compared.
            sentences: list[Any] = [entry.content for entry, restored in outcomes if restored]
            line = running_text_signature(model.digest, sentences, self.options)
            return assess_restorations(request.system, line, restored, most=request.listed)

        return Documents(
            entries=self._foreign.watch(entries),
            format=form,
            form=written,
            assess=assess,
            unit="file" if lines == "none" else "line" if is_text else "sentence",
        )

    def answer_chunk(self, chunk: Chunk) -> Sequence[Any]:
        return restore_running_text(self.model, chunk.contents, self.options)

    def answer(
        self, entries: Iterable[Entry[Any, Any]], first: int = 0
    ) -> Iterator[Outcome[Restoration[Any]]]:
        """Restore entries as parts of texts, one text per file."""
        waiting: deque[Entry[Any, Any]] = deque()

        def parts() -> Iterator[Part]:
            last: Part | None = None
            for entry in entries:
                waiting.append(entry)
                content, record = entry.content, entry.record
                ends_line = not isinstance(record, Located) or record.ends_line
                is_turn = isinstance(record, Located) and record.ends_text
                if isinstance(content, Omitted):
                    self.omitted.count(content)
                    if last is not None and ends_line:
                        last = last._replace(ends_line=True)
                    continue
                if last is not None:
                    yield last._replace(ends_text=last.ends_text or last.words.path != content.path)
                last = Part(content, ends_line, is_turn, is_turn)
            if last is not None:
                yield last

        for restored in restored_parts(self.model, parts(), self.options):
            while isinstance(waiting[0].content, Omitted):
                yield waiting.popleft(), None
            yield waiting.popleft(), restored
        yield from ((entry, None) for entry in waiting)

    def read_text(self, text: str) -> Sequence[Located]:
        return lines_of_text(text, "text")

    def texts(self, texts: Sequence[str]) -> list[Any]:
        # Not in chunks: a long text is restored as it is read.
        lines_of_texts = [self.read_text(text) for text in texts]
        usable = [without_omitted([line.content for line in lines]) for lines in lines_of_texts]
        parts = (Part(words, ends_text=words is lines[-1]) for lines in usable for words in lines)
        restored = restored_parts(self.model, parts, self.options)
        return [
            self.write_text(
                lines,
                with_omitted([line.content for line in lines], list(islice(restored, len(words)))),
            )
            for lines, words in zip(lines_of_texts, usable, strict=True)
        ]


def _meaning_of_lines(form: Format[Any]) -> Lines:
    """Return the default meaning of line ends."""
    if isinstance(form, Subtitles | Transcripts):
        return "none"
    return "paragraph" if isinstance(form, Text) else "sentence"


class CorrectText(CorrectTask):
    """Corrects the marks of running text."""

    def __init__(self, model: Trained[Any], helpers: Helpers, options: CorrectOptions) -> None:
        super().__init__(model, helpers, with_default(options))
        self.refuse(
            "a text model",
            {
                "--parser": helpers.parsers, "--tokeniser": helpers.tokeniser,
                "--analysis": helpers.analysis, "--minimise": options.minimise != "errors",
            },
        )  # fmt: skip
        check(self.options, model.model)
        self._foreign = ForeignWords(model.model.vocabulary)
        self.notices.append(self._foreign)
        self._crosses_lines = self.options.lines == "none"

    def read(self, request: Request) -> Documents:
        self.refuse("a text model", {"--format conllu": request.form == "conllu"})
        form = format_of(*request.inputs, words=True, default=Text.name)
        if not isinstance(form, Text):
            raise UsageError(
                f"{display_name(request.inputs[0])}: a text model corrects text, subtitles and "
                f"transcripts in JSON, but this is {form.name}; give text, one paragraph a line, "
                "or a model of --kind correction"
            )
        # Deferred for a faster start.
        from semipunct.pipelines.assessment import prepare_comparison

        self.characters = as_section(request.inputs[0]).first_character
        self._crosses_lines = (self.options.lines or _meaning_of_lines(form)) == "none"
        if self._crosses_lines:
            self.chunk = _JOINED
        lines = read_lines(request.inputs, whole=True, joins_marks=not request.gold)
        entries, assess = prepare_comparison(
            self, self._foreign.watch(lines), request, running=True
        )
        return Documents(
            entries=entries,
            format=form,
            form=request.form or "text",
            assess=assess,
            # Sentences may cross lines, so these are corrected together.
            unit="corpus" if self._crosses_lines else "line",
        )

    def answer_chunk(self, chunk: Chunk) -> Sequence[Corrected]:
        if self._crosses_lines:
            return correct_parts(self.model, _texts(chunk.entries), self.options)
        return correct_running_text(self.model, chunk.contents, self.options)

    def read_text(self, text: str) -> Sequence[Located]:
        return lines_of_text(text, "text")

    def texts(self, texts: Sequence[str]) -> list[Any]:
        if not self._crosses_lines:
            return super().texts(texts)
        return [answer for text in texts for answer in super(CorrectText, self).texts([text])]


# Lines per batch, if sentences cross line ends.
_JOINED = 2**12


def _texts(entries: Sequence[Entry[Any, Any]]) -> list[list[Any]]:
    """Divide lines into texts, which end with a file or a speaker's turn."""
    texts: list[list[Any]] = [[]]
    for entry, after in zip(entries, [*entries[1:], None], strict=True):
        texts[-1].append(entry.content)
        ends = entry.record is not None and entry.record.ends_text
        if ends or after is None or after.content.path != entry.content.path:
            texts.append([])
    return texts[:-1]


TASKS = Tasks(restore=RestoreText, correct=CorrectText)
