"""Comparison of treebanks before and after a command, byte for byte where no mark was changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
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
    UPOS,
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

_ADDED = (("Semipunct", "Suspect="), "# semipunct_")
_COPY = re.compile(r"(# sent_id =.*)\.(?:rank|sample|tree)\d+$")


@dataclass(frozen=True)
class Permission:
    """Changes that a command may make.

    Attributes:
        marks: whether it may insert, delete and change marks.
        deletions: whether it may delete and change marks.
        columns: the names of columns that may change.
        mark_columns: those that may change of marks only.
        copies: the largest number of copies of a sentence, with different analyses.
    """

    marks: bool = True
    deletions: bool = True
    columns: frozenset[str] = frozenset()
    mark_columns: frozenset[str] = frozenset()
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
    blocks_before, old_gaps = split_file(before)
    blocks_after, new_gaps = split_file(after)
    if permitted.copies > 1:
        return _compare_copies(blocks_before, blocks_after)
    if len(blocks_before) != len(blocks_after):
        return [
            Difference(
                "number of sentences", "file", str(len(blocks_before)), str(len(blocks_after))
            )
        ]
    differences = [
        Difference("blank lines", f"after sentence {number}", repr(gap_before), repr(gap_after))
        for number, (gap_before, gap_after) in enumerate(zip(old_gaps, new_gaps, strict=True))
        if gap_before != gap_after
    ]
    for number, (block_before, block_after) in enumerate(
        zip(blocks_before, blocks_after, strict=True), start=1
    ):
        place = f"sentence {number}"
        differences += [
            Difference(*each) for each in _compare_ends(block_before, block_after, place)
        ]
        if block_before != block_after:
            differences += compare_sentences(
                read_block(without_annotations(block_before)),
                read_block(without_annotations(block_after)),
                permitted,
                place,
            )
    return differences


def without_annotations(block: str) -> str:
    """Remove the comments and attributes that commands of semipunct add."""
    lines = []
    for line in lines_of(block):
        if line.startswith(_ADDED[1]):
            continue
        content = line.rstrip("\r\n")
        if any(name in content for name in _ADDED[0]) and not content.startswith("#"):
            columns = content.split("\t")
            items = [i for i in columns[MISC].split("|") if not i.startswith(_ADDED[0])]
            columns[MISC] = "|".join(items) or "_"
            content = "\t".join(columns)
        lines.append(content + line[len(line.rstrip("\r\n")) :])
    return "".join(lines)


def compare_sentences(
    source: Block, output: Block, permitted: Permission, place: str
) -> list[Difference]:
    """Compare the lines of a sentence before and after a command.

    Args:
        source: the input.
        output: the output.
        permitted: what the command may change.
        place: the name of the sentence.
    """
    differences: list[Difference] = []

    def differ(kind: str, before: object, after: object) -> None:
        if before != after:
            differences.append(Difference(kind, place, str(before), str(after)))

    if [unit.form for unit in source.words] != [unit.form for unit in output.words]:
        before, after = (" ".join(u.form for u in b.words) for b in (source, output))
        return [Difference("words", place, before, after)]
    differ("comments", source.comments, output.comments)
    for word, output_word in zip(source.words, output.words, strict=True):
        if len(word.rows) != len(output_word.rows):
            differ("multiword token", word.rows, output_word.rows)
    if any(d.kind == "multiword token" for d in differences):
        return differences
    pairs = aligned(source.units, output.units)
    numbers = _numbers(source, output, pairs)
    for number, output_number in pairs:
        _compare_rows(source.units[number], output.units[output_number], numbers, permitted, differ)
    unit_numbers = {unit_number for unit_number, _ in pairs}
    is_changed = len(pairs) < max(len(source.units), len(output.units))
    if not permitted.marks and is_changed:
        differ("marks", [u.form for u in source.units], [u.form for u in output.units])
    lost = [unit.form for number, unit in enumerate(source.units) if number not in unit_numbers]
    if lost and permitted.marks and not permitted.deletions:
        differ("mark lost", lost, [unit.form for unit in output.units])
    _compare_empty_nodes(source, output, numbers, permitted, differ)
    _compare_spaces(source, output, pairs, differ)
    return differences


def aligned(source: Sequence[Unit], output: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the numbers of the units that are in both versions: all words, and common marks.

    Where marks were exchanged (a quotation mark and a full stop for a full stop and another
    quotation mark), it is open which of them are new: equal ones count as common only if their
    other columns agree, too.

    Args:
        source: units of the input.
        output: units of the output, with the same words.
    """
    pairs: list[tuple[int, int]] = []
    for (first, last), (start, stop) in zip(_gaps(source), _gaps(output), strict=True):
        before = [unit.form for unit in source[first:last]]
        after = [unit.form for unit in output[start:stop]]
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        common = [
            (first + a + i, start + b + i)
            for a, b, size in matcher.get_matching_blocks()
            for i in range(size)
        ]
        is_exchange = len(common) < min(len(before), len(after))
        pairs += [
            (number, output_number)
            for number, output_number in common
            if not is_exchange
            or _is_same_mark(source[number].rows[0], output[output_number].rows[0])
        ]
        if last < len(source):
            pairs.append((last, stop))
    return pairs


def _is_same_mark(source_row: Sequence[str], output_row: Sequence[str]) -> bool:
    columns = (LEMMA, XPOS, FEATS)
    return all(source_row[c] == output_row[c] for c in columns) and (
        attributes(source_row[MISC]) == attributes(output_row[MISC])
    )


