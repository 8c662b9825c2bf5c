"""Output of ``explain``."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from semipunct.render.outputs.parts import Count, Part, Probability, SentenceId


class AlternativeMarks(Part):
    """Another string of marks."""

    marks: Annotated[str, Meta(description="separated by blanks; empty for no mark")]
    probability: Probability


class WeightedFeature(Part):
    """A feature of the model and what it adds to the log-odds of the marks."""

    feature: Annotated[str, Meta(description="attributes with their values")]
    weight: Annotated[float, Meta(description="in nats; positive speaks for the marks")]


class MarkTree(Part):
    """The part of the underlying tree that explains marks."""

    constituent: Annotated[str, Meta(description="the words of the constituent that has them")]
    relation: str
    underlying: Annotated[str, Meta(description="the underlying marks of the slot")]
    rule: Annotated[str | None, Meta(description="how the channel rewrites them; null: unchanged")]
    features: Annotated[list[WeightedFeature], Meta(description="those that weigh most")]


class ExplainedMark(Part):
    """The decision at one place of a text."""

    start: Annotated[Count, Meta(description="in characters of the text")]
    end: Annotated[Count, Meta(description="equal to the start where no marks are")]
    before: Annotated[str, Meta(description="the marks that stood there; empty if none")]
    after: Annotated[str, Meta(description="the marks that stand there; empty if none")]
    decision: Literal["inserted", "kept", "removed", "replaced", "left out"]
    probability: Probability
    alternatives: Annotated[list[AlternativeMarks], Meta(description="most probable first")]
    reason: Annotated[str, Meta(description="for the writer")]
    key: Annotated[str, Meta(description="of the catalogue; 'model' where no reason is known")]
    tree: Annotated[MarkTree | None, Meta(description="null if the model has no tree")]


class ExplainedSentence(Part, kw_only=True, tag_field="schema", tag="semipunct.explain/1"):
    """An explained sentence or paragraph: a line of ``explain --format json``."""

    sent_id: SentenceId
    input: Annotated[str, Meta(description="the text as it was")]
    text: Annotated[str, Meta(description="the text with the marks of the model")]
    tree: Annotated[str | None, Meta(description="the underlying tree in brackets")]
    marks: list[ExplainedMark]
