"""Transcripts in JSON as a format: segments are entries, and the last one brings the whole file.

Which strings are changed, and why they are compared by letters: docs/decisions/0057-transcripts.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from semipunct.corpus import Entry, Omitted, Words
from semipunct.corpus.located import Located
from semipunct.corpus.treebank import STRANGE
from semipunct.errors import UsageError
from semipunct.files import display_name
from semipunct.formats.base import Annotation
from semipunct.formats.text import Text, TextWriter, lines_with_text, text_entry
from semipunct.formats.transcripts.document import Document, Part
from semipunct.formats.transcripts.places import line_ends
from semipunct.marks import Puncteme

FindWords = Callable[[str, str, int, str], Located]
"""Returns a line with its words, given its name, the file, its line there, and its text."""


@dataclass(frozen=True, slots=True)
class Segment(Located):
    """A segment of a transcript.

    Attributes:
        document: the file.
        number: of the segment there, from 0.
        is_turn: whether the next segment is said by someone else, or there is none.
    """

    document: Document | None = None
    number: int = 0
    is_turn: bool = False

    @property
    def ends_line(self) -> bool:
        return True

    @property
    def ends_text(self) -> bool:
        return self.is_turn


class Transcripts(Text):
    """Transcripts in JSON (``.json``, ``.jsonl``), which text models read and write.

    The segments are parts of one text: sentences cross them, but not the turns of speakers.
    """

    name = "transcript"
    suffixes = (".json", ".jsonl")

    def before_file(self) -> Transcripts:
        return Transcripts(ended=True)

    def read_words(self, path: str | Path) -> Iterator[Entry[Located, Words | Omitted]]:
        raise UsageError(
            f"{display_name(path)}: sentences of transcripts cross their segments, so only a text "
            "model reads them; give one, such as the installed model en"
        )

    def read_segments(
        self, path: str | Path, find_words: FindWords
    ) -> Iterator[Entry[Located, Words | Omitted]]:
        """Yield the segments of a file, and before them the texts that are not understood.

        Args:
            path: a file, ``.gz`` or not, or ``-`` for standard input.
            find_words: returns the words of a segment.

        Raises:
            TreebankError: with file and line, if the file is missing, or not JSON with text.
        """
        name = display_name(path)
        text = "".join(lines_with_text(path, ended=self.ended))
        document = Document.parse(text, name)
        ends = line_ends(text)
        for place in document.strange:
            line = bisect_left(ends, place) + 1
            omitted = Omitted(STRANGE, f"line {line}", name, line, f"{name}:{line}")
            yield text_entry(Located(omitted, ""))
        turns = _ends_of_turns(document.parts)
        for number, part in enumerate(document.parts):
            line = bisect_left(ends, part.place) + 1
            words = find_words(f"#{number + 1}", name, line, part.text)
            content = (words.content, words.text, words.spans, words.marks, words.offset)
            yield text_entry(Segment(*content, document, number, number in turns))

    def writer(self, like: Iterable[Entry[Located]] = ()) -> TranscriptWriter:
        return TranscriptWriter()


def _ends_of_turns(parts: Sequence[Part]) -> set[int]:
    """Return the segments whose speaker is not that of the next one with text, and the last one."""
    spoken = [number for number, part in enumerate(parts) if part.text.strip()]
    turns = {a for a, b in pairwise(spoken) if parts[a].speaker != parts[b].speaker}
    return {*turns, *spoken[-1:]}


class TranscriptWriter(TextWriter):
    """A writer of transcripts: the text of all entries but the last one of a file is empty."""

    def annotate(self, entry: Entry[Located], annotation: Annotation) -> str:
        return _written(entry.record, TextWriter.annotate(self, entry, annotation))

    def punctuate(self, entry: Entry[Located], slots: Sequence[Puncteme]) -> str:
        return _written(entry.record, entry.record.punctuate(slots))


def _written(record: Any, text: str) -> str:
    if not isinstance(record, Segment) or record.document is None:
        return text
    document = record.document
    document.respelt[record.number] = text
    return document.write() if record.number == len(document.parts) - 1 else ""
