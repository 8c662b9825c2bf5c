"""Plots with matplotlib: the same figures give the same file."""

import importlib
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from semipunct.cli import console
from semipunct.errors import UsageError

FORMATS: dict[str, dict[str, Any]] = {
    # Without a date, the same figures give the same file.
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}
"""File formats of plots, with the metadata of each."""

SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "semipunct", "text.parse_math": False}

Painter = Callable[[Callable[[Any], object]], bytes]
"""Passes an empty figure to the function that draws on it, and returns the picture."""


def painter(path: str, width: float, height: float) -> Painter:
    """Check, before the work begins, that a plot can be drawn, and return the painter."""
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMATS:
        suffixes = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{path}: the name of a plot must end in one of: {suffixes}")
    try:
        library: Any = importlib.import_module("matplotlib")
        figures: Any = importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise UsageError(
            f"--plot needs matplotlib ({error}); install it with: pip install 'semipunct[plots]'"
        ) from error

    def paint(draw: Callable[[Any], object]) -> bytes:
        stream = io.BytesIO()
        with library.rc_context(SETTINGS), warnings.catch_warnings(record=True) as unknown:
            warnings.filterwarnings("ignore")
            warnings.filterwarnings("always", message="Glyph .* missing")
            figure = figures.Figure(figsize=(width, height), layout="constrained")
            draw(figure)
            figure.savefig(stream, format=form, metadata=FORMATS[form])
        if unknown:
            console.say(
                "matplotlib's font lacks some of the marks; use .svg, which contains them as text"
            )
        return stream.getvalue()

    return paint
