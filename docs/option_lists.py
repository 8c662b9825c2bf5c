"""Options of commands and settings of models as Markdown, from the code that declares them."""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer

from semipunct.cli.app import app
from semipunct.models.registry import find_kind, kind_names


def markdown() -> str:
    """Return the lists of options and of settings."""
    lines = ["## Options of commands", ""]
    group: Any = typer.main.get_command(app)
    for name in sorted(group.list_commands(None)):
        lines += command(f"semipunct {name}", group.commands[name])
    lines += ["## Settings of models", ""]
    for name in kind_names():
        lines += settings(name)
    return "\n".join(lines)


def command(path: str, given: Any) -> Iterator[str]:
    """Yield the lines of a command, or of the commands of a group."""
    if hasattr(given, "commands"):
        for name, below in given.commands.items():
            yield from command(f"{path} {name}", below)
        return
    shown = [p for p in given.params if not getattr(p, "hidden", False)]
    arguments = [p.metavar or p.name.upper() for p in shown if not p.opts[0].startswith("-")]
    yield from (f"### `{' '.join([path, *arguments])}`", "", plain(given.help or ""), "")
    for parameter in shown:
        if parameter.opts[0].startswith("-"):
            names = "`, `".join((*parameter.opts, *parameter.secondary_opts))
            metavar = f" {parameter.metavar}" if parameter.metavar else ""
            value = parameter.default
            default = f" (default: `{value}`)" if value not in (None, False, "", ()) else ""
            yield from (f"`{names}{metavar}`", f": {plain(parameter.help or '')}{default}", "")


def settings(kind: str) -> Iterator[str]:
    """Yield the lines of a kind of model: its presets and the settings of its sections."""
    found = find_kind(kind)
    yield from (f"### `--kind {kind}`", "")
    if found.presets:
        yield from (f"Presets: {', '.join(f'`{preset}`' for preset in found.presets)}.", "")
    for section, options in found.sections.items():
        meaning: dict[str, str] = {}
        for base in reversed(options.__mro__):
            meaning |= attributes(base.__dict__.get("__doc__") or "")
        for field in dataclasses.fields(options):
            value = field.default
            shown = ",".join(value) if isinstance(value, tuple) else value
            yield f"`{section}.{field.name}` = `{shown}`"
            yield from (f": {plain(meaning.get(field.name, '')) or '-'}", "")


def attributes(docstring: str) -> dict[str, str]:
    """Return the entries below ``Attributes:`` in a docstring, by name."""
    _, _, listed = inspect.cleandoc(docstring).partition("Attributes:\n")
    entries = re.findall(r"(?m)^    (\w+): (.*(?:\n {8}.*)*)", listed)
    return {name: " ".join(text.split()) for name, text in entries}


def plain(text: str) -> str:
    """Return text in one paragraph, with literals as in Markdown."""
    return " ".join(text.split()).replace("``", "`").replace("<", "\\<").replace("*", "\\*")
