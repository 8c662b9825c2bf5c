"""Renumbering of CoNLL-U lines after token changes: IDs, arcs, ranges, nodes, SpaceAfter."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from semipunct.corpus.treebank import PUNCTUATION, RELATION
from semipunct.formats.conllu.gaps import Gap, Spacing, after_leading, joined_leading, with_gap
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.records import (
    BYTE_ORDER_MARK,
    RANGE,
    MultiwordToken,
    Record,
    is_outside,
    multiword_tokens,
    stated_text,
    tokens_of,
    with_text,
)

_ID, _FORM, _HEAD, _DEPS, _MISC = 0, 1, 6, 8, 9
_WORD = re.compile(r"(\d+)\t")
_EMPTY_NODE = re.compile(r"(\d+)\.(\d+)\t")


class Piece(NamedTuple):
    """A token of the new sentence; its new ID is its index among the pieces, from 1."""

    old: int
    """Its ID in the record, 0 if it is new."""
    form: str
    head: int
    """The ID of its head in the record, 0 for the root; never a removed token."""
    gap: Gap
    """The space after it; ignored within a multiword token."""


def written_text(record: Record) -> str:
    """Return the text of a record, from its comment or its tokens and spaces."""
    if (stated := stated_text(record)) is not None:
        return stated
    spacing = Spacing.of(record)
    pieces: list[str] = []
    for token, gap in zip(record.tokens, spacing.gaps, strict=True):
        pieces += (spacing.written.get(token.word_id, ""), gap.text if gap else "")
    return "".join(pieces).rstrip()


def text(record: Record, pieces: Sequence[Piece], spacing: Spacing) -> str:
    """Write the new sentence as plain text; unchanged tokens are spelt as in the old text."""
    spans = {span.first: span for span in _revised_ranges(record, pieces)}
    pieces_of_text: list[str] = [spacing.before]
    last = 0
    for new_id, piece in enumerate(pieces, start=1):
        if new_id > last:
            span = spans.get(new_id)
            last = span.last if span else new_id
            form = span.form if span else piece.form
            final = pieces[last - 1]
            pieces_of_text += (_spelt(record, final, form, spacing, piece.old), final.gap.text)
    return "".join(pieces_of_text)


def _spelt(record: Record, piece: Piece, form: str, spacing: Spacing, first: int) -> str:
    if not first:
        return form
    written, old_form = spacing.written[first], record.tokens[piece.old - 1].form
    if piece.form == old_form:
        return written
    if piece.form == old_form + ".":
        return written + "."
    return written.removesuffix(".") if piece.form + "." == old_form else form


def rewritten(
    record: Record, pieces: Sequence[Piece], new_text: str, leading: Mapping[int, str]
) -> Record:
    """Replace the tokens of a record.

    References to removed tokens are removed from the enhanced graph; new tokens, which are
    punctuation, get an arc if it is used. Empty nodes move to the previous token if their own is
    removed.

    Args:
        pieces: the tokens of the new sentence, in order.
        leading: the attribute ``SpacesBefore`` of old tokens, by ID.
    """
    leading = _revised_leading(pieces, leading)
    if lost := leading.pop(len(pieces) + 1, None):
        *earlier, last = pieces
        pieces = [*earlier, last._replace(gap=after_leading(lost, last.gap))]
    change = _Change.of(record, pieces, leading)
    lines: list[str] = []
    ends: list[str] = []
    last, started = 0, False  # the token of the last line; whether any was seen
    for position, (line, written) in enumerate(zip(record.lines, record.ends, strict=True)):
        end = written if written.endswith("\n") else record.line_end
        body = line.lstrip(BYTE_ORDER_MARK)
        word = None if is_outside(line) else _WORD.match(body)
        # A new token follows the empty nodes of the token before it.
        if word or RANGE.match(body) or (started and is_outside(line)):
            started = True
            fresh = change.new_after.pop(last, ())
            lines += (_new_line(change, new_id) for new_id in fresh)
            ends += (end for _ in fresh)
        if is_outside(line):
            revised = body if started else with_text(body, new_text)
        else:
            revised = _revised_line(change, body, position)
        if revised is not None:
            lines.append((line[: len(line) - len(body)] if position else "") + revised)
            ends.append(end)
        last = int(word.group(1)) if word else last
    fresh = change.new_after.pop(last, ())
    lines += (_new_line(change, new_id) for new_id in fresh)
    ends += (record.line_end for _ in fresh)
    if record.lines[0].startswith(BYTE_ORDER_MARK):
        lines[0] = BYTE_ORDER_MARK + lines[0]
    # A missing line end at the end of the file is kept missing.
    ends[-1] = record.ends[-1]
    return replace(record, lines=tuple(lines), ends=tuple(ends), tokens=tuple(tokens_of(lines)))


@dataclass(frozen=True, slots=True)
class _Change:
    """The changes of a record, which are applied line by line.

    Attributes:
        references: new by old names of all nodes that HEAD and DEPS can refer to.
        removed: the heads of removed tokens, by ID.
        ranges: the remaining multiword tokens, by line index.
        within: the new IDs within multiword tokens.
        new_after: the new tokens after each old one.
    """

    pieces: Sequence[Piece]
    references: Mapping[str, str]
    removed: Mapping[str, str]
    ranges: Mapping[int, MultiwordToken]
    within: frozenset[int]
    leading: Mapping[int, str]
    new_after: dict[int, list[int]]
    has_enhanced: bool

    @classmethod
    def of(cls, record: Record, pieces: Sequence[Piece], leading: Mapping[int, str]) -> "_Change":
        ids = _new_ids(pieces)
        ranges = _revised_ranges(record, pieces)
        new_after: defaultdict[int, list[int]] = defaultdict(list)
        anchor = 0
        for new_id, piece in enumerate(pieces, start=1):
            anchor = piece.old or anchor
            if not piece.old:
                new_after[anchor].append(new_id)
        columns = (record.lines[token.position].split("\t") for token in record.tokens)
        return cls(
            pieces,
            _references(record, pieces),
            {str(t.word_id): str(t.head) for t in record.tokens if t.word_id not in ids},
            {span.position: span for span in ranges},
            frozenset(new_id for span in ranges for new_id in range(span.first, span.last + 1)),
            leading,
            new_after,
            any(column[_DEPS] != EMPTY for column in columns),
        )


def _new_ids(pieces: Sequence[Piece]) -> dict[int, int]:
    return {piece.old: new_id for new_id, piece in enumerate(pieces, start=1) if piece.old}


def _revised_leading(pieces: Sequence[Piece], leading: Mapping[int, str]) -> dict[int, str]:
    """Return ``SpacesBefore`` by new ID; a removed token passes it to the next one."""
    ids = _new_ids(pieces)
    items_of_place: dict[int, list[str]] = {}
    for old_id, item in sorted(leading.items()):
        before = (new_id for number, new_id in ids.items() if number < old_id)
        stays = old_id in ids and old_id > 1
        place = ids[old_id] if stays else 1 + max(before, default=0)
        items_of_place.setdefault(place, []).append(item)
    return {place: joined_leading(items) for place, items in items_of_place.items()}


def _references(record: Record, pieces: Sequence[Piece]) -> dict[str, str]:
    ids = {0: 0, **_new_ids(pieces)}
    references = {str(old_id): str(new_id) for old_id, new_id in ids.items()}
    highest: Counter[int] = Counter()  # second number of an empty node, by token
    standing = [len(pieces)]  # the token itself, or the last new one before a removed token
    for token in reversed(record.tokens):
        after = standing[-1] - (token.word_id + 1 in ids)
        standing.append(ids.get(token.word_id, after))
    standing = [0, *reversed(standing[1:])]
    for line in record.lines:
        match = _EMPTY_NODE.match(line.lstrip(BYTE_ORDER_MARK))
        if match and int(match.group(1)) < len(standing):
            old_id, index = map(int, match.groups())
            new_id = standing[old_id]
            index = index if old_id in ids else highest[new_id] + 1
            highest[new_id] = max(highest[new_id], index)
            references[f"{match.group(1)}.{match.group(2)}"] = f"{new_id}.{index}"
    return references


def _revised_ranges(record: Record, pieces: Sequence[Piece]) -> list[MultiwordToken]:
    ids = _new_ids(pieces)
    ranges: list[MultiwordToken] = []
    for span in multiword_tokens(record):
        first, last = ids[span.first], ids[span.last]
        dotted = pieces[last - 1].form == record.tokens[span.last - 1].form + "."
        ranges.append(MultiwordToken(span.position, first, last, span.form + "." * dotted))
    return ranges


def _new_line(change: _Change, new_id: int) -> str:
    _, form, head, gap = change.pieces[new_id - 1]
    governor = change.references[str(head)]
    arc = f"{governor}:{RELATION}" if change.has_enhanced else EMPTY
    misc = with_gap(EMPTY, gap, change.leading.get(new_id, ""))
    columns = (str(new_id), form, form, PUNCTUATION, EMPTY, EMPTY, governor, RELATION, arc, misc)
    return "\t".join(columns)


def _revised_line(change: _Change, line: str, position: int) -> str | None:
    columns = line.split("\t")
    span = RANGE.match(line)
    if span:
        span_now = change.ranges[position]
        columns[_ID], columns[_FORM] = f"{span_now.first}-{span_now.last}", span_now.form
        gap = change.pieces[span_now.last - 1].gap
        columns[_MISC] = with_gap(columns[_MISC], gap, change.leading.get(span_now.first, ""))
    elif columns[_ID] in change.removed:
        return None
    else:
        columns[_ID] = change.references.get(columns[_ID], columns[_ID])
        columns[_DEPS] = _revised_arcs(change, columns[_ID], columns[_DEPS])
        if _WORD.match(line):
            new_id = int(columns[_ID])
            columns[_FORM] = change.pieces[new_id - 1].form
            columns[_HEAD] = change.references.get(columns[_HEAD], columns[_HEAD])
            if new_id not in change.within:
                gap = change.pieces[new_id - 1].gap
                columns[_MISC] = with_gap(columns[_MISC], gap, change.leading.get(new_id, ""))
    return "\t".join(columns)


def _revised_arcs(change: _Change, name: str, column: str) -> str:
    """Renumber the governors of enhanced dependencies, without removed ones.

    If none remains, the head of a removed governor keeps the node in the graph.
    """
    if column == EMPTY:
        return column
    arcs = [arc.partition(":") for arc in column.split("|")]
    remaining = [
        change.references.get(governor, governor) + colon + relation
        for governor, colon, relation in arcs
        if governor not in change.removed
    ]
    heads = ((change.references[change.removed[g]], r) for g, _, r in arcs if g in change.removed)
    return "|".join(remaining or [f"{head}:{r}" for head, r in heads if head != name]) or EMPTY
