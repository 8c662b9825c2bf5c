"""Commands within the process, with streams of their own and an alarm."""

from __future__ import annotations

import io
import signal
import sys
import time
import traceback
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from semipunct.arrays.compilation import CompileClock
from semipunct.cli import main

GRACE = 3.0
"""Seconds that an alarm waits for the count of a compilation that has just ended."""

ROOT = Path(__file__).resolve().parents[2]


class Hang(BaseException):
    """A case that takes longer than it may; no command catches it."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a command.

    Attributes:
        status: its exit status; -1 if it ended with an exception.
        out: standard output.
        err: standard error.
        fault: empty, or the exception and the place that raised it.
    """

    status: int
    out: bytes
    err: str
    fault: str = ""


def run(arguments: Sequence[str], stdin: bytes = b"") -> Finished:
    """Run a command as its process would, up to its exit status.

    Args:
        arguments: of the command.
        stdin: its standard input.
    """
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    # As those of Python: standard error takes whatever it is given. They are named here, because a
    # stream that nothing refers to is closed with what it writes to.
    streams = (
        io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"),
        io.TextIOWrapper(out, encoding="utf-8", write_through=True),
        io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", write_through=True),
    )
    sys.stdin, sys.stdout, sys.stderr = streams
    status, fault = 0, ""
    try:
        main(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    except Exception as error:  # noqa: BLE001 - whatever is left is what we are looking for
        status, fault = -1, described(error)
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    return Finished(status, out.getvalue(), err.getvalue().decode("utf-8", "replace"), fault)


def described(error: BaseException) -> str:
    """Name an exception and the innermost line of ours that it came through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _is_ours(f.filename)]
    place = "outside"
    if frames:
        last = frames[-1]
        place = f"{Path(last.filename).relative_to(ROOT).as_posix()}:{last.lineno} {last.name}"
    text = " ".join(str(error).split()).replace(f"{ROOT}/", "")
    return f"{type(error).__name__} in {place}: {text[:160]}"


def _is_ours(name: str) -> bool:
    path = Path(name)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in (
        "semipunct",
        "semirings",
    )


@contextmanager
def alarm(seconds: float) -> Generator[None, None, None]:
    """Raise ``Hang`` in the body of a ``with`` block that takes too long; compiling is free.

    Args:
        seconds: of wall clock that it may take.
    """
    with CompileClock() as clock:
        end = time.monotonic() + seconds
        told = False

        def ring(_number: int, _frame: FrameType | None) -> None:
            nonlocal told
            rest = end + clock.seconds - time.monotonic()
            # A signal is heard when a compilation has ended, before its seconds are counted.
            signal.setitimer(signal.ITIMER_REAL, max(rest, GRACE))
            if rest < 0 and told:
                raise Hang
            told = rest < 0

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
