"""Migrations of model folders written by older programs.

A folder is parsed into ``Parsed``, and the functions from its version on are applied in order; the
files are not changed. A setting that was added later needs no migration: it gets the default of its
class. Any other change of the format raises ``VERSION`` and adds a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from semipunct.models.base import Array
from semipunct.store.dense_tables import sparse

VERSION = 3
"""The current format version, raised whenever older programs could not read a new folder."""


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
        version: its version, at most ``VERSION``.
    """
    for number in range(version, VERSION):
        parsed = MIGRATIONS[number](parsed)
    return parsed


def _name_the_kind(parsed: Parsed) -> Parsed:
    """Add the kind of model, which is missing in version 1, as there was only one kind."""
    return replace(parsed, kind="punctuation")


def _leave_out_zeros(parsed: Parsed) -> Parsed:
    """Convert the weights of features, which are dense in version 2, to sparse tables."""
    if parsed.kind != "punctuation":
        return parsed
    vocabulary, arrays = sparse(parsed.vocabulary, parsed.arrays)
    return replace(parsed, vocabulary=vocabulary, arrays=arrays)


MIGRATIONS: dict[int, Callable[[Parsed], Parsed]] = {1: _name_the_kind, 2: _leave_out_zeros}
"""The migrations from each version to the next."""