def _gaps(units: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the ranges of the marks before each word, and after the last."""
    places = [i for i, unit in enumerate(units) if not unit.is_mark]
    starts = [0, *(place + 1 for place in places)]
    return list(zip(starts, [*places, len(units)], strict=True))


def _numbers(source: Block, output: Block, pairs: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Return the new ID of every old one that still exists."""
    numbers = {"0": "0"}
    for number, output_number in pairs:
        for before, after in zip(
            source.units[number].rows, output.units[output_number].rows, strict=True
        ):
            numbers[before[ID]] = after[ID]
    for (_, before), (_, after) in zip(source.empty, output.empty, strict=False):
        numbers[before[ID]] = after[ID]
    return numbers


def _compare_rows(
    unit: Unit, output_unit: Unit, numbers: dict[str, str], permitted: Permission, differ: _Differ
) -> None:
    for before, after in zip(unit.rows, output_unit.rows, strict=True):
        # A mark inside a multiword token is a mark, too.
        is_mark = before[UPOS] == "PUNCT"
        allowed = permitted.columns | (permitted.mark_columns if is_mark else frozenset())
        name = "mark" if unit.is_mark else "word"
        _compare_columns(name, before, after, numbers, allowed, differ)


def _compare_columns(
    name: str,
    before: Sequence[str],
    after: Sequence[str],
    numbers: dict[str, str],
    permitted: Set[str],
    differ: _Differ,
) -> None:
    for column in range(FORM, MISC + 1):
        if COLUMNS[column] in permitted:
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
    source: Block, output: Block, numbers: dict[str, str], permitted: Permission, differ: _Differ
) -> None:
    before, after = ([words for words, _ in block.empty] for block in (source, output))
    differ("empty nodes", before, after)
    if before == after:
        for (_, row), (_, output_row) in zip(source.empty, output.empty, strict=True):
            _compare_columns("empty node", row, output_row, numbers, permitted.columns, differ)


def _compare_spaces(
    source: Block, output: Block, pairs: Sequence[tuple[int, int]], differ: _Differ
) -> None:
    forms, new_forms = ([u.form for u in b.units] for b in (source, output))
    _compare_gaps(
        source,
        output,
        pairs,
        spaces_after(source.units),
        spaces_after(output.units),
        "spaces in MISC",
        differ,
    )
    differ("has a text", source.text is None, output.text is None)
    if source.text is None or output.text is None:
        return
    before, after = spaces_in_text(forms, source.text), spaces_in_text(new_forms, output.text)
    if before is None:  # It is not the text of these tokens: it cannot be rewritten.
        return
    if after is None:
        differ("text without the tokens", " ".join(new_forms), output.text)
        return
    _compare_gaps(source, output, pairs, before, after, "spaces in text", differ)
    if has_consistent_text(source) and not has_consistent_text(output):
        recorded = spaces_after(output.units)
        recorded_text = "".join(f + s for f, s in zip(new_forms, recorded, strict=True))
        differ("text and MISC disagree", recorded_text.rstrip(), output.text)


def _compare_gaps(
    source: Block,
    output: Block,
    pairs: Sequence[tuple[int, int]],
    before: Sequence[str],
    after: Sequence[str],
    kind: str,
    differ: _Differ,
) -> None:
    """Compare blanks: exactly between unchanged neighbours, and beside changes for losses."""
    follows = dict(pairs)
    for number, output_number in pairs:
        is_last = number + 1 == len(before) and output_number + 1 == len(after)
        if is_last or follows.get(number + 1) == output_number + 1:
            excerpts = (
                f"{source.units[number].form}{before[number]!r}",
                f"{output.units[output_number].form}{after[output_number]!r}",
            )
            differ(kind, *excerpts)
    for (first, last), (start, stop) in zip(_gaps(source.units), _gaps(output.units), strict=True):
        spaces_around = before[max(first - 1, 0) : last], after[max(start - 1, 0) : stop]
        if lost := lost_space(*spaces_around):
            differ(f"{kind}: {lost}", list(spaces_around[0]), list(spaces_around[1]))


def _compare_ends(block: str, output_block: str, place: str) -> Iterator[tuple[str, str, str, str]]:
    before, after = line_ends(block), line_ends(output_block)
    if before and after and (set(before[:-1]) | {before[-1]} != set(after[:-1]) | {after[-1]}):
        yield "line ends", place, repr(sorted(set(before))), repr(sorted(set(after)))
    elif before[-1:] != after[-1:]:
        yield "last line end", place, repr(before[-1:]), repr(after[-1:])


def _compare_copies(blocks: Sequence[str], output_blocks: Sequence[str]) -> list[Difference]:
    """Compare sentences with their annotated copies, which differ in nothing else."""
    differences: list[Difference] = []
    copies = iter(output_blocks)
    copy = next(copies, None)
    for number, block in enumerate(blocks, start=1):
        seen = 0
        while copy is not None and _is_copy(block, copy):
            seen, copy = seen + 1, next(copies, None)
        if not seen:
            return [*differences, Difference("copy", f"sentence {number}", block, copy or "")]
    if copy is not None:
        differences.append(Difference("copy", "after the last sentence", "", copy))
    return differences


def _is_copy(block: str, copy: str) -> bool:
    lines = lines_of(without_annotations(copy))
    plain = [_COPY.sub(r"\1", line.rstrip("\r\n")) for line in lines]
    return plain == [line.rstrip("\r\n") for line in lines_of(block)]
