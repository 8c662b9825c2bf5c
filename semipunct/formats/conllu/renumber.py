"""Renumbering of CoNLL-U lines after token changes: IDs, arcs, ranges, nodes, SpaceAfter."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu.lines import BYTE_ORDER_MARK, is_blank, is_comment
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.records import Record, Token

NO_SPACE = "SpaceAfter=No"
"""The attribute of MISC for a token that is not followed by a space."""

_RELATION = "punct"
_ID, _FORM, _HEAD, _DEPS, _MISC = 0, 1, 6, 8, 9
_TEXT = re.compile(r"(\ufeff?#\s*text\s*=\s*)(.*)", re.DOTALL)
_WORD = re.compile(r"(\d+)\t")
_RANGE = re.compile(r"(\d+)-(\d+)\t")
_EMPTY_NODE = re.compile(r"(\d+)\.(\d+)\t")


class Piece(NamedTuple):
    """A token of the new sentence; its new ID is its index among the pieces, from 1."""

    old: int
    """Its ID in the record, 0 if it is new."""
    form: str
    head: int
    """The ID of its head in the record, 0 for the root; heads are never removed tokens."""
    space: bool
    """True if a space follows."""


class MultiwordToken(NamedTuple):
    """A multiword token: its index in ``Record.lines``, its first and last ID, its form."""

    position: int
    first: int
    last: int
    form: str


def spaces(record: Record) -> list[bool | None]:
    """Return whether a space follows each token; None for tokens within a multiword token."""
    found: list[bool | None] = [_has_space(record.lines[token.position]) for token in record.tokens]
    for span in multiword_tokens(record):
        for word_id in range(max(span.first, 1), min(span.last, len(found) + 1)):
            found[word_id - 1] = None
        if 0 < span.last <= len(found):
            found[span.last - 1] = _has_space(record.lines[span.position])
    return found


def _has_space(line: str) -> bool:
    return NO_SPACE not in line.split("\t")[_MISC].split("|")


def stated_text(record: Record) -> str | None:
    """Return the text of the comment ``# text =``, None without such a comment."""
    header = takewhile(_is_outside, record.lines)
    matches = (_TEXT.fullmatch(line.lstrip(BYTE_ORDER_MARK)) for line in header)
    return next((match.group(2) for match in matches if match), None)


def written_text(record: Record) -> str:
    """Return the text of a record: that of its comment, or of its tokens and spaces."""
    if (stated := stated_text(record)) is not None:
        return stated
    spans = {span.first: span for span in multiword_tokens(record)}
    pieces: list[str] = []
    last = 0
    for token, space in zip(record.tokens, spaces(record), strict=True):
        if token.word_id > last:
            span = spans.get(token.word_id)
            pieces.append(span.form if span else token.form)
            last = span.last if span else token.word_id
        pieces.append(" " if space else "")
    return "".join(pieces).rstrip()


def _is_outside(line: str) -> bool:
    return is_blank(line) or is_comment(line)


def text(record: Record, pieces: Sequence[Piece]) -> str:
    """Write the new sentence as plain text, with multiword tokens as spelt.

    Args:
        record: the old sentence.
        pieces: the tokens of the new one, in order.
    """
    spans = {span.first: span for span in _revised_ranges(record, pieces)}
    result: list[str] = []
    last = 0
    for new, piece in enumerate(pieces, start=1):
        if new > last:
            span = spans.get(new)
            last = min(span.last, len(pieces)) if span else new
            result += (span.form if span else piece.form, " " if pieces[last - 1].space else "")
    return "".join(result[:-1])


