"""Parts of a corpus by the workers of Dask: those of a cluster, or processes of this machine.

Workers get the content of parts and return what becomes of them. This process reads and writes all
files, so that workers need no common file system, and a worker that dies leaves nothing behind:
docs/decisions/0059-corpora.md.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from semipunct.batches.crew import Crew, count_cores
from semipunct.batches.part_tasks import Answer, Job, PartTask, answer_on_worker, versions
from semipunct.errors import EngineError, SemipunctError, UsageError
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.formats import Writer

PATIENCE = 10
"""Seconds in which a scheduler has to answer and to have a worker."""

DEATHS = 5
"""Workers of this machine that a part may lose; the sixth one ends the command."""

RETRIES = 2
"""Further attempts at a part that ends with an unexpected exception, on any worker."""

_AHEAD = 2
"""Parts for each worker that are with the scheduler: one that is answered, and the next one."""

_CHECKED = 1
"""Seconds between looks at the workers while none of them answers."""

_LONGEST = 600
"""Seconds without any worker after which the command ends."""

Say = Callable[[str], None]


def check_installed() -> None:
    """Raise ``UsageError`` if Dask is not installed."""
    if find_spec("distributed") is None:
        raise UsageError("--engine dask needs Dask: pip install 'semipunct[dask]'")


def answers(
    task: PartTask,
    writer: Writer[Any] | None,
    jobs: Iterator[Job],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    say: Say,
) -> Iterator[tuple[int, Answer]]:
    """Yield the answers for parts with their numbers, in the order in which they are ready.

    Workers that die are replaced, and what they had is answered by others.

    Args:
        task: with the digests of its models.
        writer: of the entries.
        jobs: the parts; few of them are in memory at any time.
        scheduler: the address of a scheduler; None for workers of this machine.
        workers: their number; None for one for each core.
        say: tells users of workers that are missing.

    Raises:
        UsageError: if a worker has another version.
        ModelError: if a worker has another model.
        EngineError: if the scheduler does not answer or is lost, or a part kills its workers.
    """
    first = next(jobs, None)
    if first is None:  # nothing to start workers for
        return
    with _client(scheduler, workers) as (client, crew):
        yield from _Run(client, crew, task, writer, say).answers(first, jobs)


class _Run:
    """The parts that are with a scheduler.

    Attributes:
        client: of the scheduler.
        crew: the workers of this machine; None for those of others.
        pending: the number of the part that a future is for.
    """

    def __init__(
        self, client: Any, crew: Crew | None, task: PartTask, writer: Writer[Any] | None, say: Say
    ) -> None:
        self.client, self.crew, self.pending = client, crew, dict[Any, int]()
        self._task, self._writer, self._say = task, writer, say
        self._origin, self._run = versions(), uuid4().hex
        self._alone_since: float | None = None

    def answers(self, first: Job, jobs: Iterator[Job]) -> Iterator[tuple[int, Answer]]:
        self._submit(first)
        is_more = True
        while self.pending:
            if self.crew is not None:
                self.crew.replace_the_dead()
            room = _AHEAD * max(1, len(self._workers())) - len(self.pending)
            while is_more and room > 0:
                job = next(jobs, None)
                is_more, room = job is not None, room - 1
                if job is not None:
                    self._submit(job)
            for future in self._wait():
                number = self.pending.pop(future)
                yield number, self._answer(number, future)
                future.release()
                if self.crew is not None:
                    self.crew.deaths = 0

    def _submit(self, job: Job) -> None:
        future = self.client.submit(
            answer_on_worker, self._origin, self._task, job, self._writer,
            key=f"semipunct-{self._run}-{job.number}", pure=False, retries=RETRIES,
        )  # fmt: skip
        self.pending[future] = job.number

    def _wait(self) -> list[Any]:
        """Return the futures that are done, once there are some or it is time to look again."""
        from distributed import wait  # pyright: ignore[reportMissingImports]

        with suppress(TimeoutError):
            wait(list(self.pending), timeout=_CHECKED, return_when="FIRST_COMPLETED")
        return [future for future in self.pending if future.status != "pending"]

    def _workers(self) -> Any:
        """Return the workers, and say so where there are none."""
        try:
            workers = self.client.nthreads()
        except (OSError, RuntimeError, ValueError) as error:
            raise _lost() from error
        if workers:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = monotonic()
            if self.crew is None:
                self._say("no worker is left; waiting for others")
        elif monotonic() - self._alone_since > _LONGEST:
            raise EngineError(
                f"there was no worker for {_LONGEST // 60} minutes; give the same command again: "
                "parts that are there are not made again"
            )
        return workers

    def _answer(self, number: int, future: Any) -> Answer:
        from distributed import KilledWorker  # pyright: ignore[reportMissingImports]

        try:
            return future.result()
        except SemipunctError as error:
            raise type(error)(f"part {number + 1}: {error}") from error
        except KilledWorker as error:
            raise EngineError(
                f"part {number + 1}: {quantity(DEATHS + 1, 'worker')} died of it, one after the "
                "other; is there memory enough for them? A smaller --part-size in a new folder "
                "needs less"
            ) from error
        except Exception as error:  # what a worker raises, or the loss of the scheduler
            if future.status in ("cancelled", "lost"):
                raise _lost() from error
            while error.__cause__ is not None:
                error = error.__cause__
            words = " ".join(str(error).split())[:300]
            raise EngineError(
                f"part {number + 1}: a worker failed ({type(error).__name__}: {words}); workers "
                "need the same version of semipunct and what it needs"
            ) from error


def _lost() -> EngineError:
    return EngineError(
        "the scheduler is lost; start one, and give the same command again: parts that are there "
        "are not made again"
    )


@contextmanager
def _client(
    scheduler: str | None, workers: int | None
) -> Generator[tuple[Any, Crew | None], None, None]:
    """Yield a client of a scheduler, and workers of this machine that end with it, if any."""
    from dask import config  # pyright: ignore[reportMissingImports]

    with ExitStack() as stack:
        stack.enter_context(config.set({"distributed.scheduler.allowed-failures": DEATHS}))
        stack.enter_context(_without_noise())
        if scheduler is not None:
            yield stack.enter_context(_connect(scheduler)), None
        else:
            yield stack.enter_context(_start_workers(workers))


@contextmanager
def _without_noise() -> Generator[None, None, None]:
    """Keep logs and warnings of Dask from users."""
    with warnings.catch_warnings():
        level = logging.root.manager.disable
        logging.disable(logging.CRITICAL)
        warnings.filterwarnings("ignore", module="distributed")
        try:
            yield
        finally:
            logging.disable(level)


@contextmanager
def _connect(scheduler: str) -> Generator[Any, None, None]:
    from distributed import Client  # pyright: ignore[reportMissingImports]

    # What accepts connections and is no scheduler keeps a client for longer than its own limit.
    clients: Queue[Any] = Queue()

    def connect() -> None:
        try:
            clients.put(Client(scheduler, timeout=PATIENCE))
        except Exception:  # noqa: BLE001 - of any kind, for what is no address
            clients.put(None)

    Thread(target=connect, daemon=True).start()
    try:
        client = clients.get(timeout=PATIENCE)
    except Empty:
        client = None
    if client is None:
        raise EngineError(
            f"{scheduler}: no scheduler of Dask answers within {PATIENCE} seconds; check the "
            "address, such as tcp://host:8786"
        )
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise EngineError(
                f"{scheduler}: the scheduler has no worker; start some (dask worker {scheduler})"
            ) from error
        yield client


@contextmanager
def _start_workers(workers: int | None) -> Generator[tuple[Any, Crew], None, None]:
    from distributed import Client, LocalCluster  # pyright: ignore[reportMissingImports]

    no_page = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    local: Any = LocalCluster(n_workers=0, silence_logs=False, scheduler_kwargs=no_page)
    with (
        local as cluster,
        Client(cluster) as client,
        Crew.start(cluster.scheduler_address, workers or count_cores()) as crew,
    ):
        yield client, crew
