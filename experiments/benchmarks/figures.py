"""Figures of benchmarks: the machine that they are of, printing and writing."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZE = 2048
"""Rows of the square matrices whose product tells how fast the machine is at the moment."""


def machine() -> dict[str, Any]:
    """Return the machine, and its speed now: numpy's product of two matrices of 32-bit numbers.

    On a machine that is shared, times of two runs compare by it.
    """
    matrix = np.ones((SIZE, SIZE), np.float32)
    seconds: list[float] = []
    for _ in range(15):
        began = time.perf_counter()
        matrix @ matrix
        seconds.append(time.perf_counter() - began)
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "gigaflops": round(2e-9 * SIZE**3 / statistics.median(seconds), 1),
    }


def report(figures: dict[str, Any], output: Path | None) -> None:
    """Print figures as JSON, and write them.

    Args:
        figures: the figures.
        output: the file to write, or None.
    """
    text = json.dumps(figures, indent=1)
    print(text)
    if output:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text + "\n", "utf-8")