def rewritten(record: Record, pieces: Sequence[Piece], new_text: str) -> Record:
    """Replace the tokens of a record.

    Lines of kept tokens change only where necessary: the ID, the form if the piece has a different
    one, references to other tokens, SpaceAfter. References to removed tokens are removed from the
    enhanced graph. New tokens are punctuation; they get an arc in the enhanced graph if it is used.
    Empty nodes stay after the token that they follow, or after the previous one if it is removed.
    The forms of removed tokens are removed from the form of a multiword token; it is dropped if a
    single token remains or a new one is inserted. Line ends and a byte order mark are kept.

    Args:
        record: the old sentence.
        pieces: the tokens of the new one, in order.
        new_text: the text for the comment ``# text =``, if there is one.
    """
    change = _Change.of(record, pieces)
    lines: list[str] = []
    ends: list[str] = []
    last, started = 0, False  # the token of the last line; whether there was one
    for position, (line, written) in enumerate(zip(record.lines, record.ends, strict=True)):
        end = written if written.endswith("\n") else record.line_end
        body = line.lstrip(BYTE_ORDER_MARK)
        word = None if _is_outside(line) else _WORD.match(body)
        # A new token follows the empty nodes of the token before it.
        if word or _RANGE.match(body) or (started and _is_outside(line)):
            started = True
            fresh = change.new_after.pop(last, ())
            lines += (_new_line(change, new) for new in fresh)
            ends += (end for _ in fresh)
        if _is_outside(line):
            revised = body if started else with_text(body, new_text)
        else:
            revised = _revised_line(change, body, position)
        if revised is not None:
            lines.append((line[: len(line) - len(body)] if position else "") + revised)
            ends.append(end)
        last = int(word.group(1)) if word else last
    fresh = change.new_after.pop(last, ())
    lines += (_new_line(change, new) for new in fresh)
    ends += (record.line_end for _ in fresh)
    if record.lines[0].startswith(BYTE_ORDER_MARK):
        lines[0] = BYTE_ORDER_MARK + lines[0]
    # A missing line end at the end of the file is kept missing.
    ends[-1] = record.ends[-1]
    return replace(record, lines=tuple(lines), ends=tuple(ends), tokens=tuple(_tokens(lines)))


def _tokens(lines: Sequence[str]) -> Iterator[Token]:
    for position, line in enumerate(lines):
        columns = line.lstrip(BYTE_ORDER_MARK).split("\t")
        if not _is_outside(line) and columns[_ID].isdecimal():
            word_id, form, lemma, upos, xpos, feats, head, relation, *_ = columns
            yield Token(int(word_id), form, lemma, upos, xpos, feats, int(head), relation, position)


def with_text(line: str, new_text: str) -> str:
    """Replace the text of a comment ``# text =``; any other line is unchanged.

    Args:
        line: a line of a record; a byte order mark in front of it is kept.
        new_text: the new text of the sentence.
    """
    match = _TEXT.fullmatch(line)
    return match.group(1) + new_text if match else line


@dataclass(frozen=True, slots=True)
class _Change:
    """The changes of a record, which are applied line by line.

    Attributes:
        pieces: the tokens of the new sentence.
        ids: new IDs of tokens by old ones.
        references: new by old names of all nodes that HEAD and DEPS can refer to, including empty
            nodes.
        removed: the IDs of removed tokens.
        ranges: the remaining multiword tokens, renumbered, by the indices of their lines.
        within: the new IDs inside these.
        new_after: the new tokens after each old one.
        has_enhanced: whether the enhanced graph is used.
    """

    pieces: Sequence[Piece]
    ids: Mapping[int, int]
    references: Mapping[str, str]
    removed: frozenset[str]
    ranges: Mapping[int, MultiwordToken]
    within: frozenset[int]
    new_after: dict[int, list[int]]
    has_enhanced: bool

    @classmethod
    def of(cls, record: Record, pieces: Sequence[Piece]) -> "_Change":
        ids = _new_ids(pieces)
        ranges = _revised_ranges(record, pieces)
        new_after: defaultdict[int, list[int]] = defaultdict(list)
        anchor = 0
        for new, piece in enumerate(pieces, start=1):
            anchor = piece.old or anchor
            if not piece.old:
                new_after[anchor].append(new)
        columns = (record.lines[token.position].split("\t") for token in record.tokens)
        return cls(
            pieces,
            ids,
            _references(record, pieces),
            frozenset(str(t.word_id) for t in record.tokens if t.word_id not in ids),
            {span.position: span for span in ranges},
            frozenset(
                new for span in ranges for new in range(span.first, min(span.last, len(pieces)) + 1)
            ),
            new_after,
            any(column[_DEPS] != EMPTY for column in columns),
        )


def _new_ids(pieces: Sequence[Piece]) -> dict[int, int]:
    return {piece.old: new for new, piece in enumerate(pieces, start=1) if piece.old}


def _references(record: Record, pieces: Sequence[Piece]) -> dict[str, str]:
    """Map the old IDs of the kept tokens and of the empty nodes to the new ones."""
    ids = {0: 0, **_new_ids(pieces)}
    found = {str(old): str(new) for old, new in ids.items()}
    highest: Counter[int] = Counter()  # of the second numbers of the empty nodes after a token
    standing = [len(pieces)]  # the token itself, or the last new one before a removed token
    for token in reversed(record.tokens):
        after = standing[-1] - (token.word_id + 1 in ids)
        standing.append(ids.get(token.word_id, after))
    standing = [0, *reversed(standing[1:])]
    for line in record.lines:
        match = _EMPTY_NODE.match(line.lstrip(BYTE_ORDER_MARK))
        if match and int(match.group(1)) < len(standing):
            old, index = map(int, match.groups())
            new = standing[old]
            index = index if old in ids else highest[new] + 1
            highest[new] = max(highest[new], index)
            found[f"{match.group(1)}.{match.group(2)}"] = f"{new}.{index}"
    return found


