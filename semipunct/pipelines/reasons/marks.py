"""The reason for a mark as a sentence: from the tree, from words, or the mere decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semipunct.corpus import Sentence
from semipunct.corpus.word_streams import is_final
from semipunct.marks import Puncteme, shown_string, spacing
from semipunct.pipelines.reasons.by_tree import OTHER, Constituent, channel_of, reasons_by_tree
from semipunct.pipelines.reasons.by_words import reason_of_removal, reasons_by_words
from semipunct.pipelines.reasons.catalogue import (
    FALLBACK,
    FALLBACK_REMOVED,
    KEPT,
    LEFT_OUT,
    name_marks,
)
from semipunct.pipelines.reasons.place import Line, Place
from semipunct.pipelines.results import Corrected, Explained, Reason

# Strings of marks and their probabilities, the most probable first; ``""`` is no mark.
Alternatives = Sequence[tuple[str, float]]

# The key of a reason that only states the decision.
MODEL = "model"

_LISTED = 2  # alternatives in a sentence
_DOUBTED = 0.3  # the least probability of a kept mark that gets a reason
_UNLIKELY_END = 0.5  # the least probability of a sentence end that is stated
_LEAST = 0.005  # less probable alternatives would be shown as 0%


@dataclass(frozen=True, slots=True)
class MarkReason:
    """The reason for a mark."""

    key: str
    text: str
    constituent: Constituent | None = None


def reason_of_mark(
    place: Place,
    before: Puncteme,
    after: Puncteme,
    probability: float,
    alternatives: Alternatives,
    sentence: Sentence | None = None,
    reason: Reason | None = None,
) -> MarkReason:
    """Return the reason for the presence or absence of marks at a place."""
    if not after and not before:
        text = LEFT_OUT.format(probability=percent(probability), alternatives=_listed(alternatives))
        return MarkReason(MODEL, text)
    chosen: Sequence[Any] = ()  # cues by the tree or by words
    constituent: Constituent | None = None
    cues = [] if sentence is None or reason is None else reasons_by_tree(sentence, reason, after)
    is_end = bool(place.right) and is_final(after)
    if (before == after and probability < _DOUBTED) or (is_end and probability < _UNLIKELY_END):
        pass  # a reason for the mark would contradict the model
    elif after and not (before and len(after) < len(before)):
        is_listed = cues and all(cue.key != OTHER for cue in cues)
        chosen = cues if is_listed else reasons_by_words(place, after) or cues
        constituent = cues[0].constituent if cues else None
    elif (removal := reason_of_removal(place, before, after)) is not None:
        chosen = [removal]
    keys, texts = [cue.key for cue in chosen], [str(cue) for cue in chosen]
    if not texts:
        keys, texts = [MODEL], [_fallback(before, after, probability, alternatives)]
    if before and after and before != after:
        texts.append(f"This replaces the {name_marks(before)}.")
    channel = None if reason is None else channel_of(reason)
    if channel:
        texts.append(channel)
    return MarkReason("+".join(keys), " ".join(texts), constituent)


def reason_of_correction(corrected: Corrected, explained: Explained, line: Line) -> MarkReason:
    """Return the reason for a correction in a sentence."""
    correction = explained.correction
    slot = correction.slot
    views = corrected.posteriors[slot : slot + 1]
    alternatives = [
        (shown_string(spacing.visible([string])[0]), float(share))
        for view in views
        for string, share in zip(view.strings, view.probability, strict=True)
        if string != corrected.slots[slot]
    ]
    return reason_of_mark(
        Place(line, slot),
        correction.before,
        correction.after,
        explained.probability,
        alternatives,
        None if explained.reason is None else corrected.sentence,
        explained.reason,
    )


def _fallback(
    before: Puncteme, after: Puncteme, probability: float, alternatives: Alternatives
) -> str:
    template = FALLBACK if before != after else KEPT
    if before and not after:
        template = FALLBACK_REMOVED
    named = after or before
    name = name_marks(named)
    return template.format(
        marks=f"{'an' if name[0] in 'aeiou' else 'a'} {name}",
        probability=percent(probability),
        alternatives=_listed(alternatives),
    )


def _listed(alternatives: Alternatives) -> str:
    texts = [
        f"{_named(string)} with {percent(share)}"
        for string, share in alternatives[:_LISTED]
        if share >= _LEAST
    ]
    return "; alternatives: " + ", ".join(texts) if texts else ""


def _named(string: str) -> str:
    tokens = tuple(string.split())
    if not tokens:
        return "nothing"
    return name_marks(tokens) if len(tokens) == 1 else shown_string(tokens)


def percent(probability: float) -> str:
    """Format a probability as a percentage, rounded to neither 0% nor 100%."""
    if 0 < probability < 0.005:
        return "under 1%"
    if 0.995 <= probability < 1:
        return "over 99%"
    return f"{probability:.0%}"
