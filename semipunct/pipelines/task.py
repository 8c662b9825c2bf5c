"""The interface of tasks: entries are read, answered, compared and written.

A kind of model lists its tasks in ``Kind.tasks``. Commands, pipelines, the server, the spaCy
component and engines all use this interface (docs/decisions/architecture.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from itertools import chain
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TextIO, TypeVar

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import ModelError, UsageError
from semipunct.formats import Format, Writer
from semipunct.models.registry import find_kind, kind_names
from semipunct.pipelines.chunks import CHUNK, Chunk, Numbering, Outcome, answer_entries
from semipunct.pipelines.marked_text import PunctuatedText, punctuate_part
from semipunct.pipelines.notices import Omissions
from semipunct.pipelines.options import Helpers, Request

if TYPE_CHECKING:
    from semipunct.corpus.located import Located
    from semipunct.models.base import Model
    from semipunct.pipelines.assessment import Assessment
    from semipunct.pipelines.trained import Trained

R = TypeVar("R")
OptionsT = TypeVar("OptionsT")

# The smallest part of a corpus with independent answers; ``corpus`` if not even files are
# independent.
Unit = Literal["line", "paragraph", "sentence", "file", "corpus"]

Name = Literal["restore", "correct", "parse", "decode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The sentences or lines of files.

    Attributes:
        entries: read lazily.
        unit: the smallest part with independent answers.
        assess: compares all answers with the input or with references.
        reads_again: whether ``assess`` reads the files itself and needs no answers.
    """

    entries: Iterator[Entry[Any, Any]]
    format: Format[Any]
    form: str
    assess: Callable[[Sequence[Outcome[Any]]], Assessment]
    unit: Unit = "file"
    reads_again: bool = False


