"""The work of ``semipunct restore``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, TextIO

from semipunct.batches.part_tasks import Models, PartTask
from semipunct.formats import Writer
from semipunct.kinds.answers import RestoreWork, answer_of
from semipunct.kinds.requests import RestoreRequest
from semipunct.render import restored_files
from semipunct.tasks.options import Lines, Objective, RestoredForm, RestoreOptions


@dataclass(frozen=True, kw_only=True)
class RestoreTask(PartTask):
    """The work of ``semipunct restore``; attributes are those of ``RestoreRequest``."""

    settings: RestoreOptions
    parsers: tuple[str, ...] = ()
    tokeniser: str | None = None
    text_model: str | None = None
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
            "tokeniser": self.load(self.tokeniser, "tokeniser"),
            "text_model": self.load(self.text_model, "text"),
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
        if work.has_capitals:
            outcomes = restored_files.in_own_capitals(outcomes, writer)
        form = self.form or work.written
        restored_files.write(outcomes, form, writer, stream, parsed=work.parsed)
