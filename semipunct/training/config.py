"""Settings of a training run: preset, configuration file, ``--set`` and options, in this order."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from semipunct.errors import ConfigError, OptionError, suggest
from semipunct.models.kind import Config, Kind
from semipunct.models.registry import DEFAULT, find_kind
from semipunct.models.settings import Setting


def load_config(
    path: str | Path | None = None,
    assignments: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
    kind: str = DEFAULT,
    model: Any = None,
) -> Config:
    """Assemble the settings of a run.

    Args:
        path: a TOML file with ``preset``, ``[model]`` and ``[train]``, all of them optional.
        assignments: the arguments of ``--set``: ``preset=NAME`` or ``section.key=VALUE``.
        options: explicit options by full key; None means "not given".
        model: the settings ``[model]`` of a model to train further, which are the defaults.

    Raises:
        OptionError: for an invalid kind, assignment or option.
        ConfigError: for an invalid or missing file.
    """
    with _options():
        chosen_kind = find_kind(kind)
    from_file = read_settings(path) if path is not None else []
    _config(chosen_kind, from_file)
    with _options():
        settings = [*from_file, *map(assignment, assignments)]
        for key, value in (options or {}).items():
            if value is not None:
                settings.append(Setting(key, value, f"option --{key.rpartition('.')[2]}"))
        chosen = _config(chosen_kind, settings)
        if model is None or any(s.key.startswith("model.") for s in settings):
            return chosen
        return replace(chosen, model=model)


@contextmanager
def _options() -> Generator[None, None, None]:
    """Raise errors in options as ``OptionError``."""
    try:
        yield
    except ConfigError as error:
        raise OptionError(str(error)) from error


def _config(kind: Kind, settings: Sequence[Setting]) -> Config:
    chosen = next((s for s in reversed(settings) if s.key == "preset"), None)
    overrides = (s for s in settings if s.key != "preset")
    return Config.of(kind, [*_preset(kind, chosen), *overrides])


def _preset(kind: Kind, chosen: Setting | None) -> list[Setting]:
    if chosen is None:
        if not kind.presets:
            return []
        chosen = Setting("preset", kind.presets[0], "the default")
    name = chosen.value
    if not isinstance(name, str) or name not in kind.presets:
        raise ConfigError(
            f"{chosen.where}: there is no preset {name!r}{suggest(str(name), kind.presets)}; "
            f"choose one of: {', '.join(kind.presets)}"
        )
    return [
        Setting(f"{section}.{key}", value, f"preset {name}")
        for section, pairs in tomllib.loads(kind.preset(name)).items()
        for key, value in pairs.items()
    ]


_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*([\w\-."' ]+?)\s*=""")


def assignment(text: str) -> Setting:
    """Parse the argument of ``--set``: ``section.key=VALUE``.

    A value that is not valid TOML is a string, so ``model.channel=l2r`` needs no quotes.
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    where = f"--set {text}"
    if not (key and equals and value):
        raise ConfigError(f"{where}: write a key and a value: --set train.batch_size=32")
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):  # invalid TOML, or a number too long, or a list too deep
        parsed = {"value": value}
    return Setting(key, parsed["value"] if parsed.keys() == {"value"} else value, where)


def read_settings(path: str | Path) -> list[Setting]:
    """Read a configuration file."""
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
    """Find the line of each key, for messages."""
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
