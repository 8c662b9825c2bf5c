"""The processes that ``--processes`` starts, and the one that started them, which speaks for them.

Each process that trains is started by another one, which does not load JAX: what libraries write
when a process is lost (JAX ends a process itself, with a report of forty lines) is kept in a file,
and one line says what happened. Why: docs/decisions/0061-training-in-processes.md.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import IO, NoReturn

import typer

from semipunct.cli import console
from semipunct.cli.signals import WORDS, exit_status
from semipunct.errors import UsageError
from semipunct.training.environment import UNFOUND, is_loss, local_environments

_MESSAGES = "SEMIPUNCT_MESSAGES"
"""The variable that marks a started process: the number of the open file for its messages."""

_LOST = 75
"""The status of a process that ends because another one is gone (EX_TEMPFAIL)."""

_ERROR, _LOSS = "error: ", "lost: "
"""What lines begin with in what a process writes; the second kind is for the first process only."""

_SECONDS = 5.0
"""How long the others may take to end by themselves after one has failed."""

_POLL_SECONDS = 0.05


def is_member() -> bool:
    """Return whether this process was started by ``run_members``."""
    return _MESSAGES in os.environ


@dataclass(slots=True)
class _Member:
    """A process that trains.

    Attributes:
        process: the process.
        noise: what is not shown of what it and its libraries write.
        status: its exit status, once it has ended; negative for a signal.
        is_pushed: whether it was ended because another one had failed.
    """

    process: subprocess.Popen[bytes]
    noise: IO[bytes]
    status: int | None = None
    is_pushed: bool = False

    def lines(self, beginning: str = "") -> list[str]:
        """Return the lines that begin so, without blank ones."""
        self.noise.seek(0)
        lines = map(str.strip, self.noise.read().decode(errors="replace").splitlines())
        return [line for line in lines if line and line.startswith(beginning)]

    def name(self) -> str:
        """Return its number among all processes, which it writes as soon as it knows."""
        return next((line for line in self.lines("process ") if " of " in line), "a process")

    def is_lost(self) -> bool:
        """Return whether it ended because another one was gone."""
        aborted = self.status == -signal.SIGABRT and any(map(is_loss, self.lines()))
        return self.status == _LOST or aborted

    def reason(self) -> str:
        """Say in one line why it ended."""
        if errors := self.lines(_ERROR):
            return f"{self.name()}: {errors[-1].removeprefix(_ERROR)}"
        status = self.status or 0
        if status < 0:
            return f"{self.name()} was ended by {signal.Signals(-status).name}"
        return f"{self.name()} ended with status {status}: {' '.join(self.lines()[1:][-1:])}"


@dataclass(slots=True)
class _Group:
    """The processes that one process has started.

    Attributes:
        notice: what is written when the first signal is passed on.
        remedy: returns what is said of checkpoints if a process is lost.
        members: the processes; what the first one says is shown as it says it.
        ended: those that have ended, in this order.
        signals: the number of signals that were passed on.
    """

    notice: str
    remedy: Callable[[], str]
    members: list[_Member] = field(default_factory=list[_Member])
    ended: list[_Member] = field(default_factory=list[_Member])
    signals: int = 0

    def pass_on(self, number: int, _frame: FrameType | None = None) -> None:
        """Pass a signal on: the first one ends training after a batch, the second one at once."""
        self.signals += 1
        if self.signals == 1:
            with suppress(OSError):
                os.write(2, self.notice.encode())
        self._send(number)

    def wait(self) -> None:
        """Wait until all have ended; if one fails, the others are ended if they do not end."""
        deadline = float("inf")
        while len(self.ended) < len(self.members):
            for member in self._running():
                member.status = member.process.poll()
                if member.status is not None:
                    self.ended.append(member)
            if deadline == float("inf") and any(member.status for member in self.ended):
                # The others have nothing to add to what the first one has said itself.
                first = self.members[0]
                said = first.status is not None and not first.is_lost()
                deadline = time.monotonic() + _SECONDS * (not said)
            if time.monotonic() > deadline:
                self._end()
                deadline = time.monotonic() + _SECONDS
            time.sleep(_POLL_SECONDS)

    def verdict(self) -> tuple[int, str]:
        """Return the exit status, and what is still to be said of it: an error, or nothing."""
        if not (failed := [member for member in self.ended if member.status]):
            return 0, ""
        first = self.members[0]
        if (first.status or 0) > 0 and not first.is_lost():
            # Usually it has said itself what is wrong; signal handlers write below ``sys.stderr``.
            unsaid = first.reason() if first.lines(_ERROR) else ""
            is_other = first.name().startswith("process ") and first.name()[8] != "0"
            return first.status or 0, unsaid if is_other else unsaid.partition(": ")[2]
        # Whoever ended for a reason of its own is the cause.
        causes = (member for member in failed if not (member.is_pushed or member.is_lost()))
        # JAX ends a process that finds no other, too.
        is_joined = first.name().startswith("process ")
        gone = "another process of the run has ended or cannot be reached" if is_joined else UNFOUND
        heard = [line.removeprefix(_LOSS) for line in first.lines(_LOSS)]
        cause = next((member.reason() for member in causes), [gone, *heard][-1])
        return console.BAD_INPUT, f"{cause}; {self.remedy()}"

    def _running(self) -> list[_Member]:
        return [member for member in self.members if member.status is None]

    def _send(self, number: int) -> None:
        for member in self._running():
            with suppress(OSError):
                member.process.send_signal(number)

    def _end(self) -> None:
        """End the rest: by signals that let them tidy up, and then by one that does not."""
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            for member in self._running():
                member.is_pushed = True
            self._send(number)
            end = time.monotonic() + 1
            while time.monotonic() < end and any(m.process.poll() is None for m in self._running()):
                time.sleep(_POLL_SECONDS)


def run_members(
    arguments: Sequence[str], number: int | None, *, notice: str, remedy: Callable[[], str]
) -> int:
    """Run a command in processes of its own, and report at most one error for all of them.

    Args:
        arguments: of the command, with ``--processes``.
        number: how many processes to start; None for one that joins others by its environment.
        notice: what is written when a signal is passed on.
        remedy: returns what is said of checkpoints if a process is lost.

    Returns:
        The exit status.

    Raises:
        UsageError: on a system where processes cannot be started in this way.
    """
    if os.name != "posix":
        raise UsageError("--processes works on Linux and macOS only")
    group = _Group(notice, remedy)
    with ExitStack() as ending:
        shown = os.dup(2)
        ending.callback(os.close, shown)
        for each in (getattr(signal, name) for name in WORDS):
            if signal.getsignal(each) is not signal.SIG_IGN:
                ending.callback(signal.signal, each, signal.signal(each, group.pass_on))
        for environment in [{}] if number is None else local_environments(number):
            noise = ending.enter_context(tempfile.TemporaryFile())
            heard = None if group.members else shown
            process = ending.enter_context(_started(arguments, environment, noise, heard))
            ending.callback(process.kill)
            group.members.append(_Member(process, noise))
        group.wait()
        status, message = group.verdict()
    if message:
        console.say(f"{_ERROR}{message}", style="red")
    return status


def _started(
    arguments: Sequence[str], environment: dict[str, str], noise: IO[bytes], heard: int | None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "semipunct", *arguments],
        stdin=subprocess.PIPE,  # it ends when this process does
        stdout=noise,
        stderr=noise,
        pass_fds=() if heard is None else (heard,),
        env={**os.environ, **environment, _MESSAGES: "" if heard is None else str(heard)},
        # Signals of the terminal come to this process only, which passes each on once.
        start_new_session=True,
    )


@contextmanager
def member() -> Generator[None, None, None]:
    """Run the body in a process that ``run_members`` has started: the first of all is heard.

    The process ends with the one that started it. It ends at once when it fails: the interpreter
    would wait for the others at its end.
    """
    import jax

    from semipunct.training.processes import noticing_losses
    from semipunct.training.report import LostProcessError

    threading.Thread(target=_end_with_parent, daemon=True).start()
    noise, heard = sys.stderr, os.environ[_MESSAGES]
    if heard:
        sys.stderr = os.fdopen(int(heard), "w", buffering=1, errors="backslashreplace")
    try:
        with console.report_errors():
            try:
                with noticing_losses(alone=False):
                    _join(noise)
                    yield
            except LostProcessError as error:
                print(f"{error.__cause__}\n{_LOSS}{error}", file=noise)
                _leave(_LOST)
    except typer.Exit as end:
        if end.exit_code < exit_status(0):
            _leave(end.exit_code)
        jax.distributed.shutdown()  # all have stopped after the same batch
        raise
    except Exception:  # noqa: BLE001 - a defect, which must not leave the others waiting
        traceback.print_exc()
        _leave(console.BAD_INPUT)
    jax.distributed.shutdown()


def _join(noise: IO[str]) -> None:
    import jax

    from semipunct.training.processes import join

    join()
    index = jax.process_index()
    print(f"process {index} of {jax.process_count()}", file=noise, flush=True)
    if index:
        sys.stderr = noise


def _leave(status: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _end_with_parent() -> None:
    # Nothing is ever written there: reading ends when the process that started this one ends.
    with suppress(OSError):
        while os.read(0, 1):
            pass
    os._exit(_LOST)
