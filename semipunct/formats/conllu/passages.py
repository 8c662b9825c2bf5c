"""Passages of running text from CoNLL-U, with the spacing of the treebank."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from semipunct.corpus.passages import Passage, Span
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu.gaps import Spacing
from semipunct.formats.conllu.records import Record, is_comment, read_records, written_tokens
from semipunct.marks import spacing

SENTENCES, CHARACTERS = 8, 600
"""A passage ends with the sentence that reaches one of these limits."""

_BREAK = re.compile(r"#\s*new(doc|par)\b.*")


@dataclass(frozen=True, slots=True)
class _Written:
    """The tokens of a record as written.

    Attributes:
        words: ``[tokens]`` the words of each token.
        spaces: ``[tokens]`` whether a space follows.
    """

    record: Record
    forms: list[str]
    marks: list[bool]
    words: list[tuple[str, ...]]
    spaces: list[bool]

    @classmethod
    def of(cls, record: Record, *, recorded: bool) -> "_Written":
        spaces_after = Spacing.of(record).spaces
        parts = cls(record, [], [], [], [])
        for written in written_tokens(record):
            words = record.tokens[written.first - 1 : written.last]
            is_word = written.position == words[0].position
            parts.forms.append(written.form)
            parts.marks.append(is_word and words[0].upos == PUNCTUATION)
            parts.words.append(tuple(word.form for word in words))
            parts.spaces.append(spaces_after[written.last - 1] is not False)
        return parts if recorded else replace(parts, spaces=parts._by_rules())

    def _by_rules(self) -> list[bool]:
        """Return spaces set by typographic rules."""
        words: list[str] = []
        slots: list[list[str]] = [[]]
        for form, mark in zip(self.forms, self.marks, strict=True):
            if mark:
                slots[-1].append(form)
            else:
                words.append(form)
                slots.append([])
        rows = spacing.slot_spaces(words, [tuple(slot) for slot in slots])
        flat = [space for row in rows for space in row]
        # The first entry is before the sentence, the last one, always false, after it.
        return flat[1:]

    def before(self, after: "_Written") -> None:
        """Set whether a space precedes the next sentence, depending on the script."""
        self.spaces[-1] = spacing.are_spaced(self.forms[-1], after.forms[0])


def read_passages(paths: Iterable[str | Path]) -> list[Passage]:
    """Read treebanks as running text, in passages of several sentences.

    Spaces are taken from MISC (``SpaceAfter=No``) or, if it has none, set by typographic rules.
    """
    return [passage for path in paths for passage in passages(read_records(path, trees=False))]


def passages(
    records: Iterable[Record], sentences: int = SENTENCES, characters: int = CHARACTERS
) -> Iterator[Passage]:
    """Yield the passages of the records of a file; see ``read_passages``."""
    all_records = list(records)
    recorded = any(False in Spacing.of(record).spaces for record in all_records)
    together: list[_Written] = []
    size = 0
    for record in all_records:
        if together and (size >= characters or len(together) == sentences or _breaks(record)):
            yield _joined(together)
            together, size = [], 0
        together.append(_Written.of(record, recorded=recorded))
        if not recorded and len(together) > 1:
            together[-2].before(together[-1])
        size += sum(map(len, together[-1].forms)) + sum(together[-1].spaces)
    if together:
        yield _joined(together)


def _breaks(record: Record) -> bool:
    return any(map(_BREAK.match, takewhile(is_comment, record.lines)))


def _joined(sentences: Sequence[_Written]) -> Passage:
    text: list[str] = []
    place = 0
    tokens: list[Span] = []
    ends: list[bool] = []
    for sentence in sentences:
        for form, space in zip(sentence.forms, sentence.spaces, strict=True):
            text += (form, " " * space)
            tokens.append((place, place + len(form)))
            place += len(form) + space
            ends.append(False)
        ends[-1] = True
    first = sentences[0].record
    return Passage(
        first.sentence_id,
        first.path,
        first.line,
        "".join(text).rstrip(),
        tuple(tokens),
        tuple(ends),
        tuple(mark for s in sentences for mark in s.marks),
        tuple(words for s in sentences for words in s.words),
    )
