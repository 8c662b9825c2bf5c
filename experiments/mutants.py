"""Faults planted in the packages, one at a time, and whether the test suite finds them.

    python experiments/mutants.py plant --sites 80 --output experiments/results/mutants.json
    python experiments/mutants.py check --output experiments/results/mutants.json

Of all functions, ordered by path and line, every n-th (or the next with a place for it) gets a
fault. A digest of its name chooses among comparisons, arithmetic operators, numbers, ``and`` or
``or``, and conditions. ``check`` tests a copy of the working tree, the package's tests first, and
can be resumed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures import commit

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("semirings", "semipunct")
LIMIT = 1800
"""Seconds after which a run of tests counts as having found the fault."""

SWAPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not",
    "is not": "is", "in": "not in", "not in": "in", "+": "-", "-": "+", "*": "+", "/": "*",
    "//": "*", "%": "*", "@": "+", "|": "&", "&": "|", "and": "or", "or": "and",
}  # fmt: skip
_OPERATOR = re.compile("|".join(map(re.escape, sorted(SWAPPED, key=len, reverse=True))))

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Fault(NamedTuple):
    """One changed place.

    Attributes:
        function: its name, with the class.
        start, end: bytes of the source that are replaced.
    """

    path: str
    function: str
    line: int
    start: int
    end: int
    before: str
    after: str


class Source:
    """A module and the byte offsets of its nodes."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        self.path = path.relative_to(ROOT).as_posix()
        self.tree = ast.parse(self.data)
        self._lines = [0]
        for line in self.data.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def start(self, node: ast.expr) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr) -> int:
        return self._lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Yield the functions and methods that have code, with their names."""
        for node in self.tree.body:
            if isinstance(node, Function):
                yield node.name, node
            elif isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, Function):
                        yield f"{node.name}.{member.name}", member

    def faults(self, name: str, function: Function) -> Iterator[Fault]:
        """Yield all faults that could be planted in a function."""
        for node in walk(function):
            for start, end, after in self.changes(node):
                before = self.data[start:end].decode()
                line = self.data.count(b"\n", 0, start) + 1
                yield Fault(self.path, name, line, start, end, before, after)

    def changes(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yield the possible changes of a node: the bytes to replace and the new text."""
        match node:
            case ast.Compare(left=left, comparators=[right]):
                yield from self.swapped(left, right)
            case ast.BinOp(left=left, right=right) | ast.BoolOp(values=[left, right, *_]):
                yield from self.swapped(left, right)
            case ast.Constant(value=bool()):
                yield self.start(node), self.end(node), str(not node.value)
            case ast.Constant(value=int(number)):
                yield self.start(node), self.end(node), str(number + 1)
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                text = self.data[self.start(test) : self.end(test)].decode()
                yield self.start(test), self.end(test), f"(not ({text}))"
            case _:
                pass

    def swapped(self, left: ast.expr, right: ast.expr) -> Iterator[tuple[int, int, str]]:
        start, end = self.end(left), self.start(right)
        if operator := _OPERATOR.search(self.data[start:end].decode("latin-1")):
            yield start + operator.start(), start + operator.end(), SWAPPED[operator[0]]


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a function's nodes without annotations, decorators, defaults and error texts."""
    children = node.body if isinstance(node, Function) else ast.iter_child_nodes(node)
    for child in children:
        if isinstance(child, ast.Raise | ast.JoinedStr | ast.Assert):
            continue
        yield child
        yield from walk(child)


def plant(sites: int) -> list[Fault]:
    """Choose about ``sites`` faults by the rule of the module's docstring."""
    sources = [Source(path) for package in PACKAGES
               for path in sorted((ROOT / package).rglob("*.py"))]  # fmt: skip
    functions = [(source, *named) for source in sources for named in source.functions()]
    step, waiting, chosen = len(functions) / sites, 0.0, list[Fault]()
    for source, name, function in functions:
        waiting += 1
        if waiting < step:
            continue
        if faults := list(source.faults(name, function)):
            digest = hashlib.sha256(f"{source.path}:{name}".encode()).digest()
            chosen.append(faults[int.from_bytes(digest[:8], "big") % len(faults)])
            waiting -= step
    return chosen


def tests_of(fault: Fault) -> list[str]:
    """Return the folders and files of tests that mirror a module's place."""
    parts = Path(fault.path).with_suffix("").parts
    rooms = parts if parts[0] == "semirings" else parts[1:]
    for length in range(len(rooms), 0, -1):
        folder = Path("tests", *rooms[:length])
        for place in (folder, folder.with_name(f"test_{folder.name}.py")):
            if (ROOT / place).exists():
                return [place.as_posix()]
    return []


def check(fault: Fault, copy: Path) -> str:
    """Plant a fault in a copy of the repository; return the first failing test, if any."""
    path = copy / fault.path
    source = path.read_bytes()
    if source[fault.start : fault.end].decode() != fault.before:
        raise ValueError(f"{fault.path}:{fault.line}: the source has changed; plant again")
    path.write_bytes(source[: fault.start] + fault.after.encode() + source[fault.end :])
    try:
        return next(filter(None, (failing(copy, at) for at in (tests_of(fault), []))), "")
    finally:
        path.write_bytes(source)


def failing(copy: Path, places: list[str]) -> str:
    """Run tests, by default all, until one fails; return its name, or an empty text."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "--dist", "loadfile",
               "-p", "no:cacheprovider", *places]  # fmt: skip
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(copy)}
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True,
                              timeout=LIMIT, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return "the suite, which did not end"
    named = re.search(r"(?m)^(?:FAILED|ERROR) (\S+)", done.stdout)
    return "" if done.returncode in (0, 5) else named[1] if named else done.stdout.strip()[-200:]


def main() -> None:
    """Choose faults, or check them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=("plant", "check"))
    parser.add_argument("--sites", type=int, default=80, help="number of faults")
    parser.add_argument("--output", type=Path, required=True, help="the file of results")
    arguments = parser.parse_args()
    output: Path = arguments.output
    if arguments.action == "plant":
        rows = [fault._asdict() for fault in plant(arguments.sites)]
        report = {"command": "experiments/mutants.py check", "commit": commit(), "rows": rows}
        output.write_text(json.dumps({"faults": report}, indent=1, ensure_ascii=False) + "\n")
        print(f"{len(rows)} faults")
        return
    report = json.loads(output.read_text("utf-8"))["faults"]
    rows = report["rows"]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "repository"
        copied = shutil.ignore_patterns(".git", ".venv", "__pycache__", "_build", "wt")
        shutil.copytree(ROOT, copy, ignore=copied)
        for row in rows:
            if "found by" not in row:
                fault = Fault(*(row[name] for name in Fault._fields))
                row["found by"] = check(fault, copy)
                print(f"{fault.path}:{fault.line}: {row['found by'] or 'not found'}", flush=True)
                text = json.dumps({"faults": report}, indent=1, ensure_ascii=False)
                output.write_text(text + "\n")
    found = sum(bool(row["found by"]) for row in rows)
    print(f"{found} of {len(rows)} faults found")


if __name__ == "__main__":
    main()
