"""Reading and writing of CoNLL-U without loss; only this module imports the ``conllu`` library.

Punctuation in a multiword token (the slash of *him/her*) belongs to the word: it is not changed,
and no mark is inserted between the syntactic words. Without a range, a hyphen between two words
without spaces is punctuation, as in English-EWT.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from sys import intern
from types import MappingProxyType
from typing import NamedTuple, NoReturn, TextIO

from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS, parse_id_value, parse_int_value

from semipunct.errors import TreebankError, UsageError
from semipunct.files import as_section, display_name
from semipunct.formats.conllu.misc import EMPTY, with_attributes, without_attributes
from semipunct.formats.lines import text_lines
from semipunct.trees import tree_fault
from semipunct.wording import quantity

BYTE_ORDER_MARK = "\ufeff"
"""Kept at the start of a file, but not part of a column."""


def is_blank(line: str) -> bool:
    """Return whether a raw line separates sentences."""
    content = line.lstrip(BYTE_ORDER_MARK)
    return not content or content.isspace()


def is_comment(line: str) -> bool:
    """Return whether a raw line is a comment."""
    return line.lstrip(BYTE_ORDER_MARK).startswith("#")


def blocks(lines: Iterable[str], first_line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Group lines into sentences; yield the number of the first line and all lines.

    Detached comments belong to the next sentence, or else to the last one.
    """
    block: list[str] = []
    following: list[str] = []  # the lines since the blank line after the words of the block
    has_words = ended = False
    for line in lines:
        if is_blank(line):
            ended = has_words
            (following if following else block).append(line)
        elif not ended:
            block.append(line)
            has_words = has_words or not is_comment(line)
        elif is_comment(line):
            following.append(line)
        else:
            yield first_line, block
            first_line += len(block)
            block, following, ended = [*following, line], [], False
    if has_words:
        yield first_line, block + following


NO_HEAD = -1
"""The head of a word with HEAD ``_``, which ``read_records(..., trees=False)`` allows."""

COLUMNS = len(DEFAULT_FIELDS)
_NOTHING: Mapping[int, Mapping[str, str]] = MappingProxyType({})
_SENTENCE_ID = re.compile(r"#\s*sent_id(?:\s*=\s*|\s+(?!=))(\S.*)")
_NUMBER = re.compile("0|[1-9][0-9]*")
_MISC = COLUMNS - 1


class Token(NamedTuple):
    """One syntactic word: the columns of the file that are used."""

    word_id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    relation: str
    position: int
    """The index of the word in ``Record.lines``."""


@dataclass(frozen=True, slots=True)
class Record:
    """One sentence of a CoNLL-U file, with all its lines.

    Attributes:
        lines: raw lines without their ends, including the blank lines after the sentence.
        sentence_id: the id, or ``#k`` for the k-th sentence of the file.
        tokens: words with integer ids, 1 to n, without ranges (1-2) and empty nodes (8.1).
    """

    path: str
    line: int
    lines: tuple[str, ...]
    ends: tuple[str, ...]
    sentence_id: str
    tokens: tuple[Token, ...]

    @property
    def line_end(self) -> str:
        """The usual line end; the last line of a file may have none."""
        return next((end for end in self.ends if end.endswith("\n")), "\n")

    def where(self, position: int = 0) -> str:
        """Return file, line and sentence at line ``position``, for messages."""
        return f"{self.path}:{self.line + position}: sentence {self.sentence_id}"

    def fail(self, position: int, problem: str, advice: str) -> NoReturn:
        """Raise ``TreebankError`` for line ``position``."""
        raise TreebankError(f"{self.where(position)}: {problem}; {advice}")


def read_records(path: str | Path, *, trees: bool = True) -> Iterator[Record]:
    """Yield the sentences of a CoNLL-U file, one at a time.

    Args:
        trees: if false, HEAD may be ``_`` and heads need not form a tree.

    Raises:
        TreebankError: with file, line and sentence, if the file is not CoNLL-U, or has no sentence.
    """
    name = display_name(path)
    section = as_section(path)
    ordinal = section.sentences_before
    for line, raw in blocks(text_lines(path), section.first_line):
        ordinal += 1
        yield record_of(name, line, raw, ordinal, trees)
    if not ordinal:
        raise TreebankError(
            f"{name}: no sentence was found (the file is empty or holds only comments); "
            "give a file in CoNLL-U format"
        )


