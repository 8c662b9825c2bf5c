"""The JSON that commands print, as types; ``docs/schema`` holds the JSON Schemas made of them.

Every object begins with ``schema``, the name of its type and the version of that type, which rises
with every change of keys or meanings. Logarithms are natural. Special tokens have their names here
(``<abbr>``, ``<open>``, ``<unk>``), which text for readers shows as symbols (``marks.display``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

Count = Annotated[int, Meta(ge=0)]
Ordinal = Annotated[int, Meta(ge=1)]
# No bounds on real numbers: those of sums in single precision may be passed by rounding.
Probability = Annotated[float, Meta(description="from 0 to 1")]
Nats = Annotated[float, Meta(description="in nats (natural logarithms)")]
Tokens = Annotated[list[str], Meta(description="punctuation tokens in text order")]
EditName = Literal["keep", "absorb_left", "absorb_right", "transpose"]
Signature = Annotated[str, Meta(description="figures compare if task, treebank and tokens agree")]
SentenceId = Annotated[str, Meta(description="as in the file; #k for its k-th if it has none")]
Words = Annotated[list[str], Meta(description="without punctuation and abbreviations' dots")]
WordIds = Annotated[list[Ordinal], Meta(description="the ID of each word in the input file")]
Slot = Annotated[int, Meta(ge=0, description="slot i is right of word i; 0 before the first")]


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """An object within another one."""


class LeftOut(Part, tag_field="schema", tag="semipunct.omitted/1"):
    """A sentence without a result."""

    sent_id: SentenceId
    omitted: Annotated[str, Meta(description="the reason")]


class Node(Part):
    """The punctemes of a word, the strings that its constituent has on its two sides."""

    word: Annotated[int, Meta(ge=1, description="counted among the words, from 1")]
    left: Tokens
    right: Tokens


class ChannelEdit(Part):
    """An edit of the channel, which rewrites what meets in a slot."""

    edit: EditName
    a: str
    b: str


class DecodedSlot(Part):
    """The underlying and the surface string of a slot, with ``^`` before the first word."""

    slot: Slot
    underlying: Tokens
    edits: Annotated[list[ChannelEdit], Meta(description="in the order made")]
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
    log_joint: Annotated[float, Meta(description="natural log of p(underlying, surface | tree)")]
    log_posterior: Annotated[
        float, Meta(description="natural log of p(underlying | tree, surface)")
    ]
    nodes: Annotated[list[Node], Meta(description="one a word")]
    slots: Annotated[list[DecodedSlot], Meta(description="one more than words")]


class Alternative(Part):
    """A string of a slot and its share of the draws."""

    surface: Tokens
    probability: Probability


class RestoredSlot(Part):
    """The string put into a slot, and what is known of the posterior there."""

    slot: Slot
    surface: Tokens
    probability: Annotated[float, Meta(description="of this string, among the draws")]
    entropy_nats: Nats
    alternatives: Annotated[
        list[Alternative], Meta(description="the most probable ones, and the one put in")
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
    slots: Annotated[list[RestoredSlot], Meta(description="one more than words")]
    nbest: Annotated[list[Draw], Meta(description="with --nbest")] | UnsetType = UNSET


class AttachedMarks(Part):
    """A puncteme that meets others in a slot."""

    word: Annotated[int, Meta(ge=1, description="whose constituent has it, counted from 1")]
    side: Annotated[Literal["left", "right"], Meta(description="edge of the constituent")]
    tokens: Tokens


class CorrectedSlot(Part):
    """A correction: tokens of one slot that are put in, taken out, moved or replaced."""

    slot: Slot
    start: Annotated[int, Meta(ge=0, description="of what changes, in characters of the input")]
    end: Annotated[int, Meta(ge=0, description="likewise; start where tokens are put in")]
    before: Tokens
    after: Tokens
    error: Annotated[str, Meta(description="its kind with its marks, such as missing ,")]
    probability: Annotated[float, Meta(description="of the string that the slot gets")]
    probability_of_written: Annotated[float, Meta(description="of the one that was written")]
    underlying: Annotated[list[AttachedMarks], Meta(description="what meets there, in text order")]
    edits: Annotated[list[ChannelEdit], Meta(description="which rewrite that, in the order made")]
    rule: Annotated[str | None, Meta(description="those that change something")]
    reason: Annotated[str, Meta(description="a sentence in English")]


class CorrectedSentence(Part, kw_only=True, tag_field="schema", tag="semipunct.correct/1"):
    """A sentence with corrected punctuation: a line of ``correct --format json``."""

    sent_id: SentenceId
    input: Annotated[str, Meta(description="the sentence as it was read")]
    offset: Annotated[int, Meta(ge=0, description="where it begins in a file of text")] | None
    text: Annotated[str, Meta(description="the sentence with corrected punctuation")]
    words: Words
    word_ids: WordIds
    corrections: list[CorrectedSlot]


class EditScore(Part):
    """Counts of corrections, and their ratios; null is undefined."""

    correct: Annotated[int, Meta(ge=0, description="proposed and needed")]
    proposed: Annotated[int, Meta(ge=0, description="by the model")]
    needed: Annotated[int, Meta(ge=0, description="by the reference")]
    precision: float | None
    recall: float | None
    f05: float | None


class CorrectionsCompared(Part, kw_only=True, tag_field="schema", tag="semipunct.correct-gold/1"):
    """Figures of corrected punctuation beside a reference: ``correct --gold --json``."""

    sentences: Count
    slots: Count
    judged: Annotated[int, Meta(ge=0, description="slots that the references judge")]
    right_before: Annotated[int, Meta(ge=0, description="judged slots that needed no correction")]
    harmed: Annotated[int, Meta(ge=0, description="those of them that got one")]
    harm: Annotated[float, Meta(description="harmed of a thousand slots that were right")] | None
    edit_distance: Count
    average_edit_distance: Annotated[float, Meta(description="per judged slot")] | None
    correct: Count
    proposed: Count
    needed: Count
    precision: float | None
    recall: float | None
    f05: float | None
    errors: dict[str, EditScore]
    signature: Signature


class Evaluated(Part, tag_field="schema", tag="semipunct.evaluate/1"):
    """Figures of how well a model predicts punctuation: ``evaluate --json``."""

    perplexity: Annotated[float, Meta(description="per slot; null is infinite")] | None
    log_likelihood: Annotated[float, Meta(description="natural; null is minus infinity")] | None
    slots: Count
    sentences: Count
    omitted: Annotated[dict[str, Count], Meta(description="sentences left out, by reason")]
    unscorable: Annotated[int, Meta(ge=0, description="sentences of probability zero")]
    perplexity_of_scorable: float | None
    projectivised: Annotated[int, Meta(ge=0, description="sentences made projective")]
    signature: Signature


class Score(Part):
    """Precision, recall and F1 of a mark; null where undefined."""

    true_positives: Count
    predicted: Count
    gold: Count
    precision: Probability | None
    recall: Probability | None
    f1: Probability | None


class MeanScore(Part):
    """Means over the marks; null where undefined."""

    precision: Probability | None
    recall: Probability | None
    f1: Probability | None


class PairingErrors(Part):
    """Opening and closing tokens without a partner."""

    openings: Count
    closings: Count


class BothPairingErrors(Part):
    """Pairing errors of the restored and of the given punctuation."""

    predicted: PairingErrors
    gold: PairingErrors


class ConfusionExample(Part):
    """A slot in its sentence."""

    sentence: Annotated[str, Meta(description="file:line, and the sentence's id")]
    before: str
    after: str


class ConfusionRow(Part):
    """Slots that have one string and were given another; tokens are joined by blanks."""

    gold: str
    predicted: str
    count: Count
    edits: Annotated[int, Meta(ge=0, description="the edit distance of all of them")]
    examples: list[ConfusionExample]


class Compared(Part, kw_only=True, tag_field="schema", tag="semipunct.restore-gold/1"):
    """Restored punctuation beside that of the input: ``restore --gold --json``."""

    sentences: Count
    slots: Count
    edit_distance: Count
    average_edit_distance: Annotated[float, Meta(description="edits a slot")] | None
    exact_slots: Count
    slot_accuracy: Probability | None
    exact_sentences: Count
    sentence_accuracy: Probability | None
    micro: Score
    macro: MeanScore
    marks: Annotated[dict[str, Score], Meta(description="by token")]
    pairing_errors: BothPairingErrors
    confusions: list[ConfusionRow] | UnsetType = UNSET
    signature: Signature


class ParsesCompared(Part, kw_only=True, tag_field="schema", tag="semipunct.parse-gold/1"):
    """Trees and tags of a parser beside those of the input: ``parse --gold --json``.

    All shares are of words, but that of roots and of complete sentences; words are no punctuation.
    """

    sentences: Count
    words: Count
    las: Annotated[float, Meta(description="words with the right head and relation")] | None
    las_universal: Annotated[float, Meta(description="without subtypes of relations")] | None
    uas: Annotated[float, Meta(description="words with the right head")] | None
    upos: Probability | None
    xpos: Probability | None
    feats: Probability | None
    root: Annotated[float, Meta(description="roots that are found")] | None
    complete: Annotated[float, Meta(description="sentences with all heads right")] | None
    complete_labelled: Annotated[float, Meta(description="and all relations")] | None
    omitted: Annotated[dict[str, Count], Meta(description="sentences left out, by reason")]
    signature: Signature


class PhrasesCompared(Part, kw_only=True, tag_field="schema", tag="semipunct.parse-phrases-gold/1"):
    """Phrases of a parser beside those of the input: ``parse --gold --json``."""

    sentences: Count
    words: Count
    labelled_f1: Probability | None
    labelled: Annotated[Score, Meta(description="brackets with the right words and label")]
    unlabelled: Annotated[Score, Meta(description="brackets with the right words")]
    tags: Annotated[float, Meta(description="words with the right part of speech")] | None
    exact: Annotated[float, Meta(description="sentences with all brackets right")] | None
    signature: Signature


class DerivationsCompared(
    Part, kw_only=True, tag_field="schema", tag="semipunct.parse-derivations-gold/1"
):
    """Derivations of a parser beside those of the input: ``parse --gold --json`` of a ccg-parser.

    Dependencies are those between predicates and arguments; marks are words here.
    """

    sentences: Count
    words: Count
    coverage: Annotated[float, Meta(description="sentences with a derivation")] | None
    sentence_accuracy: Annotated[float, Meta(description="with all dependencies right")] | None
    category_accuracy: Annotated[float, Meta(description="words with the right category")] | None
    labelled_precision: Probability | None
    labelled_recall: Probability | None
    labelled_f1: Probability | None
    unlabelled_precision: Probability | None
    unlabelled_recall: Probability | None
    unlabelled_f1: Probability | None


class System(Part):
    """One side of a comparison."""

    system: str
    signature: Signature


class Measured(Part):
    """A measure of both sides; null where it is infinite or undefined."""

    a: float | None
    b: float | None
    difference: Annotated[float, Meta(description="a - b")] | None
    interval: Annotated[list[float | None], Meta(description="low and high end")]
    p: Annotated[float, Meta(description="two-sided")] | None


class Comparison(Part, tag_field="schema", tag="semipunct.compare/1"):
    """A permutation test of two stored results: ``compare --json``."""

    files: list[str]
    task: str
    a: System
    b: System
    sentences: Count
    resamples: Ordinal
    seed: Count
    confidence: Annotated[float, Meta(description="that the intervals cover")]
    measures: dict[str, Measured]


class Counted(Part, tag_field="schema", tag="semipunct.stats/1"):
    """The counts of a treebank: ``stats --json``."""

    files: list[str]
    sentences_read: Count
    sentences_used: Count
    omitted: Annotated[dict[str, Count], Meta(description="sentences left out, by reason")]
    tokens: Annotated[int, Meta(ge=0, description="words and punctuation of all sentences read")]
    punctuation: Count
    words: Count
    slots: Count
    slot_lengths: Annotated[dict[str, Count], Meta(description="slots by number of tokens")]
    minimum_count: Annotated[int, Meta(ge=0, description="rarer tokens are rare")]
    types: Count
    token_counts: dict[str, Count]
    rare_types: Count
    rare_tokens: Count
    punctemes: Count
    pairs: Count
    projectivised: Count
    arcs_lifted: Count
    quotes_replaced: Count
    quotes_straight: Count
    abbreviation_dots: Count
    percent_punctuation: float
    percent_projectivised: float


class NunbergRule(Part):
    """A rule of Nunberg's for two neighbouring underlying tokens, stated for English."""

    a: str
    b: str
    edit: EditName
    stated: Annotated[bool, Meta(description="follows from the paper without a reading of ours")]


