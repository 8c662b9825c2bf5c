"""Migrations of model folders that older programs wrote.

A folder is parsed into ``Parsed`` and goes through the functions from its version on, in order; the
files stay as they are. A setting that was added later needs no function: it gets the default of its
class. Whatever else changes raises ``VERSION`` and adds a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from semipunct.models.base import Array
from semipunct.store.dense_tables import sparse

VERSION = 3
"""The format that is written: raised whenever an older program could not read what is written."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A model folder as it was parsed, before any of it is interpreted.

    Attributes:
        kind: the name of the kind of model.
        settings: the settings by section and name.
        vocabulary: everything of the model but options and weights.
        arrays: the weights by name.
    """

    kind: str
    settings: dict[str, Any]
    vocabulary: dict[str, Any]
    arrays: dict[str, Array]


def migrated(parsed: Parsed, version: int) -> Parsed:
    """Bring a folder of some version to the current one.

    Args:
        parsed: the folder.
        version: its version, at most ``VERSION``.
    """
    for number in range(version, VERSION):
        parsed = MIGRATIONS[number](parsed)
    return parsed


def _name_the_kind(parsed: Parsed) -> Parsed:
    """Name the kind of model, which version 1 left out because it knew just one."""
    return replace(parsed, kind="punctuation")


def _leave_out_zeros(parsed: Parsed) -> Parsed:
    """List the weights of features, of which version 2 had one for every outcome."""
    if parsed.kind != "punctuation":
        return parsed
    vocabulary, arrays = sparse(parsed.vocabulary, parsed.arrays)
    return replace(parsed, vocabulary=vocabulary, arrays=arrays)


MIGRATIONS: dict[int, Callable[[Parsed], Parsed]] = {1: _name_the_kind, 2: _leave_out_zeros}
"""From each version to the next one."""
