"""The example of a third-party package is found by its entry point, and used as any semiring."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from semirings import laws
from tests.commands import run, sample_lines

EXAMPLE = Path(__file__).resolve().parents[1] / "docs" / "examples" / "semiring-plugin"


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example, and a distribution whose module is missing, on the path of this process."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["semirings"]
    for name, version, listed in (
        (project["name"], project["version"], points),
        ("semiring-lost", "0.2", {"lost": "semiring_lost:Lost"}),
    ):
        folder = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (folder / "METADATA").write_text(metadata)
        lines = "\n".join(f"{key} = {value}" for key, value in listed.items())
        (folder / "entry_points.txt").write_text(f"[semirings]\n{lines}\n")
    for place in (EXAMPLE / "src", tmp_path):
        monkeypatch.syspath_prepend(place)
    yield
    sys.modules.pop("semiring_bottleneck", None)


def test_it_is_listed_and_a_broken_one_beside_it_is_named():
    listed = json.loads(run("semirings", "list", "--json").out)
    found = {entry["name"]: entry for entry in listed["semirings"]}
    ours = found["bottleneck"]
    assert (ours["distribution"], ours["version"]) == ("semiring-bottleneck", "0.1.0")
    assert ours["loaded"]
    assert ours["properties"]["selective"]
    assert ours["properties"]["star"]
    assert list(ours["broken_laws"]) == ["weight one"]
    assert not found["lost"]["loaded"]
    assert "semiring_lost" in found["lost"]["fault"]
    assert found["viterbi"]["loaded"]
    done = run("semirings", "check", "lost")
    assert done.status == 1
    assert "the semiring 'lost' of semiring-lost 0.2 cannot be loaded" in done.message


def test_it_is_checked(monkeypatch: pytest.MonkeyPatch):
    few = {"selective", "select", "star", "plus commutative", "weight one"}
    monkeypatch.setattr(laws, "check", partial(laws.check, only=few))
    done = run("semirings", "check", "bottleneck", "--draws", 100, "--json")
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert report["ok"]
    assert (report["distribution"], report["draws"]) == ("semiring-bottleneck", 100)
    assert set(report["passed"]) == few - {"weight one"}
    assert set(report["not_claimed"]) == {"weight one"}


@pytest.mark.usefixtures("loaded_once")
def test_it_decodes(model: Path, tmp_path: Path):
    sentences = tmp_path / "in.conllu"
    sentences.write_text("".join(sample_lines()[140:148]), encoding="utf-8")
    done = run("decode", model, sentences, "--format", "json", "--semiring", "bottleneck")
    assert done.status == 0, done.err
    analyses = [json.loads(line) for line in done.out.splitlines()]
    assert len(analyses) == 8
    assert sum("log_joint" in analysis for analysis in analyses) >= 6
