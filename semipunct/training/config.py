"""Settings of a training run: presets, TOML files and single assignments, in that order.

A setting is a key (``train.batch_size``), a value, and where it was written; every complaint
names the last.  Later layers win: preset, configuration file, ``--set``, explicit options.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib import resources
from pathlib import Path
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from semipunct.errors import ConfigError
from semipunct.features.templates import TEMPLATES
from semipunct.models.punctuation.options import ModelOptions
from semipunct.training.settings import Setting, assignment, nearest, read_settings

PRESETS = ("loglinear", "neural", "paper")
DEFAULT_PRESET = "loglinear"

Schedule = Literal["constant", "cosine"]
Centre = Literal["counts", "zero"]


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How a model is trained.

    Attributes:
        visits: sentences visited in all, each as often as it comes up; 0 for as many as suit the
            size of the treebank (`semipunct.training.steps.Plan.of`).
        batch_size: sentences in a batch.
        learning_rate: of Adam, for ATTACH's log-linear weights.
        channel_learning_rate: of Adam, for the channel.
        network_learning_rate: of Adam, for the network.
        network_decay: how fast the network's weights decay (AdamW).
        dropout: share of the inputs of the network's layers that a step leaves out.
        word_dropout: share of the word forms that a step hides from the network.
        warmup: steps within which the network's rate rises.
        schedule: ``cosine`` lets all rates fall along a half wave, ``constant`` does not.
        initial_scale: standard deviation of the normal distribution that initial weights are
            drawn from; with 0 they start at zero.
        l2: weight of the squared norm of ATTACH's weights, per sentence (equation 5).
        channel_l2: the same for the channel's windows.
        tied_l2: the same for the weights that its windows share (``model.tied``).
        centre: what the norm is measured from: the log-counts, or zero.
        xi: weight of the posterior regulariser (equation 5).
        squared: square each sentence's expected count of unmatched punctemes.
        printed_regulariser: take that expectation under the prior, as Algorithm 1 prints it.
        evaluate_every: sentence visits between evaluations on the development sentences, each
            of which writes a checkpoint; 0 for six evaluations in all.
        patience: evaluations without improvement after which training stops; 0 for never.
        seed: of the initial weights and of the order of the sentences.
    """

    visits: int = 0
    batch_size: int = 32
    learning_rate: float = 0.004
    channel_learning_rate: float = 0.03
    network_learning_rate: float = 2e-3
    network_decay: float = 1e-4
    dropout: float = 0.3
    word_dropout: float = 0.1
    warmup: int = 100
    schedule: Schedule = "cosine"
    initial_scale: float = 0.0
    l2: float = 1e-3
    channel_l2: float = 1e-4
    tied_l2: float = 1e-3
    centre: Centre = "counts"
    xi: float = 0.0
    squared: bool = True
    printed_regulariser: bool = False
    evaluate_every: int = 0
    patience: int = 4
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run."""

    model: ModelOptions = field(default_factory=ModelOptions)
    train: TrainOptions = field(default_factory=TrainOptions)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Sections of plain values, as TOML and JSON hold them."""
        return {
            section: {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}
            for section, values in asdict(self).items()
        }


def _types() -> dict[str, Any]:
    return {
        f"{section.name}.{name}": hint
        for section in fields(Config)
        for name, hint in get_type_hints(get_type_hints(Config)[section.name]).items()
    }


_TYPES = _types()
_AT_LEAST: dict[str, float] = {
    "model.passes": 1, "model.minimum_token_count": 1, "model.minimum_pair_count": 1,
    "model.minimum_context_count": 1, "model.longest_puncteme": 1,
    "train.visits": 0, "train.batch_size": 1, "train.evaluate_every": 0, "train.patience": 0,
    "train.seed": 0, "train.initial_scale": 0, "train.l2": 0, "train.channel_l2": 0,
    "train.tied_l2": 0, "train.xi": 0, "model.network_width": 1, "model.network_layers": 0,
    "train.network_decay": 0, "train.dropout": 0, "train.word_dropout": 0, "train.warmup": 0,
}  # fmt: skip
_ABOVE: dict[str, float] = {
    "train.learning_rate": 0, "train.channel_learning_rate": 0, "train.network_learning_rate": 0,
}  # fmt: skip
_AT_MOST: dict[str, float] = {
    "train.seed": 2**63 - 1, "train.dropout": 0.9, "train.word_dropout": 0.9,
}  # fmt: skip


