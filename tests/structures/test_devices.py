"""Structures under ``jax.shard_map`` with two devices, which need a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.structures.cases import CASES

PROGRAM = """
import sys
from semipunct.structures.testing import check
from tests.structures.cases import CASES
for case in CASES:
    if case.name in sys.argv[1:]:
        check(case, ["devices", "vmap", "sharded"])
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name",
    [pytest.param(x.name, marks=() if x == CASES[0] else pytest.mark.exhaustive) for x in CASES],
)
def test_two_devices(name: str):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, name],
        env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
