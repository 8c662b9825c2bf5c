"""A component of spaCy pipelines: ``nlp.add_pipe("semipunct")``.

Tokens of a ``Doc`` never change. Added values are JSON, so they survive storage and transfer.
"""

# spaCy is an extra; without it its types are unknown.
# pyright: reportMissingImports=false, reportUnknownParameterType=false
from __future__ import annotations

import shutil
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from semipunct.errors import ModelError, UsageError
from semipunct.files.strict_json import from_json, json_document
from semipunct.pipelines.explanations import mark_as_dict
from semipunct.pipelines.marked_text import PunctuatedText, places_in_source
from semipunct.pipelines.options import checked
from semipunct.pipelines.pipeline import OPTIONS, load
from semipunct.pipelines.task import Task
from semipunct.store.installed import installed_models

Name = Literal["restore", "correct"]

# Lists the models of a stored pipeline.
_SAVED = "models.json"


class Punctuator:
    """Restore or correct the punctuation of documents.

    Sets ``Doc._.punctuated``, the new text, and ``Doc._.marks``, dictionaries as in ``semipunct
    explain --format json`` with ``token``, the index of the token before the mark (None at the
    beginning).

    Args:
        models: folders or names: ``model``, and the ``Helpers`` that it needs.
        options: of ``Pipeline.restore`` or ``correct``.
    """

    def __init__(
        self, task: Name, models: Mapping[str, str], options: Mapping[str, Any] | None = None
    ) -> None:
        self.task: Name = task
        self.models = dict(models)
        if task == "correct" and (needless := sorted(self.models.keys() - {"model"})):
            raise UsageError(f"correction of text reads no other model; leave out {needless[0]}")
        self.options = dict(options or {})
        checked(OPTIONS[task], task, self.options)
        self._folders: dict[str, Path] = {}
        self._task: Task[Any, Any] | None = None
        for extension in ("punctuated", "marks"):
            if not Doc.has_extension(extension):
                Doc.set_extension(extension, default=None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_task": None}

    def __call__(self, doc: Doc) -> Doc:
        """Punctuate a document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Punctuate documents in batches."""
        for docs in minibatch(stream, size=batch_size):
            yield from map(_annotated, docs, self._prepare().texts([doc.text for doc in docs]))

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        """Store the names of the models, and the models that no distribution installs."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        installed = {model.folder for model in installed_models()}
        saved: dict[str, Any] = {}
        for argument, model in self._models().items():
            is_installed = model.path in installed
            if not is_installed:
                shutil.copytree(model.path, folder / argument, dirs_exist_ok=True)
            saved[argument] = {"digest": model.digest, "is_installed": is_installed}
        (folder / _SAVED).write_bytes(json_document(saved))

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> Punctuator:
        """Use the stored models; warn if an installed one has changed.

        Raises:
            ModelError: if the folder, or a model, is damaged or missing.
        """
        folder = Path(path)
        try:
            saved = from_json((folder / _SAVED).read_bytes())
            digests = {argument: saved[argument]["digest"] for argument in self.models}
            stored = [argument for argument in self.models if not saved[argument]["is_installed"]]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ModelError(
                f"{folder / _SAVED}: missing or damaged ({error}); store the pipeline again"
            ) from error
        self._folders = {argument: folder / argument for argument in stored}
        self._task = None
        for argument, model in self._models().items():
            if model.digest != digests[argument]:
                warnings.warn(
                    f"{self.models[argument]} is another version of the model with which the "
                    f"pipeline was stored ({model.digest[:12]} instead of "
                    f"{digests[argument][:12]}), so its marks may differ",
                    stacklevel=2,
                )
        return self

    def _prepare(self) -> Task[Any, Any]:
        if self._task is None:
            places: Any = self.models | self._folders
            pipeline = load(places.pop("model"), **places)
            self._task = pipeline.task(self.task, **self.options)
        return self._task

    def _models(self) -> dict[str, Any]:
        task: Any = self._prepare()
        return {
            name: task.model if name == "model" else getattr(task.helpers, name)
            for name in self.models
        }


def _annotated(doc: Doc, text: PunctuatedText) -> Doc:
    starts = [token.idx for token in doc]
    places = places_in_source(doc.text, text, [mark.start for mark in text.marks])
    doc._.punctuated = str(text)
    doc._.marks = [
        {**mark_as_dict(mark), "token": bisect_left(starts, place) - 1 if place else None}
        for mark, place in zip(text.marks, places, strict=True)
    ]
    return doc


@Language.factory(  # pyright: ignore[reportUntypedFunctionDecorator]
    "semipunct",
    assigns=["doc._.punctuated", "doc._.marks"],
    default_config={
        "model": "en",
        "task": "restore",
        "helpers": {},
        "options": {},
    },
)
def create_punctuator(
    nlp: Language,
    name: str,
    model: str,
    task: Name,
    helpers: dict[str, str],
    options: dict[str, Any],
) -> Punctuator:
    """Make a component of a pipeline.

    Args:
        helpers: names or folders of other models, as ``semipunct.load`` takes them.
        options: of ``Pipeline.restore`` or ``correct``.

    Raises:
        UsageError: if an option does not exist, or its value is invalid.
    """
    return Punctuator(task, {"model": model, **helpers}, options)
