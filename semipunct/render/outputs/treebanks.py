"""Types of what is said about the annotation of treebanks."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from semipunct.render.outputs.parts import Count, Ordinal, Part, SentenceId

RuleName = Literal["conjunct", "unit", "highest", "pair"]


class PlacedMark(Part):
    """A mark and its place."""

    path: str
    line: Ordinal
    sent_id: SentenceId
    mark: Annotated[int, Meta(ge=1, description="its ID")]
    form: str


class ChangedHead(PlacedMark):
    """A mark with its old and its new head."""

    before: Annotated[int, Meta(ge=0, description="ID of the old head")]
    after: Annotated[int, Meta(ge=1, description="ID of the new head")]
    rule: Annotated[RuleName, Meta(description="the principle that decides for the new head")]
    problem: Annotated[str, Meta(description="the reason why the old one is replaced")]


class Normalised(Part, tag_field="schema", tag="semipunct.normalise/1"):
    """Marks that are attached as the guidelines say: ``normalise --json``."""

    files: list[str]
    sentences: Count
    marks: Count
    usual_convention: Annotated[
        Literal["unit", "governor"], Meta(description="of marks between units")
    ]
    rules: Annotated[dict[RuleName, Count], Meta(description="changes by principle")]
    changes: list[ChangedHead]
    governing: Annotated[list[PlacedMark], Meta(description="marks on which words depend")]
    faults: Annotated[list[str], Meta(description="why sentences were left, with their places")]
