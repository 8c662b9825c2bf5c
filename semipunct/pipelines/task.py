"""The tasks of models: entries are read, answered, compared and written.

A kind of model names its tasks once (``Kind.tasks``). Commands, the functions of
``import semipunct``, the server, the component of spaCy and engines ask them in the same way:
docs/decisions/architecture.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import chain
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

Unit = Literal["line", "paragraph", "sentence", "file", "corpus"]
"""The smallest part of a corpus that is answered as it is in the whole of it; ``corpus`` if not
even files may be answered apart from each other."""

Name = Literal["restore", "correct", "parse", "decode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The sentences or lines of files.

    Attributes:
        entries: are read from the files as they are needed.
        format: of the files.
        form: of the output.
        unit: a file can be divided between units without an effect on the answers.
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
    """A task of a model, with its options.

    It can be pickled if its models were loaded from folders, which another process loads itself.

    Attributes:
        model: the model with its weights.
        helpers: the other models of the pipeline.
        options: of the task.
        omitted: counts the sentences that are left out.
        notices: counts for messages; ``omitted`` is the first.
        name: of the command.
        chunk: the number of sentences that are answered together.
        outcome: the treatment of omitted sentences, for the message.
        is_numbered: whether answers depend on the number of sentences of treebanks before them.
        has_capitals: whether answers come with capitals.
        shown: special tokens in the output that a legend explains.
    """

    name: ClassVar[Name]
    chunk: int = CHUNK
    outcome: ClassVar[str] = "left unchanged"
    is_numbered: bool = False
    has_capitals: ClassVar[bool] = False
    shown: Set[str] = frozenset()

    def __init__(self, model: Trained[Any], helpers: Helpers, options: OptionsT) -> None:
        """Check the models and options; nothing is read.

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
        """Return the same task without counts."""
        return type(self)(self.model, self.helpers, self.options)

    def origin(self) -> dict[str, Any]:
        """Return everything that determines the answers as JSON values; all models were saved."""
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
        """Begin to read files.

        Raises:
            UsageError: if files are of another format, or exclude an option.
            TreebankError: if a file is missing or damaged.
        """

    def read_text(self, text: str) -> Sequence[Located]:
        """Divide a text in memory into sentences or lines, which add up to it.

        Raises:
            UsageError: if another model is needed for it.
        """
        raise UsageError(f"a model of the kind {self.model.model.kind} cannot {self.name} text")

    @abstractmethod
    def answer_chunk(self, chunk: Chunk) -> Iterable[R | None]:
        """Return the answers for some entries.

        Args:
            chunk: at least one entry, none of them omitted.
        """

    def answer(self, entries: Iterable[Entry[Any, Any]], first: int = 0) -> Iterator[Outcome[R]]:
        """Yield entries with the answers for them, in order."""
        return answer_entries(
            entries, self.answer_chunk, self.omitted, size=self.chunk, first=first
        )

    def sentences(self, sentences: Sequence[Any | OmittedT]) -> list[Any]:
        """Return the answers for trees, words or lines in memory; omitted ones pass through."""
        usable = without_omitted(sentences)
        entries = [Entry(sentence, None) for sentence in usable]
        return with_omitted(
            sentences, list(self.answer_chunk(Chunk(entries, range(len(usable)), 0)))
        )

    def texts(self, texts: Sequence[str]) -> list[Any]:
        """Return the answers for texts in memory, none of which affects another one."""
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
        """Return a text with its answers."""
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
        """Yield messages for users when all answers are there."""
        return chain.from_iterable(notice.messages() for notice in self.notices)

    def writer(self, documents: Documents, first: Sequence[Entry[Any, Any]] = ()) -> Writer[Any]:
        """Return the writer of answers."""
        return documents.format.writer(first)

    @abstractmethod
    def write(
        self, outcomes: Iterator[Outcome[R]], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        """Write answers.

        Args:
            stream: which must not translate line ends.
        """

    def refuse(self, noun: str, options: Mapping[str, object]) -> None:
        """Refuse options that models of a kind do not support.

        Args:
            options: the options, and whether they were given.

        Raises:
            UsageError: naming the ones that were given.
        """
        if unsupported := [name for name, is_given in options.items() if is_given]:
            raise UsageError(f"{noun} does not support {', '.join(unsupported)}; leave it out")


def refuse_comparison(outcomes: Sequence[Any]) -> Any:
    """Refuse to compare answers for which there are no references."""
    raise UsageError("these answers are not compared with others; leave out --gold")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateRequest:
    """A request to evaluate a model.

    Attributes:
        system: the name of the model in stored results.
        model: with its weights.
        digest: of the model.
        examples: of the type that its kind is trained on, at least one; omitted ones do not count.
        treebank: the digest of the examples; None to compute it.
        stored: whether the counts of each sentence are to be stored.
    """

    system: str
    model: Trained[Any]
    digest: str
    examples: Sequence[Any]
    treebank: str | None = None
    stored: bool = False


def assess_on_examples(request: EvaluateRequest) -> Assessment:
    """Assess a model on examples (``criteria.assess_on_examples``).

    Its module is imported when a model is assessed: other commands start faster without it.
    """
    return import_module("semipunct.pipelines.criteria").assess_on_examples(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The tasks of models of a kind; None for impossible ones.

    Attributes:
        evaluate: assesses a model on examples of the type that the kind is trained on.
        restore: restores punctuation.
        correct: corrects punctuation.
        parse: finds trees.
        decode: finds underlying trees.
    """

    evaluate: Callable[[EvaluateRequest], Assessment] = assess_on_examples
    restore: type[Task[Any, Any]] | None = None
    correct: type[Task[Any, Any]] | None = None
    parse: type[Task[Any, Any]] | None = None
    decode: type[Task[Any, Any]] | None = None


_OURS = {
    "punctuation": "semipunct.pipelines.punctuation:PUNCTUATION",
    "correction": "semipunct.pipelines.punctuation:CORRECTION",
    "parser": "semipunct.pipelines.parsing:TASKS",
    "text": "semipunct.pipelines.running_text:TASKS",
}
"""The tasks of kinds whose rooms are below this one; other kinds name their own."""


def tasks_of(kind: str) -> Tasks:
    """Return the tasks of models of a kind."""
    place = _OURS.get(kind) or find_kind(kind).tasks
    if not place:
        return Tasks()
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def task_of(model: Model, task: str, where: str = "") -> Any:
    """Return a task of a model: a class of ``Task``, or a function.

    Args:
        task: the name of an attribute of ``Tasks``.

    Raises:
        ModelError: if models of this kind cannot do the task; it names the kinds that can.
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
