"""The description of the processes of a run in the environment; nothing here loads JAX.

What the processes do together: docs/decisions/0061-training-in-processes.md.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any

from semipunct.errors import UsageError

AUTO = "auto"
"""The value of ``processes`` of a run whose processes were started from outside."""

COORDINATOR, NUMBER, INDEX = "JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"
"""Variables of the environment that describe a process; all of them or none."""

START_SECONDS = 300
"""How long a process waits for the others at the start: queues start some minutes apart."""

UNFOUND = (
    f"the processes of the run did not find each other within {START_SECONDS} seconds; start all "
    f"of them, and let {COORDINATOR} name a port of the first one that all can reach"
)

_MOST = 64
"""The number of processes that are started on one machine, at most: more is a slip of the pen."""

_THREADS = "NPROC"
"""The variable from which XLA takes the number of its threads on a CPU."""

# What JAX, XLA and the libraries below them say when another process is gone.
_LOST = (
    "gloo", "nccl", "coordination service", "coordinationservice", "heartbeat", "connection reset",
    "connection closed", "deadline_exceeded", "unavailable:",
)  # fmt: skip


def is_loss(message: str) -> bool:
    """Return whether a message of JAX or a library below it means that a process is gone.

    Args:
        message: the message.
    """
    return any(word in message.lower() for word in _LOST)


def number_to_start(processes: str) -> int | None:
    """Return how many processes are to be started on this machine; None for ``auto``.

    Args:
        processes: the value of the option.

    Raises:
        UsageError: if it is neither ``auto`` nor such a number.
    """
    if processes == AUTO:
        return None
    if not (processes.isascii() and processes.isdigit() and len(processes) < 7):
        raise UsageError(f"--processes {processes}: give auto, or a number of processes to start")
    if not 1 <= int(processes) <= _MOST:
        raise UsageError(
            f"--processes {processes}: 1 to {_MOST} are started on one machine; on several, start "
            f"each by hand with --processes auto ({COORDINATOR}, {NUMBER}, {INDEX})"
        )
    return int(processes)


def local_environments(number: int) -> list[dict[str, str]]:
    """Return the variables of each of some processes on this machine, beyond the present ones.

    The cores are divided among them, unless a number of threads is set.

    Args:
        number: the number of processes.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    share = {} if _THREADS in os.environ else {_THREADS: str(max(1, _cores() // number))}
    common = {COORDINATOR: f"127.0.0.1:{port}", NUMBER: str(number), **share}
    return [{**common, INDEX: str(index)} for index in range(number)]


def describe_process(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return what variables say of this process, as arguments of ``jax.distributed.initialize``.

    Args:
        environment: the variables. If they say nothing there are no arguments: JAX then asks the
            launchers that it knows.

    Raises:
        UsageError: if some are missing or wrong, or this is the first process and its port is in
            use.
    """
    present = [name for name in (COORDINATOR, NUMBER, INDEX) if environment.get(name)]
    if present in ([], [COORDINATOR]):
        return {}  # the address alone is read by JAX, and the rest may be the launcher's
    if missing := [name for name in (COORDINATOR, NUMBER, INDEX) if name not in present]:
        raise UsageError(f"{present[0]} is set and {missing[0]} is not; set all three, or none")
    address = environment[COORDINATOR]
    host, _, port = address.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
        raise UsageError(f"{COORDINATOR} is {address!r}; write HOST:PORT of the first process")
    number, index = (_count(environment, name) for name in (NUMBER, INDEX))
    if index >= number:
        right = f"numbers are 0 to {number - 1}" if number else "there must be at least one"
        raise UsageError(f"{INDEX} is {index} and {NUMBER} is {number}; {right}")
    if index == 0 and not _is_free(int(port)):
        raise UsageError(f"{COORDINATOR} is {address}: the port is in use here; choose another one")
    return {
        "coordinator_address": address,
        "num_processes": number,
        "process_id": index,
        "cluster_detection_method": "deactivate",
    }


def _count(environment: Mapping[str, str], name: str) -> int:
    text = environment[name]
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise UsageError(f"{name} is {text!r}; write a number, such as 0 or 2")
    return int(text)


def _is_free(port: int) -> bool:
    """Return whether a server can use a port; JAX ends the process where it cannot."""
    dualstack = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if dualstack else socket.AF_INET
    try:
        with socket.create_server(("", port), family=family, dualstack_ipv6=dualstack):
            return True
    except OSError:
        return False


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not available on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1
