"""Compiled functions that are traced once per machine instead of once per process.

XLA's persistent cache avoids recompiling a function, but it is consulted only after the function
has been traced and lowered, which takes seconds for a recursion over trees. The lowered functions
are therefore cached as well, in the same folder. Their key includes everything they depend on: the
code that is traced, ours and that of other packages, the contents of static arguments, and the
shapes and dtypes of arrays.

Of the code, our own sources count by content, so that copies of one version share cached programs.
The packages that our functions call while they are traced are too large to read at the start of a
command, so their files count by size and times. Versions are not enough, because the code of an
editable or patched installation changes without them; the time of the last change of the inode is
included because patches may preserve the size and the time of modification.

Options of XLA come and go between versions, some without notice. One that the installed version
refuses is left out for the rest of the process: programs compute the same without it, only slower.
The range of versions, and how it is tested, is in docs/decisions/compiled-programs.md.

Decisions, costs and what was tried instead: docs/decisions/compiled-programs.md.
The option with which programs are compiled: docs/decisions/recursions.md.
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

_LEAST_SECONDS = 0.05
"""Functions that take less to trace and lower are not cached on disk; as in XLA's cache."""

_MOST_READY = 64
"""The maximal number of compiled forms of one function kept in memory."""

_MOST_MAPS = 40_000
"""The number of memory maps of the process from which compiled forms are no longer kept."""

_PROGRAMS: WeakSet[Program] = WeakSet()


@runtime_checkable
class Fingerprinted(Protocol):
    """A static argument with a fingerprint: equal fingerprints imply equal programs."""

    @property
    def fingerprint(self) -> str:
        """A digest of everything that its methods depend on."""
        ...


class _IndescribableError(Exception):
    """Raised for a value for which equality does not guarantee the same program."""


class _Lowered(NamedTuple):
    """A function of a flat list of arrays, lowered.

    Attributes:
        exported: the function, which returns a flat list.
        structure: the structure of the result of the function.
    """

    exported: jax.export.Exported
    structure: Any


@dataclasses.dataclass(slots=True)
class _Form:
    """A compiled form of a function; one thread compiles it while others wait.

    Attributes:
        lock: held while it is compiled.
        run: the compiled function of the donated and the other arrays; initially None.
    """

    lock: Any = dataclasses.field(default_factory=Lock)
    run: Callable[..., Any] | None = None


def jit(function: Callable[..., Any], *, static: int = 0, donated: Sequence[int] = ()) -> Program:
    """Compile like ``jax.jit``, with options that suit batches of many small arrays.

    Args:
        function: a function, at module level if it is to be cached; it must not return random keys.
        static: the number of its static arguments, which come first.
        donated: indices of arguments whose buffers the results may reuse.
    """
    return Program(function, static, donated)


def forget_compiled() -> None:
    """Discard all compiled forms to free their memory maps.

    A process that trains several models would otherwise run out of memory maps.
    """
    for program in list(_PROGRAMS):
        program.forget()
    jax.clear_caches()
    gc.collect()


