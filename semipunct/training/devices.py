"""The devices of a training run: weights are replicated, and batches divided.

XLA sums the gradients, so results differ from one device by the order of sums only. The devices may
belong to several processes, which decide together (docs/decisions/training.md).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from semipunct import errors
from semipunct.errors import SemipunctError, UsageError
from semipunct.wording import quantity

_AXIS = "batch"

# Messages are padded to this length times a power of two, to compile few shapes.
_LEAST_BYTES = 1024


def join() -> None:
    """Join the other processes of the run, before JAX has computed anything.

    JAX asks the launchers that it knows, or reads ``JAX_COORDINATOR_ADDRESS``;
    ``JAX_NUM_PROCESSES`` and ``JAX_PROCESS_ID`` are read here.
    """
    if jax.distributed.is_initialized():
        return
    number, index = (os.environ.get(f"JAX_{name}") for name in ("NUM_PROCESSES", "PROCESS_ID"))
    try:
        jax.distributed.initialize(
            num_processes=int(number) if number else None, process_id=int(index) if index else None
        )
    except (RuntimeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(
            f"the processes of the run did not find each other ({reason}): set "
            "JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES and JAX_PROCESS_ID, or use a launcher that "
            "JAX knows, such as Slurm or Open MPI"
        ) from error


@dataclass(frozen=True, slots=True)
class Devices:
    """The devices of a run.

    Attributes:
        devices: devices of one platform, ordered by process.
        first: the device of this process for everything that is not divided.
    """

    devices: tuple[Any, ...]
    first: Any
    processes: int = 1
    process: int = 0

    @classmethod
    def find(cls, platform: str | None = None, number: int = 1) -> Devices:
        """Return the first devices of a platform, of each process that has joined.

        Args:
            platform: ``cpu``, ``gpu``, ``tpu``, or a name of JAX such as ``cuda``; None for JAX's
                choice.
            number: devices per process.
        """
        try:
            usable = jax.local_devices(backend=platform)
        except RuntimeError as error:
            known = ", ".join(sorted({device.platform for device in jax.local_devices()}))
            raise UsageError(
                f"there is no device {platform!r} that JAX can use, only: {known}; install the "
                "version of JAX for it (such as jax[cuda12])"
            ) from error
        if not 1 <= number <= len(usable):
            more = (
                "; XLA_FLAGS=--xla_force_host_platform_device_count=N divides a CPU"
                if usable[0].platform == "cpu"
                else ""
            )
            raise UsageError(
                f"{quantity(number, 'device')} cannot be used: JAX has "
                f"{quantity(len(usable), 'device')} ({usable[0].platform}){more}"
            )
        by_process: dict[int, list[Any]] = {}
        for device in usable if jax.process_count() == 1 else jax.devices(platform):
            by_process.setdefault(device.process_index, []).append(device)
        every = tuple(device for _, some in sorted(by_process.items()) for device in some[:number])
        return cls(every, usable[0], len(by_process), jax.process_index())

    @property
    def is_writer(self) -> bool:
        return self.process == 0

    def replicate(self, tree: Any) -> Any:
        """Place a pytree of arrays on all devices."""
        if len(self.devices) == 1:
            return tree
        whole = self._sharding()
        return jax.tree.map(lambda array: self._place(array, whole), tree)

    def divide(self, batch: Any) -> Any:
        """Place a batch: arrays whose first axis is divisible are divided among devices."""
        if len(self.devices) == 1:
            return batch
        whole, parts = self._sharding(), self._sharding(_AXIS)

        def place(array: Any) -> Any:
            size = np.shape(array)[0] if np.ndim(array) else 0
            divisible = size and size % len(self.devices) == 0
            return self._place(array, parts if divisible else whole)

        return jax.tree.map(place, batch)

    def gather(self, tree: Any) -> Any:
        """Place replicated arrays on the first device of this process."""
        if len(self.devices) == 1:
            return tree
        return jax.tree.map(self._own_copy, tree)

    def ask_first(self, act: Callable[[], Any]) -> Any:
        """Return the result of ``act``, a JSON value, in the first process; the others only wait.

        A ``SemipunctError`` is raised in all processes.
        """
        if self.processes == 1:
            return act()
        failure, message = None, b""
        if self.is_writer:
            try:
                answer: tuple[str, Any] = "", act()
            except SemipunctError as error:
                failure, answer = error, (type(error).__name__, str(error))
            message = json.dumps(answer).encode()
        length = int(self._sum(np.array([len(message)], np.int32))[0])  # 2 GiB at most
        padded = _LEAST_BYTES << max(0, (length - 1) // _LEAST_BYTES).bit_length()
        characters = np.zeros(padded, np.int32)
        characters[: len(message)] = np.frombuffer(message, np.uint8)
        heard = np.asarray(self._sum(characters))[:length].astype(np.uint8).tobytes()
        if failure is not None:
            raise failure
        error_name, value = json.loads(heard)
        if error_name:
            raise getattr(errors, error_name, SemipunctError)(value)
        return value

    def votes(self, flag: bool) -> Any:
        """Return ``[1]`` the number of set flags; reading it waits for the other processes."""
        vote = np.array([flag], np.int32)
        return vote if self.processes == 1 else self._sum(vote)

    def check_same(self, subject: str, digest: str) -> None:
        """Check that all processes were given the same input, by its digest."""
        if self.processes > 1 and self.votes(self.ask_first(lambda: digest) != digest)[0]:
            raise UsageError(
                f"the processes of the run were not given the same {subject}; start all of them "
                "with the same command, files and version"
            )

    def _sum(self, values: Any) -> Any:
        """Sum integers ``[size]`` over processes, each represented by its first device."""
        nothing = np.zeros_like(values)
        leading: dict[int, int] = {}
        for number, device in enumerate(self.devices):
            leading.setdefault(device.process_index, number)

        def row(index: Any) -> Any:
            number = index[0].start or 0
            return (values if leading[self.process] == number else nothing)[None]

        shape = (len(self.devices), len(values))
        rows = jax.make_array_from_callback(shape, self._sharding(_AXIS), row)
        return _replicated(self.devices, _added)(rows)

    def _place(self, array: Any, sharding: NamedSharding) -> Any:
        if self.processes == 1:
            return jax.device_put(array, sharding)
        if isinstance(array, jax.Array) and jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
            data = self._place(jax.random.key_data(array), sharding)
            return jax.random.wrap_key_data(data, impl=jax.random.key_impl(array))
        # ``device_put`` would compare the arrays of all processes.
        host = np.asarray(array)
        return jax.make_array_from_callback(host.shape, sharding, lambda index: host[index])

    def _own_copy(self, array: Any) -> Any:
        if not array.is_fully_replicated:
            array = _replicated(self.devices, _unchanged)(array)
        return jax.device_put(array.addressable_data(0), self.first)

    def _sharding(self, *axes: str) -> NamedSharding:
        return _sharding(self.devices, axes)


@lru_cache
def _sharding(devices: tuple[Any, ...], axes: tuple[str, ...]) -> NamedSharding:
    return NamedSharding(Mesh(np.array(devices), (_AXIS,)), PartitionSpec(*axes))


@lru_cache
def _replicated(devices: tuple[Any, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    return jax.jit(function, out_shardings=_sharding(devices, ()))


def _added(rows: jax.Array) -> jax.Array:
    return rows.sum(0)


def _unchanged(array: jax.Array) -> jax.Array:
    return array
