"""Options, inputs and timing shared by ``peers.py`` and ``synjax_peer.py``.

Needs only NumPy, since both run in environments without this project.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Question = Callable[[], Any]
Wait = Callable[[Any], Any]


def options(summary: str, problems: tuple[str, ...]) -> argparse.ArgumentParser:
    """Return the command-line parser with the shared options; all ``problems`` are the default."""
    parser = argparse.ArgumentParser(description=summary)
    add = parser.add_argument
    add("--batch", type=int, default=32)
    add("--length", type=int, default=128, help="positions of a chain")
    add("--states", type=int, default=32)
    add("--words", type=int, default=40, help="words of a dependency tree")
    add("--repeats", type=int, default=7)
    add("--patience", type=float, default=60.0, help="seconds before repeats are skipped")
    add("--device", default="cpu", help="cpu or cuda")
    add("--problems", nargs="+", default=problems, choices=problems)
    return parser


def normal(seed: int, *shape: int) -> np.ndarray:
    """Draw the same potentials as the benchmark and the tests."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def milliseconds(question: Question, repeats: int, patience: float, wait: Wait) -> dict[str, Any]:
    """Return the median time of warm calls and the seconds of the first, or the error."""
    try:
        start = time.perf_counter()
        wait(question())
        first = time.perf_counter() - start
        if first > patience:
            return {"ms": 1000 * first, "first_s": first, "repeats": 1}
        wait(question())
        times: list[float] = []
        for _ in range(repeats):
            start = time.perf_counter()
            wait(question())
            times.append(1000 * (time.perf_counter() - start))
    except Exception as error:  # noqa: BLE001 - any error of another library is reported
        message = (str(error).splitlines() or [""])[0]
        return {"error": f"{type(error).__name__}: {message[:160]}"}
    return {
        "ms": statistics.median(times),
        "least": min(times),
        "first_s": first,
        "repeats": repeats,
    }