class Task(ABC, Generic[OptionsT, R]):
    """A task of a model with its options, which can be pickled if all models are saved.

    Attributes:
        notices: counts for messages, ``omitted`` first.
        chunk: the sentences per chunk.
        outcome: the treatment of omitted sentences, for the message.
        is_numbered: whether answers depend on the number of preceding sentences of treebanks.
        has_capitals: whether answers include capitals.
        shown: special tokens in the output, for a legend.
    """

    name: ClassVar[Name]
    chunk: int = CHUNK
    outcome: ClassVar[str] = "left unchanged"
    is_numbered: bool = False
    has_capitals: ClassVar[bool] = False
    shown: Set[str] = frozenset()

    def __init__(self, model: Trained[Any], helpers: Helpers, options: OptionsT) -> None:
        """Validate models and options without reading files.

        Raises:
            ModelError: if a model is of another kind.
            UsageError: if an option is invalid.
        """
        self.model, self.helpers, self.options = model, helpers, options
        self.omitted = Omissions(self.outcome)
        self.notices: list[Any] = [self.omitted]

    def __reduce__(self) -> Any:
        return type(self), (self.model, self.helpers, self.options)

    def anew(self) -> Task[OptionsT, R]:
        return type(self)(self.model, self.helpers, self.options)

    def origin(self) -> dict[str, Any]:
        """Return the determinants of the answers as JSON values; all models must be saved."""
        model: Any = self.model
        options: Any = self.options
        return {
            "task": self.name,
            "models": {"model": model.digest, **self.helpers.digests()},
            "options": {
                name: sorted(value) if isinstance(value, frozenset) else value
                for name, value in asdict(options).items()
            },
        }

    @abstractmethod
    def read(self, request: Request) -> Documents:
        """Open files and read the first entries.

        Raises:
            UsageError: if the format of the files is unsupported, or excludes an option.
        """

    def read_text(self, text: str) -> Sequence[Located]:
        raise UsageError(f"a model of the kind {self.model.model.kind} cannot {self.name} text")

    @abstractmethod
    def answer_chunk(self, chunk: Chunk) -> Iterable[R | None]:
        """Return the answers for a non-empty chunk without omitted entries."""

    def answer(self, entries: Iterable[Entry[Any, Any]], first: int = 0) -> Iterator[Outcome[R]]:
        """Yield entries with their answers, in order."""
        return answer_entries(
            entries, self.answer_chunk, self.omitted, size=self.chunk, first=first
        )

    def sentences(self, sentences: Sequence[Any | OmittedT]) -> list[Any]:
        """Return the answers for sentences in memory; omitted ones pass through."""
        usable = without_omitted(sentences)
        entries = [Entry(sentence, None) for sentence in usable]
        return with_omitted(
            sentences, list(self.answer_chunk(Chunk(entries, range(len(usable)), 0)))
        )

    def texts(self, texts: Sequence[str]) -> list[Any]:
        """Return the answers for independent texts in memory."""
        parts_of_texts = [self.read_text(text) for text in texts]
        entries: list[Entry[Any, Any]] = []
        numbers: list[int] = []
        for parts in parts_of_texts:
            contents = without_omitted([part.content for part in parts])
            entries += [Entry(content, None) for content in contents]
            numbers += Numbering().next_numbers(contents)
        answers = iter(self.answer_chunk(Chunk(entries, numbers, 0)) if entries else ())
        return [
            self.write_text(
                parts,
                [p.content if isinstance(p.content, Omitted) else next(answers) for p in parts],
            )
            for parts in parts_of_texts
        ]

    def write_text(self, parts: Sequence[Located], answers: Sequence[Any]) -> Any:
        return PunctuatedText.join_parts(
            PunctuatedText(part.text)
            if isinstance(answer, Omitted)
            else punctuate_part(
                part.recase(answer.sentence.forms) if self.has_capitals else part,
                answer.written,
                answer.slots,
                answer.posteriors,
            )
            for part, answer in zip(parts, answers, strict=True)
        )

    def messages(self) -> Iterable[str]:
        """Yield messages for users after the last answer."""
        return chain.from_iterable(notice.messages() for notice in self.notices)

    def writer(self, documents: Documents, first: Sequence[Entry[Any, Any]] = ()) -> Writer[Any]:
        return documents.format.writer(first)

    @abstractmethod
    def write(
        self, outcomes: Iterator[Outcome[R]], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        """Write answers to a stream that does not translate line ends."""

    def refuse(self, noun: str, options: Mapping[str, object]) -> None:
        """Raise ``UsageError`` if an unsupported option was given.

        Args:
            options: whether each option was given.
        """
        if unsupported := [name for name, is_given in options.items() if is_given]:
            raise UsageError(f"{noun} does not support {', '.join(unsupported)}; leave it out")


def refuse_comparison(outcomes: Sequence[Any]) -> Any:
    """Raise an error for answers without references."""
    raise UsageError("these answers are not compared with others; leave out --gold")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateRequest:
    """A request to evaluate a model.

    Attributes:
        system: the name of the model in stored results.
        examples: of the training type of the kind, at least one not omitted.
        treebank: the digest of the examples; None to compute it.
        stored: whether to store the counts of each sentence.
    """

    system: str
    model: Trained[Any]
    digest: str
    examples: Sequence[Any]
    treebank: str | None = None
    stored: bool = False


def assess_on_examples(request: EvaluateRequest) -> Assessment:
    """Assess a model on examples; importing ``criteria`` is deferred for a fast start."""
    return resolve_name("semipunct.pipelines.criteria:assess_on_examples")(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The tasks of models of a kind; None for impossible ones."""

    evaluate: Callable[[EvaluateRequest], Assessment] = assess_on_examples
    restore: type[Task[Any, Any]] | None = None
    correct: type[Task[Any, Any]] | None = None
    parse: type[Task[Any, Any]] | None = None
    decode: type[Task[Any, Any]] | None = None


# Tasks of the kinds in lower packages; other kinds declare their own.
_OURS = {
    "punctuation": "semipunct.pipelines.punctuation:PUNCTUATION",
    "correction": "semipunct.pipelines.punctuation:CORRECTION",
    "parser": "semipunct.pipelines.parsing:TASKS",
    "text": "semipunct.pipelines.running_text:TASKS",
}


def tasks_of(kind: str) -> Tasks:
    """Return the tasks of models of a kind."""
    place = _OURS.get(kind) or find_kind(kind).tasks
    if not place:
        return Tasks()
    return resolve_name(place)


def task_of(model: Model, task: str, where: str = "") -> Any:
    """Return a task of a model: a subclass of ``Task``, or a function.

    Args:
        task: an attribute of ``Tasks``.

    Raises:
        ModelError: if models of this kind cannot do the task, with the kinds that can.
    """
    task_class = getattr(tasks_of(model.kind), task)
    if task_class is None:
        able = [kind for kind in kind_names() if getattr(tasks_of(kind), task) is not None]
        choices = " or ".join(filter(None, (", ".join(able[:-1]), able[-1])))
        raise ModelError(
            f"{where}{': ' * bool(where)}a model of the kind {model.kind} cannot {task}; name a "
            f"model of the kind {choices}, or train one (semipunct train --kind {able[0]})"
        )
    return task_class
