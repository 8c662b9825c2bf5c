"""Pipelines: a model, its auxiliary models, and a method for each task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, wraps
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    get_type_hints,
    overload,
)

from semipunct.errors import ModelError, UsageError
from semipunct.models.registry import find_kind
from semipunct.pipelines.chunks import in_chunks
from semipunct.pipelines.options import (
    CorrectOptions,
    DecodeOptions,
    ExplainOptions,
    Helpers,
    ParseOptions,
    RestoreOptions,
    checked,
    descriptions,
)
from semipunct.pipelines.task import Name, Task, task_of, tasks_of
from semipunct.store import checkpoint
from semipunct.store.folder import model_folders
from semipunct.store.installed import FIRST, LANGUAGE_DISTRIBUTIONS, folder_of, installed_models
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.corpus import Omitted, Sentence
    from semipunct.corpus.located import Located
    from semipunct.corpus.sentences import Words
    from semipunct.models.base import Model, Weights
    from semipunct.models.kind import Config
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.pipelines.explanations import Answer, Explanation
    from semipunct.pipelines.marked_text import PunctuatedText
    from semipunct.pipelines.pack import Packing
    from semipunct.pipelines.parses import Parse
    from semipunct.pipelines.results import Corrected, Restoration
    from semipunct.pipelines.trained import Trained

# Kinds of models, and names of parts of an installed package.
PARSER, TOKENISER = "parser", "tokeniser"

# The options of each method.
OPTIONS: dict[str, type[Any]] = {
    "restore": RestoreOptions,
    "correct": CorrectOptions,
    "parse": ParseOptions,
    "decode": DecodeOptions,
    "explain": ExplainOptions,
}

# Texts of a stream per batch.
_TOGETHER = 256

A = TypeVar("A")
B = TypeVar("B")
A_co = TypeVar("A_co", covariant=True)
B_co = TypeVar("B_co", covariant=True)
OptionsT = TypeVar("OptionsT")
P = ParamSpec("P")
Q = ParamSpec("Q")


class Either(Generic[A, B]):
    """The answer for a text or for sentences, for type checkers only."""


class Method(Protocol[P, A_co, B_co]):
    """A method that takes the fields of a dataclass as keywords."""

    @overload
    def __call__(self, text: str, /, *args: P.args, **kwargs: P.kwargs) -> A_co: ...
    @overload
    def __call__(
        self,
        text: Sequence[Sentence[Any] | Words | Omitted | Answer],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> B_co: ...


class Pipe(Protocol[P, Q]):
    """The method for streams of texts, whose options depend on the task."""

    @overload
    def __call__(
        self,
        texts: Iterable[str],
        task: Literal["restore"] = "restore",
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Iterator[PunctuatedText]: ...
    @overload
    def __call__(
        self, texts: Iterable[str], task: Literal["correct"], /, *args: Q.args, **kwargs: Q.kwargs
    ) -> Iterator[PunctuatedText]: ...


def takes(
    kind: Callable[P, OptionsT],
) -> Callable[[Callable[[Pipeline, Any, OptionsT], Either[A, B]]], Method[P, A, B]]:
    """Give a method the fields of a class of options as keywords, which ``help`` shows."""

    def decorate(method: Callable[[Pipeline, Any, OptionsT], Either[A, B]]) -> Method[P, A, B]:
        @wraps(method)
        def call(self: Pipeline, text: Any, /, **options: Any) -> Any:
            return method(self, text, checked(cast(Any, kind), method.__name__, options))

        hints = get_type_hints(kind)
        first = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in ("self", "text")]
        keywords = [k.replace(annotation=hints[n]) for n, k in signature(kind).parameters.items()]
        call.__dict__["__signature__"] = Signature([*first, *keywords])
        described = descriptions(cast(Any, kind)).items()
        lines = (f"    {name}: {option.help}" for name, (_, option) in described)
        call.__doc__ = "\n".join((cleandoc(method.__doc__ or ""), "", "Options:", *lines))
        return cast(Any, call)

    return decorate


def streams(
    restore: Callable[P, Any], correct: Callable[Q, Any]
) -> Callable[[Callable[..., Any]], Pipe[P, Q]]:
    """Give ``pipe`` the options of both tasks, for type checkers and editors."""
    return lambda method: cast(Any, method)


class Pipeline:
    """A model with its auxiliary models.

    ``nlp(text)`` restores the punctuation of a text. Each method takes a text, or sentences such as
    a treebank; omitted sentences pass through.
    """

    def __init__(
        self,
        trained: Trained[Any],
        *,
        parser: Trained[Any] | Sequence[Trained[Any]] | None = None,
        tokeniser: Trained[Any] | None = None,
        text_model: Trained[Any] | None = None,
        analysis: Trained[Any] | None = None,
    ) -> None:
        """Combine loaded models, or the results of training runs."""
        self.trained: Any = trained
        self.helpers = Helpers(
            parser=parser,
            tokeniser=tokeniser,
            text_model=text_model,
            analysis=analysis,
        )

    @property
    def model(self) -> Model:
        return self.trained.model

    @property
    def parameters(self) -> Weights:
        return self.trained.parameters

    @property
    def config(self) -> Config:
        """The settings of the training run.

        Raises:
            UsageError: if the model was not loaded from a folder.
        """
        if self.path is None:
            raise UsageError("a model in memory has no settings; load the folder of its run")
        return self.trained.config

    @property
    def path(self) -> Path | None:
        """The folder of the model; None in memory."""
        return getattr(self.trained, "path", None)

    @property
    def digest(self) -> str:
        """The digest of the model and its weights."""
        from semipunct.models.contents import digest

        stored = getattr(self.trained, "digest", None)
        return stored or digest(self.model, self.parameters)

    @property
    def name(self) -> str:
        """The name of an installed model, such as ``en/text``, or the folder."""
        path = self.path
        return next((m.name for m in installed_models() if m.folder == path), str(path or "a run"))

    @property
    def parts(self) -> dict[str, Path]:
        """The folders of the installed models of the same package, by part."""
        package = self.name.partition("/")[0]
        models = [(m.name.partition("/"), m.folder) for m in installed_models()]
        is_installed = any(folder == self.path for _, folder in models)
        return {part: f for (name, _, part), f in models if is_installed and name == package}

    def __repr__(self) -> str:
        helping = (name for name in Helpers.__slots__ if getattr(self.helpers, name))
        parts = ", ".join(dict.fromkeys((self.model.kind, *helping, *self.parts)))
        weights = quantity(sum(array.size for array in self.parameters.values()), "weight")
        visits = quantity(getattr(self.trained, "figures", {}).get("visits", 0), "visit")
        language = LANGUAGES.get(self.name.partition("/")[0], "")
        return (
            f"<Pipeline {self.name}{language and f' for {language}'}: {parts}; "
            f"{weights}, trained for {visits}>"
        )

    @takes(RestoreOptions)
    def restore(
        self, text: Any, options: RestoreOptions
    ) -> Either[PunctuatedText, list[Restoration]]:
        """Restore punctuation; all else is unchanged.

        A text model works alone. A punctuation model reads trees, of the input or of a parser.
        """
        return self._answer("restore", text, options)

    __call__ = restore

    @takes(CorrectOptions)
    def correct(
        self, text: Any, options: CorrectOptions
    ) -> Either[PunctuatedText, list[Corrected]]:
        """Correct punctuation; all else is unchanged."""
        return self._answer("correct", text, options)

    @takes(ParseOptions)
    def parse(self, text: Any, options: ParseOptions) -> Either[list[Parse | Omitted], list[Parse]]:
        """Parse with this model, or with the parser of the same package.

        The tokeniser or the text model of the pipeline finds the sentences of a text. Without
        either, each line is a sentence, with spaces between words and marks.
        """
        if options.trees or options.nbest:
            raise UsageError("a pipeline gives one tree; several are written by semipunct parse")
        parser, kind = self.trained, self.model.kind
        if tasks_of(kind).parse is None:
            parser = self.helpers.parsers[0] if self.helpers.parsers else self._part(PARSER)
        sentences: Any = text
        if isinstance(text, str):
            found = self._divide(text, RestoreOptions(lines=options.lines))
            sentences = [part.content for part in found]
        parse = task_of(parser.model, "parse", self.name)
        task = parse(parser, Helpers(), options)
        several = task.sentences(_checked_input("parse", sentences))
        return cast(Any, [each[0] if isinstance(each, list) else each for each in several])

    @takes(ExplainOptions)
    def explain(
        self, text: Any, options: ExplainOptions
    ) -> Either[list[Explanation], list[Explanation | Omitted]]:
        """Explain the marks of a text or of sentences, including wrong and missing ones.

        Results of ``restore`` and ``correct`` are explained as they are. Other input is corrected
        first, or restored by a model that cannot correct.
        """
        from semipunct.pipelines.explanations import explain, explain_text
        from semipunct.pipelines.results import Corrected, Restoration

        name = explained_task(self.model.kind, options)
        if isinstance(text, str):
            return cast(Any, explain_text(self.task(name), text, options.left_out))
        answers = text
        if not any(isinstance(each, Restoration | Corrected) for each in text):
            answers = self._answer(name, text, OPTIONS[name]())
        return cast(Any, explain(self.trained, answers, left_out=options.left_out))

    @takes(DecodeOptions)
    def decode(self, text: Any, options: DecodeOptions) -> Either[Any, list[list[Analysis]]]:
        """Find the underlying trees of sentences, the best first."""
        from semipunct.pipelines.decoding import decode

        if isinstance(text, str):
            raise UsageError("decode reads sentences with trees, as semipunct.read returns them")
        return cast(Any, decode(self.trained, text, options))

    @streams(RestoreOptions, CorrectOptions)
    def pipe(self, texts: Iterable[str], task: Name = "restore", /, **options: Any) -> Any:
        """Yield the answers for a stream of independent texts, which are processed in batches."""
        prepared = self.task(task, **options)
        for group in in_chunks(texts, _TOGETHER):
            yield from prepared.texts(group)

    def segment(self, text: str) -> list[Located]:
        """Divide a text into sentences and words.

        The parts concatenate to the text, up to capitals that a text model restores. Addresses,
        markup and numbers are never divided.
        """
        return self._divide(text, RestoreOptions())

    def pack(
        self, output: str | Path, examples: Sequence[Any] = (), *, force: bool = False
    ) -> Packing:
        """Write the model with tables of weights in 8 bits and other weights in half precision.

        Raises:
            ModelError: if the run of the model is not finished, or the folder cannot be written.
        """
        from semipunct.pipelines.pack import pack

        return pack(self.trained, output, examples, force=force)

    def task(self, name: Name, **options: Any) -> Task[Any, Any]:
        """Return the task ``restore``, ``correct``, ``parse`` or ``decode``.

        Raises:
            ModelError: if the model cannot do it, or a model is of another kind.
            UsageError: if an option is invalid.
        """
        options_of_task = checked(OPTIONS[name], name, options)
        return task_of(self.model, name, self.name)(self.trained, self.helpers, options_of_task)

    def _answer(self, name: Name, text: Any, options: Any) -> Any:
        text = _checked_input(name, text)
        task = task_of(self.model, name, self.name)(self.trained, self.helpers, options)
        return task.texts([text])[0] if isinstance(text, str) else task.sentences(text)

    def _divide(self, text: str, options: RestoreOptions) -> list[Located]:
        from semipunct.pipelines.segmentation import sentences_of_text

        tokeniser, text_model = self.helpers.tokeniser, self.helpers.text_model
        if not (tokeniser or text_model):
            if self.model.kind == TOKENISER:
                tokeniser = self.trained
            elif self.model.kind == FIRST:
                text_model = self.trained
            elif FIRST in self.parts:
                text_model = self._part(FIRST)
        return sentences_of_text(text, Helpers(tokeniser=tokeniser, text_model=text_model), options)

    def _part(self, part: str) -> Any:
        if folder := self.parts.get(part):
            return _load_once(folder)
        distribution = LANGUAGE_DISTRIBUTIONS.get(self.name.partition("/")[0])
        install = f"pip install {distribution}" if distribution else "semipunct train"
        raise ModelError(
            f"{self.name}: has no {part}; install one ({install}), or name one: "
            f"semipunct.load({self.name!r}, {part}=...)"
        )


# The language of each package of installed models.
LANGUAGES = {"en": "English", "es": "Spanish", "zh": "Chinese"}


def text_models() -> dict[str, Path]:
    """Return the folders of the installed text models, by package."""
    models = ((m.name.partition("/"), m.folder) for m in installed_models())
    return {package: folder for (package, _, part), folder in models if part == FIRST}


def explained_task(kind: str, options: ExplainOptions) -> Name:
    """Return the name of the task whose answers are explained."""
    return "restore" if options.restore or tasks_of(kind).correct is None else "correct"


def load(
    name: str | Path,
    *,
    parser: str | Path | Sequence[str | Path] | None = None,
    tokeniser: str | Path | None = None,
    text_model: str | Path | None = None,
    analysis: str | Path | None = None,
) -> Pipeline:
    """Load a model, and verify all of its files.

    Args:
        name: an installed model, such as ``en``, or a model folder.
        parser: a parser, several, or a folder of several.

    Raises:
        ModelError: if a folder is missing or damaged, or its model is of another kind.
    """
    saved = checkpoint.load(name)
    places: Any = [parser] if isinstance(parser, str | Path) else parser or ()
    parsers = [checkpoint.load(f) for place in places for f in model_folders(folder_of(place))]

    def load_helper(place: str | Path | None, kind: str | None = None) -> Any:
        return place and checkpoint.load(place, find_kind(kind).load() if kind else None)

    return Pipeline(
        saved,
        parser=parsers[0] if len(parsers) == 1 else parsers,
        tokeniser=load_helper(tokeniser, TOKENISER),
        text_model=load_helper(text_model, FIRST),
        analysis=load_helper(analysis),
    )


@lru_cache(maxsize=4)
def _load_once(folder: Path) -> Any:
    return checkpoint.load(folder)


def _checked_input(name: str, text: Any) -> Any:
    if isinstance(text, str):
        return text
    if not isinstance(text, Sequence) or isinstance(text, bytes):
        raise UsageError(
            f"{name} takes a text or a list of sentences, and this is of the type "
            f"{type(text).__name__}"
        )
    if any(isinstance(each, str) for each in cast(Any, text)):
        raise UsageError(f"{name} takes one text; for several call pipe(texts, {name!r})")
    return cast(Any, text)
