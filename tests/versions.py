"""Runs the suite with the oldest and the newest versions that pyproject.toml allows.

    python tests/versions.py [--only oldest|newest] [--list] [PYTEST ARGUMENT...]

Each row has an environment of its own in ``.venv-versions``, made with the interpreter of the row:
from the path, from pyenv, or by ``uv`` if it is installed. A row without an interpreter is skipped
and says so. The lowest versions are the lower bounds in pyproject.toml; pip chooses the newest.
``make test`` runs the versions of constraints.txt, which lie between.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".venv-versions"

_LOWER_BOUND = re.compile(r"\s*([\w.-]+)(?:\[[\w,-]*\])?\s*>=\s*([\w.]+)")


class Row(NamedTuple):
    """An environment.

    Attributes:
        name: of the row.
        python: the version of the interpreter, as in ``3.11``.
        lowest: whether requirements have their lowest versions, not their newest.
    """

    name: str
    python: str
    lowest: bool


ROWS = (Row("oldest", "3.11", True), Row("newest", "3.13", False))


def lower_bounds(project: dict[str, Any], extras: Iterable[str]) -> list[str]:
    """Return the lower bounds of requirements as exact versions, for a file of constraints.

    Args:
        project: the table ``project`` of pyproject.toml.
        extras: the names of optional groups to include.

    Raises:
        ValueError: for a requirement without a lower bound.
    """
    optional = project["optional-dependencies"]
    needed = [*project["dependencies"], *(r for extra in extras for r in optional[extra])]
    found: dict[str, str] = {}
    for requirement in needed:
        if requirement.startswith(f"{project['name']}["):
            continue  # another group of extras
        bound = _LOWER_BOUND.match(requirement)
        if not bound:
            raise ValueError(f"{requirement}: has no lower bound; give one in pyproject.toml")
        found[bound[1]] = bound[2]
    found["jaxlib"] = found["jax"]
    return [f"{name}=={version}" for name, version in found.items()]


def interpreter(version: str) -> list[str] | None:
    """Return the command that makes an environment with an interpreter, None if there is none."""
    candidates = [shutil.which(f"python{version}"), sys.executable]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates += sorted(map(str, pyenv.glob(f"{version}.*/bin/python")), reverse=True)
    for path in filter(None, candidates):
        done = subprocess.run([path, "-V"], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.startswith(f"Python {version}."):
            return [path, "-m", "venv"]
    if uv := shutil.which("uv"):
        done = subprocess.run([uv, "python", "install", version], check=False)
        if done.returncode == 0:
            return [uv, "venv", "--seed", "--python", version]
    return None


def install(row: Row, make: Sequence[str]) -> Path:
    """Make the environment of a row, unless it is there for the same pyproject.toml.

    Returns:
        Its interpreter.
    """
    folder = FOLDER / row.name
    python = folder / "bin" / "python"
    source = (ROOT / "pyproject.toml").read_bytes()
    stamp, digest = folder / ".installed", hashlib.sha256(source).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([*make, str(folder)], check=True)
    pip = [
        str(python),
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "-q",
        "-e",
        ".[test]",
    ]
    if row.lowest:
        project = tomllib.loads(source.decode())["project"]
        constraints = folder / "lowest.txt"
        constraints.write_text("\n".join(lower_bounds(project, ("test", "plots"))) + "\n")
        pip += ["-c", str(constraints)]
    subprocess.run(pip, cwd=ROOT, check=True)
    stamp.write_text(digest)
    return python


def main() -> None:
    """Run the rows one after the other, and fail if one of them does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=[row.name for row in ROWS])
    parser.add_argument("--list", action="store_true", help="print the versions, run nothing")
    arguments, rest = parser.parse_known_args()
    options = rest or ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    outcomes: list[str] = []
    failed = False
    for row in ROWS:
        if arguments.only not in (None, row.name):
            continue
        make = interpreter(row.python)
        if make is None:
            outcomes.append(
                f"{row.name}: skipped, there is no Python {row.python} on the path or from pyenv, "
                "and no uv to install it"
            )
            continue
        print(f"{row.name}: Python {row.python}", flush=True)
        python = install(row, make)
        versions = [str(python), "-m", "pip", "list", "--format", "freeze"]
        installed = subprocess.run(versions, cwd=ROOT, capture_output=True, text=True, check=True)
        shown = re.findall(r"^(?:jax|numpy|optax|typer|rich)==.*$", installed.stdout, re.M)
        if arguments.list:
            outcomes.append(f"{row.name}: Python {row.python}, {', '.join(shown)}")
            continue
        done = subprocess.run([str(python), "-m", "pytest", *options], cwd=ROOT, check=False)
        failed |= done.returncode != 0
        outcome = "failed" if done.returncode else "passed"
        outcomes.append(f"{row.name}: {outcome} (Python {row.python}, {', '.join(shown)})")
    print("\n".join(outcomes))
    sys.exit(failed)


if __name__ == "__main__":
    main()
