"""Migrations of model folders written by older programs.

A folder is parsed into ``Parsed``, and the functions from its version on are applied in order; the
files are not changed. A setting that was added later needs no migration: it gets the default of its
class. Any other change of the format raises ``VERSION`` and adds a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from semipunct.models.base import Array

VERSION = 3
"""The current format version, raised whenever older programs could not read a new folder."""

OLDEST = 3
"""The oldest version that is migrated: the one of the first release."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parsed content of a model folder, before it is interpreted.

    Attributes:
        kind: the name of the kind of model.
        settings: the settings by section and name.
        vocabulary: the model without options and weights.
        arrays: the weights by name.
    """

    kind: str
    settings: dict[str, Any]
    vocabulary: dict[str, Any]
    arrays: dict[str, Array]


def migrate(parsed: Parsed, version: int) -> Parsed:
    """Migrate the content of a folder to the current version.

    Args:
        parsed: the content of the folder.
        version: its version, from ``OLDEST`` to ``VERSION``.
    """
    for number in range(version, VERSION):
        parsed = MIGRATIONS[number](parsed)
    return parsed


MIGRATIONS: dict[int, Callable[[Parsed], Parsed]] = {}
"""The migrations from each version to the next; none yet, as no release wrote an older format."""
