"""The tasks of punctuation models, on trees or on words with a parser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from semipunct.corpus.located import Located
from semipunct.errors import UsageError
from semipunct.files import as_section
from semipunct.formats import Format, Writer, format_of, read_entries, read_words
from semipunct.formats.conllu import Conllu
from semipunct.formats.m2 import M2
from semipunct.formats.text import Text
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.pipelines.assessment import (
    Assessment,
    assess_restorations,
    prepare_comparison,
    restorations_of,
)
from semipunct.pipelines.chunks import Chunk, Outcome
from semipunct.pipelines.criteria import assess_perplexity
from semipunct.pipelines.decoding import CHUNK, choose_decoder
from semipunct.pipelines.notices import LongSentences, UnseenValues
from semipunct.pipelines.options import CorrectOptions, DecodeOptions, RestoreOptions, check_values
from semipunct.pipelines.segmentation import (
    read_running_text,
    running_text_format,
    sentences_of_text,
    unit_of,
)
from semipunct.pipelines.task import (
    Documents,
    Helpers,
    Request,
    Task,
    Tasks,
    refuse_comparison,
)
from semipunct.pipelines.trained import InPlace, model_of_kind
from semipunct.pipelines.tree_correction import correct_trees, correction_model
from semipunct.pipelines.tree_restoration import restoration_signature, restore_trees
from semipunct.pipelines.tree_writing import NO_ANALYSIS, write_analyses
from semipunct.pipelines.writing import CorrectTask, RestoreTask

if TYPE_CHECKING:
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.pipelines.results import Corrected, Restoration
    from semipunct.pipelines.trained import Trained


def _add_notice(task: Task[Any, Any]) -> LongSentences | UnseenValues:
    """Check the parsers of a task, and return the notice that counts its sentences."""
    for parser in task.helpers.parsers:
        model_of_kind(parser, Parser)
    # The user cannot change the relations of a parser.
    notice = LongSentences() if task.helpers.parsers else UnseenValues(task.model.model)
    task.notices.append(notice)
    return notice


def _read(
    inputs: Sequence[str], helpers: Helpers, options: Any, *, needs_words: bool
) -> tuple[Format[Any], Iterator[Any]]:
    if helpers.tokeniser is not None:
        return running_text_format(inputs), read_running_text(inputs, helpers)
    form = format_of(*inputs, words=needs_words)  # before reading
    if helpers.text_model is not None and form.name == Text.name:
        return form, read_running_text(inputs, helpers, options)
    if options.lines is not None:
        raise UsageError(
            "--lines is for running text, but the sentences of these files are known; leave it out"
        )
    return form, (read_words if needs_words else read_entries)(inputs)


class RestoreTrees(RestoreTask):
    """Restores the punctuation of trees, or of words or text with a parser."""

    is_numbered = True

    def __init__(self, model: Trained[Any], helpers: Helpers, options: RestoreOptions) -> None:
        super().__init__(model, helpers, options)
        refused = {"case": options.case != "auto"}
        if helpers.text_model is None:
            refused |= {"lines": options.lines, "objective": options.objective}
        for name, is_given in refused.items():
            if is_given:
                where = getattr(model, "path", f"a model of the kind {model.model.kind}")
                raise UsageError(f"--{name} is for a text model, and {where} is another one")
        model_of_kind(model, PunctuationModel)
        self._fitted = InPlace.of(model)
        check_values(options, self._fitted.model.inventory.tokens)
        self._notice = _add_notice(self)

    def read(self, request: Request) -> Documents:
        helpers, inputs = self.helpers, request.inputs
        # The comparison needs the punctuation of the input, read as a treebank.
        needs_words = bool(helpers.parsers) and not request.gold
        form, entries = _read(inputs, helpers, self.options, needs_words=needs_words)

        def assess(outcomes: Sequence[Outcome[Restoration[Any]]]) -> Assessment:
            model: Any = self.model
            restored = restorations_of(outcomes)
            sentences = [restoration.sentence for restoration in restored]
            line = restoration_signature(model.digest, sentences, self.options)
            return assess_restorations(request.system, line, restored, most=request.listed)

        return Documents(
            entries=entries,
            format=form,
            form=request.form or "conllu",
            assess=assess,
            # A text model reads consecutive sentences as one text.
            unit="corpus"
            if helpers.text_model is not None
            else unit_of(form, tokenised=helpers.tokeniser is not None),
        )

    def answer_chunk(self, chunk: Chunk) -> Sequence[Restoration[Any]]:
        self._notice.count(chunk.contents)
        return restore_trees(
            self._fitted, chunk.contents, self.options, self.helpers, chunk.numbers
        )

    def read_text(self, text: str) -> Sequence[Located]:
        helpers = self.helpers
        if not helpers.parsers:
            raise UsageError(
                f"a model of the kind {self.model.model.kind} restores text with a parser; give "
                "parser"
            )
        return sentences_of_text(text, helpers, self.options)

    def texts(self, texts: Sequence[str]) -> list[Any]:
        if self.helpers.text_model is None:
            return super().texts(texts)
        # One by one, since it reads consecutive sentences as one text.
        return [written for text in texts for written in super(RestoreTrees, self).texts([text])]


class CorrectTrees(CorrectTask):
    """Corrects the punctuation of trees, or of words or text with a parser."""

    is_numbered = True

    def __init__(self, model: Trained[Any], helpers: Helpers, options: CorrectOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse(f"a model of the kind {model.model.kind}", {"--lines": options.lines})
        self._fitted = correction_model(model)
        options.check(self._fitted.model.inventory.tokens)
        self._notice = _add_notice(self)
        if helpers.analysis is not None:
            model_of_kind(helpers.analysis, PunctuationModel)

    def read(self, request: Request) -> Documents:
        inputs, helpers = request.inputs, self.helpers
        form, entries = _read(inputs, helpers, self.options, needs_words=bool(helpers.parsers))
        entries, assess = prepare_comparison(self, entries, request, running=False)
        self.characters = as_section(inputs[0]).first_character
        usual = {M2.name: "m2", Text.name: "text"}.get(form.name, "conllu")
        return Documents(
            entries=entries,
            format=form,
            form=request.form or usual,
            assess=assess,
            # Drawn trees of the sentences of a chunk share random numbers.
            unit="corpus"
            if self.options.analyses and form.name != Conllu.name
            else unit_of(form, tokenised=helpers.tokeniser is not None),
        )

    def answer_chunk(self, chunk: Chunk) -> Sequence[Corrected]:
        self._notice.count(chunk.contents)
        return correct_trees(
            self._fitted, chunk.contents, self.options, self.helpers, chunk.numbers
        )


class DecodeTrees(Task[DecodeOptions, "Sequence[Analysis]"]):
    """Finds the underlying trees of sentences."""

    name = "decode"
    chunk = CHUNK
    outcome = "not analysed"

    def __init__(self, model: Trained[Any], helpers: Helpers, options: DecodeOptions) -> None:
        super().__init__(model, helpers, options)
        self._fitted = InPlace.of(model)
        self._decoder = choose_decoder(options)
        self._unseen = UnseenValues(model.model)
        self.notices.append(self._unseen)
        self._inputs: Sequence[str] = ()

    def read(self, request: Request) -> Documents:
        form = format_of(*request.inputs)
        self._inputs = request.inputs
        return Documents(
            entries=read_entries(request.inputs),
            format=form,
            form=request.form or "conllu",
            assess=refuse_comparison,
            unit=unit_of(form, tokenised=False),
        )

    def answer_chunk(self, chunk: Chunk) -> Iterator[Sequence[Analysis] | None]:
        self._unseen.count(chunk.contents)
        for analyses in self._decoder.analyse(
            self._fitted.model, self._fitted.parameters, chunk.contents, chunk.number
        ):
            if not analyses:
                self.omitted.count_reason(NO_ANALYSIS)
            yield analyses or None

    def write(
        self, outcomes: Iterator[Any], form: Any, writer: Writer[Any], stream: TextIO
    ) -> None:
        """Write trees; ``shown`` has the special tokens that a legend explains."""
        self.shown = write_analyses(
            outcomes, form, writer, stream, label=self._decoder.label, inputs=self._inputs
        )


PUNCTUATION = Tasks(evaluate=assess_perplexity, restore=RestoreTrees, decode=DecodeTrees)
CORRECTION = Tasks(evaluate=assess_perplexity, correct=CorrectTrees)
