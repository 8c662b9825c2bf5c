"""The examples in the README and the documentation are executed, and their output is compared.

Blocks tagged ``python`` are executed as a whole. In blocks tagged ``console`` the lines that begin
with ``$ semipunct`` are executed; the lines below are the expected output, in which ``...`` matches
anything. Without such lines the output is not compared. Blocks of one page build on each other and
share a folder, in which the bundled sample has the same path as in the repository. A comment
``<!-- skip: reason -->`` before a block prevents its execution.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from semipunct.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/structures.md",
    "docs/trees.md",
    "docs/extending.md",
    "docs/api.md",
    "docs/correction.md",
    "docs/commas.md",
)
SAMPLE = "semipunct/data/sample.conllu"
PROMPT = "$ "
COMMAND = PROMPT + "semipunct"

# From a training command and its data to the folder of the model and the output.
_MADE: dict[tuple[str | bytes, ...], tuple[Path, str]] = {}

_FENCE = re.compile(r"^(`{3,}|~{3,}|:{3,})\s*(.*)$")
_SKIP = re.compile(r"<!--\s*skip:\s*(.+?)\s*-->")
_COMPARE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its location, tag and text, and a reason if it is skipped."""

    page: str
    line: int
    tag: str
    text: str
    skip: str

    @property
    def runs(self) -> bool:
        """Whether the block can be executed."""
        return self.tag == "python" or (self.tag == "console" and COMMAND in self.text)


def blocks(page: str, text: str) -> Iterator[Block]:
    """Return all fenced blocks of a page."""
    fence, tag, start, skip = "", "", 0, ""
    inside: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _FENCE.match(line)
        if not fence and found:
            fence, tag, start, inside = found[1], found[2], number, []
        elif fence and line.strip() == fence:
            yield Block(page, start, tag, "\n".join(inside) + "\n", skip)
            fence, skip = "", ""
        elif fence:
            inside.append(line)
        elif line.strip():
            comment = _SKIP.search(line)
            skip = comment[1] if comment else ""


def commands(text: str) -> Iterator[tuple[list[str], str]]:
    """Return the semipunct commands of a console block, each with the expected output."""
    joined = text.replace("\\\n", " ")
    for part in re.split(r"(?m)^(?=\$ )", joined):
        line, _, shown = part.partition("\n")
        if line.startswith(COMMAND):
            yield shlex.split(line.removeprefix(COMMAND)), shown


def run(arguments: list[str]) -> str:
    """Run a command in this process; return its output, with standard error last."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        main(arguments)
    printed = "".join(s.buffer.getvalue().decode() for s in (out, err))  # type: ignore[attr-defined]
    assert end.value.code in (0, None), printed
    return printed


@dataclass
class Session:
    """The state of a page: its folder, its names, and its progress."""

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    done: set[int] = field(default_factory=set[int])

    def trained(self, arguments: list[str]) -> str:
        """Train, or reuse the model that another page trained with the same command."""
        output = arguments[arguments.index("-o") + 1]
        data = tuple(Path(name).read_bytes() for name in ("train.conllu", "dev.conllu"))
        if (made := _MADE.get((*arguments, *data))) is None:
            made = _MADE[*arguments, *data] = (self.folder / output, run(arguments))
        else:
            shutil.copytree(made[0], output)
        return made[1]

    def execute(self, block: Block) -> None:
        """Execute one block, only once."""
        if block.line in self.done:
            return
        self.done.add(block.line)
        if block.tag == "python":
            # Line numbers in tracebacks are those of the page.
            source = "\n" * block.line + block.text
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(source, block.page, "exec"), self.names)
            return
        for arguments, shown in commands(block.text):
            printed = self.trained(arguments) if arguments[0] == "train" else run(arguments)
            if shown.strip():
                same = doctest.OutputChecker().check_output(shown, printed, _COMPARE)
                assert same, f"{block.page}:{block.line}: {arguments} printed:\n{printed}"


def page_blocks(page: str) -> list[Block]:
    """The executable blocks of a page, including skipped ones."""
    text = (ROOT / page).read_text("utf-8")
    return [block for block in blocks(page, text) if block.runs]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory, loaded_once: None) -> dict[str, Session]:
    """One session for each page."""
    found: dict[str, Session] = {}
    for page in PAGES:
        folder = tmp_path_factory.mktemp(Path(page).stem)
        (folder / SAMPLE).parent.mkdir(parents=True)
        shutil.copy(ROOT / SAMPLE, folder / SAMPLE)
        found[page] = Session(folder)
    return found


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=f"{page}:{block.line}")
        for page in PAGES
        for block in page_blocks(page)
    ],
)
def test_examples_run(
    block: Block, sessions: dict[str, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    if block.skip:
        pytest.skip(block.skip)
    session = sessions[block.page]
    monkeypatch.chdir(session.folder)
    monkeypatch.setenv("COLUMNS", "100")
    # Results of earlier blocks are available even if this test runs alone.
    for other in page_blocks(block.page):
        if other.line <= block.line and not other.skip:
            session.execute(other)


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_shown_in_blocks_that_are_executed(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for block in blocks(page, text):
        if re.search(r"(?m)^(\$ )?semipunct ", block.text):
            assert block.tag == "console", f"{page}:{block.line} is tagged {block.tag!r}"
            assert COMMAND in block.text, f"{page}:{block.line}: begin commands with {PROMPT!r}"


def test_the_tutorial_has_examples_of_both_kinds() -> None:
    tags = {block.tag for block in page_blocks("docs/tutorial.md") if not block.skip}
    assert tags == {"python", "console"}


def test_blocks_are_found() -> None:
    page = (
        "# A\n\n```python\nx = 1\n```\n\n<!-- skip: needs data -->\n```console\n"
        "$ semipunct stats a \\\n  b\nshown ...\n$ ls\n$ semipunct --help\n```\n\ntext\n"
        "```console\n$ ls\n```\n"
    )
    first, second, third = blocks("a.md", page)
    assert (first.line, first.tag, first.text, first.skip) == (3, "python", "x = 1\n", "")
    assert second.skip == "needs data"
    assert list(commands(second.text)) == [(["stats", "a", "b"], "shown ...\n"), (["--help"], "")]
    assert not third.runs
    assert not third.skip


def test_the_folder_of_a_page_holds_the_sample(sessions: dict[str, Session]) -> None:
    for session in sessions.values():
        assert os.path.getsize(session.folder / SAMPLE) == (ROOT / SAMPLE).stat().st_size
