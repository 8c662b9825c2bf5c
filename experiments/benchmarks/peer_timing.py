"""Options, inputs and timing shared by ``structures.py``, ``peers.py`` and ``synjax_peer.py``.

Needs only NumPy, since the others run in environments without this project.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Question = Callable[[], Any]

PATIENCE = 60.0
"""Seconds of a first call beyond which it is not repeated."""


def options(documentation: str | None, repeats: int = 7) -> argparse.ArgumentParser:
    """Return the command-line parser with the shared options."""
    parser = argparse.ArgumentParser(description=(documentation or "").splitlines()[0])
    add = parser.add_argument
    add("--batch", type=int, default=32)
    add("--length", type=int, default=128, help="positions of a chain")
    add("--states", type=int, default=32)
    add("--words", type=int, default=40, help="words of a dependency tree")
    add("--repeats", type=int, default=repeats)
    add("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    return parser


def normal(seed: int, *shape: int) -> np.ndarray:
    """Draw the same potentials as the benchmark and the tests."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def milliseconds(questions: Any, repeats: int, wait: Callable[[Any], Any]) -> dict[str, Any]:
    """Time nested dictionaries of questions.

    Returns the median time of warm calls and the seconds of the first, or the error.
    """
    if isinstance(questions, dict):
        return {name: milliseconds(each, repeats, wait) for name, each in questions.items()}
    try:
        start = time.perf_counter()
        wait(questions())
        first = time.perf_counter() - start
        if first > PATIENCE:
            return {"ms": 1000 * first, "first_s": first, "repeats": 1}
        wait(questions())
        times: list[float] = []
        for _ in range(repeats):
            start = time.perf_counter()
            wait(questions())
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