class Program:
    """A function with static arguments that is compiled for each new set of array shapes.

    Static arguments come first, then pytrees of arrays. Calls with equal descriptions of static
    arguments share a compiled form, and processes on a machine share its lowered form, if JAX has a
    folder for its compilation cache. Functions and static arguments from other packages are
    compiled by ``jax.jit`` only, because changes of their code would not be detected.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        static: int,
        donated: Sequence[int],
    ) -> None:
        """Initialise without compiling.

        Args:
            function: as in ``jit``.
            static: as in ``jit``.
            donated: as in ``jit``.
        """
        functools.update_wrapper(self, function)
        self._function, self._static, self._donated = function, static, tuple(donated)
        self._plain: dict[tuple[tuple[str, Any], ...], Callable[..., Any]] = {}
        self._ready: OrderedDict[Hashable, _Form] = OrderedDict()
        # Threads that score batches may request the same program at the same time.
        self._lock = Lock()
        _PROGRAMS.add(self)

    def __call__(self, *arguments: Any) -> Any:
        """Return the result of the function as JAX arrays."""
        static, dynamic = arguments[: self._static], arguments[self._static :]
        leaves, structure = jax.tree.flatten(dynamic)
        # Within another trace the function becomes a part of the program that is being traced.
        if any(isinstance(x, Tracer) for x in leaves):
            return self._function(*arguments)
        if any(isinstance(x, jax.Array) and len(x.devices()) > 1 for x in leaves):
            # Exported programs say how their arguments are divided; jax.jit follows the arguments.
            return compile_with_options(lambda options: self._jitted(options)(*arguments))
        try:
            described = tuple(map(_described, (self._function, *static)))
        except _IndescribableError:
            return compile_with_options(lambda options: self._jitted(options)(*arguments))
        # The key in memory and, as text, of the file: whatever the program depends on but the code,
        # whose digest is added for the file, since it cannot change within a process.
        home = default_device()
        key = (described, structure, tuple(_kind(x, home) for x in leaves), settings())
        with self._lock:
            form = self._ready.pop(key, None) or _Form()
            self._ready[key] = form
            if len(self._ready) > _MOST_READY:
                self._ready.popitem(last=False)
        # Each form has a lock of its own: while one is compiled, which takes seconds, other threads
        # may call or compile other forms, and a second one that needs this form waits for it.
        with form.lock:
            is_new = form.run is None
            run = form.run = form.run or self._compiled(static, dynamic, str(key))
        returned = run(*self._divided(dynamic))
        # Every form maps code into memory, and a process may have 65,530 maps by Linux's default.
        # Programs of the caller may be among those discarded; they are read from the disk again.
        if is_new and memory_maps() > _MOST_MAPS:
            forget_compiled()
        return returned

    def forget(self) -> None:
        """Discard all compiled forms, which can be reloaded from the cache on disk."""
        with self._lock:
            self._ready.clear()

    def _jitted(self, options: dict[str, Any]) -> Callable[..., Any]:
        """Return the function as ``jax.jit`` compiles it with some options."""
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
        """Load or lower the function, and compile it.

        ``jax.jit`` would recompile for the same shapes if arguments that were host arrays in the
        first call are results of another program in the next.
        """
        # Compilation is the peak of memory in training, so tracing caches are cleared before it.
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
        # An exported function has flat lists of plain arrays as arguments: donated ones first. The
        # inverse of the permutation that divides the leaves puts them back into their order.
        leaves, structure = jax.tree.flatten(dynamic)
        numbers = jax.tree.unflatten(structure, range(len(leaves)))
        places = np.argsort(np.concatenate([np.asarray(x, int) for x in self._divided(numbers)]))
        structures: list[Any] = []

        def flat(donated: list[Any], undonated: list[Any]) -> list[Any]:
            flat_arguments = [*donated, *undonated]
            whole = [_as_before(flat_arguments[i], x) for i, x in zip(places, leaves, strict=True)]
            returned = self._function(*static, *jax.tree.unflatten(structure, whole))
            # The structure of the result is known only here, while the function is traced.
            structures.append(jax.tree.structure(returned))
            return jax.tree.leaves(returned)

        exported = jax.export.export(jax.jit(flat))(*self._divided(dynamic))
        return _Lowered(exported, structures[0])

    def _divided(self, dynamic: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the arrays of donated arguments, and those of the other arguments."""
        donated: list[Any] = []
        undonated: list[Any] = []
        for number, argument in enumerate(dynamic, start=self._static):
            part = donated if number in self._donated else undonated
            part += map(_plain, jax.tree.leaves(argument))
        return donated, undonated


def _is_key(x: Any) -> bool:
    return isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.prng_key)


def _plain(x: Any) -> Any:
    """Convert a random key to its raw data, since exported functions do not support key arrays."""
    return jax.random.key_data(x) if _is_key(x) else x


