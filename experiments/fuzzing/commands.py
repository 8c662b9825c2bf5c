"""Commands run within the process, with separate standard streams and a time limit."""

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
"""Minimum seconds until the alarm is repeated, so that a finished compilation is counted."""

ROOT = Path(__file__).resolve().parents[2]


class Hang(BaseException):
    """A case exceeded its time limit; no command catches this exception."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a command.

    Attributes:
        status: exit status; -1 if the command ended with an exception.
        out: content of standard output.
        err: content of standard error.
        fault: empty, or the exception and the place where it was raised.
    """

    status: int
    out: bytes
    err: str
    fault: str = ""


def run(arguments: Sequence[str], stdin: bytes = b"") -> Finished:
    """Run a command as in its own process, up to its exit status.

    Args:
        arguments: arguments of the command.
        stdin: content of standard input.
    """
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    # Encodings as in Python, where standard error accepts all characters. The variable is required:
    # an unreferenced stream is closed together with its buffer.
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
    except Exception as error:  # noqa: BLE001 - any other exception is a failure
        status, fault = -1, described(error)
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    return Finished(status, out.getvalue(), err.getvalue().decode("utf-8", "replace"), fault)


def described(error: BaseException) -> str:
    """Describe an exception and the innermost line of this project in its traceback."""
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
    """Raise ``Hang`` in a ``with`` block that exceeds a time limit, which excludes compilation.

    Args:
        seconds: limit of wall-clock time.
    """
    with CompileClock() as clock:
        end = time.monotonic() + seconds
        has_rung = False

        def ring(_number: int, _frame: FrameType | None) -> None:
            nonlocal has_rung
            remaining = end + clock.seconds - time.monotonic()
            # A signal is handled after a compilation ends, but before its seconds are counted.
            signal.setitimer(signal.ITIMER_REAL, max(remaining, GRACE))
            if remaining < 0 and has_rung:
                raise Hang
            has_rung = remaining < 0

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
