"""Pictures of the framework: one recursion under several semirings, rooms and their imports."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path

from drawing.canvas import Canvas


def recursion(semirings: Sequence[tuple[str, str]], structures: Sequence[str]) -> Canvas:
    """Draw the structures on the left, the semirings with their answers on the right.

    Args:
        semirings: the name of each, and what the recursion answers in it.
        structures: the names of the structures.
    """
    rows = max(len(semirings), len(structures))
    height = 74 + 40 * rows
    canvas = Canvas(
        760,
        height,
        "One recursion, and a semiring for each question",
        f"Structures ({', '.join(structures)}) share one recursion. "
        + " ".join(f"In the semiring {name} it gives {answer}." for name, answer in semirings),
    )
    for x, heading in ((95, "structure"), (320, "recursion"), (560, "semiring and answer")):
        canvas.text((x, 28), heading, "soft", size=12)
    middle = 50 + 20 * rows
    canvas.box((250, middle - 30), (140, 60), "ink")
    canvas.text((320, middle - 4), "forward", is_code=True, is_bold=True)
    canvas.text((320, middle + 14), "written once", "soft", size=11)
    for i, name in enumerate(structures):
        y = 50 + 40 * (rows - len(structures)) / 2 + 40 * i
        canvas.box((20, y), (150, 30), "green")
        canvas.text((95, y + 20), name, size=13)
        canvas.line([(170, y + 15), (250, middle)], "faint")
    for i, (name, answer) in enumerate(semirings):
        y = 50 + 40 * (rows - len(semirings)) / 2 + 40 * i
        canvas.arrow((390, middle), (464, y + 15), "faint")
        canvas.box((468, y), (108, 30), "blue")
        canvas.text((522, y + 20), name, size=13, is_code=True)
        canvas.text((588, y + 20), answer, size=13, anchor="start")
    return canvas


def imports(root: Path, rooms: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """Return for each room the other rooms that its modules import, read off the source.

    Args:
        root: the folder that holds the packages.
        rooms: for each room, the folders and modules that it consists of, relative to ``root``.
    """
    place = {part.replace("/", "."): room for room, parts in rooms.items() for part in parts}

    def room_of(module: str) -> str | None:
        while module:
            if module in place:
                return place[module]
            module = module.rpartition(".")[0]
        return None

    arrows: dict[str, set[str]] = {room: set() for room in rooms}
    for room, parts in rooms.items():
        for part in parts:
            files = (root / part).rglob("*.py") if (root / part).is_dir() else [root / f"{part}.py"]
            for path in files:
                for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                    if isinstance(node, ast.ImportFrom) and node.module:
                        modules = [node.module]
                    elif isinstance(node, ast.Import):
                        modules = [name.name for name in node.names]
                    else:
                        continue
                    arrows[room] |= {imported for m in modules if (imported := room_of(m))} - {room}
    return arrows


def architecture(arrows: Mapping[str, set[str]], contents: Mapping[str, str]) -> Canvas:
    """Draw rooms as boxes, each below all that import it, and an arrow for each direct import.

    An arrow is left out where a longer way leads to the same room.

    Args:
        arrows: for each room, the rooms that it imports.
        contents: for each room, what it holds.
    """
    levels = _levels(arrows)
    rows = [[room for room in arrows if levels[room] == i] for i in range(1 + max(levels.values()))]
    rows.reverse()
    width, row_height = 900, 84
    canvas = Canvas(
        width,
        24 + row_height * len(rows),
        "The rooms of the code and their imports",
        " ".join(
            f"{room} ({contents[room]}) imports "
            f"{', '.join(sorted(arrows[room])) or 'no other room'}."
            for row in rows
            for room in row
        ),
    )
    places: dict[str, tuple[float, float]] = {}
    for i, row in enumerate(rows):
        for j, room in enumerate(row):
            places[room] = width * (j + 0.5) / len(row), 20 + row_height * i
    for room, imported in arrows.items():
        for target in sorted(imported - _reached_otherwise(room, arrows)):
            (x, y), (to_x, to_y) = places[room], places[target]
            canvas.curve((x, y + 44), (to_x, to_y), "soft")
    for room, (x, y) in places.items():
        canvas.card((x - 96, y), (192, 44), "blue")
        canvas.text((x, y + 19), room, size=14, is_code=True, is_bold=True)
        canvas.text((x, y + 35), contents[room], "soft", size=10.5)
    return canvas


def _levels(arrows: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the length of the longest way from each room down to one that imports nothing."""
    levels: dict[str, int] = {}

    def level(room: str) -> int:
        if room not in levels:
            levels[room] = 1 + max(map(level, arrows[room]), default=-1)
        return levels[room]

    for room in arrows:
        level(room)
    return levels


def _reached_otherwise(room: str, arrows: Mapping[str, set[str]]) -> set[str]:
    """Return the rooms to which a way of several imports leads."""
    reached: set[str] = set()
    waiting = [further for imported in arrows[room] for further in arrows[imported]]
    while waiting:
        imported = waiting.pop()
        if imported not in reached:
            reached.add(imported)
            waiting += arrows[imported]
    return reached
