"""Models that are asked directly: ``semipunct.load("en").restore(text)``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semipunct.errors import ModelError
from semipunct.kinds import functions
from semipunct.store.checkpoint import M_co, SavedModel, load
from semipunct.store.installed import FIRST, installed_models
from semipunct.tasks.parse_text import parse_text

if TYPE_CHECKING:
    from semipunct.corpus import Omitted
    from semipunct.render.punctuated_text import PunctuatedText
    from semipunct.tasks.parse import Parse

PARSER = "parser"
"""The kind of parsers of dependency trees, and the name of such a part."""


@dataclass(frozen=True, slots=True, repr=False)
class LoadedModel(SavedModel[M_co]):
    """A model loaded from its folder, which restores and corrects text, if its kind can.

    All functions of ``import semipunct`` take it as well.
    """

    def restore(self, text: str, **options: Any) -> PunctuatedText:
        """Restore the punctuation of a text.

        Args:
            text: a text of any length.
            **options: those of ``semipunct.restore_text``.

        Raises:
            UsageError, ModelError: as ``semipunct.restore_text`` does.
        """
        return functions.restore_text(self, text, **options)

    def correct(self, text: str, **options: Any) -> PunctuatedText:
        """Correct the punctuation of a text.

        Args:
            text: a text of any length.
            **options: those of ``semipunct.correct_text``.

        Raises:
            UsageError, ModelError: as ``semipunct.correct_text`` does.
        """
        return functions.correct_text(self, text, **options)

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
        parts = self.parts
        parser = self if self.model.kind == PARSER else _load_part(parts.get(PARSER), self.path)
        if not {"tokeniser", "text_model"} & options.keys():
            if self.model.kind == FIRST:
                options["text_model"] = self
            elif FIRST in parts:
                options["text_model"] = _load_part(parts[FIRST], self.path)
        return parse_text(parser, text, **options)

    def _repr_html_(self) -> str:
        """Return kind, folder and figures as a table."""
        rows = {"kind": self.model.kind, "folder": str(self.path), **self.figures}
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(str(name))}</th><td>{escape(str(value))}</td>"
            "</tr>"
            for name, value in rows.items()
        )
        return f"<table>{cells}</table>"


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
