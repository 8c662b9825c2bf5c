"""Models that are asked directly: ``semipunct.load("en").restore(text)``."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from semipunct.kinds import functions
from semipunct.store.checkpoint import M_co, SavedModel

if TYPE_CHECKING:
    from semipunct.render.punctuated_text import PunctuatedText


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

    def _repr_html_(self) -> str:
        """Return kind, folder and figures as a table."""
        rows = {"kind": self.model.kind, "folder": str(self.path), **self.figures}
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(str(name))}</th><td>{escape(str(value))}</td>"
            "</tr>"
            for name, value in rows.items()
        )
        return f"<table>{cells}</table>"
