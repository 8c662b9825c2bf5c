"""The work of ``semipunct parse``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, ClassVar, TextIO

from semipunct.batches.part_tasks import Models, PartTask
from semipunct.formats import Writer
from semipunct.kinds.answers import ParseWork, answer_of
from semipunct.kinds.requests import ParseRequest
from semipunct.tasks.options import ParseOptions


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
            "tokeniser": self.load(self.tokeniser, "tokeniser"),
            "punctuation": self.load(self.punctuation, "punctuation"),
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
