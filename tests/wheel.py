"""Builds the wheel, checks what is in it, and runs a command from an empty environment.

    python tests/wheel.py [PIP OPTION...]

The environment is a temporary folder and knows nothing of the repository, so that a file that the
wheel lacks cannot come from there. Options go to ``pip install``, as ``-c constraints.txt``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("semipunct", "semirings")

WORDS = "where is the station i have lost my map and nobody here speaks english\n"
TEXT = "Where is the station? I have lost my map, and nobody here speaks English.\n"


def sources(root: Path) -> set[str]:
    """Return the files of the packages, as they should be named in a wheel.

    Args:
        root: the folder that holds the packages.
    """
    return {
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def complaints(names: Iterable[str], expected: set[str]) -> list[str]:
    """Say what a wheel lacks, and what it should not have.

    Args:
        names: the files in the wheel.
        expected: the files of the packages.
    """
    metadata = {name for name in names if ".dist-info/" in name}
    rest = set(names) - metadata
    found = [f"the wheel lacks {name}" for name in sorted(expected - rest)]
    found += [
        f"the wheel has {name}, which is no file of a package" for name in sorted(rest - expected)
    ]
    for needed in ("METADATA", "entry_points.txt", "licenses/LICENSE"):
        if not any(name.endswith(f".dist-info/{needed}") for name in metadata):
            found.append(f"the wheel lacks {needed} in its metadata")
    return found


def run(arguments: Sequence[str | Path], folder: Path, stdin: str = "") -> str:
    """Run a program in a folder and return its output; on failure print what it said and exit."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        list(arguments), cwd=folder, env=environment, input=stdin, capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Build, check, install and run."""
    options = [
        f"{ROOT / option}" if (ROOT / option).is_file() else option for option in sys.argv[1:]
    ]
    pip = ("-m", "pip", "--disable-pip-version-check", "-q")
    with tempfile.TemporaryDirectory(prefix="semipunct-wheel-") as name:
        folder = Path(name)
        run([sys.executable, *pip, "wheel", "--no-deps", "-w", folder, ROOT], folder)
        (wheel,) = folder.glob("*.whl")
        if wrong := complaints(zipfile.ZipFile(wheel).namelist(), sources(ROOT)):
            sys.exit("\n".join(wrong))
        venv.create(folder / "empty", with_pip=True)
        python = folder / "empty" / "bin" / "python"
        run([python, *pip, "install", *options, wheel], folder)
        printed = run([python, "-m", "semipunct", "restore", "en", "-"], folder, WORDS)
        if printed != TEXT:
            sys.exit(f"semipunct restore en - printed {printed!r}, not {TEXT!r}")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, complete, installed and run")


if __name__ == "__main__":
    main()
