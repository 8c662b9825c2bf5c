"""The tasks of the commands that answer a corpus in parts: restore, correct, parse and decode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NoReturn, TextIO

from semipunct.batches.part_tasks import Models, PartTask
from semipunct.errors import UsageError
from semipunct.files import display_name, first_character
from semipunct.formats import Writer, format_of, read_entries
from semipunct.kinds.answers import CorrectWork, ParseWork, RestoreWork, Work, answer_of
from semipunct.kinds.explanations import explain_outcomes
from semipunct.kinds.reading import unit_of
from semipunct.kinds.requests import CorrectRequest, ParseRequest, RestoreRequest
from semipunct.models.casing.truecaser import Truecaser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.running_text.model import TextModel
from semipunct.models.segmentation.tokeniser import Tokeniser
from semipunct.render import corrected_files, decoded_files, restored_files
from semipunct.render.analyses import NO_ANALYSIS
from semipunct.render.explanations import write_plain
from semipunct.tasks.base import InPlace
from semipunct.tasks.decode import CHUNK, Decoder, choose_decoder
from semipunct.tasks.notices import Omissions, UnseenValues
from semipunct.tasks.options import (
    CorrectedForm,
    CorrectOptions,
    DecodedForm,
    Lines,
    Objective,
    ParseOptions,
    RestoredForm,
    RestoreOptions,
)
from semipunct.tasks.run import Chunk, answer_entries


@dataclass(frozen=True, kw_only=True)
class RestoreTask(PartTask):
    """The work of ``semipunct restore``; attributes are those of ``RestoreRequest``."""

    settings: RestoreOptions
    parsers: tuple[str, ...] = ()
    tokeniser: str | None = None
    text_model: str | None = None
    case: str | None = None
    trees: int = 0
    share: float | None = None
    lines: Lines | None = None
    objective: Objective | None = None
    lower: bool = False
    form: RestoredForm | None = None
    command: ClassVar[str] = "restore"

    def load_helpers(self) -> Models:
        return {
            "parsers": [self.load(name) for name in self.parsers],
            "tokeniser": self.load(self.tokeniser, Tokeniser),
            "text_model": self.load(self.text_model, TextModel),
            "case": self.load(self.case, Truecaser),
        }

    def options(self) -> Mapping[str, Any]:
        return {**asdict(self.settings), **self._attributes()}

    def _attributes(self) -> dict[str, Any]:
        names = ("trees", "share", "lines", "objective", "lower", "form")
        return {name: getattr(self, name) for name in names}

    def prepare(self, inputs: Sequence[str], *, first: int = 0, **more: Any) -> RestoreWork:
        model, helpers = self.models
        request = RestoreRequest(
            system=self.model, inputs=inputs, options=self.settings, first=first, **helpers,
            **self._attributes(),
        )  # fmt: skip
        return answer_of(model.model, "restore", self.model)(model, replace(request, **more))

    def output_format(self, work: RestoreWork) -> str:
        return self.form or work.written

    def write(
        self,
        work: RestoreWork,
        outcomes: Iterator[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> None:
        writer = writer or work.format.writer()
        truecaser = self.models[1]["case"]
        if truecaser is not None:
            outcomes = restored_files.with_capitals(outcomes, truecaser, writer)
        if work.has_capitals:
            outcomes = restored_files.in_own_capitals(outcomes, writer)
        form = self.form or work.written
        restored_files.write(outcomes, form, writer, stream, parsed=work.parsed)


@dataclass(frozen=True, kw_only=True)
class CorrectTask(PartTask):
    """The work of ``semipunct correct``; attributes are those of ``CorrectRequest``.

    Attributes:
        form: the format of the output; None for the default.
    """

    settings: CorrectOptions
    parser: str | None = None
    tokeniser: str | None = None
    analysis: str | None = None
    form: CorrectedForm | None = None
    command: ClassVar[str] = "correct"

    def load_helpers(self) -> Models:
        return {
            name: self.load(getattr(self, name)) for name in ("parser", "tokeniser", "analysis")
        }

    def options(self) -> Mapping[str, Any]:
        return {**asdict(self.settings), "form": self.form}

    def prepare(self, inputs: Sequence[str], *, first: int = 0, **more: Any) -> CorrectWork:
        model, helpers = self.models
        request = CorrectRequest(
            system=self.model,
            inputs=inputs,
            options=self.settings,
            supported_by_few={
                "--minimise": self.settings.minimise != "errors",
                "--format conllu": self.form == "conllu",
            },
            first=first,
            **helpers,
        )
        return answer_of(model.model, "correct", self.model)(model, replace(request, **more))

    def output_format(self, work: CorrectWork) -> str:
        return self.form or work.written

    def write(
        self,
        work: CorrectWork,
        outcomes: Iterator[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> None:
        writer = writer or work.format.writer()
        form = self.form or work.written
        if form == "explain":
            write_plain(explain_outcomes(self.models[0], outcomes, writer), stream)
            return
        corrected_files.write(
            outcomes, form, writer, stream, parsed=work.parsed,
            characters=first_character(inputs[0]),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ParseTask(PartTask):
    """The work of ``semipunct parse``; attributes are those of ``ParseRequest``."""

    settings: ParseOptions
    tokeniser: str | None = None
    punctuation: str | None = None
    weight: float = 1.0
    trees: int = 0
    nbest: int = 0
    probabilities: bool = False
    command: ClassVar[str] = "parse"

    def load_helpers(self) -> Models:
        return {
            "tokeniser": self.load(self.tokeniser, Tokeniser),
            "punctuation": self.load(self.punctuation, PunctuationModel),
        }

    def options(self) -> Mapping[str, Any]:
        return {**asdict(self.settings), **self._attributes()}

    def _attributes(self) -> dict[str, Any]:
        names = ("weight", "trees", "nbest", "probabilities")
        return {name: getattr(self, name) for name in names}

    def prepare(self, inputs: Sequence[str], *, first: int = 0, **more: Any) -> ParseWork:
        model, helpers = self.models
        request = ParseRequest(
            system=self.model, inputs=inputs, options=self.settings, first=first, **helpers,
            **self._attributes(),
        )  # fmt: skip
        return answer_of(model.model, "parse", self.model)(model, replace(request, **more))

    def output_format(self, work: ParseWork) -> str:
        return "conllu"

    def write(
        self,
        work: ParseWork,
        outcomes: Iterator[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> None:
        work.write(chain.from_iterable(map(work.texts, outcomes)), stream)


@dataclass(frozen=True, kw_only=True)
class DecodeTask(PartTask):
    """The work of ``semipunct decode``.

    Attributes:
        semiring: as in ``tasks.decode.decode``, like the others.
        samples: the number of trees drawn for each sentence.
        nbest: the maximum number of trees of a sentence.
        seed: the random seed.
        form: the format of the output.
    """

    semiring: str = "viterbi"
    samples: int | None = None
    nbest: int | None = None
    seed: int = 0
    form: DecodedForm = "conllu"
    command: ClassVar[str] = "decode"
    kind: ClassVar[type[Any] | None] = PunctuationModel

    def options(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in ("semiring", "nbest", "form")}

    @property
    def decoder(self) -> Decoder:
        """The function that finds the trees.

        Raises:
            UsageError: if there is none for the semiring.
        """
        return choose_decoder(self.semiring, self.samples, self.nbest, self.seed)

    def prepare(self, inputs: Sequence[str], *, first: int = 0, **more: Any) -> Work[Any]:
        fitted = InPlace.of(self.models[0])
        decoder = self.decoder
        omitted, unseen = Omissions("not analysed"), UnseenValues(fitted.model)

        def analyse(chunk: Chunk) -> Iterator[Any]:
            unseen.count(chunk.contents)
            for analyses in decoder.analyse(
                fitted.model, fitted.parameters, chunk.contents, chunk.number
            ):
                if not analyses:
                    omitted.count_reason(NO_ANALYSIS)
                yield analyses or None

        return Work(
            entries=read_entries(inputs),
            answer=lambda entries: answer_entries(entries, analyse, omitted, size=CHUNK),
            assess=_not_compared,
            messages=lambda: [*omitted.messages(), *unseen.messages()],
            unit=unit_of(format_of(*inputs), tokenised=False),
            chunk=CHUNK,
        )

    def output_format(self, work: Work[Any]) -> str:
        return self.form

    def write(
        self,
        work: Work[Any],
        outcomes: Iterator[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> None:
        self.write_trees(outcomes, stream, writer, inputs)

    def write_trees(
        self,
        outcomes: Iterable[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> set[str]:
        """Write trees, and return the special tokens that a legend explains.

        Args:
            outcomes: as for ``write``, like the others.
            stream: for the output.
            writer: of the entries.
            inputs: the files.
        """
        writer = writer or format_of(*inputs).writer()
        return decoded_files.write(
            outcomes, self.form, writer, stream, label=self.decoder.label,
            title=", ".join(map(display_name, inputs)),
        )  # fmt: skip


def _not_compared(outcomes: Sequence[Any]) -> NoReturn:
    raise UsageError("trees are not compared with others; leave out --gold")
