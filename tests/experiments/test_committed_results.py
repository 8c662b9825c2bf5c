"""Results stored by older programs can still be read, and are written with the same content."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from semipunct.evaluation.results import read_result

RESULTS = Path(__file__).resolve().parents[2] / "experiments" / "results" / "competitors"


@pytest.mark.parametrize("seed", ["2", pytest.param("[01]", marks=pytest.mark.exhaustive)])
def test_every_result_is_read_and_would_be_written_again(seed: str):
    paths = sorted(RESULTS.glob(f"*-{seed}.*.json.gz"))
    assert len(paths) >= 30
    for path in paths:
        stored: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
        again = read_result(path).as_dict()
        assert list(again) == list(stored)
        for key in again.keys() - {"corpus"}:
            assert json.dumps(again[key]) == json.dumps(stored[key]), path
        # Sums and exponentials may differ in the last digit between processors.
        assert flat(again["corpus"]) == pytest.approx(
            flat(stored["corpus"]), rel=1e-14, nan_ok=True
        )


def flat(figures: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Return the figures by path; their order in the file is of no importance."""
    result: dict[str, float] = {}
    for name, value in figures.items():
        if isinstance(value, dict):
            result |= flat(value, f"{prefix}{name}.")
        else:
            result[prefix + name] = math.nan if value is None else value
    return result
