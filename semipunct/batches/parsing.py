"""Parsing of batches of texts or treebanks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, Unpack

from semipunct.batches.models import load_model
from semipunct.batches.tasks import BatchTask
from semipunct.batches.treebanks import Rows, RowType
from semipunct.errors import UsageError
from semipunct.tasks.options import ParseOptions, ParseSettings

if TYPE_CHECKING:
    from semipunct.tasks.parse import Parse
    from semipunct.tasks.run import Outcome


class Parser(BatchTask):
    """Parses the rows of batches into CoNLL-U.

    A row gets what ``semipunct parse`` writes for a file with this content.
    """

    def __init__(
        self,
        model: str | Path,
        options: ParseOptions | None = None,
        *,
        rows: RowType = "text",
        column: str | None = None,
        output: str = "parsed",
        error: str = "error",
        limit: int | None = None,
        digest: str | None = None,
        tokeniser: str | Path | None = None,
        **settings: Unpack[ParseSettings],
    ) -> None:
        """Describe the task; models are loaded where it is called first.

        Args:
            model: the name or folder of a parser, which must be the same for all workers.
            options: by default ``ParseOptions()``.
            rows: what a row has: ``text``, or ``conllu`` for one or more sentences, whose trees and
                tags are replaced.
            column: the name of their column; by default that of their type.
            output: the name of the column for parses.
            error: the name of the column for errors.
            limit: the maximum number of characters of a row, by default 1,000,000.
            digest: the beginning of the digest that the model must have.
            tokeniser: for text the name or folder of a tokeniser; without one each line is a
                sentence, whose words and marks are separated by blanks.
            **settings: attributes of ``ParseOptions`` by name.

        Raises:
            UsageError: if names of columns or the limit are invalid, or there is a tokeniser for
                rows of a treebank.
        """
        super().__init__(
            model, rows=rows, column=column, output=output, error=error, limit=limit, digest=digest
        )
        self.options = replace(options or ParseOptions(), **settings)
        self.tokeniser = None if tokeniser is None else str(tokeniser)
        if rows == "conllu" and tokeniser is not None:
            raise UsageError("the words of conllu are known; leave out tokeniser")

    def answer(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the parses of texts in CoNLL-U.

        Args:
            texts: those of the rows.
        """
        from semipunct.formats.conllu import Conllu
        from semipunct.formats.text import text_entry
        from semipunct.render.parses import parsed_texts
        from semipunct.tasks.parse import parse
        from semipunct.tasks.sentences_of_text import sentences_of_text

        parser = load_model(self.model, self.digest)
        if self.rows == "conllu":
            rows = Rows.read(texts, words=True)
        else:
            tokeniser = None if self.tokeniser is None else load_model(self.tokeniser)
            parts = [sentences_of_text(text, tokeniser) for text in texts]
            rows = Rows.of([[text_entry(part) for part in of_text] for of_text in parts])
        parsed: Sequence[Any] = parse(parser, rows.sentences, self.options)

        def texts_of(outcome: Outcome[Parse]) -> Iterator[str]:
            entry, analysis = outcome
            if analysis is not None:
                yield from parsed_texts(entry, [analysis], "", probabilities=False)
            elif self.rows == "conllu":
                yield Conllu().writer().source_text(entry)

        def write_row(outcomes: Iterator[Outcome[Parse]], stream: TextIO) -> None:
            Conllu().writer().write(chain.from_iterable(map(texts_of, outcomes)), stream)

        return rows.write(parsed, write_row)