def multiword_tokens(record: Record) -> list[MultiwordToken]:
    """List the multiword tokens of a record."""
    found: list[MultiwordToken] = []
    for position, line in enumerate(record.lines):
        match = _RANGE.match(line.lstrip(BYTE_ORDER_MARK))
        if match:
            first, last = map(int, match.groups())
            found.append(MultiwordToken(position, first, last, line.split("\t")[_FORM]))
    return found


def _revised_ranges(record: Record, pieces: Sequence[Piece]) -> list[MultiwordToken]:
    """Return the remaining multiword tokens, with new IDs and forms."""
    ids = _new_ids(pieces)
    found: list[MultiwordToken] = []
    for span in multiword_tokens(record):
        old = record.tokens[max(span.first - 1, 0) : span.last]
        new = [ids[token.word_id] for token in old if token.word_id in ids]
        left_out = len(old) - len(new)
        if not new or new[-1] - new[0] + 1 != len(new) or (left_out and len(new) < 2):
            continue
        # Not from the last token: a range may refer to tokens that do not exist.
        last = new[0] + span.last - span.first - left_out
        found.append(
            MultiwordToken(span.position, new[0], last, _range_form(span, old, pieces, ids))
        )
    return found


def _range_form(
    span: MultiwordToken, tokens: Sequence[Token], pieces: Sequence[Piece], ids: Mapping[int, int]
) -> str:
    """Return the form of a multiword token without its removed tokens."""
    forms = [
        pieces[ids[token.word_id] - 1].form if token.word_id in ids else "" for token in tokens
    ]
    if span.form == "".join(token.form for token in tokens):
        return "".join(forms)
    spelt = span.form
    for token, form in zip(tokens, forms, strict=True):
        before, found, after = spelt.rpartition(token.form)
        if found and not form:
            spelt = before + after
    if forms[-1] == tokens[-1].form + ".":  # an added abbreviation dot
        return spelt + "."
    taken_off = forms[-1] and forms[-1] + "." == tokens[-1].form
    return spelt.removesuffix(".") if taken_off else spelt


def _new_line(change: _Change, new: int) -> str:
    _, form, head, space = change.pieces[new - 1]
    governor = change.references[str(head)]
    arc = f"{governor}:{_RELATION}" if change.has_enhanced else EMPTY
    misc = EMPTY if space else NO_SPACE
    columns = (str(new), form, form, PUNCTUATION, EMPTY, EMPTY, governor, _RELATION, arc, misc)
    return "\t".join(columns)


def _revised_line(change: _Change, line: str, position: int) -> str | None:
    """Renumber the line of a token, a range or an empty node; None if it is removed."""
    columns = line.split("\t")
    span = _RANGE.match(line)
    if span:
        kept = change.ranges.get(position)
        if kept is None:
            return None
        columns[_ID], columns[_FORM] = f"{kept.first}-{kept.last}", kept.form
        last = change.pieces[min(kept.last, len(change.pieces)) - 1]
        columns[_MISC] = _with_space(columns[_MISC], last.space)
    elif columns[_ID] in change.removed:
        return None
    else:
        columns[_ID] = change.references.get(columns[_ID], columns[_ID])
        columns[_DEPS] = _revised_arcs(change, columns[_DEPS])
        if _WORD.match(line):
            new = int(columns[_ID])
            columns[_FORM] = change.pieces[new - 1].form
            columns[_HEAD] = change.references.get(columns[_HEAD], columns[_HEAD])
            if new not in change.within:
                columns[_MISC] = _with_space(columns[_MISC], change.pieces[new - 1].space)
    return "\t".join(columns)


def _revised_arcs(change: _Change, column: str) -> str:
    """Renumber the governors of the enhanced graph, without removed ones."""
    if column == EMPTY:
        return column
    arcs = (arc.partition(":") for arc in column.split("|"))
    kept = (
        change.references.get(governor, governor) + colon + relation
        for governor, colon, relation in arcs
        if governor not in change.removed
    )
    return "|".join(kept) or EMPTY


def _with_space(column: str, space: bool) -> str:
    items = column.split("|")
    if (NO_SPACE not in items) == space:
        return column
    if not space:
        return NO_SPACE if column == EMPTY else f"{column}|{NO_SPACE}"
    return "|".join(item for item in items if item != NO_SPACE) or EMPTY
