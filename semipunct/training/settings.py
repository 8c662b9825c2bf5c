"""Parsing of settings in TOML files and ``key=value`` arguments, with the place of each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from semipunct.errors import ConfigError
from semipunct.models.settings import Setting

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*([\w\-."' ]+?)\s*=""")


def assignment(text: str) -> Setting:
    """Parse the argument of ``--set``: ``section.key=VALUE``.

    The value is parsed as TOML if it is valid TOML (numbers, true, lists, quoted strings);
    otherwise it is a string, so that ``model.channel=l2r`` needs no quotes.

    Raises:
        ConfigError: if there is no ``=``, or one of its sides is empty.
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    where = f"--set {text}"
    if not (key and equals and value):
        raise ConfigError(f"{where}: write a key and a value: --set train.batch_size=32")
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):  # invalid TOML, a number too long, a list too deep
        parsed = {"value": value}
    return Setting(key, parsed["value"] if parsed.keys() == {"value"} else value, where)


def read_settings(path: str | Path) -> list[Setting]:
    """Read a configuration file.

    Raises:
        ConfigError: if it is missing, unreadable or invalid TOML, or if a top-level key is neither
            a section nor ``preset``.
    """
    name = str(path)
    try:
        text = Path(path).read_text("utf-8")
        values = tomllib.loads(text)
    except FileNotFoundError as error:
        raise ConfigError(f"{name}: there is no such file; check the path of --config") from error
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: is not UTF-8 text; a configuration is a TOML file") from error
    except (ValueError, RecursionError) as error:
        line = re.search(r"\(at line (\d+)", str(error))
        place = f"{name}:{line[1]}" if line else name
        raise ConfigError(f"{place}: is not TOML: {error}") from error
    lines = _lines(text)
    settings: list[Setting] = []
    for top, value in values.items():
        if isinstance(value, dict):
            inner = cast(Mapping[str, object], value)
            for key, item in inner.items():
                line = lines.get(f"{top}.{key}", lines.get(top))
                settings.append(Setting(f"{top}.{key}", item, _place(name, line)))
            if inner or top in ("model", "train"):
                continue
        where = _place(name, lines.get(top))
        if top in ("model", "train"):
            raise ConfigError(f"{where}: {top} is a section: write [{top}] and its keys below it")
        settings.append(Setting(top, value, where))
    return settings


def _place(name: str, line: int | None) -> str:
    return f"{name}:{line}" if line else name


def _lines(text: str) -> dict[str, int]:
    """Find the line of each key, for messages only: text inside a string may be taken for a key."""
    line_of: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            section = _plain(header[1])
            line_of.setdefault(section, number)
        elif key := _KEY.match(line):
            line_of.setdefault(f"{section}.{_plain(key[1])}" if section else _plain(key[1]), number)
    return line_of


def _plain(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))
