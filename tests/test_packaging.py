"""What is distributed: the versions allowed, the wheel's files, the packages of models."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from semipunct.store import checkpoint
from semipunct.store.folder import CARD, STATE, model_folders
from semipunct.store.installed import LANGUAGE_DISTRIBUTIONS
from semipunct.version import __version__
from tests import versions, wheel

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# The parts of each package, and the bytes of its models before compression in the wheel.
PARTS = {"en": {"parser", "punctuation", "tokeniser"}, "es": {"text"}, "zh": {"text"}}
LARGEST = {"en": 12_000_000, "es": 6_000_000, "zh": 6_000_000}


def requirements() -> list[Requirement]:
    optional = PROJECT["optional-dependencies"]
    found = map(Requirement, (*PROJECT["dependencies"], *optional["test"], *optional["plots"]))
    return [requirement for requirement in found if requirement.name != "semipunct"]


def test_the_oldest_and_the_pinned_versions_are_allowed():
    lowest = dict(line.split("==") for line in versions.lower_bounds(PROJECT, ("test", "plots")))
    assert lowest.pop("jaxlib") == lowest["jax"]
    assert set(lowest) == {requirement.name for requirement in requirements()}
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = dict(line.lower().replace("_", "-").split("==") for line in lines if "==" in line)
    for requirement in requirements():
        assert requirement.specifier.contains(lowest[requirement.name])
        assert requirement.specifier.contains(pinned[requirement.name.lower()])


def test_a_requirement_without_a_lower_bound():
    project = {"name": "some", "dependencies": ["other<2"], "optional-dependencies": {}}
    with pytest.raises(ValueError, match="other<2: has no lower bound"):
        versions.lower_bounds(project, ())


def test_the_wheel_has_all_files_of_the_packages_and_no_others():
    expected = wheel.sources(ROOT)
    assert {"semirings/py.typed", "semipunct/data/en/text/model.safetensors"} <= expected
    metadata = ("METADATA", "entry_points.txt", "licenses/LICENSE")
    named = [f"semipunct-1.dist-info/{name}" for name in metadata]
    assert wheel.complaints([*expected, *named], expected) == []
    assert wheel.complaints(["semipunct/a.py", "tests/b.py", *named[:2]], {"semipunct/c.toml"}) == [
        "the wheel lacks semipunct/c.toml",
        "the wheel has semipunct/a.py, which is no file of a package",
        "the wheel has tests/b.py, which is no file of a package",
        "the wheel lacks licenses/LICENSE in its metadata",
    ]


@pytest.mark.parametrize("name", PARTS)
def test_a_package_has_the_parts_of_its_name(name: str):
    folder = ROOT / "packages" / name
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == LANGUAGE_DISTRIBUTIONS[name] == f"semipunct-{name}"
    assert project["version"] == __version__
    assert project["license"] == "CC-BY-SA-4.0"
    parts = model_folders(folder / project["entry-points"]["semipunct.models"][name])
    assert {part.name for part in parts} == PARTS[name]
    readme = (folder / "README.md").read_text("utf-8")
    for part in parts:
        assert not (part / STATE).exists()
        assert checkpoint.load(part).model.kind == part.name  # with checksums
        card = (part / CARD).read_text("utf-8")
        assert "## Packed" in card
        assert not re.search(r"(?<![\w.])/\w", card), "a card names files of one machine"
        if part.name == "text":  # the README names each file with its licence
            for file in re.findall(r"^\| training \| `(\w+)\.train", card, re.M):
                assert f"| `{file}` |" in readme
    package = folder / f"semipunct_{name}"
    assert sum(path.stat().st_size for path in package.rglob("*/*")) <= LARGEST[name]
