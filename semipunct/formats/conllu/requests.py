"""The punctuation of a record, and the requested punctuation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semipunct import marks
from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.corpus.sentences import check_slots, unfillable
from semipunct.errors import UsageError
from semipunct.formats.conllu.gaps import Spacing
from semipunct.formats.conllu.reading import directional_quotes, token_slots
from semipunct.formats.conllu.records import Record
from semipunct.marks import Puncteme, spacing
from semipunct.marks.quotes import kept_tokens

_BREAKS = frozenset("\t\n\r")


def slot_ids(entry: Entry[Record, Any]) -> list[list[int]]:
    """Return the IDs of the marks in each slot, ``[n + 1]``."""
    words = set(entry.word_ids)
    rows: list[list[int]] = [[]]
    for token in entry.record.tokens:
        if token.word_id in words:
            rows.append([])
        else:
            rows[-1].append(token.word_id)
    return rows


@dataclass(frozen=True, slots=True)
class Source:
    """The components of the record of a sentence.

    Attributes:
        slots: ``[n + 1]`` visible tokens as read.
        ids: ``[n + 1]`` the IDs of these tokens.
        dots: ``[n]`` whether a word has an abbreviation dot.
    """

    sentence: Sentence
    record: Record
    word_ids: tuple[int, ...]
    slots: tuple[Puncteme, ...]
    ids: tuple[tuple[int, ...], ...]
    dots: tuple[bool, ...]
    spacing: Spacing

    @classmethod
    def of(cls, entry: Entry[Record]) -> "Source":
        """Divide a record into words and marks.

        Raises:
            UsageError: if the sentence has no tree or was omitted.
        """
        sentence, record = entry.content, entry.record
        if isinstance(sentence, Words):
            raise UsageError(
                f"{record.where()}: it has no tree, to which marks could be attached; parse it "
                "first (semipunct parse)"
            )
        if isinstance(sentence, Omitted):
            raise UsageError(
                f"{record.where()}: it was omitted ({sentence.reason}), so its punctuation cannot "
                "be changed; write it unchanged"
            )
        words = set(entry.word_ids)
        is_punctuation = [token.word_id not in words for token in record.tokens]
        surface, _, _ = directional_quotes(record.tokens, is_punctuation)
        dots = (
            record.tokens[word_id - 1].form != form
            for word_id, form in zip(entry.word_ids, sentence.forms, strict=True)
        )
        return cls(
            sentence,
            record,
            entry.word_ids,
            tuple(token_slots(surface, is_punctuation)),
            tuple(map(tuple, slot_ids(entry))),
            tuple(dots),
            Spacing.of(record),
        )


@dataclass(frozen=True, slots=True)
class Target:
    """The requested slots.

    Attributes:
        slots: ``[n + 1]`` visible tokens.
        ids: ``[n + 1]`` the IDs of kept tokens, 0 for new ones.
        dots: ``[n]`` whether a word has an abbreviation dot.
    """

    slots: tuple[Puncteme, ...]
    ids: tuple[tuple[int, ...], ...]
    dots: tuple[bool, ...]

    @classmethod
    def of(cls, source: Source, slots: Sequence[Puncteme]) -> "Target":
        """Align the requested slots with the slots of a record."""
        check_slots(
            source.record.where(), source.slots, slots, _is_writable, unfillable(source.sentence)
        )
        dots = tuple(marks.ABBREVIATION in slot for slot in slots[1:])
        shown = tuple(spacing.visible(slots))
        ids = tuple(
            tuple(of[number - 1] if number else 0 for number in kept_tokens(old, new))
            for old, of, new in zip(source.slots, source.ids, shown, strict=True)
        )
        return cls(shown, ids, dots)

    def changes_nothing(self, source: Source) -> bool:
        return self.slots == source.slots and self.dots == source.dots

    def keeps_all(self, source: Source) -> bool:
        """Return whether no token of the record is removed."""
        return sum(map(len, source.ids)) == sum(1 for row in self.ids for old_id in row if old_id)


def _is_writable(token: str) -> bool:
    return bool(token.strip()) and not _BREAKS.intersection(token)
