"""Running text as words and marks, for models that learn from text alone and restore it."""

import io
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from semipunct.corpus import Entry, Omitted, Words
from semipunct.corpus.fixed_parts import fixed_parts, whole_tokens
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
"""The number of words of a passage."""


def read_running_text(paths: Sequence[str | Path]) -> TextPassages:
    """Read files of plain text, or the text of treebanks, as passages.

    Args:
        paths: names of the files; a file in the format of a treebank is read for its words and
            marks.

    Raises:
        TreebankError: with file and line, if a file is missing, damaged or not text, or has no
            marks, from which nothing could be learned.
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
"""The characters of a line that are read at a time."""

_SEARCHED = 2**12
"""The characters before the end of such a part among which a place to end it is sought."""


def read_lines(
    paths: Sequence[str | Path], *, whole: bool = False
) -> Iterator[Entry[Located, Words | Omitted]]:
    """Yield the lines of text files with their words and marks, for restoration.

    Of subtitles, lines that are not the text of a cue are omitted ones, and of other text, lines of
    blocks of code. Of transcripts, segments are lines.

    Args:
        paths: names of the files, or ``-`` for standard input.
        whole: yield one entry for each line, however long; by default long lines are divided
            between words, and only the last part of a line has its line end.

    Raises:
        TreebankError: with file and line, if a file is missing or is not UTF-8 text, or has the
            suffix of subtitles and no cues, or that of transcripts and no words.
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
        for line in in_lines(lines, name, as_section(path).first_line):
            parts = (line.text,) if whole or not line.is_text else parts_of_line(line.text)
            for part in parts:
                yield text_entry(read_line(line._replace(text=part), line_of_text))


def _cues(lines: Iterable[str], name: str) -> Iterator[Entry[Located, Words | Omitted]]:
    for number, (text, start, end, ends_turn) in enumerate(cue_lines(lines, name), start=1):
        if start is None:
            reason = MARKUP if text.strip() else EMPTY
            yield text_entry(Located(Omitted(reason, f"#{number}", name, number), text))
            continue
        core = line_of_text(f"#{number}", name, number, text[start:end])
        whole = core.surround(text[:start], text[end:])
        yield text_entry(replace(whole, ends_text=ends_turn))


def _segments(text: str, name: str) -> Iterator[Entry[Located, Words | Omitted]]:
    document = Document.parse(text, name)
    for number, (line, segment, ends_turn) in enumerate(document.segments()):
        words = line_of_text(f"#{number + 1}", name, line, segment)
        content = (words.content, words.text, words.spans, words.marks, words.offset)
        yield text_entry(Segment(*content, ends_turn, document, number))


def lines_of_text(text: str, name: str) -> list[Located]:
    """Return the lines of a text with their words and marks; lines of code are omitted.

    Args:
        text: a text of any length.
        name: its name in messages.
    """
    lines = in_lines(io.StringIO(text, newline="\n"), name)
    return [read_line(line, line_of_text) for line in lines]


def parts_of_line(text: str) -> Iterator[str]:
    """Divide a line into parts of at most ``LONGEST`` characters, if its words are not longer.

    Args:
        text: a line of any length.
    """
    start = 0
    while len(text) - start > LONGEST:
        place = _place_between_words(text[start : start + LONGEST + _SEARCHED])
        if place is None:  # nothing but one very long word
            blank = BLANKS.search(text, start + LONGEST)
            place = (blank.end() if blank else len(text)) - start
        yield text[start : start + place]
        start += place
    if start < len(text):
        yield text[start:]


def _place_between_words(text: str) -> int | None:
    """Return the last suitable place to divide a text that is longer than a part may be."""
    first = LONGEST - _SEARCHED
    places = {blank.end() for blank in BLANKS.finditer(text, first, LONGEST)} or {
        place
        for place in range(first, LONGEST)
        if text[place - 1].isalpha()
        and text[place].isalpha()
        and not spacing.are_spaced(text[place - 1], text[place])
    }
    for start, end in whole_tokens(text):
        places -= {*range(start + 1, end)}
    return max(places, default=None)


def line_of_text(name: str, path: str, line: int, text: str) -> Located:
    """Find the words and marks of a line of text.

    Args:
        name: the name of the line.
        path: the file.
        line: its number there.
        text: the line with its end.
    """
    pieces = [Piece((token.start, token.end), bool(token.mark)) for token in tokens(text)]
    return _located(name, path, line, text, pieces)


def part_of_line(
    name: str, path: str, line: int, whole: Located, place: Span, words: Span
) -> Located:
    """Return a part of a line of text, which is a sentence of it.

    Args:
        name: the name of the sentence.
        path: the file.
        line: its number there.
        whole: the line, or several of them.
        place: the start and the end of the sentence in it.
        words: the number of its first word, from 0, and of the first word after it.
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
    """Make a sentence, in whose addresses, tags of markup and code nothing changes."""
    fixed = fixed_parts(text)
    sentence = located_sentence(name, path, line, text, pieces, offset, fixed)
    if isinstance(sentence.content, Omitted):
        return sentence
    # They may contain blanks and marks.
    whole = [*whole_tokens(text), *fixed.words]
    closed = sentence.content.closed | _slots_within(sentence, whole)
    closed |= _slots_beside_signs(sentence.content.forms)
    if _HEADING.match(text):
        closed |= {len(sentence.spans)}
    return replace(sentence, content=replace(sentence.content, closed=closed))


_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
"""The beginning of a heading of Markdown, after which there is usually no mark."""


def _slots_beside_signs(forms: Sequence[str]) -> set[int]:
    """Return the slots beside words such as *#*, *|*, *=* or *→*, but the first slot.

    They are markup, or part cells and formulas. The first slot may have the end of a line before.

    Args:
        forms: the words.
    """
    signs = (i for i, form in enumerate(forms) if all(map(_is_sign, form)))
    return {slot for word in signs for slot in (word, word + 1)} - {0}


_MEASURES = frozenset("%‰‱°′″‴$†‡©®™")
"""Signs that follow a number or a name, and so may end a sentence."""


def _is_sign(char: str) -> bool:
    is_markup = char in SIGNS or unicodedata.category(char) in ("Sm", "Sk")
    return is_markup and char not in _MEASURES


def _slots_within(sentence: Located, parts: Iterable[Span]) -> set[int]:
    """Return the slots between two words of a part, and those with a mark in it.

    Args:
        sentence: a text.
        parts: parts of the text.
    """
    starts = [start for start, _ in sentence.spans]
    marks = [(span, slot) for slot, spans in enumerate(sentence.marks) for span in spans]
    within: set[int] = set()
    for start, end in parts:
        # The last word may touch the part, as that after a tag does.
        within.update(range(bisect_left(starts, start) + 1, bisect_left(starts, end)))
        first, last = (bisect_left(marks, ((place, place), 0)) for place in (start, end))
        within.update(slot for _, slot in marks[first:last])
    return within
