"""Reproducible plots with matplotlib."""

import importlib
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from semipunct.cli import console
from semipunct.errors import UsageError

# File formats of plots with their metadata.
FORMATS: dict[str, dict[str, Any]] = {
    # Without a date, the same figures give the same file.
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}

SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "semipunct", "text.parse_math": False}

# Passes an empty figure to a drawing function, and returns the picture.
Painter = Callable[[Callable[[Any], object]], bytes]


def painter(path: str, width: float, height: float) -> Painter:
    """Check that a plot can be drawn, before any work, and return the painter."""
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
