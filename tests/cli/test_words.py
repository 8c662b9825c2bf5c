"""Words and symbols in help texts and in output."""

import io
import sys

import pytest

from semipunct.cli import console
from semipunct.cli.progress import sentence_progress


class Terminal(io.TextIOWrapper):
    """A stream that reports to be a terminal."""

    def isatty(self) -> bool:
        return True


def shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, *, quiet: bool, data: bool) -> str:
    """Return the terminal output for the progress of three sentences; ``data`` go to it too."""
    streams = [Terminal(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    monkeypatch.setattr(sys, "stderr", streams[0])
    monkeypatch.setattr(sys, "stdout", streams[data])
    monkeypatch.setenv("TERM", "xterm")
    with sentence_progress("decoding", "-" if data else "file", quiet=quiet) as counted:
        assert list(counted("abc")) == ["a", "b", "c"]
    return streams[0].buffer.getvalue().decode()  # type: ignore[attr-defined]


def test_progress_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    assert "sentences: 3" in shown_on_a_terminal(monkeypatch, quiet=False, data=False)


@pytest.mark.parametrize("quiet, data", [(True, False), (False, True)])
def test_progress_is_not_shown(monkeypatch: pytest.MonkeyPatch, quiet: bool, data: bool):
    """It is hidden on request, and if data lines are printed to the same terminal."""
    assert shown_on_a_terminal(monkeypatch, quiet=quiet, data=data) == ""


def test_data_do_not_pass_through_the_count(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
):
    """Data are written unchanged to standard output while a terminal shows the progress."""
    screen = Terminal(io.BytesIO(), "utf-8", write_through=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with sentence_progress("decoding", "-") as counted, console.output("-") as stream:
        for item in counted("ab"):
            stream.write(item + "\n")
            sys.stdout.write("c\n")
            sys.stdout.flush()
    out = capsysbinary.readouterr().out
    assert sorted(out.split()) == [b"a", b"b", b"c", b"c"]
