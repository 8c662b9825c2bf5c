"""Settings of a training run: presets, TOML files and single assignments, in that order.

A setting is a key (``train.batch_size``), a value, and the place where it was written, which
every complaint names.  Later layers win: preset, configuration file, ``--set``, explicit options.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from semipunct.errors import ConfigError
from semipunct.models.kind import Config, Kind
from semipunct.models.registry import DEFAULT, kind_named
from semipunct.models.settings import Setting, meant
from semipunct.training.settings import assignment, read_settings


def load_config(
    path: str | Path | None = None,
    assignments: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
    kind: str = DEFAULT,
) -> Config:
    """Put the settings of a run together.

    Args:
        path: a TOML file with ``preset``, ``[model]`` and ``[train]``, all of them optional.
        assignments: the texts after ``--set``: ``preset=NAME`` or ``section.key=VALUE``.
        options: full keys to the values of explicit options; None means "not given".
        kind: the name of the kind of model.

    Raises:
        ConfigError: for an unknown kind, key or preset, a wrong type, a value out of range, a file
            that is missing or no TOML. The message says where.
    """
    chosen_kind = kind_named(kind)
    from_file = read_settings(path) if path is not None else []
    from_texts = [assignment(text) for text in assignments]
    chosen = None
    settings: list[Setting] = []
    for setting in (*from_file, *from_texts):
        if setting.key == "preset":
            chosen = setting
        else:
            settings.append(setting)
    for key, value in (options or {}).items():
        if value is not None:
            settings.append(Setting(key, value, f"option --{key.rpartition('.')[2]}"))
    return Config.of(chosen_kind, [*_preset(chosen_kind, chosen), *settings])


def _preset(kind: Kind, chosen: Setting | None) -> list[Setting]:
    """List the settings of a preset, by default the kind's first."""
    if chosen is None:
        if not kind.presets:
            return []
        chosen = Setting("preset", kind.presets[0], "the default")
    name = chosen.value
    if not isinstance(name, str) or name not in kind.presets:
        raise ConfigError(
            f"{chosen.where}: there is no preset {name!r}{meant(str(name), kind.presets)}; "
            f"choose one of: {', '.join(kind.presets)}"
        )
    return [
        Setting(f"{section}.{key}", value, f"preset {name}")
        for section, pairs in tomllib.loads(kind.preset(name)).items()
        for key, value in pairs.items()
    ]
