"""Loading of models, typed by their kind."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from semipunct.kinds.loaded import LoadedModel
from semipunct.models.registry import find_kind
from semipunct.store import checkpoint
from semipunct.store.checkpoint import M

if TYPE_CHECKING:
    from semipunct.models.base import Model
    from semipunct.models.parsing.parser import Parser
    from semipunct.models.punctuation.corrector import CorrectionModel
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.models.running_text.model import TextModel
    from semipunct.models.segmentation.tokeniser import Tokeniser


# One overload for each line of ``KINDS``, for which a table of types would not do.
@overload
def load(path: str | Path, expected: Literal["punctuation"]) -> LoadedModel[PunctuationModel]: ...
@overload
def load(path: str | Path, expected: Literal["correction"]) -> LoadedModel[CorrectionModel]: ...
@overload
def load(path: str | Path, expected: Literal["parser"]) -> LoadedModel[Parser]: ...
@overload
def load(path: str | Path, expected: Literal["tokeniser"]) -> LoadedModel[Tokeniser]: ...
@overload
def load(path: str | Path, expected: Literal["text"]) -> LoadedModel[TextModel]: ...
@overload
def load(path: str | Path, expected: type[M]) -> LoadedModel[M]: ...
@overload
def load(path: str | Path, expected: str | None = None) -> LoadedModel[Model]: ...
def load(path: str | Path, expected: str | type[Model] | None = None) -> LoadedModel[Any]:
    """Read a model folder, and check all of it.

    Args:
        path: the folder.
        expected: the required kind, as the name of ``--kind`` or as the class of its models; by
            default any kind. A type checker infers the class of the model from it.

    Raises:
        ConfigError: if there is no kind of that name.
        ModelError: as in ``semipunct.store.checkpoint.load``: if the folder is missing or damaged,
            or its model is of another kind.
    """
    kind = find_kind(expected, "expected").load() if isinstance(expected, str) else expected
    saved = checkpoint.load(path, kind)
    return LoadedModel(**{field.name: getattr(saved, field.name) for field in fields(saved)})
