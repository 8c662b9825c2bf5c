"""The installed semirings, and the results of the test of their laws."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from semipunct.render.outputs.parts import Count, Ordinal, Part


class InstalledSemiring(Part):
    """An installed semiring."""

    name: str
    distribution: str
    version: str
    loaded: bool
    fault: str | None
    properties: dict[str, bool]
    broken_laws: Annotated[dict[str, str], Meta(description="the reason by law")]


class SemiringList(Part, tag_field="schema", tag="semipunct.semirings-list/1"):
    """The installed semirings: ``semirings list --json``."""

    semirings: list[InstalledSemiring]


class LawFailure(Part):
    """A law that does not hold, with the first counterexample."""

    law: str
    statement: str
    counterexample: dict[str, str]
    left: dict[str, str]
    right: dict[str, str]
    exception: str | None


class SemiringReport(Part, tag_field="schema", tag="semipunct.semirings-check/1"):
    """The results of the test of a semiring's laws: ``semirings check --json``."""

    name: str
    distribution: str
    version: str
    draws: Ordinal
    seed: Count
    semiring: str
    ok: bool
    passed: list[str]
    not_claimed: Annotated[dict[str, str], Meta(description="the reason by law")]
    failures: list[LawFailure]
