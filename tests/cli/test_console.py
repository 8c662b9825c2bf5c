"""Help, exit codes, and output after errors."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from semipunct.cli import console
from semipunct.errors import SemipunctError
from semipunct.formats import reading
from tests.commands import Cli

COMMANDS = (
    "quickstart", "train", "evaluate", "compare", "decode", "restore", "analyse", "stats",
    "semirings",
)  # fmt: skip


def test_help_of_every_command(cli: Cli):
    result = cli("--help")
    assert (result.status, result.err) == (0, "")
    for command in COMMANDS:
        assert command in result.out
        assert cli(command, "--help").status == 0


@pytest.mark.parametrize("arguments", [("--help",), ("train", "--help"), ("decode", "--help")])
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]):
    program = (
        "import sys\n"
        "from semipunct.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    heavy = {'jax', 'numpy', 'optax', 'conllu'} & set(sys.modules)\n"
        "    sys.exit(f'imported: {heavy}' if heavy else end.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("stat",), "Did you mean 'stats'"),
        (("decode", "m", "f", "--semirin", "viterbi"), "--semiring"),
        (("train", "a.conllu", "-o", "m"), "--dev"),
        (("decode", "m", "f", "--format", "xml"), "conllu"),
        (("train", "a", "--dev", "b", "-o", "m", "--channel", "up"), "l2r"),
        (("decode", "m", "f", "--samples", "0"), "--samples"),
        (("decode", "m", "f", "--semiring", "sampling", "--samples", 10**12), "--samples"),
        (("decode", "m", "f", "--semiring", "kbest", "--nbest", 100_000), "--nbest"),
        (("restore", "m", "f", "--samples", "0"), "--samples"),
        (("restore", "m", "f", "--samples", 10**9), "--samples"),
        (("compare", "a", "b", "--resamples", 10**12), "--resamples"),
        (("semirings", "check", "log", "--draws", 10**12), "--draws"),
        (("semirings", "check", "log", "--seed", 10**30), "--seed"),
        (("train", "a", "--dev", "b", "-o", "m", "--set", "garbage"), "write a key and a value"),
        (("train", "a", "--dev", "b", "-o", "m", "--seed", 10**30), "at most"),
        (("train", "a", "--dev", "b", "-o", "m", "--kind", "none"), "no kind of model 'none'"),
    ],
)
def test_wrong_usage(cli: Cli, arguments: tuple[str, ...], words: str):
    result = cli(*arguments)
    assert (result.status, result.out) == (2, "")
    assert words in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "error, status, message",
    [
        (SemipunctError("a mistake"), 1, "error: a mistake"),
        (KeyboardInterrupt(), 130, "error: interrupted"),
        (OSError(28, "No space left on device", "file"), 1, "error: file: No space left"),
    ],
)
def test_errors_become_one_message(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, message: str
):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(reading, "stats", fail)
    result = cli("stats", "any")
    assert result.status == status
    assert result.message.startswith(message)


def test_defects_are_not_hidden(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(reading, "stats", fail)
    with pytest.raises(ZeroDivisionError):
        cli("stats", "any")


STATS = "from semipunct.cli import main; main()"
MUCH = """
import typer
from semipunct.cli import console
try:
    with console.report_errors(), console.output("-") as stream:
        for _ in range(10_000):
            stream.write("a line of text\\n" * 10)
except typer.Exit as end:
    raise SystemExit(end.exit_code)
"""


@pytest.mark.parametrize(
    "program, options",
    [(STATS, ()), (STATS, ("--json",)), (MUCH, ())],
    ids=["table", "json", "much"],
)
def test_a_reader_that_goes_away_is_no_error(
    treebanks: dict[str, Path], program: str, options: tuple[str, ...]
):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", program, "stats", str(treebanks["dev"]), *options]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def write_half(path: Path) -> None:
    with console.output(str(path)) as stream:
        stream.write("half")
        raise ZeroDivisionError


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
def test_output_appears_whole_or_not_at_all(tmp_path: Path, name: str):
    path = tmp_path / name
    with pytest.raises(ZeroDivisionError):
        write_half(path)
    assert list(tmp_path.iterdir()) == []
    for text in ("all\r\n", "again\n"):
        with console.output(str(path)) as stream:
            stream.write(text)
        assert b"".join(treebank_bytes(path)) == text.encode()
    assert [p.name for p in tmp_path.iterdir()] == [name]


def treebank_bytes(path: Path) -> list[bytes]:
    from semipunct.files import byte_lines
    from semipunct.formats.lines import KIND

    return list(byte_lines(path, KIND))


PROCESS = [sys.executable, "-c", STATS, "stats"]


@pytest.mark.parametrize(
    "redirection, options, status, message",
    [
        ("<&-", "-", 1, "error: <stdin>: cannot be read (standard input is closed)"),
        (">&-", "FILE", 1, "error: standard output is closed"),
        (">&-", "FILE --json", 1, "error: standard output is closed"),
        ("2>&-", "absent.conllu", 1, ""),
    ],
)
def test_streams_that_are_closed(
    treebanks: dict[str, Path], redirection: str, options: str, status: int, message: str
):
    program = f'"$@" {options.replace("FILE", str(treebanks["train"]))} {redirection}'
    done = subprocess.run(
        ["sh", "-c", program, "sh", *PROCESS], capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == bool(message)


def test_gzip_on_standard_input(cli: Cli, treebanks: dict[str, Path]):
    content = treebanks["train"].read_bytes()
    packed = cli("stats", "-", "--json", stdin=gzip.compress(content))
    assert (packed.status, packed.err) == (0, "")
    assert packed.out == cli("stats", "-", "--json", stdin=content).out
    broken = cli("stats", "-", "--json", stdin=gzip.compress(content)[:-50])
    assert broken.status == 1
    assert "<stdin>" in broken.message
    assert "gzip data is broken" in broken.message
    assert "drop .gz" not in broken.message


def test_a_line_number_between_colons_is_no_emoji(capsys: pytest.CaptureFixture[str]):
    console.say("a.txt:100: no text")
    assert "a.txt:100: no text" in capsys.readouterr().err
