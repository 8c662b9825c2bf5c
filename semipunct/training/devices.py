"""The devices of a training run: where weights are kept, and how batches are divided.

With several devices, each keeps all weights and the state of the optimiser, and reads its share of
every batch; XLA adds up the gradients. The batches are those of a run on one device, so that the
result differs by the order of sums only (docs/decisions/0058-training-on-devices.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from semipunct.errors import UsageError
from semipunct.wording import quantity

_AXIS = "batch"


@dataclass(frozen=True, slots=True)
class Devices:
    """The devices of a run.

    Attributes:
        devices: at least one, all on the same platform.
    """

    devices: tuple[Any, ...]

    @classmethod
    def find(cls, platform: str | None = None, number: int = 1) -> Devices:
        """Return the first devices of a platform.

        Args:
            platform: ``cpu``, ``gpu`` or ``tpu``, or a name of JAX such as ``cuda``; None for JAX's
                own choice.
            number: how many.

        Raises:
            UsageError: if there are not as many.
        """
        try:
            # Other processes have devices of their own.
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
        return cls(tuple(usable[:number]))

    @property
    def first(self) -> Any:
        """The device for everything that is not divided."""
        return self.devices[0]

    def replicate(self, tree: Any) -> Any:
        """Place arrays on all devices.

        Args:
            tree: a pytree of arrays.
        """
        return tree if len(self.devices) == 1 else jax.device_put(tree, self._sharding())

    def divide(self, batch: Any) -> Any:
        """Place a batch: arrays whose first axis can be divided evenly are divided among devices.

        Whatever the axis is, the result is the same: programs see whole arrays.

        Args:
            batch: a pytree of arrays.
        """
        if len(self.devices) == 1:
            return batch
        whole, parts = self._sharding(), self._sharding(_AXIS)

        def place(array: Any) -> Any:
            size = np.shape(array)[0] if np.ndim(array) else 0
            divisible = size and size % len(self.devices) == 0
            return jax.device_put(array, parts if divisible else whole)

        return jax.tree.map(place, batch)

    def gather(self, tree: Any) -> Any:
        """Place arrays that all devices have on the first one alone.

        Args:
            tree: a pytree of arrays.
        """
        return tree if len(self.devices) == 1 else jax.device_put(tree, self.first)

    def _sharding(self, *axes: str) -> NamedSharding:
        return NamedSharding(Mesh(np.array(self.devices), (_AXIS,)), PartitionSpec(*axes))
