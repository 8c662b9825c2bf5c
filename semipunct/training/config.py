"""Settings of a training run: presets, TOML files and single assignments, in that order.

A setting is a key (``train.batch_size``), a value, and the place where it was written, which every
error message names.  Later layers override earlier ones: preset, configuration file, ``--set``,
explicit options.
"""

from __future__ import annotations

import tomllib
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from semipunct.errors import ConfigError, OptionError, suggest
from semipunct.models.kind import Config, Kind
from semipunct.models.registry import DEFAULT, find_kind
from semipunct.models.settings import Setting
from semipunct.training.settings import assignment, read_settings


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
        options: a mapping from full keys to the values of explicit options; None means "not given".
        kind: the name of the kind of model.
        model: the settings ``[model]`` of a model to train further, which are the defaults.

    Raises:
        OptionError: for an unknown kind, and for an assignment or an option with an unknown key or
            preset, a wrong type or a value out of range. The message names it.
        ConfigError: for such a setting in the file, and if the file is missing or invalid TOML. The
            message names the place.
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
    """Raise errors in options as ``OptionError``, to distinguish them from errors in files."""
    try:
        yield
    except ConfigError as error:
        raise OptionError(str(error)) from error


def _config(kind: Kind, settings: Sequence[Setting]) -> Config:
    """Check settings; the last preset among them is applied before all others."""
    chosen = next((s for s in reversed(settings) if s.key == "preset"), None)
    overrides = (s for s in settings if s.key != "preset")
    return Config.of(kind, [*_preset(kind, chosen), *overrides])


def _preset(kind: Kind, chosen: Setting | None) -> list[Setting]:
    """List the settings of a preset; by default, of the first preset of the kind."""
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
