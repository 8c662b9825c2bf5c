"""Restoration of punctuation in batches of texts or treebanks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, Unpack

from semipunct.batches.models import load_model
from semipunct.batches.tasks import BatchTask
from semipunct.batches.treebanks import Rows, RowType
from semipunct.errors import UsageError
from semipunct.tasks.options import Lines, Objective, RestoreOptions, RestoreSettings

if TYPE_CHECKING:
    from semipunct.kinds.requests import TextRequest
    from semipunct.tasks.run import Outcome


class Restorer(BatchTask):
    """Restores the punctuation of the rows of batches, as ``restore_text`` does that of one text.

    What a row gets is ``semipunct.restore_text(model, text, ...)``; rows of a treebank get what
    ``semipunct restore`` writes for a file with this content.
    """

    def __init__(
        self,
        model: str | Path,
        options: RestoreOptions | None = None,
        *,
        rows: RowType = "text",
        column: str | None = None,
        output: str = "restored",
        error: str = "error",
        limit: int | None = None,
        digest: str | None = None,
        parser: str | Path | Sequence[str | Path] | None = None,
        tokeniser: str | Path | None = None,
        text_model: str | Path | None = None,
        trees: int = 0,
        share: float | None = None,
        ends: Lines = "paragraph",
        objective: Objective | None = None,
        **settings: Unpack[RestoreSettings],
    ) -> None:
        """Describe the task; models are loaded where it is called first.

        Args:
            model: the name or folder of a text model, a punctuation model or a comma model, which
                must be the same for all workers.
            options: by default ``RestoreOptions()``.
            rows: what a row has: ``text``, or ``conllu`` for one or more sentences of a treebank.
            column: the name of their column; by default that of their type.
            output: the name of the column for restored texts.
            error: the name of the column for errors.
            limit: the maximum number of characters of a row, by default 1,000,000.
            digest: the beginning of the digest that the model must have.
            parser: the name or folder of a parser, or several, as in ``restore_text``.
            tokeniser: that of a tokeniser.
            text_model: that of a text model, used together with a punctuation model.
            trees: the number of trees drawn from each parser.
            share: the weight of the marks that parsers or the text model predict.
            ends: with a text model, what the end of a line says; a row is a text of its own.
            objective: with a text model, what decisions optimise.
            **settings: attributes of ``RestoreOptions`` by name.

        Raises:
            UsageError: if names of columns or the limit are invalid, or an option is not for
                treebanks.
        """
        super().__init__(
            model, rows=rows, column=column, output=output, error=error, limit=limit, digest=digest
        )
        self.options = replace(options or RestoreOptions(), **settings)
        parsers = [parser] if isinstance(parser, str | Path) else list(parser or ())
        self.parsers = [str(each) for each in parsers]
        self.tokeniser, self.text_model = (
            None if name is None else str(name) for name in (tokeniser, text_model)
        )
        self.trees, self.share = trees, share
        self.ends: Lines = ends
        self.objective: Objective | None = objective
        if rows == "conllu" and (tokeniser or text_model or objective):
            raise UsageError(
                "tokeniser, text_model and objective are for text; leave them out for conllu"
            )

    def answer(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the restored texts.

        Args:
            texts: those of the rows.
        """
        return self._restored_texts(texts) if self.rows == "text" else self._restored_rows(texts)

    def _restored_texts(self, texts: Sequence[str]) -> Sequence[str]:
        from semipunct.kinds.answers import answer_of

        model = load_model(self.model, self.digest)
        return answer_of(model.model, "restore_texts", self.model)(model, texts, self._request())

    def _request(self) -> TextRequest:
        from semipunct.kinds.requests import TextRequest

        tokeniser, text_model = (
            None if name is None else load_model(name) for name in (self.tokeniser, self.text_model)
        )
        return TextRequest(
            options=self.options,
            parser=[load_model(name) for name in self.parsers] or None,
            tokeniser=tokeniser,
            text_model=text_model,
            trees=self.trees,
            share=self.share,
            ends=self.ends,
            objective=self.objective,
        )

    def _restored_rows(self, texts: Sequence[str]) -> Sequence[str]:
        from semipunct.formats.conllu import Conllu
        from semipunct.kinds.answers import answer_of
        from semipunct.render.restored_files import write
        from semipunct.tasks.restore_words import restore_words

        model = load_model(self.model, self.digest)
        rows = Rows.read(texts, words=bool(self.parsers))
        restored: Sequence[Any]
        if self.parsers:
            parsers = [load_model(name) for name in self.parsers]
            restored = restore_words(
                model, parsers, rows.sentences, self.options, trees=self.trees, share=self.share,
                first=rows.numbers,
            )  # fmt: skip
        else:
            restore = answer_of(model.model, "restore_sentences", self.model)
            restored = restore(model, rows.sentences, self.options, rows.numbers)

        def write_row(outcomes: Iterator[Outcome[Any]], stream: TextIO) -> None:
            read = list(outcomes)
            writer = Conllu().writer([entry for entry, _ in read])
            write(read, "conllu", writer, stream, parsed=bool(self.parsers))

        return rows.write(restored, write_row)
