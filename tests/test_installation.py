"""Another distribution has a package ``semirings``: it is found out at the first import."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import semirings
from semipunct import installation

ROOT = Path(__file__).resolve().parents[1]
# As the interpreter sees itself, with a path that has no dots in it.
EXECUTABLE = os.path.abspath(sys.executable)
FOREIGN = "from semirings.base import Chart\nimport arsenal\n"


def python(*arguments: str, path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the interpreter with a folder at the beginning of its path."""
    environment = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=cwd, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A copy of both packages, as installed from a wheel."""
    folder = tmp_path / "lib" / "site-packages"
    for package in ("semipunct", "semirings"):
        copied = shutil.ignore_patterns("__pycache__", "data")
        shutil.copytree(ROOT / package, folder / package, ignore=copied)
    return folder


def test_our_package_has_the_marker():
    installation.check_semirings()
    assert semirings.__distribution__ == "semipunct"


@pytest.mark.parametrize(
    "arguments",
    [("-c", "import semipunct"), ("-m", "semipunct", "--version"), ("-c", "import semipunct.cli")],
    ids=["package", "command", "module"],
)
def test_an_overwritten_package_is_one_line(site: Path, tmp_path: Path, arguments: tuple[str, ...]):
    assert python(*arguments, path=site, cwd=tmp_path).returncode == 0
    (site / "semirings" / "__init__.py").write_text(FOREIGN)
    done = python(*arguments, path=site, cwd=tmp_path)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert line.startswith(f"error: {site}/semirings/__init__.py is not the package semirings that")
    assert "another distribution has overwritten it" in line
    assert f"run: {EXECUTABLE} -m pip uninstall -y semirings && {EXECUTABLE} -m pip" in line
    assert " install --force-reinstall --no-deps " in line


def test_what_is_left_after_the_other_distribution_was_removed(site: Path, tmp_path: Path):
    (site / "semirings" / "__init__.py").unlink()
    # The sources of the project are not to stand in for it.
    done = python("-S", "-c", "import semipunct", path=site, cwd=tmp_path)
    (line,) = done.stderr.splitlines()
    assert "is missing; run: " in line
    assert "pip install --force-reinstall" in line


def test_a_package_that_hides_ours(site: Path, tmp_path: Path):
    other = tmp_path / "other" / "site-packages"
    (other / "semirings").mkdir(parents=True)
    (other / "semirings" / "__init__.py").write_text(FOREIGN)
    path = Path(f"{other}{os.pathsep}{site}")
    done = python("-c", "import semipunct", path=path, cwd=tmp_path)
    assert done.stderr.endswith(f"hides it; run: {EXECUTABLE} -m pip uninstall -y semirings\n")
    (tmp_path / "semirings.py").write_text("x = 1\n")
    done = python("-c", "import semipunct", path=site, cwd=tmp_path)
    assert done.stderr.startswith(f"error: {tmp_path}/semirings.py is not the package")
    assert done.stderr.endswith("and hides it; rename or move it\n")


def test_programs_can_handle_it(site: Path, tmp_path: Path):
    (site / "semirings" / "__init__.py").write_text(FOREIGN)
    program = (
        "try:\n    import semipunct\nexcept ImportError as error:\n    print(error)\n"
        "raise KeyError('other')"
    )
    done = python("-c", program, path=site, cwd=tmp_path)
    assert "has overwritten it" in done.stdout
    assert "Traceback" in done.stderr  # other errors are shown as ever
