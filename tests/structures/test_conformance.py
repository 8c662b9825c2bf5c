"""Every structure agrees with the enumeration of its derivations in every check.

A new structure requires one line in `tests.structures.cases.CASES`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from semipunct.structures import Distribution
from semipunct.structures.testing import CHECKS, check
from semirings import Log, Real
from tests.structures.cases import CASES, Known

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_conformance(case: Known):
    check(replace(case))  # a copy, whose arrays are not kept


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_enumerations_are_as_long_as_they_should(case: Known):
    for item, length in enumerate(case.lengths):
        if length < 9:  # Longer ones are sparse.
            assert len(case.events(item)[0]) == case.count(length)


PROGRAM = """
from semipunct.structures.testing import check
from tests.structures.cases import CASES
check(CASES[0], ["devices", "sharded"])
"""


def test_two_devices_in_a_process_of_their_own():
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("base", [Log(), Real()], ids=lambda base: base.name)
def test_a_best_needs_a_semiring_with_winners(base: Any):
    d = Distribution(CASES[0].build())
    for ask in (lambda: d.argmax_parts(base), lambda: d.top_k_parts(2, base)):
        with pytest.raises(TypeError, match=r"not selective.*viterbi"):
            ask()


def test_the_example_of_the_page_is_a_structure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "examples" / "alignments")
    example = import_module("test_alignments")
    try:
        check(example.CASE)
    finally:
        for name in ("test_alignments", "alignments"):
            sys.modules.pop(name, None)


def test_the_page_shows_the_example_and_describes_every_check():
    page = (ROOT / "docs" / "extending" / "structure.md").read_text("utf-8")
    assert (ROOT / "docs" / "examples" / "alignments" / "alignments.py").read_text("utf-8") in page
    (table,) = re.findall(r"(?m)^\| Checks \|.*\n\| --- .*\n((?:\|.*\n)+)", page)
    first = [line.split(" | ")[0] for line in table.splitlines()]
    assert sorted(x for cell in first for x in re.findall("`(.+?)`", cell)) == sorted(CHECKS)
