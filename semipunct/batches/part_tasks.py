"""The work of a command on its files or on a part of them: one description for all processes.

A task is made of names and options, so that it can be sent to a worker of an engine, which loads
the models when it gets its first part.
"""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from semipunct.batches.faults import Fault, RowError, answer_apart
from semipunct.batches.models import check_model
from semipunct.errors import TreebankError, UsageError
from semipunct.version import __version__

if TYPE_CHECKING:
    from semipunct.files import Section
    from semipunct.formats import Writer
    from semipunct.kinds.answers import Unit, Work
    from semipunct.store.checkpoint import SavedModel

Models = Mapping[str, Any]
"""The models that help the first one, by their names in requests: one, None, or a list."""


@dataclass(frozen=True, slots=True)
class Job:
    """A part of a corpus that is to be answered.

    Attributes:
        number: of the part.
        sections: of files, with their content.
        unit: what cannot be divided further.
        first: the number of sentences of treebanks that precede it.
    """

    number: int
    sections: Sequence[Section]
    unit: Unit
    first: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The output for a part of a corpus.

    Attributes:
        output: the bytes.
        messages: what users are told of.
        errors: of rows without an answer.
    """

    output: bytes
    messages: tuple[str, ...] = ()
    errors: tuple[RowError, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PartTask(ABC):
    """The work of a command.

    Attributes:
        model: the name or folder of the model.
        digests: that models must have, by their names; those that are missing are not checked.
        command: the name of the command.
        kind: of its model; None for any.
    """

    model: str
    digests: tuple[tuple[str, str], ...] = ()
    command: ClassVar[str]
    kind: ClassVar[str | None] = None

    @abstractmethod
    def prepare(self, inputs: Sequence[str], *, first: int = 0, **more: Any) -> Work[Any]:
        """Return the work for files or sections of files; models are loaded once.

        Args:
            inputs: the files.
            first: the number of sentences of treebanks that precede them.
            **more: attributes of the request that concern whole files only.

        Raises:
            ModelError: if a model is missing, or of another kind or digest.
            UsageError: if an option is invalid.
        """

    @abstractmethod
    def write(
        self,
        work: Any,
        outcomes: Iterator[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> None:
        """Write answers.

        Args:
            work: of which they are the answers.
            outcomes: entries with their answers.
            stream: which must not translate line ends.
            writer: of the entries, which may follow the conventions of the beginning of a corpus.
            inputs: the files.
        """

    @abstractmethod
    def output_format(self, work: Any) -> str:
        """Return the format of the output.

        Args:
            work: of files or sections.
        """

    @abstractmethod
    def options(self) -> Mapping[str, Any]:
        """Return what determines the output beside models and files."""

    def load(self, name: str | None, kind: str | None = None) -> Any:
        """Return a model, None for None.

        Args:
            name: of the model.
            kind: the required one, whose class is imported only now; by default any.
        """
        if name is None:
            return None
        from semipunct.models.registry import find_kind
        from semipunct.store.checkpoint import load

        expected = None if kind is None else find_kind(kind).load()
        return check_model(load(name, expected), name, dict(self.digests).get(name))

    def load_helpers(self) -> Models:
        """Load the models beside the first one."""
        return {}

    @cached_property
    def models(self) -> tuple[SavedModel[Any], Models]:
        """The first model and the others, which are loaded once."""
        return self.load(self.model, self.kind), self.load_helpers()

    def origin(self) -> dict[str, Any]:
        """Return what determines the output, as the plan of an output in parts has it."""
        first, helpers = self.models
        return {
            "command": self.command,
            "models": {"model": first.digest, **{name: _digests(m) for name, m in helpers.items()}},
            "options": self.options(),
        }

    def pin(self) -> PartTask:
        """Return the task with the digests of its models, which workers compare with theirs."""
        first, helpers = self.models
        names: dict[str, Any] = {"model": _place(self.model)}
        digests = {names["model"]: first.digest}
        for field, loaded in helpers.items():
            spelt = names[field] = _place(getattr(self, field))
            if isinstance(spelt, str):
                digests[spelt] = loaded.digest
            elif spelt is not None:
                digests.update(zip(spelt, (model.digest for model in loaded), strict=True))
        return replace(self, digests=tuple(digests.items()), **names)

    def __getstate__(self) -> dict[str, Any]:
        # Models stay where they are.
        return {name: value for name, value in vars(self).items() if name != "models"}

    def answer(self, job: Job, writer: Writer[Any] | None) -> Answer:
        """Answer a part of a corpus.

        Rows that cannot be answered stand as they were, where the output has the format of the
        input, and are among the errors; so are malformed sentences, which are left unchanged.

        Args:
            job: the part.
            writer: as for ``write``.
        """
        output, messages, errors = io.BytesIO(), list[str](), list[RowError]()
        first = job.first

        def answer(sections: Sequence[Section]) -> bytes:
            nonlocal first
            work = self.prepare(sections, first=first)
            watched = _Watched()
            stream = io.StringIO(newline="")
            outcomes = watched.outcomes(work.answer(work.entries))
            self.write(work, outcomes, stream, writer, sections)
            first += watched.count  # only if nothing went wrong
            errors.extend(watched.errors)
            messages.extend(work.messages())
            return stream.getvalue().encode()

        for answered in answer_apart(job.sections, job.unit, answer):
            if isinstance(answered, Fault):
                row = answered.row
                errors.append(RowError(str(row), row.first_line, answered.reason))
                output.write(self.stand_in(answered, job.unit))
            else:
                output.write(answered)
        return Answer(output.getvalue(), tuple(messages), tuple(errors))

    def count(self, job: Job) -> int:
        """Return the number of sentences of a part that models can process.

        Args:
            job: the part.
        """

        def count(sections: Sequence[Section]) -> int:
            from semipunct.corpus import Omitted

            entries = self.prepare(sections).entries
            return sum(not isinstance(entry.content, Omitted) for entry in entries)

        counts = answer_apart(job.sections, job.unit, count)
        return sum(number for number in counts if isinstance(number, int))

    def stand_in(self, fault: Fault, unit: Unit) -> bytes:
        """Return what stands in the output for a row that cannot be answered.

        Args:
            fault: the row.
            unit: what a row is.
        """
        from semipunct.render.analyses import without_answer

        row = fault.row
        try:
            form = self.output_format(self.prepare([row]))
        except TreebankError:  # not even the format can be seen
            return b""
        if form == _FORMATS.get(unit, form):
            return row.content
        return without_answer(form, f"{row}:{row.first_line}", fault.reason).encode()


_FORMATS = {"sentence": "conllu", "line": "text", "paragraph": "text"}
"""The format of files by what they are divided into; others are written as they are read."""


class _Watched:
    """Counts sentences that are answered, and collects the faults of others.

    Attributes:
        count: of sentences that models can process.
        errors: of malformed ones.
    """

    def __init__(self) -> None:
        self.count, self.errors = 0, list[RowError]()

    def outcomes(self, outcomes: Iterator[Any]) -> Iterator[Any]:
        from semipunct.corpus import Omitted

        for outcome in outcomes:
            content = outcome[0].content
            if not isinstance(content, Omitted):
                self.count += 1
            elif content.fault:
                self.errors.append(RowError(content.path, content.line, content.fault))
            yield outcome


def _place(name: Any) -> Any:
    """Return the name of a model for processes with another working folder."""
    if isinstance(name, tuple):
        return tuple(map(_place, name))
    return os.path.abspath(name) if name is not None and os.path.exists(name) else name


def _digests(models: Any) -> Any:
    if isinstance(models, Sequence):
        return [_digests(model) for model in models]
    return models and models.digest


def versions() -> dict[str, str]:
    """Return the versions of what answers depend on to the last bit."""
    installed = {"semipunct": __version__}
    for name in ("jax", "jaxlib", "numpy"):
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            installed[name] = "none"
    return installed


def answer_on_worker(
    origin: Mapping[str, str],
    task: PartTask,
    job: Job,
    writer: Writer[Any] | None,
) -> Answer:
    """Answer a part in a process of an engine.

    Args:
        origin: the versions where the command was given.
        task: the work, whose models this process loads once.
        job: the part.
        writer: of the entries.

    Raises:
        UsageError: if this process has other versions.
    """
    installed = versions()
    for name, expected in origin.items():
        if installed.get(name) != expected:
            raise UsageError(
                f"this worker has {name} {installed.get(name)}, but the command {expected}; "
                "install the same versions everywhere"
            )
    from semipunct.arrays.compilation import enable_compilation_cache

    enable_compilation_cache()
    return _keep(task).answer(job, writer)


@lru_cache(maxsize=1)
def _keep(task: PartTask) -> PartTask:
    """Return the first one of equal tasks, which has loaded its models."""
    return task
