"""The processes of a training run: how they find each other, and what is said when one is lost.

Every process reads the same files, lays out the same batches and takes the same decisions; files
are written by the first one (docs/decisions/0061-training-in-processes.md).
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager

import jax

from semipunct.errors import SemipunctError, UsageError
from semipunct.training.environment import (
    COORDINATOR,
    INDEX,
    NUMBER,
    START_SECONDS,
    UNFOUND,
    describe_process,
    is_loss,
)
from semipunct.training.report import LostProcessError

HEARTBEAT_SECONDS = 60
"""After this time without a sign of life a process counts as lost.

The system closes the connections of a process that ends, and the others notice at once: this is for
machines that stop, and for networks that are cut.
"""


def join() -> None:
    """Join the other processes that the environment describes, unless this process has done so.

    JAX must not have computed anything before.

    Raises:
        UsageError: if the environment describes no processes, or describes them wrongly.
        LostProcessError: if the other processes do not come.
    """
    if jax.distributed.is_initialized():
        return
    arguments = describe_process(os.environ)
    try:
        jax.distributed.initialize(
            **arguments,
            initialization_timeout=START_SECONDS,
            heartbeat_timeout_seconds=HEARTBEAT_SECONDS,
        )
    except Exception as error:  # whatever the detection of a launcher or a connection fails with
        reason = str(error).partition("\n")[0]
        if is_loss(reason):
            raise LostProcessError(f"{UNFOUND} ({reason})") from error
        raise UsageError(
            f"the environment does not tell JAX of other processes ({reason}): set {COORDINATOR}, "
            f"{NUMBER} and {INDEX}, or use a launcher that JAX knows, such as Slurm or Open MPI"
        ) from error


@contextmanager
def noticing_losses(alone: bool) -> Generator[None, None, None]:
    """Raise ``LostProcessError`` in place of errors that mean that another process is gone.

    Args:
        alone: whether there is no other process, so that nothing can mean that.
    """
    try:
        yield
    except Exception as error:
        if alone or isinstance(error, SemipunctError) or not is_loss(str(error)):
            raise
        raise LostProcessError(
            "another process of this run has ended or cannot be reached; its own messages tell why"
        ) from error
