"""Types of what is said about the annotation of treebanks."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from semipunct.render.outputs.parts import Count, Ordinal, Part, SentenceId, Slot, Tokens

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


class SuspectMark(Part):
    """A suspicious slot or mark."""

    path: str
    line: Ordinal
    sent_id: SentenceId
    token: Annotated[int, Meta(ge=0, description="ID of the mark, or of the word before a slot")]
    slot: Slot
    kind: Literal["string", "pair", "head", "space"]
    score: Annotated[float, Meta(description="log odds of an error, but for their frequency")]
    log_odds: Annotated[float, Meta(description="of proposed, or of the usual annotation")]
    error: Annotated[str, Meta(description="what is wrong, if something is")]
    written: Tokens
    proposed: Tokens
    reason: str


class Suspected(Part, tag_field="schema", tag="semipunct.suspects/1"):
    """Suspicious marks of treebanks: ``suspects --format json``."""

    files: list[str]
    suspects: Annotated[list[SuspectMark], Meta(description="the most suspicious first")]


DiffKindName = Literal["mark", "tag", "head", "space"]


class DifferingMark(Part):
    """A difference between two annotations; what has two values has one for each of them."""

    kind: DiffKindName
    sent_id: SentenceId
    lines: Annotated[list[Ordinal], Meta(description="line in each file")]
    tokens: Annotated[list[Count], Meta(description="ID in each, 0 where it is missing")]
    form: str
    values: Annotated[list[str], Meta(description="mark, tag, form of the head, or space")]
    heads: Annotated[list[int] | None, Meta(description="IDs, for heads; -1 if there is none")]


class Diffed(Part, tag_field="schema", tag="semipunct.diff/1"):
    """Two annotations of the same text: ``diff --json``."""

    files: list[str]
    sentences: Count
    marks: Annotated[list[Count], Meta(description="in each")]
    common_marks: Annotated[Count, Meta(description="in both")]
    counts: Annotated[dict[DiffKindName, Count], Meta(description="differences by kind")]
    differences: list[DifferingMark]
