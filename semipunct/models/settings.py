"""Validation of settings: types, bounds and error messages, without importing JAX."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, cast, get_args, get_type_hints

import msgspec
from msgspec import Meta, inspect

from semipunct.errors import ConfigError, suggest

Count = Annotated[int, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=0.9)]
"""A dropout rate. The inputs kept are divided by 1 - rate, which must not vanish."""
Decay = Annotated[float, Meta(ge=0, lt=1)]
"""The decay of a running mean."""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that types and bounds cannot express.

    It is part of a field's annotation: ``Annotated[tuple[str, ...], Check(function)]``.
    """

    complaint: Callable[[Any], str | None]  # describes the problem with a value


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its full key (``train.l2``), its value, and the source of the value."""

    key: str
    value: object
    where: str


def check_settings(
    sections: Mapping[str, type[Any]], settings: Iterable[Setting]
) -> dict[str, dict[str, Any]]:
    """Check settings and convert their values; the last value of a key takes precedence.

    Raises:
        ConfigError: at the first setting that is unknown, of a wrong type or out of bounds.
    """
    keys = [f"{section}.{name}" for section, options in sections.items() for name in types(options)]
    values: dict[str, dict[str, Any]] = {section: {} for section in sections}
    for setting in settings:
        if setting.key not in keys:
            raise ConfigError(
                f"{setting.where}: there is no setting {setting.key!r}{suggest(setting.key, keys)}"
            )
        section, _, name = setting.key.partition(".")
        values[section][name] = _converted(setting, types(sections[section])[name])
    return values


@cache
def types(options: type[Any]) -> Mapping[str, Any]:
    """Return the annotation of each setting of an options class."""
    hints = get_type_hints(options, include_extras=True)
    info = cast(inspect.DataclassType, inspect.type_info(options))
    return {field.name: hints[field.name] for field in info.fields}


def _converted(setting: Setting, hint: Any) -> Any:
    value, where = setting.value, f"{setting.where}: {setting.key}"
    info = inspect.type_info(hint)
    if isinstance(info, inspect.VarTupleType) and isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    if isinstance(info, inspect.FloatType) and type(value) is int:
        try:
            value = float(value)
        except OverflowError:
            value = math.inf
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where} is {value}; give a finite number")
    try:
        converted = msgspec.convert(value, hint)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # or an unpaired surrogate
        raise ConfigError(f"{where} is {_valid_values(value, info)}") from error
    for check in get_args(hint)[1:]:
        if isinstance(check, Check) and (complaint := check.complaint(converted)):
            raise ConfigError(f"{where}: {complaint}")
    return converted


def _valid_values(value: object, info: inspect.Type) -> str:
    if isinstance(info, inspect.LiteralType):
        choices = [str(choice) for choice in info.values]
        return f"{value!r}{suggest(str(value), choices)}; choose one of: {', '.join(choices)}"
    if isinstance(info, inspect.VarTupleType):
        return f'{value!r}; give a list of names: ["N", "W"]'
    if isinstance(info, inspect.IntType | inspect.FloatType):
        number = int if isinstance(info, inspect.IntType) else float
        if type(value) is number:
            return f"{value}; it must be {_bound(value, info)}"
    description_of: dict[type[inspect.Type], str] = {
        inspect.IntType: "a whole number",
        inspect.FloatType: "a number",
        inspect.BoolType: "true or false",
    }
    shown = "nothing" if value is None else f"{value!r}"
    return f"{shown}; give {description_of.get(type(info), 'text')}"


def _bound(value: float, info: inspect.IntType | inspect.FloatType) -> str:
    """Describe the bound that a value violates."""
    if info.gt is not None and value <= info.gt:
        return f"greater than {info.gt}"
    if info.ge is not None and value < info.ge:
        return f"at least {info.ge}"
    return f"at most {info.le}"