def record_of(path: str, line: int, raw: list[str], ordinal: int, trees: bool) -> Record:
    """Return a sentence, the ``ordinal``-th of its file, from its raw lines."""
    lines = tuple(text.removesuffix("\n").removesuffix("\r") for text in raw)
    ends = tuple(text[len(content) :] for text, content in zip(raw, lines, strict=True))
    sentence_id = f"#{ordinal}"
    for text in takewhile(is_outside, lines):
        if is_comment(text):
            match = _SENTENCE_ID.fullmatch(text.lstrip(BYTE_ORDER_MARK).rstrip())
            sentence_id = match.group(1) if match else sentence_id
    draft = Record(path, line, lines, ends, sentence_id, ())
    tokens = tuple(_tokens(draft, trees))
    if not tokens:
        draft.fail(0, "it has no word with an integer ID", "give its words, numbered 1, 2, 3")
    if trees:
        fault = tree_fault([token.head for token in tokens])
        if fault:
            word, problem = fault
            token = tokens[word - 1]
            draft.fail(
                token.position,
                f"word {word} ({token.form}): {problem}",
                "correct the HEAD column, or leave the sentence out",
            )
    return Record(path, line, lines, ends, sentence_id, tokens)


def _tokens(record: Record, trees: bool) -> Iterator[Token]:
    expected = 1
    ranges: list[tuple[int, int, int]] = []  # index, first and last word
    for position, text in enumerate(record.lines):
        if is_outside(text):
            continue
        columns = text.lstrip(BYTE_ORDER_MARK).split("\t")
        if len(columns) != COLUMNS:
            record.fail(
                position,
                f"{quantity(len(columns), 'column')} instead of {COLUMNS}",
                "separate the ten columns by single tabs and fill empty ones with _",
            )
        try:
            # Most lines are words with the next ID, which need no parser.
            word_id = expected if columns[0] == str(expected) else parse_id_value(columns[0])
        except (ParseException, ValueError):
            word_id = None
        if not columns[1].strip():
            record.fail(position, "the FORM is empty", "give the word or mark as it is written")
        if isinstance(word_id, tuple):
            if "-" in word_id:
                ranges.append(_range(record, position, columns[0], expected, ranges))
            continue
        if word_id is None or word_id != expected:
            record.fail(
                position,
                f"the ID is {columns[0]!r} where {expected} was expected",
                "number the words 1, 2, 3 and so on, and put an empty line between sentences",
            )
        expected += 1
        head = _head(record, position, columns[6], trees)
        # Words and tags recur in a treebank, so each string is stored once.
        _, form, lemma, upos, xpos, feats, _, relation, *_ = map(intern, columns)
        yield Token(word_id, form, lemma, upos, xpos, feats, head, relation, position)
    for position, first, last in ranges:
        if 1 < expected <= last:
            record.fail(
                position,
                f"the range {first}-{last} ends beyond the last word, {expected - 1}",
                "give the range of the words that the token stands for",
            )


def _range(
    record: Record, position: int, text: str, expected: int, before: Sequence[tuple[int, int, int]]
) -> tuple[int, int, int]:
    first, last = map(int, text.split("-"))
    advice = "put each range on the line before its first word, and let none overlap another"
    if first != expected:
        record.fail(position, f"the range {text} stands before word {expected}", advice)
    if before and first <= before[-1][2]:
        _, previous_first, end = before[-1]
        record.fail(position, f"the range {text} overlaps the range {previous_first}-{end}", advice)
    return position, first, last


def _head(record: Record, position: int, text: str, trees: bool) -> int:
    try:
        head = int(text) if _NUMBER.fullmatch(text) else parse_int_value(text)
    except (ParseException, ValueError):
        head = None
        trees = True
    if head is None:
        if trees:
            record.fail(
                position,
                f"the HEAD is {text!r}, not a whole number",
                "give the ID of the head, 0 for the root",
            )
        return NO_HEAD
    return head


def format_record(
    record: Record,
    misc: Mapping[int, Mapping[str, str]] = _NOTHING,
    comments: Sequence[str] = (),
    replaces: tuple[str, ...] = (),
) -> str:
    """Return the text of a sentence with annotations; everything else is preserved byte for byte.

    Args:
        misc: attributes for the MISC column, by word id.
        comments: lines to add after the comments of the sentence, including the leading ``#``.
        replaces: prefixes of the attributes and comments to remove first.
    """
    lines = list(record.lines)
    if replaces:
        for token in record.tokens:
            columns = lines[token.position].split("\t")
            columns[_MISC] = without_attributes(columns[_MISC], replaces)
            lines[token.position] = "\t".join(columns)
    for word_id, attributes in misc.items():
        if not 1 <= word_id <= len(record.tokens):
            raise UsageError(
                f"{record.where()}: there is no word {word_id} to annotate; "
                f"its words are 1 to {len(record.tokens)}"
            )
        position = record.tokens[word_id - 1].position
        columns = lines[position].split("\t")
        columns[_MISC] = with_attributes(columns[_MISC], attributes)
        lines[position] = "\t".join(columns)
    texts = [line + end for line, end in zip(lines, record.ends, strict=True)]
    first = sum(1 for _ in takewhile(is_outside, lines))
    for position, line in enumerate(lines[:first]):
        body = line.lstrip(BYTE_ORDER_MARK)
        if replaces and is_comment(line) and body[1:].lstrip().startswith(replaces):
            texts[position] = line[: len(line) - len(body)]
    if comments:
        end = record.line_end
        mark = BYTE_ORDER_MARK if first == 0 and texts[0].startswith(BYTE_ORDER_MARK) else ""
        texts[first] = texts[first].removeprefix(mark)
        texts[first:first] = [mark, *(_checked_comment(record, line) + end for line in comments)]
    return "".join(texts)