class RewritingRow(Part):
    """The edits of two neighbouring underlying tokens; null and empty without a treebank."""

    a: str
    b: str
    times: Count | None
    made: dict[EditName, Count]
    probabilities: dict[EditName, Probability]
    rule: NunbergRule | None


class ConfidentEdits(Part):
    """Confident edits, and how many of them Nunberg has."""

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
    """The confident edits among some bigrams, all and those that change something."""

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
    """A pair of punctemes that a relation takes."""

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
    """The grammar that a model has learned: ``analyse --json``; null for what needs a treebank."""

    analysed: Count | None
    language: Annotated[str, Meta(description="code of the data's language, if names tell")] | None
    rewriting: list[RewritingRow]
    confident: Confidences
    nunberg: Annotated[dict[str, Recall], Meta(description="his rules are stated for English")]
    inverted_marks: Recall | None
    relations: list[Relation] | None
    sentences: Count | None
    omitted: dict[str, Count] | None
    signature: Signature


class InstalledSemiring(Part):
    """A semiring that is installed."""

    name: str
    distribution: str
    version: str
    loaded: bool
    fault: str | None
    properties: dict[str, bool]
    broken_laws: Annotated[dict[str, str], Meta(description="the reason by law")]


class SemiringList(Part, tag_field="schema", tag="semipunct.semirings-list/1"):
    """The semirings that are installed: ``semirings list --json``."""

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
    """The laws that a semiring keeps and breaks: ``semirings check --json``."""

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


OUTPUTS: Mapping[str, tuple[type[Part], ...]] = {
    "analyse": (Analysed,),
    "compare": (Comparison,),
    "correct": (CorrectedSentence, LeftOut),
    "correct-gold": (CorrectionsCompared,),
    "decode": (Decoded, LeftOut),
    "evaluate": (Evaluated,),
    "parse-derivations-gold": (DerivationsCompared,),
    "parse-gold": (ParsesCompared,),
    "parse-phrases-gold": (PhrasesCompared,),
    "restore": (Restored, LeftOut),
    "restore-gold": (Compared,),
    "semirings-check": (SemiringReport,),
    "semirings-list": (SemiringList,),
    "stats": (Counted,),
}
"""The types of the objects that a command prints, by the name of the file of their schema."""


def output(kind: type[Part], value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value as an object of a type, with its schema first and its keys in order.

    Args:
        kind: the type.
        value: by key.

    Raises:
        msgspec.ValidationError: if the value is not of the type.
    """
    return msgspec.to_builtins(msgspec.convert(value, kind))


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of what a command prints.

    Args:
        name: one of ``OUTPUTS``.
    """
    kinds = OUTPUTS[name]
    types, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"semipunct {name}",
        "anyOf": list(types),
        "$defs": parts,
    }
