"""Planted faults: where they are planted, and whether tests that find them are named."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

MODULE = '''"""A module."""


def larger(a: int, b: int = 3) -> int:
    """Return one of two, 7 times."""
    if a > b:
        return a + 1
    raise ValueError(f"{a - b} is not enough")
'''
TEST = "from semipunct.a import larger\n\n\ndef test_larger():\n    assert larger(4, 3) == 5\n"


@pytest.fixture
def mutants(
    driver: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    module = driver("mutants")
    files = {"semipunct/__init__.py": "", "semipunct/a.py": MODULE, "tests/test_a.py": TEST}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_faults_are_in_code_only(mutants: ModuleType, tmp_path: Path):
    source = mutants.Source(tmp_path / "semipunct" / "a.py")
    ((name, function),) = source.functions()
    changes = {(fault.before, fault.after) for fault in source.faults(name, function)}
    assert changes == {("a > b", "(not (a > b))"), (">", ">="), ("+", "-"), ("1", "2")}


def test_a_fault_is_found_by_the_test_of_its_module(mutants: ModuleType, tmp_path: Path):
    (fault,) = mutants.plant(1)
    assert mutants.tests_of(fault) == ["tests/test_a.py"]
    assert mutants.failing(tmp_path, ["tests/test_a.py"]) == ""
    found = {mutants.check(fault._replace(start=start, end=start + len(before), before=before,
                                          after=after), tmp_path)
             for before, after in (("+", "-"), (">", ">="))
             for start in [MODULE.encode().rindex(f"a {before} ".encode()) + 2]}  # fmt: skip
    assert found == {"tests/test_a.py::test_larger", ""}
    assert (tmp_path / "semipunct" / "a.py").read_text("utf-8") == MODULE
