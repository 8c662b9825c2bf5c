"""The grammar that a model has learned, as ``analyse --json`` prints it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from semipunct.render.outputs.parts import (
    Count,
    EditName,
    Nats,
    Ordinal,
    Part,
    Probability,
    Signature,
    Tokens,
)


class NunbergRule(Part):
    """A rule of Nunberg's for two neighbouring underlying tokens of English."""

    a: str
    b: str
    edit: EditName
    stated: Annotated[bool, Meta(description="follows from the paper without our interpretation")]


class RewritingRow(Part):
    """The edits of two neighbouring underlying tokens; counts need a treebank."""

    a: str
    b: str
    times: Count | None
    made: dict[EditName, Count]
    probabilities: dict[EditName, Probability]
    rule: NunbergRule | None


class ConfidentEdits(Part):
    """Counts of confident edits, and of those that agree with Nunberg's rules."""

    confident: Count
    considered: Count
    agreeing: Count
    precision: Probability | None


class ConfidentEdit(Part):
    """A confident edit of two underlying tokens."""

    a: str
    b: str
    edit: EditName
    probability: Probability
    rule: NunbergRule | None


class Confidence(Part):
    """The confident edits of some bigrams: all, and those that change something."""

    bigrams: Count
    all: ConfidentEdits
    changing: ConfidentEdits
    edits: list[ConfidentEdit]


class Confidences(Part):
    """Confident edits of the bigrams of Nunberg's tokens, and of the frequent ones."""

    nunberg_bigrams: Confidence
    frequent_bigrams: Confidence | None


class RankedRule(Part):
    """The rank of a rule's outcome among all outcomes of its bigram."""

    rule: NunbergRule
    probability: Probability
    better: Count
    tied: Count
    most: Probability
    rank: Ordinal
    reciprocal_rank: Probability


class Ranks(Part):
    """The numbers of rules by rank."""

    first: Count
    second: Count
    worse: Count


class Recall(Part):
    """The ranks of some rules."""

    rules: Count
    ranked: Count
    mean_reciprocal_rank: Probability | None
    mean_reciprocal_rank_missing_last: Probability | None
    ranks: Ranks
    listed: list[RankedRule] = msgspec.field(name="list")
    missing: list[NunbergRule]


class RelationPair(Part):
    """A pair of punctemes of a relation."""

    left: Tokens
    right: Tokens
    probability: Probability
    symmetric: bool


class Relation(Part):
    """The punctuation of a relation."""

    relation: str
    words: Count
    symmetric: Probability
    entropy_nats: Nats
    pairs: list[RelationPair]


class Analysed(Part, tag_field="schema", tag="semipunct.analyse/1"):
    """The grammar that a model has learned: ``analyse --json``; some parts need a treebank."""

    analysed: Count | None
    language: Annotated[str, Meta(description="language code, if file names contain it")] | None
    rewriting: list[RewritingRow]
    confident: Confidences
    nunberg: Annotated[dict[str, Recall], Meta(description="Nunberg's rules are for English")]
    inverted_marks: Recall | None
    relations: list[Relation] | None
    sentences: Count | None
    omitted: dict[str, Count] | None
    signature: Signature
