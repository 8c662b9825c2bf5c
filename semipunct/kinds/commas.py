"""The comma models: restoration of commas in bracketed trees, or in words with a parser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.errors import UsageError
from semipunct.formats import FORMATS, format_of, read_phrases, read_words
from semipunct.formats.registry import COMMA_TAGS
from semipunct.kinds.assessment import Assessment, assess_restorations, restorations_of
from semipunct.kinds.reading import read_by_tokeniser, running_text_format
from semipunct.models.constituency.parser import PhraseParser
from semipunct.tasks.restore_commas import (
    check,
    commas_signature,
    restore_commas,
    restore_commas_of_words,
)
from semipunct.tasks.run import Chunk, Outcome
from semipunct.tasks.sentences_of_text import sentences_of_text

if TYPE_CHECKING:
    from semipunct.tasks.base import Trained
    from semipunct.tasks.options import RestoreOptions
    from semipunct.tasks.restoration import Restoration


class RestoreCommas(RestoreTask):
    """Restores commas in trees in brackets or, with a parser, in words or text."""

    def __init__(self, model: Trained[Any], helpers: Helpers, options: RestoreOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse(
            "a comma model",
            {
                "--trees": options.trees, "--parser-share": options.share is not None,
                "--text": helpers.text_model, "--lines": options.lines,
                "--objective": options.objective, "--lower": options.lower,
            },
        )  # fmt: skip
        if len(helpers.parsers) > 1:
            raise UsageError("a comma model uses only one parser; give --parser once")
        check(options)
        self._parser = expect(helpers.parsers[0], PhraseParser) if helpers.parsers else None

    def read(self, request: Request) -> Documents:
        inputs, parser = request.inputs, self._parser
        entries: Iterator[Any]
        form = FORMATS["ptb"]
        if self.helpers.tokeniser is not None:
            form = running_text_format(inputs)
            entries = read_by_tokeniser(inputs, self.helpers.tokeniser)
        elif parser is None or format_of(*inputs, words=True).name == form.name:
            entries = read_phrases(inputs, COMMA_TAGS)
        else:
            form = format_of(*inputs, words=True)
            entries = read_words(inputs)

        def assess(outcomes: Sequence[Outcome[Restoration[Any]]]) -> Assessment:
            model: Any = self.model
            restored = restorations_of(outcomes)
            line = commas_signature(model.digest, [r.sentence for r in restored], self.options)
            return assess_restorations(
                request.system, line, restored, most=request.listed, marks=COMMA_TAGS
            )

        return Documents(entries=entries, format=form, form=request.form or "conllu", assess=assess)

    def answer_chunk(self, chunk: Chunk) -> Sequence[Restoration[Any]]:
        if self._parser is None:
            return restore_commas(self.model, chunk.contents, self.options)
        return restore_commas_of_words(self.model, self._parser, chunk.contents, self.options)

    def read_text(self, text: str) -> Sequence[Located]:
        if self._parser is None:
            raise UsageError(
                f"a model of the kind {self.model.model.kind} restores text with a parser; give "
                "parser"
            )
        return sentences_of_text(text, self.helpers.tokeniser)

    def write(
        self, outcomes: Iterator[Any], form: Any, writer: Writer[Any], stream: TextIO
    ) -> None:
        # Trees of phrases have no place in CoNLL-U.
        restored_files.write(outcomes, form, writer, stream, parsed=False)


TASKS = Tasks(restore=RestoreCommas)
