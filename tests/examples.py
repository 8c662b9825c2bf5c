"""Executes the examples of the README and the documentation, and compares their output.

A block tagged ``python`` is executed as a whole; a block tagged ``text`` directly below it is what
it prints. In a block tagged ``console`` the lines that begin with ``$ semipunct``, or pipe a text
into it by ``echo``, are executed; the lines below are the expected output, where ``...`` matches
anything. Without such lines the output is not compared. Blocks of one page build on each other and
share a folder, in which the bundled sample and docs/examples are as in the repository. Before the
pages in ``CONTINUED`` the first blocks of the tutorial's training are executed, which make parts of
the sample, and a model. A comment ``<!-- skip: reason -->`` before a block prevents its execution.
"""

import contextlib
import doctest
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.commands import run

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "docs/index.md",
    "docs/tutorial.md",
    "docs/text.md",
    "docs/treebanks.md",
    "docs/commands.md",
    "docs/output.md",
    "docs/structured-prediction.md",
    "docs/structures.md",
    "docs/trees.md",
    "docs/extending/semiring.md",
    "docs/extending/structure.md",
    "docs/extending/format.md",
    "docs/extending/model.md",
    "docs/api.md",
    "docs/corpora.md",
    "docs/correction.md",
    "docs/rephrasing.md",
    "docs/commas.md",
)
TUTORIAL = "docs/tutorial.md"
CONTINUED = {"README.md": 1, "docs/index.md": 1, "docs/rephrasing.md": 2}
"""Pages that begin where the tutorial's training has made parts (1), and a model of them (2)."""

SAMPLE = "semipunct/data/sample.conllu"

# From a training command and its data to the folder of the model and the output.
_TRAINED: dict[tuple[str | bytes, ...], tuple[Path, str]] = {}

_TRAINS = re.compile(r"semipunct train|\btrain\(|optax")
_FENCE = re.compile(r"^(`{3,}|~{3,}|:{3,})\s*(.*)$")
_SKIP = re.compile(r"<!--\s*skip:\s*(.+?)\s*-->")
_COMMAND = re.compile(
    r"^\$ (?:echo (?P<text>\"[^\"]*\"|'[^']*') +\| )?semipunct(?P<words>( .*)?)$", re.M
)
_COMPARE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its location, tag and text, and a reason if it is skipped.

    Attributes:
        printed: the expected output of a block of Python, if the page shows it.
    """

    page: str
    line: int
    tag: str
    text: str
    skip: str
    printed: str | None = None

    @property
    def runs(self) -> bool:
        """Whether the block can be executed."""
        return self.tag == "python" or (self.tag == "console" and any(commands(self.text)))


class Command(NamedTuple):
    """A command of a console block: its arguments, standard input and expected output."""

    arguments: list[str]
    stdin: str
    shown: str


def blocks(page: str, text: str) -> Iterator[Block]:
    """Return all fenced blocks of a page."""
    fence, tag, start, skip = "", "", 0, ""
    inside: list[str] = []
    waiting: Block | None = None  # a block of Python, whose output may follow
    for number, line in enumerate(text.splitlines(), 1):
        opening = _FENCE.match(line)
        if not fence and opening:
            fence, tag, start, inside = opening[1], opening[2], number, []
        elif fence and line.strip() == fence:
            block = Block(page, start, tag, "\n".join(inside) + "\n", skip)
            fence, skip = "", ""
            if waiting and tag == "text":
                yield replace(waiting, printed=block.text)
                waiting = None
                continue
            if waiting:
                yield waiting
            waiting = block if tag == "python" else None
            if not waiting:
                yield block
        elif fence:
            inside.append(line)
        elif line.strip():
            comment = _SKIP.search(line)
            skip = comment[1] if comment else ""
            if waiting:
                yield waiting
                waiting = None
    if waiting:
        yield waiting


def commands(text: str) -> Iterator[Command]:
    """Return the semipunct commands of a console block."""
    joined = text.replace("\\\n", " ")
    for part in re.split(r"(?m)^(?=\$ )", joined):
        line, _, shown = part.partition("\n")
        if command := _COMMAND.match(line):
            stdin = "".join(f"{word}\n" for word in shlex.split(command["text"] or ""))
            yield Command(shlex.split(command["words"]), stdin, shown)


def output(command: Command) -> str:
    """Run a command in this process; return its output, with standard error last."""
    result = run(*command.arguments, stdin=command.stdin.encode())
    printed = result.out + result.err
    # What it prints is what differs.
    differs = command.arguments[0] == "diff" and bool(result.out)
    assert result.status == differs, printed
    return printed


@dataclass
class Session:
    """The state of a page: its folder, its names by page, and its progress."""

    folder: Path
    names: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def trained(self, command: Command) -> str:
        """Train, or reuse the model that another page trained with the same command."""
        folder = command.arguments[command.arguments.index("-o") + 1]
        data = tuple(Path(name).read_bytes() for name in ("train.conllu", "dev.conllu"))
        key = (*command.arguments, *data)
        if key not in _TRAINED:
            _TRAINED[key] = (self.folder / folder, output(command))
        else:
            shutil.copytree(_TRAINED[key][0], folder)
        return _TRAINED[key][1]

    def execute(self, block: Block) -> None:
        """Execute one block."""
        if block.tag == "python":
            # Line numbers in tracebacks are those of the page.
            source = "\n" * block.line + block.text
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                names = self.names.setdefault(block.page, {"__name__": "__main__"})
                exec(compile(source, block.page, "exec"), names)
            if block.printed is not None:
                check(block, "the code above", block.printed, printed.getvalue())
            return
        for command in commands(block.text):
            train = command.arguments[0] == "train"
            printed_text = self.trained(command) if train else output(command)
            if command.shown.strip():
                check(block, str(command.arguments), command.shown, printed_text)


def check(block: Block, what: str, shown: str, printed: str) -> None:
    """Compare the output that a page shows with the output."""
    same = doctest.OutputChecker().check_output(shown, printed, _COMPARE)
    assert same, f"{block.page}:{block.line}: {what} printed:\n{printed}"


def page_blocks(page: str) -> list[Block]:
    """The executable blocks of a page, including skipped ones."""
    text = (ROOT / page).read_text("utf-8")
    return [block for block in blocks(page, text) if block.runs]


def preparation(page: str) -> list[Block]:
    """The blocks of the tutorial that are executed before those of a page."""
    training = page_blocks(TUTORIAL)
    first = next(n for n, block in enumerate(training) if block.tag == "python")
    return training[first : first + CONTINUED.get(page, 0)]


def trains(page: str) -> bool:
    """Tell whether an example of a page trains: ``make docs`` executes the pages with training."""
    blocks_of_page = (*preparation(page), *page_blocks(page))
    return any(_TRAINS.search(block.text) for block in blocks_of_page if not block.skip)


def execute(page: str, folder: Path) -> None:
    """Execute all examples of a page in a folder, which becomes the working directory.

    Args:
        page: path of the page in the repository.
        folder: an empty folder, which gets the bundled sample and docs/examples.
    """
    (folder / SAMPLE).parent.mkdir(parents=True)
    shutil.copy(ROOT / SAMPLE, folder / SAMPLE)
    shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples")
    session = Session(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        patch.syspath_prepend(ROOT / "docs" / "examples" / "semiring-plugin" / "src")
        for block in (*preparation(page), *page_blocks(page)):
            if not block.skip:
                session.execute(block)