def load_config(
    path: str | Path | None = None,
    assignments: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
) -> Config:
    """Put the settings of a run together.

    Args:
        path: a TOML file with ``preset``, ``[model]`` and ``[train]``, all of them optional.
        assignments: the texts after ``--set``: ``preset=NAME`` or ``section.key=VALUE``.
        options: full keys to the values of explicit options; None means "not given".

    Raises:
        ConfigError: for an unknown key or preset, a wrong type, a value out of range, a file that
            is missing or no TOML. The message says where.
    """
    from_file = read_settings(path) if path is not None else []
    from_texts = [assignment(text) for text in assignments]
    chosen = Setting("preset", DEFAULT_PRESET, "the default")
    settings: list[Setting] = []
    for setting in (*from_file, *from_texts):
        if setting.key == "preset":
            chosen = setting
        else:
            settings.append(setting)
    for key, value in (options or {}).items():
        if value is not None:
            settings.append(Setting(key, value, f"option --{key.rpartition('.')[2]}"))
    return _build([*_preset(chosen), *settings])


def from_dict(values: Mapping[str, Mapping[str, object]], where: str) -> Config:
    """The inverse of ``Config.to_dict``; every key must be there.

    Raises:
        ConfigError: as ``load_config`` does; ``where`` names the source in messages.
    """
    settings = [
        Setting(f"{section}.{key}", value, where)
        for section, pairs in values.items()
        for key, value in pairs.items()
    ]
    missing = sorted(_TYPES.keys() - {s.key for s in settings})
    if missing:
        raise ConfigError(f"{where}: {', '.join(missing)} missing; train the model again")
    return _build(settings)


def _preset(chosen: Setting) -> list[Setting]:
    name = chosen.value
    if not isinstance(name, str) or name not in PRESETS:
        raise ConfigError(
            f"{chosen.where}: there is no preset {name!r}{nearest(str(name), PRESETS)}; "
            f"choose one of: {', '.join(PRESETS)}"
        )
    text = resources.files("semipunct.training").joinpath(f"presets/{name}.toml").read_text("utf-8")
    return [
        Setting(f"{section}.{key}", value, f"preset {name}")
        for section, pairs in tomllib.loads(text).items()
        for key, value in pairs.items()
    ]


def _build(settings: Iterable[Setting]) -> Config:
    values: dict[str, dict[str, Any]] = {section.name: {} for section in fields(Config)}
    for setting in settings:
        if setting.key not in _TYPES:
            raise ConfigError(
                f"{setting.where}: there is no setting {setting.key!r}"
                f"{nearest(setting.key, _TYPES)}"
            )
        section, _, key = setting.key.partition(".")
        values[section][key] = _checked(setting)
    return Config(ModelOptions(**values["model"]), TrainOptions(**values["train"]))


def _checked(setting: Setting) -> Any:
    value: Any = _typed(setting, _TYPES[setting.key])
    key, where = setting.key, f"{setting.where}: {setting.key}"
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where} is {value}; give a finite number")
    if key in _AT_LEAST and value < _AT_LEAST[key]:
        raise ConfigError(f"{where} is {value}; it must be at least {_AT_LEAST[key]}")
    if key in _ABOVE and value <= _ABOVE[key]:
        raise ConfigError(f"{where} is {value}; it must be greater than {_ABOVE[key]}")
    if key in _AT_MOST and value > _AT_MOST[key]:
        raise ConfigError(f"{where} is {value}; it must be at most {_AT_MOST[key]}")
    if key == "model.templates":
        _check_templates(cast(tuple[str, ...], value), where)
    return value


def _check_templates(names: Sequence[str], where: str) -> None:
    known = sorted({t.name for t in TEMPLATES}, key=str.lower)
    for name in names:
        if name not in known:
            raise ConfigError(
                f"{where}: there is no feature template {name!r}; choose among: {', '.join(known)}"
            )
    if {"c", "history"} <= set(names):
        raise ConfigError(
            f"{where}: c looks at the marks within a constituent, history at those to the left; "
            "no order of drawing allows for both"
        )


def _typed(setting: Setting, hint: Any) -> Any:
    value, where = setting.value, f"{setting.where}: {setting.key}"
    if get_origin(hint) is Literal:
        choices = cast(tuple[str, ...], get_args(hint))
        if value not in choices:
            raise ConfigError(
                f"{where} is {value!r}{nearest(str(value), choices)}; "
                f"choose one of: {', '.join(choices)}"
            )
        return value
    if get_origin(hint) is tuple:
        items = [p.strip() for p in value.split(",")] if isinstance(value, str) else value
        if isinstance(items, list | tuple):
            names = cast(list[object], list(items))
            if all(isinstance(item, str) for item in names):
                return tuple(cast(list[str], names))
        raise ConfigError(f'{where} is {value!r}; give a list of names: ["N", "W"]')
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not hint:
        wanted = {int: "a whole number", float: "a number", bool: "true or false"}
        found = "nothing" if isinstance(value, NoneType) else f"{value!r}"
        raise ConfigError(f"{where} is {found}; give {wanted.get(hint, 'text')}")
    return value
