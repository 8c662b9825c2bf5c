"""Pipelines: a model, and the other models that it needs for a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from semipunct.errors import ModelError
from semipunct.models.registry import find_kind
from semipunct.pipelines.options import (
    CorrectOptions,
    DecodeOptions,
    Helpers,
    ParseOptions,
    RestoreOptions,
)
from semipunct.pipelines.task import Name, Task, task_of
from semipunct.store import checkpoint
from semipunct.store.checkpoint import M, M_co, SavedModel
from semipunct.store.folder import model_folders
from semipunct.store.installed import FIRST, folder_of, installed_models

if TYPE_CHECKING:
    from semipunct.corpus import Omitted
    from semipunct.models.base import Model
    from semipunct.pipelines.marked_text import PunctuatedText
    from semipunct.pipelines.parses import Parse

PARSER = "parser"
"""The kind of parsers of dependency trees, and the name of such a part."""

OPTIONS: dict[Name, type[Any]] = {
    "restore": RestoreOptions,
    "correct": CorrectOptions,
    "parse": ParseOptions,
    "decode": DecodeOptions,
}
"""The options of each task."""

_TOGETHER = 256
"""Texts of a stream that are answered together."""


@dataclass(frozen=True, slots=True, repr=False)
class Pipeline(SavedModel[M_co]):
    """A model loaded from its folder, with the models that help it.

    All functions of ``import semipunct`` take it as well.

    Attributes:
        helpers: the other models.
    """

    helpers: Helpers = field(default_factory=Helpers)

    def task(self, name: Name, options: Any = None, **settings: Any) -> Task[Any, Any]:
        """Return a task of the pipeline.

        Args:
            name: of the task.
            options: an instance of the class of ``OPTIONS``; by default its defaults.
            **settings: attributes of the options by name, which override them.

        Raises:
            ModelError: if the model cannot do it, or a model is of another kind.
            UsageError: if an option is invalid.
        """
        options = replace(options or OPTIONS[name](), **settings)
        return task_of(self.model, name, str(self.path))(self, self.helpers, options)

    def restore(self, text: str, **options: Any) -> PunctuatedText:
        """Restore the punctuation of a text.

        Args:
            text: a text of any length.
            **options: those of ``semipunct.restore_text``.

        Raises:
            UsageError, ModelError: as ``semipunct.restore_text`` does.
        """
        from semipunct.pipelines.functions import restore_text

        return restore_text(self, text, **options)

    def correct(self, text: str, **options: Any) -> PunctuatedText:
        """Correct the punctuation of a text.

        Args:
            text: a text of any length.
            **options: those of ``semipunct.correct_text``.

        Raises:
            UsageError, ModelError: as ``semipunct.correct_text`` does.
        """
        return self.task("correct", **options).texts([text])[0]

    def pipe(
        self, texts: Iterable[str], task: Name = "restore", **options: Any
    ) -> Iterator[PunctuatedText]:
        """Yield the answers for texts, some of which are read together.

        None of them affects another one.

        Args:
            texts: of any number and length.
            task: ``restore`` or ``correct``.
            **options: attributes of the options of the task by name.

        Raises:
            UsageError, ModelError: as ``restore`` and ``correct`` do.
        """
        prepared, stream = self.task(task, **options), iter(texts)
        while group := list(islice(stream, _TOGETHER)):
            yield from prepared.texts(group)

    @property
    def parts(self) -> dict[str, Path]:
        """The folders of all installed models of the same name, such as ``en``, by their part."""
        models = installed_models()
        names = [m.name.partition("/")[0] for m in models if m.folder == self.path]
        return {
            part: m.folder
            for m in models
            for name, _, part in [m.name.partition("/")]
            if name in names
        }

    def parse(self, text: str, **options: Any) -> list[Parse | Omitted]:
        """Parse a text: by this model, or by the parser that is installed under the same name.

        Sentences and words are found by the text model of the same name, if there is one.

        Args:
            text: a text of any length.
            **options: those of ``semipunct.parse_text``.

        Raises:
            UsageError: as ``semipunct.parse_text`` does.
            ModelError: likewise, or if no parser is installed under the name of this model.
        """
        from semipunct.pipelines.functions import parse_text

        parts = self.parts
        parser = self if self.model.kind == PARSER else _load_part(parts.get(PARSER), self.path)
        if not {"tokeniser", "text_model"} & options.keys():
            if self.model.kind == FIRST:
                options["text_model"] = self
            elif FIRST in parts:
                options["text_model"] = _load_part(parts[FIRST], self.path)
        return parse_text(parser, text, **options)


@overload
def load(path: str | Path, expected: type[M], **helpers: Any) -> Pipeline[M]: ...
@overload
def load(path: str | Path, expected: str | None = None, **helpers: Any) -> Pipeline[Any]: ...
def load(
    path: str | Path, expected: str | type[Model] | None = None, **helpers: Any
) -> Pipeline[Any]:
    """Read a model folder, and check all of it.

    Args:
        path: the folder, or the name of an installed model.
        expected: the required kind, as the name of ``--kind`` or as the class of its models; by
            default any kind.
        **helpers: names or folders of the attributes of ``Helpers``, None for none; ``parser`` may
            be a folder of several, or a sequence.

    Raises:
        ConfigError: if there is no kind of that name.
        ModelError: as in ``semipunct.store.checkpoint.load``: if a folder is missing or damaged,
            or its model is of another kind.
    """
    saved = checkpoint.load(path, _class_of(expected))
    parsers: Any = helpers.pop("parser", None) or ()
    places = [parsers] if isinstance(parsers, str | Path) else parsers
    folders = [folder for place in places for folder in model_folders(folder_of(place))]
    loaded: list[Any] = [checkpoint.load(folder) for folder in folders]
    helping = Helpers(
        parser=loaded[0] if len(loaded) == 1 else loaded,
        **{
            name: place and checkpoint.load(place, _class_of(_KINDS.get(name)))
            for name, place in helpers.items()
        },
    )
    values = {each.name: getattr(saved, each.name) for each in fields(saved)}
    return Pipeline(**values, helpers=helping)


_KINDS = {"tokeniser": "tokeniser", "text_model": "text", "punctuation": "punctuation"}
"""The kinds of helpers that are checked when they are loaded."""


def _class_of(expected: str | type[Model] | None) -> Any:
    return find_kind(expected, "expected").load() if isinstance(expected, str) else expected


def _load_part(folder: Path | None, path: Path) -> SavedModel[Any]:
    if folder is None:
        raise ModelError(
            f"{path}: no parser is installed under the name of this model; install one "
            "(pip install semipunct-en for English), or load a parser and call its parse"
        )
    return _load_once(folder)


@lru_cache(maxsize=4)
def _load_once(folder: Path) -> SavedModel[Any]:
    """Load a part of an installed package, whose files do not change, once."""
    return load(folder)
