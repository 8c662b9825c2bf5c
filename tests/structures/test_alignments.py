"""Alignments, the example of a third-party structure, pass the shipped conformance suite."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from semipunct.structures.testing import CHECKS, check
from tests.structures.test_conformance import MOST

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "alignments"
NAMES = [pytest.param(x, marks=() if x in MOST else pytest.mark.exhaustive) for x in CHECKS]


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    """The test module of the example."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLE)
        yield import_module("test_alignments")
    for name in ("test_alignments", "alignments"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", NAMES)
def test_alignments(example: Any, name: str):
    check(example.CASE, [name])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CHECKS)
def test_alignments_in_double_precision(x64: None, example: Any, name: str):
    check(example.CASE, [name])


def test_its_own_tests_are_one_for_each_check(example: Any):
    (mark,) = example.test_alignments.pytestmark
    assert list(mark.args[1]) == list(CHECKS)


def test_there_are_as_many_paths_as_delannoy_counted_and_few_of_the_last(example: Any):
    assert [len(list(example.derivations(item))) for item in range(5)] == [1, 5, 7, 25, 81]


def test_the_page_describes_every_check():
    page = (ROOT / "docs" / "extending" / "structure.md").read_text("utf-8")
    (table,) = re.findall(r"(?m)^\| Checks \|.*\n\| --- .*\n((?:\|.*\n)+)", page)
    first = [line.split(" | ")[0] for line in table.splitlines()]
    assert sorted(x for cell in first for x in re.findall("`(.+?)`", cell)) == sorted(CHECKS)


@pytest.mark.parametrize("file", ["alignments.py", "test_alignments.py"])
def test_the_page_shows_the_example(file: str):
    page = (ROOT / "docs" / "extending" / "structure.md").read_text("utf-8")
    assert (EXAMPLE / file).read_text("utf-8") in page
