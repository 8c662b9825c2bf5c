"""Rows and their sentences."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    from semipunct.tasks.run import Outcome

RowType = Literal["text", "conllu"]
"""What a row has: a text, or sentences of a treebank."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The sentences of rows.

    Attributes:
        entries: those of each row.
        sentences: those of all rows that models can process.
        numbers: their numbers, which count from 0 in each row.
    """

    entries: Sequence[Sequence[Any]]
    sentences: Sequence[Any]
    numbers: Sequence[int]

    @classmethod
    def read(cls, texts: Iterable[str], *, words: bool) -> Rows:
        """Read the sentences of rows.

        Args:
            texts: rows in CoNLL-U.
            words: whether only words are needed.

        Raises:
            TreebankError: if a row is not in CoNLL-U, or has a malformed tree.
        """
        from semipunct.files import Section
        from semipunct.formats.conllu import Conllu

        rows = [Section("conllu", text.encode()) for text in texts]
        return cls.of([[*(Conllu().read_words(r) if words else Conllu().read(r))] for r in rows])

    @classmethod
    def of(cls, entries: Sequence[Sequence[Any]]) -> Rows:
        """Number the sentences of rows.

        Args:
            entries: those of each row.

        Raises:
            TreebankError: if a tree is malformed.
        """
        from semipunct.corpus import Omitted
        from semipunct.errors import TreebankError

        sentences: list[Any] = []
        numbers: list[int] = []
        for row in entries:
            for entry in row:
                if isinstance(entry.content, Omitted) and entry.content.fault:
                    raise TreebankError(entry.content.fault)
            usable = [e.content for e in row if not isinstance(e.content, Omitted)]
            sentences += usable
            numbers += range(len(usable))
        return cls(entries, sentences, numbers)

    def write(
        self,
        answers: Iterable[Any],
        write: Callable[[Iterator[Outcome[Any]], TextIO], None],
    ) -> list[str]:
        """Return the rows with the answers for their sentences.

        Args:
            answers: those for all sentences.
            write: writes the sentences of one row.
        """
        from semipunct.corpus import Omitted

        remaining = iter(answers)
        written: list[str] = []
        for entries in self.entries:
            usable = [not isinstance(entry.content, Omitted) for entry in entries]
            answers_of_row = iter(list(islice(remaining, sum(usable))))
            outcomes = [
                (entry, next(answers_of_row) if is_usable else None)
                for entry, is_usable in zip(entries, usable, strict=True)
            ]
            stream = io.StringIO(newline="")
            write(iter(outcomes), stream)
            written.append(stream.getvalue())
        return written
