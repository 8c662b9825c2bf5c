"""The versions that the suite is run with are those that pyproject.toml allows."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import versions

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def requirements() -> list[Requirement]:
    optional = PROJECT["optional-dependencies"]
    found = map(Requirement, (*PROJECT["dependencies"], *optional["test"], *optional["plots"]))
    return [requirement for requirement in found if requirement.name != "semipunct"]


def test_the_oldest_versions_are_allowed():
    lowest = dict(line.split("==") for line in versions.lower_bounds(PROJECT, ("test", "plots")))
    assert lowest.pop("jaxlib") == lowest["jax"]
    assert set(lowest) == {requirement.name for requirement in requirements()}
    for requirement in requirements():
        assert requirement.specifier.contains(lowest[requirement.name])


def test_a_requirement_without_a_lower_bound():
    project = {"name": "some", "dependencies": ["other<2"], "optional-dependencies": {}}
    with pytest.raises(ValueError, match="other<2: has no lower bound"):
        versions.lower_bounds(project, ())


def test_the_pinned_versions_are_allowed():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = dict(line.lower().replace("_", "-").split("==") for line in lines if "==" in line)
    for requirement in requirements():
        assert requirement.specifier.contains(pinned[requirement.name.lower()])


def test_an_interpreter_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert versions.interpreter("3.99") is None
    running = ".".join(map(str, versions.sys.version_info[:2]))
    assert versions.interpreter(running) == [versions.sys.executable, "-m", "venv"]


def test_the_pythons_are_those_of_the_contributors_page():
    named = {row.python for row in versions.ROWS}
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert named <= set(re.findall(r"Python (3\.\d+)", page))
    classified = {text.rpartition(" :: ")[2] for text in PROJECT["classifiers"]}
    assert named <= classified
