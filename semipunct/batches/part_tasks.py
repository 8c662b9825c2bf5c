"""What a command does with its files or with a part of them: one description for all processes.

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

from semipunct.batches.models import checked
from semipunct.errors import UsageError
from semipunct.version import __version__

if TYPE_CHECKING:
    from semipunct.formats import Writer
    from semipunct.kinds.answers import Work
    from semipunct.models.base import Model
    from semipunct.store.checkpoint import SavedModel

Models = Mapping[str, Any]
"""The models beside the first one, by their names in requests: one, None, or a list."""


@dataclass(frozen=True, slots=True)
class Job:
    """A part of a corpus that is to be answered.

    Attributes:
        number: of the part.
        sections: of files, with their content.
        first: the number of sentences of treebanks that precede it.
    """

    number: int
    sections: Sequence[str]
    first: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a part of a corpus becomes.

    Attributes:
        text: the output.
        messages: what users are told of.
    """

    text: str
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PartTask(ABC):
    """The work of a command.

    Attributes:
        model: the name or folder of the model.
        digests: that models must have, by their names; those that are missing are not checked.
        command: the name of the command.
        kind: the class of its model; None for any.
    """

    model: str
    digests: tuple[tuple[str, str], ...] = ()
    command: ClassVar[str]
    kind: ClassVar[type[Any] | None] = None

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
    def options(self) -> Mapping[str, Any]:
        """Return what determines the output beside models and files."""

    def load(self, name: str | None, expected: type[Model[Any, Any, Any]] | None = None) -> Any:
        """Return a model, None for None.

        Args:
            name: of the model.
            expected: its class; by default any.
        """
        if name is None:
            return None
        from semipunct.store.checkpoint import load

        return checked(load(name, expected), name, dict(self.digests).get(name))

    def others(self) -> Models:
        """Load the models beside the first one."""
        return {}

    @cached_property
    def models(self) -> tuple[SavedModel[Any], Models]:
        """The first model and the others, which are loaded once."""
        return self.load(self.model, self.kind), self.others()

    def origin(self) -> dict[str, Any]:
        """Return what determines the output, as the plan of an output in parts has it."""
        first, others = self.models
        return {
            "command": self.command,
            "models": {"model": first.digest, **{name: _digests(m) for name, m in others.items()}},
            "options": self.options(),
        }

    def pinned(self) -> PartTask:
        """Return the task with the digests of its models, which workers compare with theirs."""
        first, others = self.models
        names: dict[str, Any] = {"model": _place(self.model)}
        digests = {names["model"]: first.digest}
        for field, loaded in others.items():
            named = names[field] = _place(getattr(self, field))
            if isinstance(named, str):
                digests[named] = loaded.digest
            elif named is not None:
                digests.update(zip(named, (model.digest for model in loaded), strict=True))
        return replace(self, digests=tuple(digests.items()), **names)

    def __getstate__(self) -> dict[str, Any]:
        # Models stay where they are.
        return {name: value for name, value in vars(self).items() if name != "models"}

    def answer(self, sections: Sequence[str], first: int, writer: Writer[Any] | None) -> Answer:
        """Answer a part of a corpus.

        Args:
            sections: of its files.
            first: the number of sentences of treebanks that precede it.
            writer: as for ``write``.
        """
        work = self.prepare(sections, first=first)
        stream = io.StringIO(newline="")
        self.write(work, work.answer(work.entries), stream, writer, sections)
        return Answer(stream.getvalue(), tuple(work.messages()))


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
    found = {"semipunct": __version__}
    for name in ("jax", "jaxlib", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def answer_on_worker(
    origin: Mapping[str, str],
    task: PartTask,
    sections: Sequence[str],
    first: int,
    writer: Writer[Any] | None,
) -> Answer:
    """Answer a part in a process of an engine.

    Args:
        origin: the versions where the command was given.
        task: the work, whose models this process loads once.
        sections: as for ``PartTask.answer``, like the others.
        first: the number of sentences before them.
        writer: of the entries.

    Raises:
        UsageError: if this process has other versions.
    """
    here = versions()
    for name, expected in origin.items():
        if here.get(name) != expected:
            raise UsageError(
                f"this worker has {name} {here.get(name)}, but the command {expected}; install "
                "the same versions everywhere"
            )
    from semipunct.arrays.compilation import enable_compilation_cache

    enable_compilation_cache()
    return _kept(task).answer(sections, first, writer)


@lru_cache(maxsize=1)
def _kept(task: PartTask) -> PartTask:
    """Return the first one of equal tasks, which has loaded its models."""
    return task
