"""Settings and fixtures for the whole test suite."""

import gc
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import wraps
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import platformdirs


def cache(name: str) -> str:
    """Return a folder that outlives the run, since compilation dominates the time of the suite."""
    folder = platformdirs.user_cache_path("semipunct") / "tests" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return tempfile.mkdtemp(prefix=f"semipunct-{name}-")
    if os.access(folder, os.W_OK):
        return str(folder)
    return tempfile.mkdtemp(prefix=f"semipunct-{name}-")


# Set before the first import of jax, and in the environment, so that commands started by tests
# share the cache; a folder chosen by the user is kept.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", cache("xla"))
# Where no byte code may be written beside the sources, as in many containers, each of these
# commands would compile all of them again.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ.setdefault("PYTHONPYCACHEPREFIX", cache("bytecode"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")
# The suite compiles much and computes little: disabling compiler optimisations halves its time.
# A flag that XLA does not know ends the process: the older loop emitters went with jaxlib 0.11.
_OLDER = "--xla_cpu_use_fusion_emitters=false " * version("jaxlib").startswith("0.10.")
os.environ.setdefault(
    "XLA_FLAGS",
    f"--xla_backend_optimization_level=0 {_OLDER}--xla_cpu_parallel_codegen_split_count=1",
)
# Tracing creates millions of objects: source locations of operations are not recorded for the
# compiler, and garbage collection is rare.
os.environ.setdefault("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0")
gc.set_threshold(200_000, 20, 50)

import jax  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

# A first example may compile for seconds, so deadlines and "too slow" checks are meaningless.
COMPILES = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fast", max_examples=25, derandomize=True, **COMPILES)
settings.register_profile("thorough", max_examples=200, print_blob=True, **COMPILES)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

pytest_plugins = ("tests.trained", "tests.planted")

ROOT = Path(__file__).resolve().parents[1]


MAPS = 12_000
"""Number of memory maps above which compiled code is released: about 2 GiB of it."""


_ENDED = count(1)


@pytest.fixture(autouse=True)
def _maps_are_few() -> Iterator[None]:
    """Limit the memory of compiled code, and its memory maps, of which Linux allows 65,530.

    The maps are counted after a few tests, since that takes milliseconds.
    """
    yield
    if next(_ENDED) % 8:
        return
    maps = Path("/proc/self/maps")
    if maps.exists() and maps.read_bytes().count(b"\n") > MAPS:
        jax.clear_caches()


@pytest.fixture(scope="session", autouse=True)
def _compilation_is_not_announced() -> Iterator[None]:
    """Keep messages of commands independent of what was compiled before, and of other load."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("semipunct.cli.phases.PATIENCE", 1e6)
        yield


@pytest.fixture(scope="session", autouse=True)
def _memory_is_not_held() -> Iterator[None]:
    """Prevent training commands from changing a setting of the process, which would persist.

    With it, each compilation discards all traced functions, of which tests have many.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("semipunct.arrays.memory.hold_memory", lambda: False)
        yield


SLOWEST = ("test_conformance.py", "test_laws_kit.py")
"""Files of minutes, which would delay the end of a parallel run if they began late."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the slowest files."""
    items.sort(key=lambda item: item.path.name not in SLOWEST)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of treebanks (`en`, `zh`, ...) beside the repository; skips if missing."""
    folder = ROOT.parent / "shared" / "data" / "ud-1.4"
    if not folder.is_dir():
        pytest.skip("the UD 1.4 treebanks are not at ../shared/data/ud-1.4 beside the repository")
    return folder


@pytest.fixture(scope="session")
def penn_sample() -> Path:
    """The folder of the Penn Treebank sample beside the repository; skips if missing."""
    folder = ROOT.parent / "shared" / "data" / "ptb-sample"
    if not folder.is_dir():
        pytest.skip("the Penn Treebank sample is not at ../shared/data/ptb-sample")
    return folder


@pytest.fixture(scope="session")
def loaded_once() -> Iterator[None]:
    """Return the same objects when a folder or its copy is loaded again: they are compiled once."""
    from semipunct.store import checkpoint
    from semipunct.store.installed import folder_of

    load, loaded = checkpoint.load, dict[Any, checkpoint.SavedModel]()

    @wraps(load)
    def load_once(folder: str | Path, expected: type | None = None) -> checkpoint.SavedModel:
        files = tuple(
            sorted(
                (p.name, p.stat().st_mtime_ns) for p in folder_of(folder).glob("*") if p.exists()
            )
        )
        if not files:
            return load(folder, expected)
        if files not in loaded:
            loaded[files] = load(folder)
        found, place = loaded[files], folder_of(folder)
        if expected is not None and not isinstance(found.model, expected):
            return load(folder, expected)
        # The model of a copy is the same object, in another folder.
        return found if found.path == place else replace(found, path=place)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "load", load_once)
        yield


@pytest.fixture
def strict_numerics():
    """Within the test, implicit promotion of dtypes or ranks raises an error."""
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


@pytest.fixture
def x64():
    """Use 64-bit numbers within the test, for comparisons with the oracle."""
    with jax.enable_x64(True):
        yield
