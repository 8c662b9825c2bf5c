"""Plain text: one sentence per line, reproduced byte for byte except for punctuation."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import TextIO

from semipunct.corpus import Entry, Omitted, ReadingNotes, Words
from semipunct.corpus.fixed_parts import LONE_MARKS, fixed_parts, markup
from semipunct.corpus.located import BLANKS, Located, Piece, RawText, is_mark, located_sentence
from semipunct.corpus.treebank import MARKUP
from semipunct.errors import TreebankError, UsageError
from semipunct.files import as_section, display_name
from semipunct.formats.base import Annotation, Format, Writer
from semipunct.formats.lines import text_lines
from semipunct.marks import Puncteme
from semipunct.marks.spacing import ENDS

_OPENING = re.compile(r" {0,3}(`{3,})[^`]*$")
_CLOSING = re.compile(r" {0,3}(`{3,}|---)\s*$")
# The first line of front matter, and the beginning of the second one.
_FRONT, _KEY = re.compile(r"\ufeff?(---)\s*$"), re.compile(r"[\w-]+[ ]?:(\s|$)")
_ROW = re.compile(r"\s*\|.*\|\s*$")  # of a table

_LONE_MARKS = re.compile(rf"\s*(?:[-–—•*]+\s+)?{LONE_MARKS}\s*")

# The longest code block in lines, to bound memory, and the empty lines before marks.
_LONGEST, _EMPTY = 2**12, 8


def lines_judged_together(
    lines: Iterable[str], first: int = 1, *, joins_marks: bool = True
) -> Iterator[tuple[list[str], bool]]:
    """Yield groups of lines between which a file may be divided, and whether each group is text.

    A code block or front matter, which are not text, is one group, and so is the row of a table.
    Fences of tildes are ignored, because a line of tildes usually separates sections. Marks in a
    line of their own belong to the preceding line, and become a part of it.

    Args:
        first: the number of the first line in its file.
        joins_marks: whether marks in a line of their own belong to the preceding line.
    """
    block: list[str] = []
    text: list[str] = []  # a line, and the empty lines after it
    fence = ""
    for number, (line, following) in enumerate(pairwise(chain(lines, [""])), first):
        if block:
            block.append(line)
            closing = _CLOSING.match(line)
            is_closed = closing is not None and closing[1].startswith(fence)
            if is_closed or len(block) == _LONGEST:
                yield block, not is_closed
                block = []
            continue
        if (
            joins_marks
            and text
            and _LONE_MARKS.fullmatch(line)
            and text[0].rstrip()[-1:] not in ENDS
        ):
            text = ["".join((*text, line))]
            continue
        if text and len(text) <= _EMPTY and BLANKS.fullmatch(line):
            text.append(line)
            continue
        yield from (([part], True) for part in text)
        text = []
        opening = _OPENING.match(line)
        if opening is None and number == 1 and _KEY.match(following):
            opening = _FRONT.match(line)
        if opening is not None:
            fence = opening[1]
            block = [line]
        elif _ROW.match(line) or BLANKS.fullmatch(line):
            yield [line], not line.strip()
        else:
            text = [line]
    yield from (([part], True) for part in text)
    if block:
        yield block, True


class Text(Format[Located]):
    """Plain text in UTF-8, with words and marks separated by white space.

    To split marks from words, or lines into sentences, use ``semipunct.pipelines.segmentation``.

    Args:
        ended: whether to add a missing line end to the last line of a file.
    """

    name = "text"
    suffixes = (".txt",)

    def __init__(self, *, ended: bool = False) -> None:
        self.ended = ended

    def before_file(self) -> "Text":
        return type(self)(ended=True)

    def read(self, path: str | Path) -> Iterator[Entry[Located]]:
        return iter(self.read_words(path))

    def read_words(self, path: str | Path) -> Iterator[Entry[Located, Words | Omitted]]:
        name = display_name(path)
        lines = lines_with_text(path, ended=self.ended)
        for line in in_lines(lines, name, as_section(path).first_line, joins_marks=False):
            yield text_entry(read_line(line, read_spaced_words))

    def writer(self, like: Iterable[Entry[Located]] = ()) -> "TextWriter":
        return TextWriter()


class TextWriter(Writer[Located]):
    """A writer of plain text, whose entries include their line ends."""

    def annotate(self, entry: Entry[Located], annotation: Annotation) -> str:
        if annotation.attributes or annotation.comments:
            raise UsageError(
                f"{entry.content.where}: plain text cannot contain annotations; give a file in "
                "CoNLL-U"
            )
        return entry.record.text

    def punctuate(self, entry: Entry[Located], slots: Sequence[Puncteme]) -> str:
        return entry.record.punctuate(slots)

    def recase(self, entry: Entry[Located], forms: Sequence[str]) -> Entry[Located]:
        record = entry.record.recase(forms)
        return replace(entry, content=record.content, record=record)

    def spell_marks(self, entry: Entry[Located], slots: Sequence[Puncteme]) -> list[Puncteme]:
        return entry.record.spell_marks(slots)

    def text(self, entry: Entry[Located], slots: Sequence[Puncteme]) -> str:
        return BLANKS.sub(" ", entry.record.punctuate(slots)).strip()

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        stream.writelines(texts)


def text_entry(sentence: Located) -> Entry[Located, Words | Omitted]:
    """Make the entry of a sentence; the concatenated texts of all entries are the file."""
    content = sentence.content
    if isinstance(content, Omitted):
        return Entry(content, sentence)
    marks, words = sum(map(len, sentence.marks)), len(content.forms)
    notes = ReadingNotes(marks + words, marks)
    return Entry(content, sentence, tuple(range(1, words + 1)), notes)


def lines_with_text(path: str | Path, *, ended: bool) -> Iterator[str]:
    """Yield the lines of a file like ``text_lines``; a blank file is an error."""
    blank = True
    for line in text_lines(path, ended=ended):
        blank = blank and BLANKS.sub("", line) == ""
        yield line
    if blank and not as_section(path).is_inside:
        raise TreebankError(
            f"{display_name(path)}: no text was found (the file is empty or blank); give a file "
            "with text in it"
        )


def paragraphs(path: str | Path, *, ended: bool = False) -> Iterator[RawText]:
    """Yield the paragraphs of a file, separated by empty lines, for a tokeniser.

    Empty lines belong to the paragraph before them, so the concatenated paragraphs are the file. A
    code block is a paragraph that is not text.
    """
    lines = lines_with_text(path, ended=ended)
    return in_paragraphs(lines, display_name(path), as_section(path).first_line)


def in_paragraphs(lines: Iterable[str], name: str = "text", first: int = 1) -> Iterator[RawText]:
    """Join the lines of a text to paragraphs, as ``paragraphs`` does."""
    paragraph: list[RawText] = []
    written = closed = False
    for line in in_lines(lines, name, first, whole_blocks=True):
        empty = BLANKS.fullmatch(line.text) is not None
        is_apart = paragraph and not (line.is_text and paragraph[-1].is_text)
        if is_apart or (closed and not empty):
            yield _join(paragraph)
            paragraph, written, closed = [], False, False
        paragraph.append(line)
        written = written or not empty
        closed = written and empty
    if paragraph:
        yield _join(paragraph)


def in_lines(
    lines: Iterable[str],
    name: str = "text",
    first: int = 1,
    *,
    whole_blocks: bool = False,
    joins_marks: bool = True,
) -> Iterator[RawText]:
    """Yield each line of a text.

    Args:
        name: the file or other source, for messages.
        first: the number of the first line.
        whole_blocks: whether to yield a code block as one item.
    """
    for together, is_text in lines_judged_together(lines, first, joins_marks=joins_marks):
        for line in ["".join(together)] if whole_blocks and not is_text else together:
            yield RawText(line, name, first, is_text)
            first += line.count("\n")


def join_lines(lines: Iterable[RawText]) -> Iterator[RawText]:
    """Join adjacent lines of text, since sentences may cross them."""
    for is_text, group in groupby(lines, lambda line: line.is_text):
        if is_text:
            yield _join(list(group))
        else:
            yield from group


def _join(lines: Sequence[RawText]) -> RawText:
    return lines[0]._replace(text="".join(line.text for line in lines))


def read_line(line: RawText, read: Callable[[str, str, int, str], Located]) -> Located:
    """Read a line; one that is not text becomes an omitted sentence.

    Args:
        read: a function of the name, file, line number and text, such as ``read_spaced_words``.
    """
    if not line.is_text:
        return omit_line(line)
    return read(f"#{line.line}", line.path, line.line, line.text)


def omit_line(line: RawText) -> Located:
    """Return a line that is not text as an omitted sentence."""
    return Located(Omitted(MARKUP, f"#{line.line}", line.path, line.line), line.text)


def read_spaced_words(name: str, path: str, line: int, text: str) -> Located:
    """Read a sentence, including its line end, whose words are separated by white space."""
    gaps = sorted((*(match.span() for match in BLANKS.finditer(text)), *markup(text)))
    edges = [0, *(x for gap in gaps for x in gap), len(text)]
    spans = [span for span in zip(edges[::2], edges[1::2], strict=True) if span[0] < span[1]]
    pieces = [Piece(span, is_mark(text[slice(*span)])) for span in spans]
    return located_sentence(name, path, line, text, pieces, fixed=fixed_parts(text))
