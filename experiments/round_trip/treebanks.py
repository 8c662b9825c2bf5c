"""Comparison of treebanks before and after a command, byte for byte where no mark was changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from round_trip.reading import (
    COLUMNS,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    XPOS,
    Block,
    Unit,
    attributes,
    has_consistent_text,
    line_ends,
    lines_of,
    read_block,
    spaces_after,
    spaces_in_text,
    split_file,
)
from round_trip.spaces import lost_space

ANALYSIS = frozenset({"UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS"})
"""Columns that a parser writes."""

_Differ = Callable[[str, object, object], None]
"""Notes a difference of a kind between two values, if there is one."""

_ADDED = ("Semipunct", "# semipunct_")
_COPY = re.compile(r"(# sent_id =.*)\.(?:rank|sample|tree)\d+$")


@dataclass(frozen=True)
class Permission:
    """Changes that a command may make.

    Attributes:
        marks: whether it may insert, delete and change marks.
        deletions: whether it may delete and change marks.
        columns: the names of columns that may change.
        copies: the largest number of copies of a sentence, with different analyses.
    """

    marks: bool = True
    deletions: bool = True
    columns: frozenset[str] = frozenset()
    copies: int = 1


@dataclass(frozen=True)
class Difference:
    """A difference that is not a permitted change of punctuation.

    Attributes:
        kind: a short name, to count by.
        place: the sentence.
        before: the input.
        after: the output.
    """

    kind: str
    place: str
    before: str
    after: str


def compare_treebanks(before: str, after: str, permitted: Permission) -> list[Difference]:
    """Compare a treebank with the output of a command.

    Args:
        before: the content of the input.
        after: the content of the output.
        permitted: what the command may change.
    """
    old, old_gaps = split_file(before)
    new, new_gaps = split_file(after)
    if permitted.copies > 1:
        return _compare_copies(old, new)
    if len(old) != len(new):
        return [Difference("number of sentences", "file", str(len(old)), str(len(new)))]
    found = [
        Difference("blank lines", f"after sentence {number}", repr(one), repr(other))
        for number, (one, other) in enumerate(zip(old_gaps, new_gaps, strict=True))
        if one != other
    ]
    for number, (one, other) in enumerate(zip(old, new, strict=True), start=1):
        place = f"sentence {number}"
        found += [Difference(*each) for each in _compare_ends(one, other, place)]
        if one != other:
            found += compare_sentences(
                read_block(without_annotations(one)),
                read_block(without_annotations(other)),
                permitted,
                place,
            )
    return found


def without_annotations(block: str) -> str:
    """Remove the comments and attributes that commands of semipunct add."""
    lines = []
    for line in lines_of(block):
        if line.startswith(_ADDED[1]):
            continue
        content = line.rstrip("\r\n")
        if _ADDED[0] in content and not content.startswith("#"):
            columns = content.split("\t")
            items = [i for i in columns[MISC].split("|") if not i.startswith(_ADDED[0])]
            columns[MISC] = "|".join(items) or "_"
            content = "\t".join(columns)
        lines.append(content + line[len(line.rstrip("\r\n")) :])
    return "".join(lines)


def compare_sentences(
    old: Block, new: Block, permitted: Permission, place: str
) -> list[Difference]:
    """Compare the lines of a sentence before and after a command.

    Args:
        old: the input.
        new: the output.
        permitted: what the command may change.
        place: the name of the sentence.
    """
    found: list[Difference] = []

    def differ(kind: str, before: object, after: object) -> None:
        if before != after:
            found.append(Difference(kind, place, str(before), str(after)))

    if [unit.form for unit in old.words] != [unit.form for unit in new.words]:
        before, after = (" ".join(u.form for u in b.words) for b in (old, new))
        return [Difference("words", place, before, after)]
    differ("comments", old.comments, new.comments)
    for one, other in zip(old.words, new.words, strict=True):
        if len(one.rows) != len(other.rows):
            differ("multiword token", one.rows, other.rows)
    if any(d.kind == "multiword token" for d in found):
        return found
    pairs = aligned(old.units, new.units)
    numbers = _numbers(old, new, pairs)
    for one, other in pairs:
        _compare_rows(old.units[one], new.units[other], numbers, permitted, differ)
    kept = {one for one, _ in pairs}
    is_changed = len(pairs) < max(len(old.units), len(new.units))
    if not permitted.marks and is_changed:
        differ("marks", [u.form for u in old.units], [u.form for u in new.units])
    lost = [unit.form for number, unit in enumerate(old.units) if number not in kept]
    if lost and permitted.marks and not permitted.deletions:
        differ("mark lost", lost, [unit.form for unit in new.units])
    _compare_empty_nodes(old, new, numbers, permitted, differ)
    _compare_spaces(old, new, pairs, differ)
    return found


def aligned(old: Sequence[Unit], new: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the numbers of the units that are in both versions: all words, and common marks.

    Where marks were exchanged (a quotation mark and a full stop for a full stop and another
    quotation mark), it is open which of them are new: equal ones count as common only if their
    other columns agree, too.

    Args:
        old: units of the input.
        new: units of the output, with the same words.
    """
    pairs: list[tuple[int, int]] = []
    for (first, last), (start, stop) in zip(_gaps(old), _gaps(new), strict=True):
        before = [unit.form for unit in old[first:last]]
        after = [unit.form for unit in new[start:stop]]
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        common = [
            (first + a + i, start + b + i)
            for a, b, size in matcher.get_matching_blocks()
            for i in range(size)
        ]
        is_exchange = len(common) < min(len(before), len(after))
        pairs += [
            (one, other)
            for one, other in common
            if not is_exchange or _is_same_mark(old[one].rows[0], new[other].rows[0])
        ]
        if last < len(old):
            pairs.append((last, stop))
    return pairs


