"""Pictures drawn with matplotlib: the same figures give the same file."""

import importlib
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from semipunct.cli import console
from semipunct.errors import UsageError

FORMATS: dict[str, dict[str, Any]] = {
    # Without the time the same figures give the same file.
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}
"""Formats of pictures, with what is written into them besides the picture."""

SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "semipunct", "text.parse_math": False}

Painter = Callable[[Callable[[Any], object]], bytes]
"""Gives an empty figure to the function that draws on it, and returns the picture."""


def painter(path: str, width: float, height: float) -> Painter:
    """Find out, before the work, whether and how a picture can be drawn.

    Args:
        path: where it is to go; its ending is the format.
        width: in inches.
        height: in inches.

    Raises:
        UsageError: for an unknown format, or if matplotlib is not installed.
    """
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{path}: a picture's name has to end in one of: {known}")
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
            console.say("matplotlib's font lacks some of the marks: take .svg, which names them")
        return stream.getvalue()

    return paint
