"""Running commands within the process, so that jax starts only once."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from semipunct.cli import main


@dataclass(frozen=True)
class Result:
    """The result of a command."""

    status: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """Return the single message of a command that failed because of a user error."""
        assert self.out == ""
        assert "Traceback" not in self.err
        lines = self.err.strip().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("error: ")
        return lines[0]

    @property
    def told(self) -> str:
        """Standard error without warnings about marks that the tiny model has never seen."""
        lines = self.err.splitlines(keepends=True)
        return "".join(line for line in lines if "that the model has never seen" not in line)


Cli = Callable[..., Result]


def run(*arguments: object, stdin: bytes = b"") -> Result:
    """Run a command as in its own process, with separate streams."""
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    texts = [io.TextIOWrapper(raw, encoding="utf-8", write_through=True) for raw in (out, err)]
    sys.stdout, sys.stderr = texts
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    else:
        status = 0
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    return Result(status, out.getvalue().decode(), err.getvalue().decode())


def sample_lines() -> list[str]:
    """The sentences of the bundled sample."""
    text = resources.files("semipunct.data").joinpath("sample.conllu").read_text("utf-8")
    return [block + "\n\n" for block in text.strip().split("\n\n")]
