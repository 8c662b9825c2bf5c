"""Systems that correct punctuation: sentences as they were written in, slots as they should be out.

Each takes its model first, if it has one: ``functools.partial`` makes a ``System`` of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from semipunct.corpus import Sentence
from semipunct.corpus.parallel import as_written
from semipunct.evaluation.restoration import Slots
from semipunct.models.slot_tagging.tagger import TaggerPunctuator
from semipunct.tasks.base import Trained
from semipunct.tasks.correct import correct as corrections_of
from semipunct.tasks.restore import restore as restorations_of

System = Callable[[Sequence[Sentence]], Sequence[Slots]]
"""A function from sentences as they were written to their slots as they should be."""


def nothing(sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Leave what was written.

    Args:
        sentences: as they were written.
    """
    return [sentence.slots for sentence in sentences]


def restoration(model: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation from words and trees; what was written is not looked at.

    Args:
        model: of punctuation.
        sentences: as they were written.
    """
    return [found.written for found in restorations_of(model, sentences)]


def repair(model: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation given that what was written is likely (``restore --keep repair``).

    Args:
        model: of punctuation.
        sentences: as they were written.
    """
    return [found.written for found in restorations_of(model, sentences, keep="repair")]


def bilstm_restoration(tagger: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation by a BiLSTM-CRF that reads words and tags alone.

    Args:
        tagger: of slots.
        sentences: as they were written.
    """
    return TaggerPunctuator(tagger.model, tagger.parameters).restore(sentences)


def bilstm_correction(tagger: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct punctuation by a BiLSTM-CRF that reads what was written.

    Args:
        tagger: of slots, with ``model.written``.
        sentences: as they were written.
    """
    found = TaggerPunctuator(tagger.model, tagger.parameters)
    return found.correct([as_written(sentence) for sentence in sentences])


def paper(
    model: Trained[Any],
    analysis: Trained[Any],
    sentences: Sequence[Sentence],
    *,
    analyses: int = 0,
) -> Sequence[Slots]:
    """Correct by the paper's model to the strings of least expected edit distance given T'_e.

    The paper takes the best of its draws, which approximates these.

    Args:
        model: of preset paper-correction.
        analysis: a punctuation model of what is written, which finds T'_e.
        sentences: as they were written.
        analyses: trees T'_e that are drawn from their posterior; 0 for the best one, as the paper
            has it.
    """
    found = corrections_of(model, sentences, analysis=analysis, minimise="slots", analyses=analyses)
    return [one.slots for one in found]


def correction(
    model: Trained[Any], sentences: Sequence[Sentence], *, confidence: float | None = None
) -> Sequence[Slots]:
    """Correct by a model of punctuation that looks at what was written.

    Args:
        model: of correction.
        sentences: as they were written.
        confidence: the least probability of a correction that is made; None for the default.
    """
    found = corrections_of(model, sentences, minimum_confidence=confidence)
    return [one.slots for one in found]


def least_risk(model: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct by the same model to the strings of least expected edit distance, whatever they are.

    Args:
        model: of correction.
        sentences: as they were written.
    """
    return [one.slots for one in corrections_of(model, sentences, minimise="slots")]
