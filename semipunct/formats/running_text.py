"""Running text as words and marks, for models that learn from text alone and restore it."""

import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from semipunct.corpus import Entry, Omitted, Words
from semipunct.corpus.fixed_parts import fixed_parts, whole_parts
from semipunct.corpus.located import BLANKS, Located, Piece, located_sentence
from semipunct.corpus.passages import Span
from semipunct.corpus.treebank import EMPTY, MARKUP
from semipunct.corpus.word_streams import (
    END,
    TextPassages,
    WordStream,
    in_text,
    is_final,
    items,
    marks_of,
    tokens,
    word_stream,
)
from semipunct.errors import TreebankError
from semipunct.files import as_section, display_name
from semipunct.formats.lines import text_lines
from semipunct.formats.registry import format_of, read_words
from semipunct.formats.subtitles import Subtitles, cue_lines
from semipunct.formats.text import Text, in_lines, lines_with_text, read_line, text_entry
from semipunct.formats.transcripts import Document, Segment, Transcripts
from semipunct.marks import spacing
from semipunct.marks.spacing import SIGNS

PASSAGE = 192


def read_running_text(paths: Sequence[str | Path]) -> TextPassages:
    """Read files of plain text, or the words and marks of treebanks, as passages.

    Raises:
        TreebankError: if a file is missing, damaged, not text or without marks.
    """
    return TextPassages([_stream(path) for path in paths], PASSAGE)


def _stream(path: str | Path) -> WordStream:
    is_text = format_of(path, words=True, default=Text.name).name == Text.name
    name = display_name(path)
    stream = word_stream(name, items(text_lines(path)) if is_text else _of_treebank(path))
    if len(stream) and not any(map(marks_of, stream.strings)):
        raise TreebankError(
            f"{name}: no marks in {len(stream):,} words, so there is nothing to learn; give text "
            "with its punctuation"
        )
    return stream


def _of_treebank(path: str | Path) -> Iterator[str]:
    for entry in read_words([path]):
        content = entry.content
        if isinstance(content, Omitted):
            continue
        for form, slot in zip(("", *content.forms), content.slots, strict=True):
            if form:
                yield form
            yield from (f"\0{mark}" for mark in in_text(slot))
        if not is_final(in_text(content.slots[-1])):
            yield f"\0{END}"


LONGEST = 2**16
"""The number of characters of a line that are read at a time."""

_SEARCHED = 2**12


def read_lines(
    paths: Sequence[str | Path], *, whole: bool = False, joins_marks: bool = True
) -> Iterator[Entry[Located, Words | Omitted]]:
    """Yield the lines of text files with their words and marks, for restoration.

    Lines outside of cues (in subtitles) and in code blocks (in other text) are omitted. The
    segments of transcripts count as lines.

    Args:
        whole: whether to keep long lines, which are divided between words by default.
        joins_marks: whether marks in a line of their own belong to the preceding line; not in files
            that correspond line by line.
    """
    for number, path in enumerate(paths, start=1):
        name = display_name(path)
        form = format_of(path, words=True, default=Text.name)
        lines = lines_with_text(path, ended=number < len(paths))
        if isinstance(form, Subtitles):
            yield from _cues(lines, name)
            continue
        if isinstance(form, Transcripts):
            yield from _segments("".join(lines), name)
            continue
        first = as_section(path).first_line
        for line in in_lines(lines, name, first, joins_marks=joins_marks):
            parts = (line.text,) if whole or not line.is_text else parts_of_line(line.text)
            for part in parts:
                yield text_entry(read_line(line._replace(text=part), line_of_text))


def _cues(lines: Iterable[str], name: str) -> Iterator[Entry[Located, Words | Omitted]]:
    waiting: list[Located] = []  # a line with words, and those after it
    for number, (text, start, end, ends_turn) in enumerate(cue_lines(lines, name), start=1):
        if start is None:
            reason = MARKUP if text.strip() else EMPTY
            line = Located(Omitted(reason, f"#{number}", name, number), text)
        else:
            core = line_of_text(f"#{number}", name, number, text[start:end])
            line = replace(core.surround(text[:start], text[end:]), ends_text=ends_turn)
        if waiting and start is not None and _are_marks_of(line, waiting[0]):
            waiting = [_with_marks(waiting, line, start, end)]
            continue
        if not isinstance(line.content, Omitted):
            yield from map(text_entry, waiting)
            waiting = []
        waiting.append(line)
    yield from map(text_entry, waiting)


def _are_marks_of(line: Located, last: Located) -> bool:
    """Return whether a line of nothing but marks belongs to the last one with words."""
    is_of_last = not isinstance(last.content, Omitted) and not last.ends_text
    return is_of_last and isinstance(line.content, Omitted) and bool(line.text.strip())


