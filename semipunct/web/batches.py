"""A queue of requests, which the model answers in batches.

Restoring several texts takes little longer than one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Literal, NamedTuple

from semipunct.errors import SemipunctError
from semipunct.web.requests import BadRequest

Task = Literal["restore", "correct", "parse"]


class Work(NamedTuple):
    """What is done with texts of a language."""

    task: Task
    language: str


Answer = Callable[[Work, Sequence[str]], Sequence[Any]]

# Characters per batch.
TOGETHER = 100_000


class Job(NamedTuple):
    """A queued text."""

    work: Work
    text: str
    answer: asyncio.Future[Any]


class Batches:
    """A queue of texts, batched by task and language."""

    def __init__(self, answer: Answer, waiting: int, seconds: float) -> None:
        self._answer, self._most, self._seconds = answer, waiting, seconds
        self._jobs: deque[Job] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def ask(
        self, work: Work, text: str, gone: Callable[[], Coroutine[Any, Any, None]] | None = None
    ) -> Any:
        """Return the answer for a text."""
        if len(self._jobs) >= self._most:
            raise BadRequest(503, "too many requests wait; try again in a few seconds")
        job = Job(work, text, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        watcher = None if gone is None else asyncio.create_task(gone())
        awaited = {job.answer} if watcher is None else {job.answer, watcher}
        try:
            await asyncio.wait(awaited, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
            if job.answer.done():
                return job.answer.result()
            if watcher is not None and watcher.done():
                raise BadRequest(400, "the client has gone away")
            raise BadRequest(503, "the answer takes too long; send a shorter text")
        finally:
            job.answer.cancel()  # drop it if it is still queued
            if watcher is not None:
                watcher.cancel()

    async def _work(self) -> None:
        """Answer texts until the queue is empty, dropping those of disconnected clients."""
        while self._jobs:
            batch = self._next()
            texts = [job.text for job in batch]
            if not texts:
                continue
            answering = asyncio.to_thread(self._answer, batch[0].work, texts)
            # Errors are answers, too; otherwise all clients would wait forever.
            (answers,) = await asyncio.gather(answering, return_exceptions=True)
            if isinstance(answers, BaseException):
                self._fail(batch, answers)
                continue
            for job, answer in zip(batch, answers, strict=True):
                if not job.answer.done():
                    job.answer.set_result(answer)

    def _next(self) -> list[Job]:
        """Remove the first text and those that share its batch."""
        batch: list[Job] = []
        size = 0
        while self._jobs and (not batch or self._jobs[0].work == batch[0].work):
            if batch and size + len(self._jobs[0].text) > TOGETHER:
                break
            job = self._jobs.popleft()
            if not job.answer.done():
                batch.append(job)
                size += len(job.text)
        return batch

    def _fail(self, batch: list[Job], error: BaseException) -> None:
        if isinstance(error, SemipunctError):
            error = BadRequest(400, str(error))
        for job in batch:
            if not job.answer.done():
                job.answer.set_exception(error)
