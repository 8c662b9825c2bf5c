"""The example of a third-party package: it is built, installed and used as by any user.

It is installed into a separate folder, without network, with the build backend of the test
environment. Python finds it on its path.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from semirings import laws
from tests.commands import run, sample_lines

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "docs" / "examples" / "semiring-plugin"
SHOWN = ("pyproject.toml", "src/semiring_bottleneck/__init__.py", "tests/test_bottleneck.py")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, where the build may leave files."""
    folder = tmp_path_factory.mktemp("package") / EXAMPLE.name
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def installed(package: Path) -> Path:
    """The folder in which the example is installed."""
    target = package.parent / "installed"
    # The same steps as for any user, but without downloads.
    alone = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", "-q", *alone, "--target", target, package]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an installed distribution whose module is missing."""
    folder = tmp_path_factory.mktemp("broken")
    metadata = folder / "semiring_lost-0.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: semiring-lost\nVersion: 0.2\n")
    (metadata / "entry_points.txt").write_text("[semirings]\nlost = semiring_lost:Lost\n")
    return folder


@pytest.fixture
def here(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example on the path of this process."""
    monkeypatch.syspath_prepend(installed)
    yield
    sys.modules.pop("semiring_bottleneck", None)


def python(*arguments: object, path: tuple[Path, ...], status: int = 0) -> str:
    """Run the interpreter with folders on its path, and return its output."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT)))}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_it_is_listed_and_a_broken_one_beside_it_is_named(installed: Path, broken: Path):
    listed = json.loads(
        python("-m", "semipunct", "semirings", "list", "--json", path=(installed, broken))
    )
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


MISSING = {
    "weight one", "large weights", "two features", "two factors", "shares", "marks",
    "in distribution",
}  # fmt: skip
"""Laws that the example does not claim."""


@pytest.mark.usefixtures("here")
def test_it_is_checked(monkeypatch: pytest.MonkeyPatch):
    """The tests of the example check all laws; here a few are enough."""
    few = {"selective", "select", "star", "plus commutative"}
    monkeypatch.setattr(laws, "check", partial(laws.check, only=few | MISSING))
    done = run("semirings", "check", "bottleneck", "--draws", 100, "--json")
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert report["ok"]
    assert (report["distribution"], report["draws"]) == ("semiring-bottleneck", 100)
    assert set(report["passed"]) == few
    assert set(report["not_claimed"]) == MISSING


@pytest.mark.usefixtures("here", "loaded_once")
def test_it_decodes(model: Path, tmp_path: Path):
    sentences = tmp_path / "in.conllu"
    sentences.write_text("".join(sample_lines()[140:148]), encoding="utf-8")
    done = run("decode", model, sentences, "--format", "json", "--semiring", "bottleneck")
    assert done.status == 0, done.err
    analyses = [json.loads(line) for line in done.out.splitlines()]
    assert len(analyses) == 8
    assert sum("log_joint" in analysis for analysis in analyses) >= 6


def test_a_broken_one_cannot_be_checked(broken: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(broken)
    done = run("semirings", "check", "lost")
    assert done.status == 1
    assert "the semiring 'lost' of semiring-lost 0.2 cannot be loaded" in done.message
