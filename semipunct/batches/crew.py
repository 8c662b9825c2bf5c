"""Workers of Dask on this machine: processes that are started again when they die.

Dask has a process that watches each worker, too, but one that is killed while it starts may leave
its watcher waiting for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from semipunct.errors import EngineError

STARTS = 10
"""Times that each worker may die between two parts that are answered."""

_TO_END = 5
"""Seconds in which workers may end by themselves."""

_THREADS = ("NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that limit the threads of XLA and of libraries of linear algebra."""


class Crew:
    """Workers that share the cores of this machine.

    They end when they lose their scheduler, and so with the process that started them.

    Attributes:
        deaths: the number of workers that have died since it was set to 0.
    """

    def __init__(self, scheduler: str, number: int) -> None:
        """Prepare to start workers.

        Args:
            scheduler: its address.
            number: of workers.
        """
        threads = str(max(1, count_cores() // number))
        # Workers import what this process imports, wherever it found it.
        path = os.pathsep.join(filter(None, sys.path))
        self._environment = {
            **os.environ, **dict.fromkeys(_THREADS, threads), "PYTHONPATH": path,
        }  # fmt: skip
        self._command = [
            sys.executable, "-P", "-m", "distributed.cli.dask_worker", scheduler, "--no-nanny",
            "--nthreads", "1", "--memory-limit", "0", "--no-dashboard", "--death-timeout", "60",
        ]  # fmt: skip
        self._workers = [self._start() for _ in range(number)]
        self.deaths = 0

    @classmethod
    @contextmanager
    def start(cls, scheduler: str, number: int) -> Generator[Crew, None, None]:
        """Yield workers, which end at the end of the block.

        Args:
            scheduler: its address.
            number: of workers.
        """
        crew = cls(scheduler, number)
        try:
            yield crew
        finally:
            crew.stop()

    def replace_the_dead(self) -> None:
        """Start workers in place of those that have died.

        Raises:
            EngineError: if too many have died since ``deaths`` was set to 0.
        """
        for place, worker in enumerate(self._workers):
            if worker.poll() is not None:
                self.deaths += 1
                if self.deaths > STARTS * len(self._workers):
                    raise EngineError(
                        f"workers die before they have answered anything (the last one with status "
                        f"{worker.returncode}); is there memory enough for {len(self._workers)} of "
                        "them? Give fewer --workers"
                    )
                self._workers[place] = self._start()

    def stop(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            try:
                worker.wait(_TO_END)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        # What they say of their state is of no use here; errors of parts come back as exceptions.
        return subprocess.Popen(
            self._command, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
