"""JAX's configuration, which no other module changes, XLA's persistent cache, and timing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import jax
import jax.monitoring
import numpy as np

_SETTINGS = (
    "jax_default_device",
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_default_prng_impl",
    "jax_threefry_partitionable",
    "jax_numpy_dtype_promotion",
)
# Monitoring event of ``programs``: a function was lowered, or loaded from the cache.
LOWER_EVENT = "/semipunct/lower_duration"

_COMPILE_EVENT = "/jax/core/compile/backend_compile_duration"
_REQUEST_EVENT = "/jax/compilation_cache/compile_requests_use_cache"


@dataclass(slots=True)
class Shapes:
    """A record of the shapes that were compiled, and the seconds of their first calls."""

    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    seconds: float = 0.0

    @contextmanager
    def first_call(self, function: str, argument: object) -> Generator[bool]:
        """Yield whether the shapes are new; if so, time the block.

        JAX compiles before a call returns but computes asynchronously, so this is the compilation
        time.
        """
        key = (function, str(jax.tree.map(np.shape, argument)))
        if key in self.seen:
            yield False
            return
        start = time.monotonic()
        yield True
        self.seen.add(key)
        self.seconds += time.monotonic() - start


class CompileClock:
    """Measure the time until programs are ready: for XLA, and for tracing and lowering."""

    def __init__(self) -> None:
        self.seconds = self.lowering = 0.0

    def _listen(self, event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == _COMPILE_EVENT:
            self.seconds += duration_secs
        elif event == LOWER_EVENT:
            self.lowering += duration_secs

    def __enter__(self) -> CompileClock:
        jax.monitoring.register_event_duration_secs_listener(self._listen)
        return self

    def __exit__(self, *_: object) -> None:
        jax.monitoring.unregister_event_duration_listener(self._listen)


class SlowCompilation:
    """Call a function once XLA has compiled for a number of seconds, summed over programs.

    A timer in another thread runs during compilation.
    """

    def __init__(self, notify: Callable[[], None], seconds: float) -> None:
        self._notify = notify
        self._left = seconds
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def start(self) -> None:
        jax.monitoring.register_event_listener(self._requested)
        jax.monitoring.register_event_duration_secs_listener(self._compiled)

    def stop(self) -> None:
        """Stop listening; on return the function neither runs nor will be called."""
        jax.monitoring.unregister_event_listener(self._requested)
        jax.monitoring.unregister_event_duration_listener(self._compiled)
        with self._lock:
            self._stopped = True
        self._cancel()
        if self._timer is not None:
            self._timer.join()

    def _requested(self, event: str, **_: str | int) -> None:
        if event == _REQUEST_EVENT and not self._stopped:
            self._cancel()
            self._timer = threading.Timer(max(0.0, self._left), self._call)
            self._timer.daemon = True
            self._timer.start()

    def _compiled(self, event: str, duration_secs: float, **_: str | int) -> None:
        if event == _COMPILE_EVENT:
            self._cancel()
            self._left -= duration_secs
            if self._left <= 0:
                self._call()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _call(self) -> None:
        with self._lock:
            was_stopped, self._stopped = self._stopped, True
        if not was_stopped:
            self._notify()


def enable_compilation_cache() -> Path | None:
    """Cache compiled programs in JAX's folder, or else in the user's cache folder if writable."""
    chosen: str | None = getattr(jax.config, "jax_compilation_cache_dir", None)
    if chosen:
        return Path(chosen)
    import platformdirs  # imported lazily: the rest needs only jax and numpy

    folder = platformdirs.user_cache_path("semipunct") / "xla"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.05)
    return folder


def compilation_folder() -> Path | None:
    """Return the folder where JAX keeps compiled programs, or None."""
    folder: str | None = getattr(jax.config, "jax_compilation_cache_dir", None)
    enabled: bool = getattr(jax.config, "jax_enable_compilation_cache", True)
    return Path(folder) if folder and enabled else None


def default_device() -> object:
    """Return the device for arrays from the host."""
    chosen: object = getattr(jax.config, "jax_default_device", None)
    return chosen or jax.local_devices()[0]


def settings() -> tuple[str, ...]:
    """Return the settings of JAX that affect tracing and compilation."""
    return (jax.default_backend(), *(str(getattr(jax.config, name)) for name in _SETTINGS))
