"""Deletion, reordering and capitals of the words in a record."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from semipunct.corpus import Entry, Omitted, Sentence
from semipunct.corpus.sentences import dotted_forms, select_words
from semipunct.errors import UsageError
from semipunct.formats.conllu.gaps import NOTHING, SPACE, Gap, Spacing, with_gap
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.records import (
    BYTE_ORDER_MARK,
    Record,
    Token,
    is_comment,
    is_outside,
    multiword_tokens,
    stated_text,
    tokens_of,
    with_text,
)
from semipunct.marks import spacing
from semipunct.trees import DependencyTree

_ID, _FORM, _HEAD, _DEPREL, _DEPS, _MISC = 0, 1, 6, 7, 8, 9


def rearrange_entry(
    entry: Entry[Record], words: Sequence[int], tree: DependencyTree
) -> Entry[Record, Sentence]:
    """Return an entry with a subset of the words of another one, in any order.

    Punctuation is removed, except dots of abbreviations, and so are empty nodes and DEPS. Spaces
    between words that remain neighbours are kept; others follow ``marks.spacing``. Multiword tokens
    stay if their words are still adjacent.

    Raises:
        UsageError: if the entry has no tree, or ``words`` do not fit it and ``tree``.
    """
    sentence, record = entry.content, entry.record
    if not isinstance(sentence, Sentence):
        raise UsageError(f"{record.where()}: it has no tree that could be changed; leave it out")
    all_words = set(range(1, sentence.size + 1))
    if len(set(words)) != len(words) or not set(words) <= all_words or len(words) != tree.words:
        raise UsageError(
            f"{record.where()}: {list(words)} are not the words of the new tree; give each of "
            f"them once, with numbers from 1 to {sentence.size}"
        )
    source_tokens = [record.tokens[entry.word_ids[word - 1] - 1] for word in words]
    rearranged = select_words(sentence, words, tree)
    spaces = Spacing.of(record)
    leading = spaces.leading.get(1, "")
    follows = _spaces_after(rearranged, source_tokens, spaces)
    body: list[str] = []
    text: list[str] = []
    ranges = _ranges(source_tokens, record)
    header = list(takewhile(is_outside, record.lines))
    last_line = record.tokens[-1].position
    header += [line for line in record.lines[len(header) : last_line] if is_comment(line)]
    for word, token in enumerate(source_tokens, start=1):
        if word in ranges:
            last, position = ranges[word]
            columns = record.lines[position].split("\t")
            columns[_ID] = f"{word}-{last}"
            text += (columns[_FORM], follows[last - 1].text)
            columns[_MISC] = with_gap(
                columns[_MISC], follows[last - 1], leading if word == 1 else ""
            )
            body.append("\t".join(columns))
        inside = any(first <= word <= last for first, (last, _) in ranges.items())
        columns = record.lines[token.position].lstrip(BYTE_ORDER_MARK).split("\t")
        head, relation = tree.heads[word - 1], tree.relations[word - 1]
        columns[_ID], columns[_HEAD], columns[_DEPREL] = str(word), str(head), relation
        columns[_DEPS] = EMPTY
        if not inside:
            text += (columns[_FORM], follows[word - 1].text)
            columns[_MISC] = with_gap(
                columns[_MISC], follows[word - 1], leading if word == 1 else ""
            )
        body.append("\t".join(columns))
    footer = [line for line in record.lines[last_line + 1 :] if is_outside(line)]
    if record.lines[0].startswith(BYTE_ORDER_MARK) and not is_outside(record.lines[0]):
        first = header or body
        first[0] = BYTE_ORDER_MARK + first[0]
    header = [with_text(line, "".join(text[:-1])) for line in header]
    lines = [*header, *body, *footer]
    ends = [record.line_end] * len(lines)
    ends[-1] = record.ends[-1]
    new_record = replace(
        record, lines=tuple(lines), ends=tuple(ends), tokens=tuple(tokens_of(lines))
    )
    ids = tuple(range(1, len(words) + 1))
    return Entry(rearranged, new_record, ids)


def _spaces_after(
    sentence: Sentence, source_tokens: Sequence[Token], spacing_of_source: Spacing
) -> list[Gap]:
    """Return the space after each word; the space after the sentence stays."""
    nothing: list[tuple[str, ...]] = [()] * len(sentence.slots)
    compounds = spacing.compound_slots(sentence.tree.heads, sentence.tree.relations)
    rows = spacing.slot_spaces(dotted_forms(sentence), nothing, compounds=compounds)
    gaps: list[Gap] = []
    for place, token in enumerate(source_tokens[:-1]):
        stated = spacing_of_source.gaps[token.word_id - 1]
        is_adjacent = source_tokens[place + 1].word_id == token.word_id + 1
        by_rule = SPACE if rows[place + 1][0] else NOTHING
        gaps.append(stated if is_adjacent and stated is not None else by_rule)
    return [*gaps, spacing_of_source.gaps[-1] or SPACE]


def _ranges(source_tokens: Sequence[Token], record: Record) -> dict[int, tuple[int, int]]:
    """Return the remaining multiword tokens: last new ID and line by first new ID."""
    place = {token.word_id: i for i, token in enumerate(source_tokens, start=1)}
    ranges: dict[int, tuple[int, int]] = {}
    for span in multiword_tokens(record):
        ids = range(span.first, span.last + 1)
        first = place.get(span.first, 0)
        if all(place.get(word_id) == first + i for i, word_id in enumerate(ids)) and first:
            ranges[first] = first + len(ids) - 1, span.position
    return ranges


def recase(entry: Entry[Record], forms: Sequence[str]) -> Entry[Record]:
    """Return an entry with other capitals, in FORM and in the comment ``# text =``.

    A multiword token gets the capitals of its words if it is their concatenation; otherwise only
    its first letter may change.
    """
    content, record = entry.content, entry.record
    if isinstance(content, Omitted):
        raise UsageError(f"{record.where()}: it was omitted ({content.reason}); write it unchanged")
    if list(map(str.lower, forms)) != list(map(str.lower, content.forms)):
        raise UsageError(f"{record.where()}: the words given differ from it in more than case")
    if tuple(forms) == content.forms:
        return entry
    lines, tokens = list(record.lines), list(record.tokens)
    changed: dict[int, tuple[str, str]] = {}  # old and new form by line index
    for word_id, form in zip(entry.word_ids, forms, strict=True):
        token = tokens[word_id - 1]
        spelt = form + token.form[len(form) :]  # the dot of an abbreviation
        changed[token.position] = (token.form, spelt)
        tokens[word_id - 1] = token._replace(form=spelt)
    inside: set[int] = set()
    for span in multiword_tokens(record):
        at = slice(span.first - 1, span.last)
        inside |= {token.position for token in tokens[at]}
        before, after = ("".join(t.form for t in of[at]) for of in (record.tokens, tokens))
        spelt = span.form
        if before == span.form:
            spelt = after
        elif after[:1] != before[:1] and len(after[:1]) == len(spelt[:1].upper()):
            spelt = spelt[:1].upper() + spelt[1:]
        changed[span.position] = (span.form, spelt)
    for position, (_, form) in changed.items():
        columns = lines[position].split("\t")
        columns[_FORM] = form
        lines[position] = "\t".join(columns)
    if (text := stated_text(record)) is not None:
        written = [changed[position] for position in sorted(changed) if position not in inside]
        first = tokens[0].position
        lines[:first] = [with_text(line, _in_text(text, written)) for line in lines[:first]]
    return replace(
        entry,
        content=replace(content, forms=tuple(forms)),
        record=replace(record, lines=tuple(lines), tokens=tuple(tokens)),
    )


def _in_text(text: str, written: Sequence[tuple[str, str]]) -> str:
    """Replace the old forms of tokens in a text with new ones."""
    pieces: list[str] = []
    place = 0
    for form_before, form_after in written:
        start = text.find(form_before, place)
        if start >= 0:
            pieces += (text[place:start], form_after)
            place = start + len(form_before)
    return "".join(pieces) + text[place:]
