"""Output of commands that print an object for each sentence: decode, restore, correct."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from semipunct.render.outputs.parts import (
    Count,
    EditName,
    Nats,
    Part,
    Probability,
    SentenceId,
    Slot,
    Tokens,
    WordIds,
    Words,
)


class LeftOut(Part, tag_field="schema", tag="semipunct.omitted/1"):
    """A sentence without a result."""

    sent_id: SentenceId
    omitted: Annotated[str, Meta(description="the reason")]


class Node(Part):
    """The punctemes of a word: the strings on the two sides of its constituent."""

    word: Annotated[int, Meta(ge=1, description="counted among the words, from 1")]
    left: Tokens
    right: Tokens


class ChannelEdit(Part):
    """An edit of the channel, which rewrites neighbouring tokens of a slot."""

    edit: EditName
    a: str
    b: str


class DecodedSlot(Part):
    """The underlying and the surface string of a slot, with ``^`` before the first word."""

    slot: Slot
    underlying: Tokens
    edits: Annotated[list[ChannelEdit], Meta(description="in order of application")]
    surface: Tokens


class Decoded(Part, kw_only=True, tag_field="schema", tag="semipunct.decode/1"):
    """An underlying tree of a sentence: a line of ``decode --format json``."""

    sent_id: SentenceId
    sample: Annotated[int, Meta(ge=1, description="with sampling")] | UnsetType = UNSET
    rank: Annotated[int, Meta(ge=1, description="with kbest, the best is 1")] | UnsetType = UNSET
    words: Words
    word_ids: WordIds
    heads: Annotated[list[Count], Meta(description="counted among the words, 0 for the root")]
    relations: list[str]
    log_likelihood: Annotated[float, Meta(description="natural log of p(surface | tree)")]
    log_joint: Annotated[float, Meta(description="natural log of p(underlying, surface | tree)")]
    log_posterior: Annotated[
        float, Meta(description="natural log of p(underlying | tree, surface)")
    ]
    nodes: Annotated[list[Node], Meta(description="one per word")]
    slots: Annotated[list[DecodedSlot], Meta(description="one more than the words")]


class Alternative(Part):
    """A string of a slot and its share of the draws."""

    surface: Tokens
    probability: Probability


class RestoredSlot(Part):
    """The string inserted into a slot, and its posterior."""

    slot: Slot
    surface: Tokens
    probability: Annotated[float, Meta(description="of this string, among the draws")]
    entropy_nats: Nats
    alternatives: Annotated[
        list[Alternative], Meta(description="the most probable ones, and the inserted one")
    ]


class Draw(Part):
    """The strings of all slots in a draw, and its share of the draws."""

    slots: list[Tokens]
    probability: Probability


class Restored(Part, kw_only=True, tag_field="schema", tag="semipunct.restore/1"):
    """The punctuation restored to a sentence: a line of ``restore --format json``."""

    sent_id: SentenceId
    text: str
    words: Words
    word_ids: WordIds
    slots: Annotated[list[RestoredSlot], Meta(description="one more than the words")]
    nbest: Annotated[list[Draw], Meta(description="with --nbest")] | UnsetType = UNSET


class AttachedMarks(Part):
    """A puncteme in the underlying string of a slot."""

    word: Annotated[int, Meta(ge=1, description="the word of its constituent, counted from 1")]
    side: Annotated[Literal["left", "right"], Meta(description="edge of the constituent")]
    tokens: Tokens


class CorrectedSlot(Part):
    """A correction: tokens of one slot that are inserted, deleted, moved or replaced."""

    slot: Slot
    start: Annotated[int, Meta(ge=0, description="of the change, in characters of the input")]
    end: Annotated[int, Meta(ge=0, description="of the change; equal to start for insertions")]
    before: Tokens
    after: Tokens
    error: Annotated[str, Meta(description="type of error and marks, such as missing ,")]
    probability: Annotated[float, Meta(description="of the corrected string of the slot")]
    probability_of_written: Annotated[float, Meta(description="of the original string")]
    underlying: Annotated[
        list[AttachedMarks], Meta(description="punctemes of the slot, in text order")
    ]
    edits: Annotated[
        list[ChannelEdit], Meta(description="edits of the slot, in order of application")
    ]
    rule: Annotated[str | None, Meta(description="edits that change something")]
    reason: Annotated[str, Meta(description="an explanation in English")]


class CorrectedSentence(Part, kw_only=True, tag_field="schema", tag="semipunct.correct/1"):
    """A sentence with corrected punctuation: a line of ``correct --format json``."""

    sent_id: SentenceId
    input: Annotated[str, Meta(description="the sentence as it was read")]
    offset: Annotated[int, Meta(ge=0, description="where it begins in a file of text")] | None
    text: Annotated[str, Meta(description="the sentence with corrected punctuation")]
    words: Words
    word_ids: WordIds
    corrections: list[CorrectedSlot]
