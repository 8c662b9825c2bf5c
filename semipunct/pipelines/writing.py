"""Tasks that write restored or corrected sentences."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from semipunct.formats import Writer
from semipunct.pipelines.task import Task
from semipunct.render import corrected_files, restored_files
from semipunct.tasks.correction import Corrected
from semipunct.tasks.options import CorrectOptions, RestoreOptions
from semipunct.tasks.restoration import Restoration

if TYPE_CHECKING:
    pass


class RestoreTask(Task[RestoreOptions, Restoration[Any]], ABC):
    """Restores punctuation; trees of a parser are written in place of others."""

    name = "restore"

    def write(
        self, outcomes: Iterator[Any], form: Any, writer: Writer[Any], stream: TextIO
    ) -> None:
        if self.has_capitals:
            outcomes = restored_files.in_own_capitals(outcomes, writer)
        restored_files.write(outcomes, form, writer, stream, parsed=bool(self.helpers.parsers))


class CorrectTask(Task[CorrectOptions, Corrected], ABC):
    """Corrects punctuation; trees of a parser are written in place of others.

    Attributes:
        characters: the number of characters before the first sentence in its file.
    """

    name = "correct"
    characters: int = 0

    def write(
        self, outcomes: Iterator[Any], form: Any, writer: Writer[Any], stream: TextIO
    ) -> None:
        if form == "explain":
            from semipunct.pipelines.explanations import explain_outcomes
            from semipunct.render.explanations import write_plain

            write_plain(explain_outcomes(self.model, outcomes, writer), stream)
            return
        corrected_files.write(
            outcomes, form, writer, stream, parsed=bool(self.helpers.parsers),
            characters=self.characters,
        )  # fmt: skip