def _checked_comment(record: Record, comment: str) -> str:
    if not comment.startswith("#") or "\n" in comment or "\r" in comment:
        raise UsageError(
            f"{record.where()}: {comment!r} cannot be added as a comment; "
            "it must be one line that starts with #"
        )
    return comment


def with_longer_id(record: Record, suffix: str) -> Record:
    """Append a suffix to the id in the comments of a sentence, if it has one."""
    if not suffix:
        return record
    lines = list(record.lines)
    for position, line in enumerate(takewhile(is_outside, record.lines)):
        comment = line.rstrip()
        if _SENTENCE_ID.fullmatch(comment.lstrip(BYTE_ORDER_MARK)):
            lines[position] = comment + suffix + line[len(comment) :]
    return replace(record, lines=tuple(lines))


def write_texts(texts: Iterable[str], stream: TextIO) -> None:
    """Write sentences formatted by ``format_record``, separated even across files."""
    separator = ""
    for text in texts:
        stream.write(separator)
        stream.write(text)
        separator = separator_after(text)


def separator_after(text: str) -> str:
    """Return the line ends to add between a text and another sentence."""
    *_, before, last = ["", *text.rsplit("\n", 2)]
    if last:
        return "\n" if is_blank(last) else "\n\n"
    return "" if is_blank(before) else "\n"


_FORM = 1
RANGE = re.compile(r"(\d+)-(\d+)\t")


class MultiwordToken(NamedTuple):
    """A multiword token: its index in ``Record.lines``, its first and last ID, its form."""

    position: int
    first: int
    last: int
    form: str


def multiword_tokens(record: Record) -> list[MultiwordToken]:
    """List the multiword tokens of a record."""
    spans: list[MultiwordToken] = []
    for position, line in enumerate(record.lines):
        match = RANGE.match(line.lstrip(BYTE_ORDER_MARK))
        if match:
            first, last = map(int, match.groups())
            spans.append(MultiwordToken(position, first, last, line.split("\t")[_FORM]))
    return spans


def written_tokens(record: Record) -> Iterator[MultiwordToken]:
    """Yield multiword tokens, and the words outside of them."""
    spans = {span.first: span for span in multiword_tokens(record)}
    last = 0
    for token in record.tokens:
        if token.word_id > last:
            word = MultiwordToken(token.position, token.word_id, token.word_id, token.form)
            span = spans.get(token.word_id, word)
            last = span.last
            yield span


def tokens_of(lines: Sequence[str]) -> Iterator[Token]:
    """Yield the words of valid lines without line ends."""
    for position, line in enumerate(lines):
        columns = line.lstrip(BYTE_ORDER_MARK).split("\t")
        if not is_outside(line) and columns[0].isdecimal():
            word_id, form, lemma, upos, xpos, feats, head, relation, *_ = columns
            number = int(head) if head != EMPTY else NO_HEAD
            yield Token(int(word_id), form, lemma, upos, xpos, feats, number, relation, position)


def within_words(record: Record) -> frozenset[int]:
    """Return the IDs of all words in multiword tokens."""
    spans = multiword_tokens(record)
    return frozenset(word_id for span in spans for word_id in range(span.first, span.last + 1))


def closed_slots(record: Record, word_ids: Sequence[int]) -> frozenset[int]:
    """Return the slots between the words of multiword tokens."""
    slot = {word_id: number for number, word_id in enumerate(word_ids, start=1)}
    return frozenset(
        slot[word_id]
        for span in multiword_tokens(record)
        for word_id in range(span.first, span.last)
        if word_id + 1 in slot
    )


_TEXT = re.compile(r"(\ufeff?#\s*text\s*=\s*)(.*)", re.DOTALL)


def stated_text(record: Record) -> str | None:
    """Return the text of the comment ``# text =``, None without such a comment."""
    header = takewhile(is_outside, record.lines)
    matches = (_TEXT.fullmatch(line.lstrip(BYTE_ORDER_MARK)) for line in header)
    return next((match.group(2) for match in matches if match), None)


def with_text(line: str, new_text: str) -> str:
    """Replace the text of a comment ``# text =``; any other line is unchanged."""
    match = _TEXT.fullmatch(line)
    return match.group(1) + new_text if match else line


def is_outside(line: str) -> bool:
    """Return whether a line is a comment or blank."""
    return line[:1] == "#" or is_blank(line) or is_comment(line)
