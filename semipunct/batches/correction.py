"""Correction of punctuation in batches of texts or treebanks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, Unpack

from semipunct.batches.models import load_model
from semipunct.batches.tasks import BatchTask
from semipunct.batches.treebanks import Rows, RowType
from semipunct.errors import UsageError
from semipunct.tasks.options import CorrectOptions, CorrectSettings

if TYPE_CHECKING:
    from semipunct.tasks.run import Outcome


class Corrector(BatchTask):
    """Corrects the punctuation of the rows of batches, as ``correct_text`` does that of one text.

    What a row gets is ``semipunct.correct_text(model, text, ...)``; rows of a treebank get what
    ``semipunct correct`` writes for a file with this content.
    """

    def __init__(
        self,
        model: str | Path,
        options: CorrectOptions | None = None,
        *,
        rows: RowType = "text",
        column: str | None = None,
        output: str = "corrected",
        error: str = "error",
        limit: int | None = None,
        digest: str | None = None,
        parser: str | Path | None = None,
        **settings: Unpack[CorrectSettings],
    ) -> None:
        """Describe the task; models are loaded where it is called first.

        Args:
            model: the name or folder of a text model, for rows of a treebank that of a correction
                model, which must be the same for all workers.
            options: by default ``CorrectOptions()``.
            rows: what a row has: ``text``, or ``conllu`` for one or more sentences of a treebank.
            column: the name of their column; by default that of their type.
            output: the name of the column for corrected texts.
            error: the name of the column for errors.
            limit: the maximum number of characters of a row, by default 1,000,000.
            digest: the beginning of the digest that the model must have.
            parser: for rows of a treebank the name or folder of a parser, whose trees replace
                theirs.
            **settings: attributes of ``CorrectOptions`` by name.

        Raises:
            UsageError: if names of columns or the limit are invalid, or an option is not for such
                rows.
        """
        super().__init__(
            model, rows=rows, column=column, output=output, error=error, limit=limit, digest=digest
        )
        self.options = replace(options or CorrectOptions(), **settings)
        self.parser = None if parser is None else str(parser)
        if rows == "text" and parser is not None:
            raise UsageError("a text model corrects text without a parser; leave parser out")

    def answer(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the corrected texts.

        Args:
            texts: those of the rows.
        """
        from semipunct.formats.conllu import Conllu
        from semipunct.kinds.answers import answer_of
        from semipunct.render.corrected_files import write

        model = load_model(self.model, self.digest)
        if self.rows == "text":
            correct_texts = answer_of(model.model, "correct_texts", self.model)
            return correct_texts(model, texts, self.options)
        parser = None if self.parser is None else load_model(self.parser)
        rows = Rows.read(texts, words=parser is not None)
        correct = answer_of(model.model, "correct_sentences", self.model)
        corrected = correct(
            model, rows.sentences, self.options, parser=parser, analysis=None, first=rows.numbers
        )

        def write_row(outcomes: Iterator[Outcome[Any]], stream: TextIO) -> None:
            read = list(outcomes)
            writer = Conllu().writer([entry for entry, _ in read])
            write(read, "conllu", writer, stream, parsed=parser is not None)

        return rows.write(corrected, write_row)
