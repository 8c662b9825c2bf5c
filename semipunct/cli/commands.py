"""Commands of other distributions: the entry point group ``semipunct.commands``.

Slow imports such as JAX belong inside the function, since ``--help`` imports the module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from semipunct.cli import console
from semipunct.errors import ConfigError
from semipunct.plugins import find_plugin, plugin_names

if TYPE_CHECKING:
    from typer.core import TyperCommand


@dataclass(frozen=True, slots=True)
class Command:
    """A command as typer describes it."""

    function: Callable[..., Any]
    example: str


def installed_commands() -> dict[str, TyperCommand]:
    """Return the installed commands; one that cannot be loaded reports it when run."""
    return {name: _typer_command(name, _find(name)) for name in plugin_names("commands")}


def _find(name: str) -> Command:
    try:
        command = find_plugin("commands", name, Command)
    except ConfigError as error:
        problem = error

        def fail() -> None:
            raise problem

        fail.__doc__ = f"Not available: {problem}"
        return Command(fail, "")
    return command or Command(lambda: None, "")  # uninstalled meanwhile


def _typer_command(name: str, command: Command) -> Any:
    app = typer.Typer(rich_markup_mode="markdown", add_completion=False)
    app.command(name, epilog=console.example(f"{name} {command.example}"))(command.function)
    return typer.main.get_command(app)
