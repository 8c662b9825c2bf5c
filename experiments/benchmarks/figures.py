"""Benchmark figures: description of the machine, printing and writing."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

SIZE = 2048
"""Rows of the matrices whose product measures the current speed of the machine."""


def machine() -> dict[str, Any]:
    """Describe the machine and its current speed, measured by a float32 matrix product."""
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


def process_status(entry: str, process: int | str = "self") -> float:
    """Return an entry of a Linux process status, such as ``VmRSS``, in MiB; 0 after its end."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(f"{entry}:")) / 1024


def use_device(platform: str | None) -> dict[str, str]:
    """Compute on a platform, such as ``cuda``, from now on; describe the device."""
    import jax

    if platform:
        jax.config.update("jax_platforms", "cuda,cpu" if platform == "gpu" else platform)
    try:
        device = jax.devices()[0]
    except (RuntimeError, AssertionError) as error:  # the latter if a plugin is missing
        raise SystemExit(f"no device of the platform {platform} {error}".rstrip()) from error
    return {"platform": device.platform, "kind": device.device_kind}


def report(name: str, figures: Mapping[str, Any], output: Path | None) -> None:
    """Print figures as JSON with command and commit, and optionally add them to a file by name."""
    entry = {"command": " ".join(sys.argv), "commit": commit(), **figures}
    print(json.dumps(entry, indent=1, ensure_ascii=False))
    if output:
        table = json.loads(output.read_text("utf-8")) if output.exists() else {}
        table[name] = entry
        output.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(table, indent=1, ensure_ascii=False, allow_nan=False)
        output.write_text(text + "\n", "utf-8")


def commit() -> str:
    """Return the commit of the repository, empty outside of one."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()
