"""The work of ``semipunct correct``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, TextIO

from semipunct.batches.part_tasks import Models, PartTask
from semipunct.files import first_character
from semipunct.formats import Writer
from semipunct.kinds.answers import CorrectWork, answer_of
from semipunct.kinds.explanations import explain_outcomes
from semipunct.kinds.requests import CorrectRequest
from semipunct.render import corrected_files
from semipunct.render.explanations import write_plain
from semipunct.tasks.options import CorrectedForm, CorrectOptions


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