def _is_same_mark(one: Sequence[str], other: Sequence[str]) -> bool:
    columns = (LEMMA, XPOS, FEATS)
    return all(one[c] == other[c] for c in columns) and (
        attributes(one[MISC]) == attributes(other[MISC])
    )


def _gaps(units: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the ranges of the marks before each word, and after the last."""
    places = [i for i, unit in enumerate(units) if not unit.is_mark]
    starts = [0, *(place + 1 for place in places)]
    return list(zip(starts, [*places, len(units)], strict=True))


def _numbers(old: Block, new: Block, pairs: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Return the new ID of every old one that still exists."""
    numbers = {"0": "0"}
    for one, other in pairs:
        for before, after in zip(old.units[one].rows, new.units[other].rows, strict=True):
            numbers[before[ID]] = after[ID]
    for (_, before), (_, after) in zip(old.empty, new.empty, strict=False):
        numbers[before[ID]] = after[ID]
    return numbers


def _compare_rows(
    one: Unit, other: Unit, numbers: dict[str, str], permitted: Permission, differ: _Differ
) -> None:
    name = "mark" if one.is_mark else "word"
    for before, after in zip(one.rows, other.rows, strict=True):
        _compare_columns(name, before, after, numbers, permitted, differ)


def _compare_columns(
    name: str,
    before: Sequence[str],
    after: Sequence[str],
    numbers: dict[str, str],
    permitted: Permission,
    differ: _Differ,
) -> None:
    for column in range(FORM, MISC + 1):
        if COLUMNS[column] in permitted.columns:
            continue
        label = f"{name} {COLUMNS[column]}"
        if column == HEAD:
            expected = numbers.get(before[HEAD], before[HEAD] if before[HEAD] == "_" else None)
            if expected is not None:
                differ(label, f"{before[FORM]} {expected}", f"{after[FORM]} {after[HEAD]}")
        elif column == DEPS:
            differ(label, _graph(before[DEPS], numbers), after[DEPS])
        elif column == MISC:
            differ(label, attributes(before[MISC]), attributes(after[MISC]))
        else:
            differ(label, before[column], after[column])


def _graph(column: str, numbers: dict[str, str]) -> str:
    """Return a DEPS column with new numbers, without arcs from tokens that no longer exist."""
    if column == "_":
        return column
    arcs = (arc.partition(":") for arc in column.split("|"))
    return "|".join(f"{numbers[h]}:{r}" for h, _, r in arcs if h in numbers) or "_"


def _compare_empty_nodes(
    old: Block, new: Block, numbers: dict[str, str], permitted: Permission, differ: _Differ
) -> None:
    before, after = ([words for words, _ in block.empty] for block in (old, new))
    differ("empty nodes", before, after)
    if before == after:
        for (_, one), (_, other) in zip(old.empty, new.empty, strict=True):
            _compare_columns("empty node", one, other, numbers, permitted, differ)


def _compare_spaces(
    old: Block, new: Block, pairs: Sequence[tuple[int, int]], differ: _Differ
) -> None:
    forms, new_forms = ([u.form for u in b.units] for b in (old, new))
    _compare_gaps(
        old, new, pairs, spaces_after(old.units), spaces_after(new.units), "spaces in MISC", differ
    )
    differ("has a text", old.text is None, new.text is None)
    if old.text is None or new.text is None:
        return
    before, after = spaces_in_text(forms, old.text), spaces_in_text(new_forms, new.text)
    if before is None:  # It is not the text of these tokens: it cannot be rewritten.
        return
    if after is None:
        differ("text without the tokens", " ".join(new_forms), new.text)
        return
    _compare_gaps(old, new, pairs, before, after, "spaces in text", differ)
    if has_consistent_text(old) and not has_consistent_text(new):
        recorded = spaces_after(new.units)
        told = "".join(f + s for f, s in zip(new_forms, recorded, strict=True))
        differ("text and MISC disagree", told.rstrip(), new.text)


def _compare_gaps(
    old: Block,
    new: Block,
    pairs: Sequence[tuple[int, int]],
    before: Sequence[str],
    after: Sequence[str],
    kind: str,
    differ: _Differ,
) -> None:
    """Compare blanks: exactly between unchanged neighbours, and beside changes for losses."""
    follows = dict(pairs)
    for one, other in pairs:
        is_last = one + 1 == len(before) and other + 1 == len(after)
        if is_last or follows.get(one + 1) == other + 1:
            told = (
                f"{old.units[one].form}{before[one]!r}",
                f"{new.units[other].form}{after[other]!r}",
            )
            differ(kind, *told)
    for (first, last), (start, stop) in zip(_gaps(old.units), _gaps(new.units), strict=True):
        own = before[max(first - 1, 0) : last], after[max(start - 1, 0) : stop]
        if lost := lost_space(*own):
            differ(f"{kind}: {lost}", list(own[0]), list(own[1]))


def _compare_ends(one: str, other: str, place: str) -> Iterator[tuple[str, str, str, str]]:
    before, after = line_ends(one), line_ends(other)
    if before and after and (set(before[:-1]) | {before[-1]} != set(after[:-1]) | {after[-1]}):
        yield "line ends", place, repr(sorted(set(before))), repr(sorted(set(after)))
    elif before[-1:] != after[-1:]:
        yield "last line end", place, repr(before[-1:]), repr(after[-1:])


def _compare_copies(old: Sequence[str], new: Sequence[str]) -> list[Difference]:
    """Compare sentences with their annotated copies, which differ in nothing else."""
    found: list[Difference] = []
    copies = iter(new)
    other = next(copies, None)
    for number, one in enumerate(old, start=1):
        seen = 0
        while other is not None and _same(one, other):
            seen, other = seen + 1, next(copies, None)
        if not seen:
            return [*found, Difference("copy", f"sentence {number}", one, other or "")]
    if other is not None:
        found.append(Difference("copy", "after the last sentence", "", other))
    return found


def _same(one: str, other: str) -> bool:
    lines = lines_of(without_annotations(other))
    plain = [_COPY.sub(r"\1", line.rstrip("\r\n")) for line in lines]
    return plain == [line.rstrip("\r\n") for line in lines_of(one)]
