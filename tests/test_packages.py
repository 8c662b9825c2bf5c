"""The distributions in packages/: their models load, and they say what they were trained on."""

import re
import tomllib
from pathlib import Path

import pytest

from semipunct.store import checkpoint
from semipunct.store.folder import CARD, STATE, model_folders
from semipunct.store.installed import LANGUAGE_DISTRIBUTIONS
from semipunct.version import __version__

PACKAGES = Path(__file__).resolve().parents[1] / "packages"

LARGEST = {"en": 12_000_000, "es": 6_000_000, "zh": 6_000_000}
"""Bytes of the models of a package, before compression in the wheel."""

PARTS = {"en": {"parser", "punctuation", "tokeniser"}, "es": {"text"}, "zh": {"text"}}


@pytest.mark.parametrize("name", LARGEST)
def test_a_package_has_the_parts_of_its_name(name: str):
    project = tomllib.loads((PACKAGES / name / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == LANGUAGE_DISTRIBUTIONS[name] == f"semipunct-{name}"
    assert project["version"] == __version__
    assert project["license"] == "CC-BY-SA-4.0"
    package = project["entry-points"]["semipunct.models"][name]
    folders = model_folders(PACKAGES / name / package)
    assert {folder.name for folder in folders} == PARTS[name]
    readme = (PACKAGES / name / "README.md").read_text("utf-8")
    for folder in folders:
        files = {path.name for path in folder.iterdir()}
        assert STATE not in files
        model = checkpoint.load(folder)  # with checksums
        assert model.model.kind == folder.name
        card = (folder / CARD).read_text("utf-8")
        assert "## Packed" in card
        assert not re.search(r"(?<![\w.])/\w", card), "a card names files of one machine"
        if folder.name == "text":  # the README names each file with its licence
            for file in re.findall(r"^\| training \| `(\w+)\.train", card, re.M):
                assert f"| `{file}` |" in readme


@pytest.mark.parametrize("name", LARGEST)
def test_a_package_is_small(name: str):
    package = PACKAGES / name / f"semipunct_{name}"
    assert sum(path.stat().st_size for path in package.rglob("*/*")) <= LARGEST[name]