def _as_before(x: Any, key: Any) -> Any:
    """Invert ``_plain``."""
    return jax.random.wrap_key_data(x, impl=jax.random.key_impl(key)) if _is_key(key) else x


def _kind(x: Any, home: Any) -> Hashable:
    """Return the properties of an array that a compiled form depends on.

    Args:
        x: the array.
        home: the device where arrays from the host are placed.
    """
    if isinstance(x, jax.Array):
        # Weak types are promoted differently, and a program is compiled for one device. Arrays from
        # the host go to the default device: they share the form of arrays that are there already.
        elsewhere = None if x.device == home else x.device
        return x.shape, str(x.dtype), not _is_key(x) and x.weak_type, elsewhere
    if isinstance(x, np.ndarray | np.generic):
        return x.shape, str(x.dtype), False, None
    return type(x).__name__


def _described(value: Any) -> str:
    """Describe a static argument; equal descriptions imply equal programs.

    Raises:
        _IndescribableError: if that cannot be guaranteed.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if type(value) is tuple:
        return f"({', '.join(map(_described, cast(tuple[Any, ...], value)))})"
    # A name describes a function or a class of ours, because the digest of the code covers them. A
    # local function may differ between two calls by what it closes over, which no name tells.
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
    """Save a lowered function, if there is space on disk."""
    leaves = range(lowered.structure.num_leaves)
    structure = json.dumps(_to_json(jax.tree.unflatten(lowered.structure, leaves)))
    # Renamed when complete, so that another process reads a whole file or none. Without a lock two
    # processes may both write it; their contents are equal.
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
    """Convert the structure of a pytree of dictionaries, tuples and named tuples to JSON."""
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
    # XLA delegates reductions to a library with an overhead that dominates for small arrays: with
    # XLA's own loops the gradient of a batch takes half the time.
    "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT",
    # This reduces compilation time without slowing down training steps.
    "xla_backend_optimization_level": 1,
}

_OPTIONS = {
    name: value for name, value in CHOSEN.items() if name not in os.environ.get("XLA_FLAGS", "")
}
"""Those that are neither set in the environment nor refused so far."""


def compiler_options() -> dict[str, Any]:
    """Return the options to compile with."""
    return dict(_OPTIONS)


def compile_with_options(compile_with: Callable[[dict[str, Any]], T]) -> T:
    """Compile with the options, without those that the installed version of XLA refuses.

    Args:
        compile_with: compiles with some options.

    Raises:
        jax.errors.JaxRuntimeError: if compilation fails for another reason.
    """
    while True:
        try:
            return compile_with(compiler_options())
        except jax.errors.JaxRuntimeError as error:
            refused = [name for name in _OPTIONS if name in str(error)]
            if not refused:
                raise
            for name in refused:
                _OPTIONS.pop(name, None)  # another thread may have found it out as well


OURS = ("semipunct", "semirings")
"""The packages whose functions and static arguments can be cached."""

TRACED = ("absl", "jax", "jaxlib", "ml_dtypes", "numpy", "opt_einsum", "optax", "scipy")
"""The packages that our traced functions call, and the requirements of these packages."""

_SUFFIXES = (".py", *EXTENSION_SUFFIXES)


@cache
def code_digest() -> str | None:
    """Return a SHA-256 digest of our sources and of the state of the packages traced with them.

    It is None if they cannot be located or listed, as in a zip archive.
    """
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
    except FileNotFoundError:  # a link to nothing, such as the lock of an editor
        return b""


def _state(path: str) -> str:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _files(package: str) -> list[tuple[str, str]]:
    """Return the code of a package as names within it and paths, in order; none if it is missing.

    The package is located but not imported, so a path hook or an editable installation is followed.

    Raises:
        OSError, ValueError: if it cannot be located or listed.
    """
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
    # With os.scandir, because pathlib takes five times as long for as many files.
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIXES):
                yield f"{prefix}{entry.name}", entry.path
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
