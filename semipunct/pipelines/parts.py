"""Corpora in parts: consecutive sections of files with separate answers.

The parts depend on the files and on a size. Each output is written atomically, under a name that
sorts by place. Existing outputs are skipped, so an interrupted command can be resumed, and several
processes can share the work (docs/decisions/files.md).
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Omitted
from semipunct.errors import OutputError, TreebankError, UsageError
from semipunct.files import STANDARD, Section, byte_lines, read_bytes, write_bytes
from semipunct.formats.conllu.records import blocks, separator_after
from semipunct.formats.lines import KIND
from semipunct.formats.text import in_paragraphs, lines_judged_together
from semipunct.pipelines.task import Request, Task, Unit
from semipunct.version import __version__

if TYPE_CHECKING:
    from semipunct.formats import Writer
    from semipunct.pipelines.options import PartOptions

MANIFEST = "manifest.json"

_DIGITS = 6

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a corpus."""

    number: int
    sections: Sequence[Section]
    first: int = 0


# The index of a part, its output, and messages for users.
Answer = tuple[int, bytes, tuple[str, ...]]


def missing_parts(
    task: Task[Any, Any], paths: Sequence[str], unit: Unit, options: PartOptions
) -> Iterator[Part]:
    """Yield the parts of a process's share that are missing from the folder.

    Args:
        paths: the files, which are read once, a part at a time.
    """
    share, shares = options.shares()
    first = 0
    for number, sections in enumerate(divide(paths, unit, options.size * 1024, task.chunk)):
        part = Part(number, sections, first)
        if number % shares == share - 1 and not place(options, number).exists():
            yield part
        if task.is_numbered and unit in ("sentence", "file"):
            entries = task.anew().read(Request(inputs=sections)).entries
            first += sum(not isinstance(entry.content, Omitted) for entry in entries)


def place(options: PartOptions, number: int) -> Path:
    """Return the output file of a part."""
    return Path(options.folder or "") / f"part-{number:0{_DIGITS}}"


def answer_part(task: Task[Any, Any], writer: Writer[Any], form: str | None, part: Part) -> Answer:
    """Answer a part."""
    task = task.anew()
    documents = task.read(Request(inputs=part.sections, form=form))
    stream = io.StringIO(newline="")
    task.write(task.answer(documents.entries, part.first), documents.form, writer, stream)
    return part.number, stream.getvalue().encode(), tuple(task.messages())


def begin_folder(folder: str, origin: dict[str, Any]) -> None:
    """Write the origin of the parts to a new folder, or compare it with an existing one."""
    manifest = Path(folder) / MANIFEST
    values = json.loads(json.dumps({"version": __version__, **origin}))
    if not manifest.exists():
        if manifest.parent.exists() and not manifest.parent.is_dir():
            raise OutputError(f"{folder}: is a file; name a folder")
        if manifest.parent.is_dir() and any(
            not file.name.startswith(".") for file in manifest.parent.iterdir()
        ):
            raise OutputError(f"{folder}: has files, but no {MANIFEST}; name a new folder")
        write_bytes(manifest, (json.dumps(values) + "\n").encode())
    # Another process may have begun a different run meanwhile.
    try:
        stored = json.loads(manifest.read_bytes())
        differing = [name for name, value in values.items() if stored[name] != value]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputError(
            f"{manifest}: is no plan of parts of this version; name another folder"
        ) from error
    if differing:
        name = differing[0]
        raise UsageError(
            f"{folder}: was begun with {name} {json.dumps(stored[name])}, not "
            f"{json.dumps(values[name])}; name another folder, or delete this one"
        )


def file_sizes(paths: Sequence[str]) -> list[tuple[str, int]]:
    """Return the size of each file in bytes."""
    try:
        return [(path, Path(path).stat().st_size) for path in paths]
    except OSError as error:
        raise TreebankError(
            f"{error.filename}: {error.strerror or error}; check the path"
        ) from error


def divide(
    paths: Sequence[str], unit: Unit, size: int, chunk: int = 1
) -> Iterator[Sequence[Section]]:
    """Divide files into parts."""
    check_files(paths)
    sections: list[Section] = []
    room, count = size, 0
    for number, path in enumerate(paths):
        is_last = number == len(paths) - 1
        before, pending = _Place(path), list[bytes]()
        for lines in _units_of(path, unit):
            may_end = unit != "sentence" or count % chunk == 0
            if (sections or pending) and len(lines) > room and may_end:
                if pending:
                    sections.append(before.advance(pending, unit))
                yield sections
                sections, pending, room = [], [], size
            pending.append(lines)
            room -= len(lines)
            count += bool(lines)
        if pending or not before.byte:
            sections.append(before.advance(pending, unit, is_end=True, is_last=is_last))
    if sections:
        yield sections


@dataclass(slots=True)
class _Place:
    """A place in a file: preceding bytes, lines, characters and sentences."""

    path: str
    byte: int = 0
    lines: int = 0
    characters: int = 0
    sentences: int = 0

    def advance(
        self, units: Sequence[bytes], unit: Unit, *, is_end: bool = False, is_last: bool = False
    ) -> Section:
        content = b"".join(units)
        section = Section(
            self.path,
            content + (_ending(content, unit) if is_end and not is_last else b""),
            first_line=self.lines + 1,
            first_byte=self.byte,
            first_character=self.characters,
            sentences_before=self.sentences,
            is_inside=self.byte > 0 or not is_end,
        )
        self.byte += len(content)
        self.lines += content.count(b"\n")
        self.characters += len(content.decode("utf-8", "replace"))
        self.sentences += len(units) if unit == "sentence" else 0
        return section


def _ending(content: bytes, unit: Unit) -> bytes:
    if unit == "sentence" and content:
        return separator_after(content.decode("utf-8", "replace")).encode()
    return b"" if content.endswith(b"\n") or not content else b"\n"


def check_files(paths: Iterable[str]) -> None:
    """Raise ``UsageError`` unless all files can be read in sections."""
    for path in paths:
        if path == STANDARD:
            raise UsageError(
                "--parts reads sections of files, and standard input has none; write it to a file"
            )
        file = Path(path)
        if file.exists() and not file.is_dir():
            if not file.is_file():
                raise UsageError(
                    f"{path}: --parts reads sections of files, and this is none; write it to a file"
                )
            with file.open("rb") as stream:
                is_packed = stream.read(len(_GZIP)) == _GZIP
            if is_packed or path.endswith(".gz"):
                raise UsageError(
                    f"{path}: --parts cannot read sections of compressed files; decompress it "
                    "(gunzip -k), or give each of such files to a command of its own"
                )


def _units_of(path: str, unit: Unit) -> Iterator[bytes]:
    """Yield the units of a file, which concatenate to the file."""
    if unit not in ("line", "paragraph", "sentence"):
        yield read_bytes(path, KIND)
        return
    # Binary lines are rejected later, by the reader of the model.
    lines = (line.decode("utf-8", "surrogateescape") for line in byte_lines(path, KIND))
    if unit == "line":
        texts = ("".join(together) for together, _ in lines_judged_together(lines))
    elif unit == "paragraph":
        texts = (raw.text for raw in in_paragraphs(lines))
    else:
        texts = ("".join(block) for _, block in blocks(lines))
    has_units = False
    for text in texts:
        has_units = True
        yield text.encode("utf-8", "surrogateescape")
    if not has_units:
        yield read_bytes(path, KIND)
