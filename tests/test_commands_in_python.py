"""Each command and each of its options has a function: the table in api.md, and signatures."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

import semipunct
from semipunct.cli.app import app
from semipunct.pipelines.options import CorrectSettings, ParseSettings, RestoreSettings

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
SECTION = PAGE.split("## Commands and functions")[1].split("\n## ")[0]

COMMAND_ONLY = {"quickstart", "serve"}
"""Commands that run others, and the server, whose application is in ``semipunct.web``."""

GROUPS = {"models", "semirings"}
"""Groups of commands, whose functions are not among the names of the front door."""

# Names of arguments where functions name them differently from options.
CALLED = {
    "inputs": "sentences", "tests": "examples", "treebanks": "sentences", "set": "settings",
    "min-confidence": "minimum_confidence", "only": "marks", "from": "start", "output": "output",
}  # fmt: skip
FILES = {"train": "train", "jackknife": "train", "stats": "files", "normalise": "files"}
"""The argument of a function for the files of its command, read or to be read."""

SETTINGS = {"correct": CorrectSettings, "restore": RestoreSettings, "parse": ParseSettings}


def commands() -> dict[str, list[str]]:
    """Return the options and arguments of each command, without dashes."""
    group: Any = typer.main.get_command(app)  # without the commands of guests
    found: dict[str, list[str]] = {}
    for name, command in group.commands.items():
        for inner, part in getattr(command, "commands", {"": command}).items():
            options = [max(p.opts, key=len).lstrip("-") for p in part.params]
            found[f"{name} {inner}".strip()] = options
    return found


def elsewhere() -> dict[str, dict[str, list[str]]]:
    """Return the table of the page: functions for options, by command."""
    found: dict[str, dict[str, list[str]]] = {}
    for cell, places in re.findall(r"^\| (.*?) \| (.*) \|$", SECTION, re.M)[2:]:
        for code in re.findall(r"`([^`]+)`", cell):
            command, *options = (word for word in code.split(" ") if word)
            if options and not options[0].startswith("--"):
                command, options = f"{command} {options[0]}", options[1:]
            for option in options or [""]:
                functions = found.setdefault(command, {}).setdefault(option.lstrip("-"), [])
                functions += re.findall(r"`([^`]+)`", places)
    return found


WITHOUT = {name.lstrip("-") for name in re.findall(r"`(--[a-z]+)`", SECTION.split("|")[0])}
"""Options that concern files only, according to the page."""


def parameters(command: str) -> set[str]:
    """Return the names of the arguments of the function of a command."""
    names = set(inspect.signature(getattr(semipunct, command)).parameters)
    return names | set(getattr(SETTINGS.get(command), "__annotations__", ()))


def test_each_command_has_its_function():
    named = {name for name in commands() if name.split()[0] not in COMMAND_ONLY | GROUPS}
    assert named == {name for name in named if name in semipunct.__all__}
    documented = elsewhere()
    for name in commands():
        if name.split()[0] in GROUPS:
            assert documented[name][""], name


@pytest.mark.parametrize(
    "command", [c for c in commands() if c.split()[0] not in COMMAND_ONLY | GROUPS]
)
def test_each_option_has_its_function(command: str):
    arguments, others = parameters(command), elsewhere().get(command, {})
    for option in commands()[command]:
        if option in ("model", "files", "inputs", "a", "b") and command not in FILES:
            continue
        name = FILES.get(command, option) if option in ("files", "inputs") else option
        name = CALLED.get(name, name).replace("-", "_")
        assert name in arguments or option in others or option in WITHOUT, option
    assert set(others) - {""} <= set(commands()[command])


def test_what_the_table_names_exists():
    places = {place for of in elsewhere().values() for some in of.values() for place in some}
    assert len(places) > 15
    for place in places:
        module, _, name = place.rpartition(".")
        assert callable(getattr(import_module(module), name)), place
