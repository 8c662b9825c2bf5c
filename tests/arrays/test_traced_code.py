"""The key of stored programs: all code that is traced, also where its version does not change."""

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

from semipunct.arrays import programs

ROOT = Path(__file__).resolve().parents[2]

# The rooms with functions of arrays.
ROOMS = ("arrays", "features", "models", "search", "structures", "training")
# What they import for other purposes: the types of settings, and the place of the cache.
NOT_TRACED = {"msgspec", "platformdirs", "safetensors", "typing_extensions"}


def imported() -> set[str]:
    """Return the packages of others that the rooms with functions of arrays import."""
    folders = [ROOT / "semirings", *(ROOT / "semipunct" / room for room in ROOMS)]
    packages: set[str] = set()
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                packages |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                packages.add(node.module.split(".")[0])
    return packages - {*sys.stdlib_module_names, *programs.OURS}


def required(distribution: str) -> set[str]:
    """Return a distribution with all that it requires, without extras."""
    required_packages, pending = set[str](), {distribution}
    while pending:
        required_packages |= pending
        requirements = (text for name in pending for text in metadata.requires(name) or ())
        names = (re.match(r"[\w.-]+", text) for text in requirements if "extra ==" not in text)
        pending = {name[0].lower().replace("_", "-") for name in names if name} - required_packages
    return required_packages


def test_everything_that_is_traced_is_in_the_key():
    assert imported() - NOT_TRACED <= set(programs.TRACED)
    packages = metadata.packages_distributions()
    listed = {
        name.lower().replace("_", "-") for p in programs.TRACED for name in packages.get(p, ())
    }
    assert required("optax") | required("jax") <= listed


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that is the only traced one."""
    folder = tmp_path / "pretended_package"
    (folder / "inner" / "__pycache__").mkdir(parents=True)
    (folder / "__init__.py").write_text("__version__ = '1.0'\n")
    (folder / "inner" / "steps.py").write_text("RATE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(programs, "OURS", ())
    monkeypatch.setattr(programs, "TRACED", ("pretended_package", "a_package_that_is_missing"))
    return folder


def digest() -> str | None:
    return programs.code_digest.__wrapped__()


def test_a_patch_is_seen_by_every_trace_that_it_leaves(package: Path):
    before = digest()
    steps = package / "inner" / "steps.py"
    (package / "inner" / "__pycache__" / "steps.py").write_text("")
    (package / "notes.txt").write_text("no code")
    assert digest() == before
    status = steps.stat()
    # As long as before, and with the times of before.
    steps.write_text("RATE = 0\n")
    os.utime(steps, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (steps.stat().st_size, steps.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    patched = digest()
    assert patched != before
    (package / "inner" / "more.py").write_text("")
    assert len({before, patched, digest()}) == 3


def test_a_package_in_another_place_is_another(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before = digest()
    shutil.copytree(package, tmp_path / "first" / package.name)
    monkeypatch.syspath_prepend(tmp_path / "first")
    assert digest() != before


def test_a_link_to_nothing_is_no_fault(package: Path):
    """Editors lock files by such links."""
    before = digest()
    (package / ".#steps.py").symlink_to("someone@somewhere.42")
    assert digest() not in (before, None)


def test_code_in_an_archive_has_no_digest(package: Path, monkeypatch: pytest.MonkeyPatch):
    shutil.make_archive(str(package.parent / "archive"), "zip", package.parent, package.name)
    shutil.rmtree(package)
    monkeypatch.syspath_prepend(package.parent / "archive.zip")
    assert digest() is None


def test_our_own_sources_count_by_content(package: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(programs, "OURS", ("pretended_package",))
    monkeypatch.setattr(programs, "TRACED", ())
    before = digest()
    steps = package / "inner" / "steps.py"
    os.utime(steps, (0, 0))
    assert digest() == before
    steps.write_text("RATE = 0\n")
    assert digest() != before


# One step of the program that training compiles, with the optimiser of networks.
STEP = """
import sys
import jax.numpy as jnp
from semipunct.arrays import compilation, programs
from semipunct.models.kind import NetworkTrainOptions
from semipunct.models.optimisation import clipped_adamw
from semipunct.training import step

class Network:
    fingerprint = "a"
    def optimiser(self, options, steps, slots):
        print("traced", file=sys.stderr)
        return clipped_adamw(options, steps)

Network.__module__ = "semipunct.made_up"
programs._LEAST_SECONDS = 0.0
recipe = step.Recipe(Network(), NetworkTrainOptions(learning_rate=0.5, weight_decay=0.0), 9, 1.0)
weights = {"w": jnp.ones(2)}
state = recipe.optimiser().init(weights)
print("step", file=sys.stderr)
moved, _, _ = step._update(recipe, weights, state, {"w": jnp.ones(2)}, jnp.zeros(()))
print([round(float(x), 3) for x in moved["w"]])
"""

PATCH = """
_true_adamw = adamw

def adamw(*args, **settings):
    true = _true_adamw(*args, **settings)

    def update(gradients, state, parameters=None):
        updates, state = true.update(gradients, state, parameters)
        return {name: 0 * update for name, update in updates.items()}, state

    return GradientTransformation(true.init, update)
"""


def test_a_patched_optax_is_not_answered_from_a_warm_cache(tmp_path: Path):
    """The patch changes neither the version nor the structure of the state."""

    def run(*first: Path) -> tuple[str, bool]:
        environment = {
            **os.environ,
            "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "cache"),
            "PYTHONPATH": os.pathsep.join(map(str, (*first, ROOT))),
        }
        finished = subprocess.run(
            [sys.executable, "-c", STEP], env=environment, capture_output=True, text=True
        )
        assert finished.returncode == 0, finished.stderr
        return finished.stdout.strip(), "traced" in finished.stderr.split("step\n")[1]

    assert run() == ("[0.5, 0.5]", True)
    assert run() == ("[0.5, 0.5]", False)
    spec = find_spec("optax")
    assert spec is not None
    assert spec.origin is not None
    copy = tmp_path / "patched" / "optax"
    shutil.copytree(Path(spec.origin).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / "__init__.py").open("a") as file:
        file.write(PATCH)
    assert run(copy.parent) == ("[1.0, 1.0]", True)
