"""The tasks that a kind of model can do, and the work that one of them gives a command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, Literal, TextIO, TypeVar

from semipunct.errors import ModelError, UsageError
from semipunct.models.registry import kind_names
from semipunct.plugins import find_plugin
from semipunct.tasks.correction import Corrected
from semipunct.tasks.options import CorrectedForm, CorrectOptions, RestoredForm, RestoreOptions
from semipunct.tasks.restoration import Restoration
from semipunct.tasks.run import Outcome

if TYPE_CHECKING:
    from semipunct.corpus import Entry
    from semipunct.formats import Format
    from semipunct.kinds.assessment import Assessment
    from semipunct.kinds.requests import (
        CorrectRequest,
        EvaluateRequest,
        ParseRequest,
        RestoreRequest,
        TextRequest,
    )
    from semipunct.models.base import Model
    from semipunct.render.punctuated_text import PunctuatedText
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.base import Trained

R = TypeVar("R")

Unit = Literal["line", "paragraph", "sentence", "file", "corpus"]
"""The smallest part of a corpus that is answered as it is in the whole of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[R]):
    """Sentences of files, and what a model does with them.

    Attributes:
        entries: of the files, which are read as the entries are needed.
        answer: yields entries with the answers for them, in order.
        assess: compares all answers with the input or with references.
        messages: yields what users are told of when all answers are there.
        reads_again: whether ``assess`` reads the files itself and needs no answers.
        unit: what a file may be divided into without an effect on the answers; ``corpus`` if not
            even files may be answered apart from each other.
        is_numbered: whether answers depend on the number of sentences of treebanks before them.
        chunk: the number of sentences of treebanks that a part has a multiple of, because they are
            answered together.
    """

    entries: Iterator[Entry[Any, Any]]
    answer: Callable[[Iterable[Entry[Any, Any]]], Iterator[Outcome[R]]]
    assess: Callable[[Sequence[Outcome[R]]], Assessment]
    messages: Callable[[], Iterable[str]] = tuple
    reads_again: bool = False
    unit: Unit = "file"
    is_numbered: bool = False
    chunk: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreWork(Work[Restoration[Any]]):
    """Work of ``restore``.

    Attributes:
        format: of the files.
        written: the format of the output if none is named.
        parsed: whether trees of a parser are to be written.
        has_capitals: whether restored sentences come with capitals.
    """

    format: Format[Any]
    written: RestoredForm = "conllu"
    parsed: bool = False
    has_capitals: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectWork(Work[Corrected]):
    """Work of ``correct``.

    Attributes:
        format: of the files.
        written: the format of the output if none is named.
        parsed: whether trees of a parser are to be written.
    """

    format: Format[Any]
    written: CorrectedForm = "conllu"
    parsed: bool = False


def write_lines(texts: Iterable[str], stream: TextIO) -> None:
    """Write texts to a stream as they are.

    Args:
        texts: with their line ends.
        stream: which must not translate line ends.
    """
    stream.writelines(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseWork(Work[Any]):
    """Work of ``parse``.

    Attributes:
        texts: returns the lines that represent an entry and the answer for it.
        write: writes these for all entries.
    """

    texts: Callable[[Outcome[Any]], Iterable[str]]
    write: Callable[[Iterable[str], TextIO], None] = write_lines


def assess_on_examples(request: EvaluateRequest) -> Assessment:
    """Assess a model on examples (``criteria.assess_on_examples``).

    Its module is imported when a model is assessed: other commands start faster without it.

    Args:
        request: the model and the files.
    """
    return import_module("semipunct.kinds.criteria").assess_on_examples(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The tasks that models of a kind can do; None for those that they cannot.

    Attributes:
        evaluate: assesses a model on examples of the type that the kind is trained on.
        restore: prepares the work of ``semipunct restore``.
        correct: prepares the work of ``semipunct correct``.
        parse: prepares the work of ``semipunct parse``.
        restore_sentences: the function of ``semipunct.restore``.
        correct_sentences: the function of ``semipunct.correct``.
        restore_texts: the function of ``semipunct.restore_text``, for several texts, none of which
            affects another one.
        correct_texts: that of ``semipunct.correct_text``, likewise.
    """

    evaluate: Callable[[EvaluateRequest], Assessment] = assess_on_examples
    restore: Callable[[SavedModel[Any], RestoreRequest], RestoreWork] | None = None
    correct: Callable[[SavedModel[Any], CorrectRequest], CorrectWork] | None = None
    parse: Callable[[SavedModel[Any], ParseRequest], ParseWork] | None = None
    restore_sentences: (
        Callable[[Trained[Any], Sequence[Any], RestoreOptions, int], list[Any]] | None
    ) = None
    correct_sentences: Callable[..., list[Any]] | None = None
    restore_texts: (
        Callable[[Trained[Any], Sequence[str], TextRequest], list[PunctuatedText]] | None
    ) = None
    correct_texts: (
        Callable[[Trained[Any], Sequence[str], CorrectOptions], list[PunctuatedText]] | None
    ) = None


def answers_of(kind: str) -> Answers:
    """Return what models of a kind can be asked.

    A kind of another distribution can be evaluated, and do what the distribution registers for it
    in the entry point group ``semipunct.answers``.

    Args:
        kind: a key of ``models.registry.KINDS``, or the name of an installed kind.

    Raises:
        ConfigError: if what is registered cannot be loaded.
    """
    module = f"semipunct.kinds.{kind.replace('-', '_')}"
    if find_spec(module) is not None:
        return import_module(module).ANSWERS
    return find_plugin("answers", kind, Answers) or Answers()


def answer_of(model: Model, task: str, where: str = "") -> Any:
    """Return the function of a task for a model.

    Args:
        model: a model of any kind.
        task: the name of an attribute of ``Answers``.
        where: the folder of the model, for the message.

    Raises:
        ModelError: if models of this kind cannot do the task; it names the kinds that can.
    """
    function = getattr(answers_of(model.kind), task)
    if function is None:
        able = [kind for kind in kind_names() if getattr(answers_of(kind), task) is not None]
        verb = task.partition("_")[0]
        choices = " or ".join(filter(None, (", ".join(able[:-1]), able[-1])))
        raise ModelError(
            f"{where}{': ' * bool(where)}a model of the kind {model.kind} cannot {verb}; name a "
            f"model of the kind {choices}, or train one (semipunct train --kind {able[0]})"
        )
    return function


def refuse(noun: str, options: Mapping[str, object]) -> None:
    """Refuse options that models of a kind do not support.

    Args:
        noun: such a model, with its article.
        options: the options, and whether they were given.

    Raises:
        UsageError: naming those that were given.
    """
    if unsupported := [name for name, is_given in options.items() if is_given]:
        raise UsageError(f"{noun} does not support {', '.join(unsupported)}; leave it out")
