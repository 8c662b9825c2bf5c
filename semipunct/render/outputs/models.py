"""The installed models."""

from __future__ import annotations

from semipunct.render.outputs.parts import Count, Part


class InstalledModelRow(Part):
    """An installed model."""

    name: str
    kind: str
    bytes: Count
    distribution: str
    version: str


class ModelList(Part, tag_field="schema", tag="semipunct.models-list/1"):
    """The installed models: ``models list --json``."""

    models: list[InstalledModelRow]
