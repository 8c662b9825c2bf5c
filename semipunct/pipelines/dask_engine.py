"""Parts of a corpus on the workers of a Dask cluster, local or remote.

Workers receive content and return output, so they need no shared file system.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from semipunct.errors import EngineError, SemipunctError, UsageError
from semipunct.pipelines.parts import Answer, Part, answer_part

if TYPE_CHECKING:
    from semipunct.formats import Writer
    from semipunct.pipelines.options import PartOptions
    from semipunct.pipelines.task import Task

# Seconds to wait for a scheduler.
PATIENCE = 10

# Retries, on any worker, of a part that ends with an unexpected exception.
RETRIES = 2

# Parts submitted per worker: one in progress and the next.
_AHEAD = 2


def check_installed() -> None:
    """Raise ``UsageError`` if Dask is not installed."""
    if find_spec("distributed") is None:
        raise UsageError("--engine dask needs Dask: pip install 'semipunct[dask]'")


def answers(
    task: Task[Any, Any],
    writer: Writer[Any],
    form: str | None,
    parts: Iterator[Part],
    options: PartOptions,
) -> Iterator[Answer]:
    """Yield the answers for parts in order of completion.

    Args:
        form: the format of the output; None for the default.
    """
    first = next(parts, None)
    if first is None:  # no part needs a worker
        return
    from distributed import as_completed  # pyright: ignore[reportMissingImports]

    with ExitStack() as stack:
        client: Any = stack.enter_context(_client(options))

        def submit(part: Part) -> Any:
            return client.submit(answer_part, task, writer, form, part, pure=False, retries=RETRIES)

        ahead = _AHEAD * max(1, len(client.nthreads()))
        waiting: Any = as_completed(map(submit, [first, *islice(parts, ahead - 1)]))
        for future in waiting:
            try:
                answer = future.result()
            except SemipunctError:
                raise
            except Exception as error:  # raised by a worker, or by its loss
                words = " ".join(str(error).split())[:300]
                raise EngineError(
                    f"a worker failed ({type(error).__name__}: {words}); workers need the same "
                    "versions and memory enough. Give the same command again: parts that are there "
                    "are not made again"
                ) from error
            for part in islice(parts, 1):
                waiting.add(submit(part))
            yield answer


def _client(options: PartOptions) -> Any:
    from distributed import Client  # pyright: ignore[reportMissingImports]

    if options.scheduler is None:
        number = options.workers or len(os.sched_getaffinity(0))
        return Client(n_workers=number, threads_per_worker=1, dashboard_address=None)
    try:
        return Client(options.scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"{options.scheduler}: no scheduler of Dask answers within {PATIENCE} seconds; check "
            "the address, such as tcp://host:8786"
        ) from error
