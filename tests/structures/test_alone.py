"""Structures and semirings require jax and numpy, and no other dependency of the project."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = {"jax", "numpy"}

SCRIPT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

absent = set(sys.argv[1:])
sys.meta_path.insert(0, Absent())

import jax
import jax.numpy as jnp

before = set(sys.modules)
import semipunct.structures
assert not any(name.startswith("semipunct.structures.") for name in sys.modules)
for name in semipunct.structures.__all__:
    getattr(semipunct.structures, name)
print(*sorted(set(sys.modules) - before))

import semipunct.arrays.compilation
import semipunct.structures.testing
import semirings
from semipunct.structures import Distribution, linear_chain

chains = Distribution(linear_chain(jnp.zeros((1, 3, 2)), jnp.zeros((2, 2))))
print(float(chains.log_partition()[0]), chains.sample_parts(jax.random.key(0), 5).emission.sum())
"""


def dependencies() -> set[str]:
    """Return the modules of the installed dependencies of semipunct."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = (re.match(r"[\w-]+", line) for line in project["dependencies"])
    return {name[0].replace("-", "_") for name in names if name}


def test_a_chain_needs_jax_and_numpy_alone():
    distributions = dependencies() - NEEDED
    assert {
        "conllu",
        "rapidfuzz",
        "typer",
        "rich",
        "scipy",
        "msgspec",
        "platformdirs",
    } < distributions
    command = [sys.executable, "-c", SCRIPT, *sorted(distributions)]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert finished.returncode == 0, finished.stderr
    modules, numbers = finished.stdout.splitlines()
    log_partition, positions = map(float, numbers.split())
    assert (round(log_partition, 4), positions) == (2.0794, 15)  # three positions of two states
    assert {m.split(".")[0] for m in modules.split()} <= {
        "semipunct", "semirings", "jax", "numpy", *sys.stdlib_module_names,
    }  # fmt: skip
    rooms = {m.split(".")[1] for m in modules.split() if m.startswith("semipunct.")}
    assert rooms == {"arrays", "errors", "installation", "lazy", "structures", "version", "wording"}