def _with_marks(lines: Sequence[Located], last: Located, start: int, end: int) -> Located:
    """Join lines to the first one, whose last slot gets the marks of the last line."""
    first = lines[0]
    before = "".join(line.text for line in lines)
    found = [*tokens(last.text[start:end])]
    place = len(before) + start
    spans = tuple((token.start + place, token.end + place) for token in found)
    marks = (*first.marks[:-1], (*first.marks[-1], *spans))
    line = _closed_at_end(first, [token.mark for token in found])
    return replace(line, text=before + last.text, marks=marks, ends_text=last.ends_text)


def _closed_at_end(line: Any, marks: Sequence[str] = ()) -> Any:
    *slots, last = line.content.slots
    closed = line.content.closed | {len(slots)}
    content = replace(line.content, slots=(*slots, (*last, *marks)), closed=closed)
    return replace(line, content=content)


def _segments(text: str, name: str) -> Iterator[Entry[Located, Words | Omitted]]:
    document = Document.parse(text, name)
    last: Segment | None = None
    for number, (line, segment, ends_turn) in enumerate(document.segments()):
        words = line_of_text(f"#{number + 1}", name, line, segment)
        content = (words.content, words.text, words.spans, words.marks, words.offset)
        part = Segment(*content, ends_turn, 0, document, number)
        if last is not None:
            yield text_entry(_closed_at_end(last) if _are_marks_of(part, last) else last)
        last = part
    if last is not None:
        yield text_entry(last)


def lines_of_text(text: str, name: str) -> list[Located]:
    """Return the lines of a text with their words and marks; lines of code are omitted."""
    lines = in_lines(io.StringIO(text, newline="\n"), name)
    return [read_line(line, line_of_text) for line in lines]


def parts_of_line(text: str) -> Iterator[str]:
    """Divide a line, between words, into parts of at most ``LONGEST`` characters."""
    start = 0
    while len(text) - start > LONGEST:
        place, limit = None, LONGEST
        while place is None and limit < 2 * (len(text) - start):
            place = _place_between_words(text[start : start + limit + _SEARCHED], limit)
            limit *= 2  # for a very long word
        place = place or len(text) - start
        yield text[start : start + place]
        start += place
    if start < len(text):
        yield text[start:]


def _place_between_words(text: str, limit: int) -> int | None:
    first = LONGEST - _SEARCHED
    places = {blank.end() for blank in BLANKS.finditer(text, first, limit)} or {
        place
        for place in range(first, limit)
        if text[place - 1].isalpha()
        and text[place].isalpha()
        and not spacing.are_spaced(text[place - 1], text[place])
    }
    parts = whole_parts(text)
    for start, end, _ in parts:
        places -= {*range(start + 1, end)}
    places = places or {end for _, end, is_word in parts if first <= end <= limit and not is_word}
    return (max if limit == LONGEST else min)(places, default=None)


def line_of_text(name: str, path: str, line: int, text: str) -> Located:
    """Find the words and marks of a line of text."""
    pieces = [Piece((token.start, token.end), bool(token.mark)) for token in tokens(text)]
    return _located(name, path, line, text, pieces)


def part_of_line(
    name: str, path: str, line: int, whole: Located, place: Span, words: Span
) -> Located:
    """Return a sentence that is a part of a line of text.

    Args:
        place: the start and end of the sentence in ``whole``.
        words: its first word, from 0, and one past its last.
    """
    begin, end = place
    spans = [(span, False) for span in whole.spans[slice(*words)]]
    spans += ((s, True) for of in whole.marks[words[0] : words[1] + 1] for s in of)
    pieces = [
        Piece((start - begin, stop - begin), mark)
        for (start, stop), mark in sorted(spans)
        if begin <= start < end
    ]
    return _located(name, path, line, whole.text[begin:end], pieces, whole.offset + begin)


def _located(
    name: str, path: str, line: int, text: str, pieces: Sequence[Piece], offset: int = 0
) -> Located:
    """Make a sentence; slots beside signs are closed."""
    fixed = fixed_parts(text)
    sentence = located_sentence(name, path, line, text, pieces, offset, fixed)
    if isinstance(sentence.content, Omitted):
        return sentence
    closed = sentence.content.closed | _slots_beside_signs(sentence.content.forms)
    if _HEADING.match(text):
        closed |= {len(sentence.spans)}
    return replace(sentence, content=replace(sentence.content, closed=closed))


# The beginning of a Markdown heading, which usually ends without a mark.
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")


def _slots_beside_signs(forms: Sequence[str]) -> set[int]:
    """Return the slots beside markup and separators such as *#* or *→*, except the first slot."""
    signs = (i for i, form in enumerate(forms) if all(map(_is_sign, form)))
    return {slot for word in signs for slot in (word, word + 1)} - {0}


# Signs that follow a number or a name, and may end a sentence.
_MEASURES = frozenset("%‰‱°′″‴$†‡©®™")


def _is_sign(char: str) -> bool:
    is_markup = char in SIGNS or unicodedata.category(char) in ("Sm", "Sk")
    return is_markup and char not in _MEASURES
