"""Figures of models, of predictions compared with a reference, of comparisons, of treebanks."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from semipunct.render.outputs.parts import Count, Ordinal, Part, Probability, Signature


class EditScore(Part):
    """Counts of corrections, and their ratios; null if undefined."""

    correct: Annotated[int, Meta(ge=0, description="proposed and needed")]
    proposed: Annotated[int, Meta(ge=0, description="by the model")]
    needed: Annotated[int, Meta(ge=0, description="by the reference")]
    precision: float | None
    recall: float | None
    f05: float | None


class CorrectionsCompared(Part, kw_only=True, tag_field="schema", tag="semipunct.correct-gold/1"):
    """Corrected punctuation compared with a reference: ``correct --gold --json``."""

    sentences: Count
    slots: Count
    judged: Annotated[int, Meta(ge=0, description="slots that the references judge")]
    right_before: Annotated[int, Meta(ge=0, description="judged slots that needed no correction")]
    harmed: Annotated[int, Meta(ge=0, description="those of them that were changed")]
    harm: Annotated[float, Meta(description="harmed slots per thousand of right_before")] | None
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
    """Figures of a punctuation model: ``evaluate --json``."""

    perplexity: Annotated[float, Meta(description="per slot; null is infinite")] | None
    log_likelihood: Annotated[float, Meta(description="natural; null is minus infinity")] | None
    slots: Count
    sentences: Count
    omitted: Annotated[dict[str, Count], Meta(description="sentences left out, by reason")]
    unscorable: Annotated[int, Meta(ge=0, description="sentences of probability zero")]
    perplexity_of_scorable: float | None
    projectivised: Annotated[int, Meta(ge=0, description="sentences made projective")]
    signature: Signature


class CriterionEvaluated(Part, tag_field="schema", tag="semipunct.evaluate-criterion/1"):
    """Figures by which training chooses the best weights of a kind: ``evaluate --json``."""

    kind: Annotated[str, Meta(description="of model")]
    unit: Annotated[str, Meta(description="one example")]
    examples: Count
    figures: Annotated[dict[str, float | None], Meta(description="null is infinite or undefined")]
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
    """Pairing errors of the restored punctuation and of that of the input."""

    predicted: PairingErrors
    gold: PairingErrors


class ConfusionExample(Part):
    """A slot in its sentence."""

    sentence: Annotated[str, Meta(description="file:line, and the sentence's id")]
    before: str
    after: str


class ConfusionRow(Part):
    """Slots with the same gold string and the same wrong prediction; blanks separate tokens."""

    gold: str
    predicted: str
    count: Count
    edits: Annotated[int, Meta(ge=0, description="the edit distance of all of them")]
    examples: list[ConfusionExample]


class Compared(Part, kw_only=True, tag_field="schema", tag="semipunct.restore-gold/1"):
    """Restored punctuation compared with that of the input: ``restore --gold --json``."""

    sentences: Count
    slots: Count
    edit_distance: Count
    average_edit_distance: Annotated[float, Meta(description="edits per slot")] | None
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
    """Trees and tags of a parser compared with those of the input: ``parse --gold --json``.

    Proportions are of words, without punctuation, except those of roots and complete sentences.
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
    """Phrases of a parser compared with those of the input: ``parse --gold --json``."""

    sentences: Count
    words: Count
    labelled_f1: Probability | None
    labelled: Annotated[Score, Meta(description="brackets with the right words and label")]
    unlabelled: Annotated[Score, Meta(description="brackets with the right words")]
    tags: Annotated[float, Meta(description="words with the right part of speech")] | None
    exact: Annotated[float, Meta(description="sentences with all brackets right")] | None
    signature: Signature


class DerivationsCompared(
    Part, kw_only=True, tag_field="schema", tag="semipunct.parse-derivations-gold/2"
):
    """Derivations of a parser compared with others: ``parse --gold --json``, ``evaluate --json``.

    Dependencies are between predicates and arguments; marks count as words.
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
    signature: Signature


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
    confidence: Annotated[float, Meta(description="confidence level of the intervals")]
    measures: dict[str, Measured]


class Counted(Part, tag_field="schema", tag="semipunct.stats/2"):
    """The counts of a treebank: ``stats --json``."""

    files: list[str]
    sentences_read: Count
    sentences_used: Count
    omitted: Annotated[dict[str, Count], Meta(description="sentences left out, by reason")]
    first_faults: Annotated[
        dict[str, str], Meta(description="the first place, by reason, of what cannot be read")
    ]
    tokens: Annotated[int, Meta(ge=0, description="words and punctuation of all sentences read")]
    punctuation: Count
    words: Count
    slots: Count
    slot_lengths: Annotated[dict[str, Count], Meta(description="slots by number of tokens")]
    minimum_count: Annotated[int, Meta(ge=0, description="tokens with fewer occurrences are rare")]
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
