"""Compiled functions that are traced once per machine instead of once per process.

XLA's persistent cache is consulted only after a function has been traced and lowered, which takes
seconds for a recursion over trees. Lowered functions are therefore cached too, in the same folder,
under a key of everything they depend on (docs/decisions/compiled-programs.md).
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import hashlib
import json
import os
import pkgutil
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable
from weakref import WeakSet

import jax
import jax.export
import jax.monitoring
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.stages import Lowered

from semipunct.arrays.compilation import LOWER_EVENT, compilation_folder, default_device, settings
from semipunct.arrays.memory import holds_memory, memory_maps, releasing_memory

# Functions that are faster to trace and lower are not cached on disk; as in XLA's cache.
_LEAST_SECONDS = 0.05

# Maximal number of compiled forms per function in memory.
_MOST_READY = 64

# Number of memory maps above which compiled forms are discarded.
_MOST_MAPS = 40_000

_PROGRAMS: WeakSet[Program] = WeakSet()


@runtime_checkable
class Fingerprinted(Protocol):
    """A static argument with a fingerprint; equal fingerprints imply equal programs."""

    @property
    def fingerprint(self) -> str:
        """A digest of everything its methods depend on."""
        ...


class _IndescribableError(Exception):
    """Equality of values does not guarantee equal programs."""


class _Lowered(NamedTuple):
    """A lowered function from flat list to flat list, and the structure of its result."""

    exported: jax.export.Exported
    structure: Any


@dataclasses.dataclass(slots=True)
class _Form:
    """A compiled form, None while a thread that holds the lock compiles it."""

    lock: Any = dataclasses.field(default_factory=Lock)
    run: Callable[..., Any] | None = None


def jit(function: Callable[..., Any], *, static: int = 0, donated: Sequence[int] = ()) -> Program:
    """Compile like ``jax.jit``, with options that suit batches of many small arrays.

    Args:
        function: at module level if it is to be cached; must not return random keys.
        static: number of leading static arguments.
        donated: indices of arguments whose buffers may be reused.
    """
    return Program(function, static, donated)


def forget_compiled() -> None:
    """Discard all compiled forms: training several models would exhaust the memory maps."""
    for program in list(_PROGRAMS):
        program.forget()
    jax.clear_caches()
    gc.collect()


class Program:
    """A function that is compiled for each new set of static arguments and array shapes.

    Functions and static arguments of other packages are compiled by ``jax.jit``, since changes of
    their code would not be detected.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        static: int,
        donated: Sequence[int],
    ) -> None:
        functools.update_wrapper(self, function)
        self._function, self._static, self._donated = function, static, tuple(donated)
        self._plain: dict[tuple[tuple[str, Any], ...], Callable[..., Any]] = {}
        self._ready: OrderedDict[Hashable, _Form] = OrderedDict()
        # Threads that score batches may request a program simultaneously.
        self._lock = Lock()
        _PROGRAMS.add(self)

    def __call__(self, *arguments: Any) -> Any:
        static, dynamic = arguments[: self._static], arguments[self._static :]
        leaves, structure = jax.tree.flatten(dynamic)
        # Within another trace the function is inlined.
        if any(isinstance(x, Tracer) for x in leaves):
            return self._function(*arguments)
        if any(isinstance(x, jax.Array) and len(x.devices()) > 1 for x in leaves):
            # Exported programs fix the sharding of arguments; jax.jit follows them.
            return compile_with_options(lambda options: self._jitted(options)(*arguments))
        try:
            described = tuple(map(_described, (self._function, *static)))
        except _IndescribableError:
            return compile_with_options(lambda options: self._jitted(options)(*arguments))
        # The key in memory, and the text of the file's key, to which the digest of the code is
        # added: within a process the code cannot change.
        home = default_device()
        key = (described, structure, tuple(_kind(x, home) for x in leaves), settings())
        with self._lock:
            form = self._ready.pop(key, None) or _Form()
            self._ready[key] = form
            if len(self._ready) > _MOST_READY:
                self._ready.popitem(last=False)
        # A lock per form: while one is compiled, which takes seconds, other threads may call or
        # compile other forms.
        with form.lock:
            is_new = form.run is None
            run = form.run = form.run or self._compiled(static, dynamic, str(key))
        returned = run(*self._divided(dynamic))
        # Every form maps code into memory, and Linux allows 65,530 maps by default. Discarded
        # programs are reloaded from disk.
        if is_new and memory_maps() > _MOST_MAPS:
            forget_compiled()
        return returned

    def forget(self) -> None:
        """Discard all compiled forms; the cache on disk keeps them."""
        with self._lock:
            self._ready.clear()

    def _jitted(self, options: dict[str, Any]) -> Callable[..., Any]:
        key = tuple(options.items())
        if key not in self._plain:
            self._plain[key] = jax.jit(
                self._function,
                static_argnums=tuple(range(self._static)),
                donate_argnums=self._donated,
                compiler_options=options,
            )
        return self._plain[key]

    def _compiled(
        self, static: Sequence[Any], dynamic: Sequence[Any], key: str
    ) -> Callable[..., Any]:
        # ``jax.jit`` would recompile the same shapes when results of programs replace host arrays.
        # Compilation is the memory peak of training, so tracing caches are cleared before it.
        whole = self._ready_to_compile(static, dynamic, key)
        if holds_memory():
            jax.clear_caches()
            gc.collect()
        with releasing_memory():
            return compile_with_options(lambda options: whole.compile(compiler_options=options))

    def _ready_to_compile(self, static: Sequence[Any], dynamic: Sequence[Any], key: str) -> Lowered:
        folder, path = compilation_folder(), None
        if folder and (code := code_digest()):
            digest = hashlib.sha256(f"{code} {key}".encode()).hexdigest()
            path = folder / f"{self._function.__name__}-{digest}.lowered"
        start = time.monotonic()
        lowered = _read(path) if path else None
        if lowered is None:
            lowered = self._lowered(static, dynamic)
            if path and time.monotonic() - start >= _LEAST_SECONDS:
                _write(path, lowered)
        jax.monitoring.record_event_duration_secs(LOWER_EVENT, time.monotonic() - start)
        exported, structure = lowered

        def call(donated: list[Any], undonated: list[Any]) -> Any:
            return jax.tree.unflatten(structure, exported.call(donated, undonated))

        call.__name__ = self._function.__name__  # shown in XLA's cache and profiles
        return jax.jit(call, donate_argnums=0).lower(*self._divided(dynamic))

    def _lowered(self, static: Sequence[Any], dynamic: Sequence[Any]) -> _Lowered:
        # An exported function takes flat lists of plain arrays, donated ones first; the inverse of
        # this permutation restores the order of the leaves.
        leaves, structure = jax.tree.flatten(dynamic)
        numbers = jax.tree.unflatten(structure, range(len(leaves)))
        places = np.argsort(np.concatenate([np.asarray(x, int) for x in self._divided(numbers)]))
        structures: list[Any] = []

        def flat(donated: list[Any], undonated: list[Any]) -> list[Any]:
            flat_arguments = [*donated, *undonated]
            whole = [_as_before(flat_arguments[i], x) for i, x in zip(places, leaves, strict=True)]
            returned = self._function(*static, *jax.tree.unflatten(structure, whole))
            # Only tracing reveals the structure of the result.
            structures.append(jax.tree.structure(returned))
            return jax.tree.leaves(returned)

        exported = jax.export.export(jax.jit(flat))(*self._divided(dynamic))
        return _Lowered(exported, structures[0])

    def _divided(self, dynamic: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Split arrays into donated and other ones."""
        donated: list[Any] = []
        undonated: list[Any] = []
        for number, argument in enumerate(dynamic, start=self._static):
            part = donated if number in self._donated else undonated
            part += map(_plain, jax.tree.leaves(argument))
        return donated, undonated


def _is_key(x: Any) -> bool:
    return isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.prng_key)


def _plain(x: Any) -> Any:
    """Convert a random key to raw data, since exported functions do not support key arrays."""
    return jax.random.key_data(x) if _is_key(x) else x


def _as_before(x: Any, key: Any) -> Any:
    """Invert ``_plain``."""
    return jax.random.wrap_key_data(x, impl=jax.random.key_impl(key)) if _is_key(key) else x


def _kind(x: Any, home: Any) -> Hashable:
    """Return the properties of an array that a compiled form depends on."""
    if isinstance(x, jax.Array):
        # Weak types promote differently, and a program is compiled for one device. Host arrays go
        # to the default device and share the form of arrays on it.
        elsewhere = None if x.device == home else x.device
        return x.shape, str(x.dtype), not _is_key(x) and x.weak_type, elsewhere
    if isinstance(x, np.ndarray | np.generic):
        return x.shape, str(x.dtype), False, None
    return type(x).__name__


def _described(value: Any) -> str:
    """Describe a static argument; equal descriptions imply equal programs."""
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if type(value) is tuple:
        return f"({', '.join(map(_described, cast(tuple[Any, ...], value)))})"
    # The name describes our functions and classes, whose code the digest covers. Local functions
    # may close over different values, so their name does not describe them.
    owner = value if hasattr(value, "__qualname__") else type(value)
    name = f"{owner.__module__}.{owner.__qualname__}"
    if owner.__module__.partition(".")[0] in OURS and "<locals>" not in name:
        if owner is value:
            return name
        if isinstance(value, Fingerprinted):
            return f"{name}:{value.fingerprint}"
        if dataclasses.is_dataclass(value):
            fields = (getattr(value, field.name) for field in dataclasses.fields(value))
            return f"{name}({', '.join(map(_described, fields))})"
    raise _IndescribableError(name)


def _read(path: Path) -> _Lowered | None:
    """Read a file written by ``_write``; None if it is missing or damaged."""
    try:
        structure, _, exported = zlib.decompress(path.read_bytes()).partition(b"\n")
        tree_structure = jax.tree.structure(_from_json(json.loads(structure)))
        return _Lowered(jax.export.deserialize(bytearray(exported)), tree_structure)
    except (OSError, zlib.error, ValueError, ImportError, AttributeError):
        return None


def _write(path: Path, lowered: _Lowered) -> None:
    leaves = range(lowered.structure.num_leaves)
    structure = json.dumps(_to_json(jax.tree.unflatten(lowered.structure, leaves)))
    # Renamed when complete, so that other processes read a whole file or none. Two processes may
    # both write it, with equal contents.
    temporary = path.with_suffix(f".{os.getpid()}")
    try:
        temporary.write_bytes(
            zlib.compress(b"\n".join((structure.encode(), lowered.exported.serialize())), 1)
        )
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _to_json(tree: Any) -> Any:
    """Convert a structure of dictionaries, tuples and named tuples to JSON."""
    if isinstance(tree, dict):
        return {name: _to_json(x) for name, x in cast(dict[str, Any], tree).items()}
    if isinstance(tree, tuple):
        items = [_to_json(x) for x in cast(tuple[Any, ...], tree)]
        kind = type(cast(object, tree))
        return [None if kind is tuple else f"{kind.__module__}:{kind.__qualname__}", *items]
    if tree is None or isinstance(tree, int):
        return tree
    raise TypeError(f"results of the type {type(tree).__name__} cannot be stored")


def _from_json(data: Any) -> Any:
    """Invert ``_to_json``."""
    if isinstance(data, dict):
        return {name: _from_json(x) for name, x in cast(dict[str, Any], data).items()}
    if isinstance(data, list):
        name, *items = cast(list[Any], data)
        values = map(_from_json, items)
        return pkgutil.resolve_name(name)(*values) if name else tuple(values)
    return data


T = TypeVar("T")

CHOSEN: dict[str, Any] = {
    # XLA delegates reductions to a library whose overhead dominates for small arrays; with XLA's
    # own loops the gradient of a batch takes half the time.
    "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT",
    # This reduces compilation time without slowing down training steps.
    "xla_backend_optimization_level": 1,
}

# The options neither set in the environment nor refused so far.
_OPTIONS = {
    name: value for name, value in CHOSEN.items() if name not in os.environ.get("XLA_FLAGS", "")
}


def compile_with_options(compile_with: Callable[[dict[str, Any]], T]) -> T:
    """Compile with the options, except those that the installed XLA refuses.

    Programs compute the same without an option, more slowly.
    """
    while True:
        try:
            return compile_with(dict(_OPTIONS))
        except jax.errors.JaxRuntimeError as error:
            refused = [name for name in _OPTIONS if name in str(error)]
            if not refused:
                raise
            for name in refused:
                _OPTIONS.pop(name, None)  # another thread may have removed it


# Packages whose functions and static arguments can be cached.
OURS = ("semipunct", "semirings")

# Packages that our traced functions call, and their requirements.
TRACED = ("absl", "jax", "jaxlib", "ml_dtypes", "numpy", "opt_einsum", "optax", "scipy")

_SUFFIXES = (".py", *EXTENSION_SUFFIXES)


@cache
def code_digest() -> str | None:
    """Return a SHA-256 digest of our sources and of the packages traced with them, or None."""
    # Our sources enter by content, so that copies of a version share programs. Files of other
    # packages enter by size and times: they are too large to read, and patched or editable
    # installations keep their version.
    digest = hashlib.sha256()
    try:
        for package in OURS:
            for name, path in _files(package):
                digest.update(f"{name} ".encode(errors="surrogateescape"))
                digest.update(_content(path))
        for package in TRACED:
            for name, path in _files(package):
                digest.update(f"{name} {_state(path)} ".encode(errors="surrogateescape"))
    except (OSError, ValueError):
        return None
    return digest.hexdigest()


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:  # a dangling link, such as an editor's lock
        return b""


def _state(path: str) -> str:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _files(package: str) -> list[tuple[str, str]]:
    """Return the sorted (name, path) of a package's files, without importing the package."""
    spec = find_spec(package)
    if spec is None:
        return []
    if spec.submodule_search_locations is None:
        return [(package, spec.origin)] if spec.origin else []
    return sorted(
        (f"{package}/{name}", path)
        for folder in spec.submodule_search_locations
        for name, path in _walk(folder, "")
    )


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    # pathlib takes five times as long as os.scandir.
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIXES):
                yield f"{prefix}{entry.name}", entry.path
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
