"""Systems that correct punctuation: functions from written sentences to corrected slots.

``functools.partial`` binds the model, the first argument.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from taggers import TaggerPunctuator

from correcting.joined import joined, separate
from semipunct.corpus import Sentence, Words
from semipunct.corpus.parallel import as_written
from semipunct.evaluation.restoration import Slots
from semipunct.pipelines.pipeline import Pipeline
from semipunct.pipelines.text_correction import correct_running_text
from semipunct.pipelines.trained import Trained

System = Callable[[Sequence[Sentence]], Sequence[Slots]]
"""A function from written sentences to their corrected slots."""


def nothing(sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Return the slots as written."""
    return [sentence.slots for sentence in sentences]


def restoration(model: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation from words and trees, ignoring the written marks."""
    return [
        restoration_of_sentence.written
        for restoration_of_sentence in Pipeline(model).restore(sentences)
    ]


def repair(model: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation with a bias towards the written marks (``restore --keep repair``)."""
    return [
        restoration_of_sentence.written
        for restoration_of_sentence in Pipeline(model).restore(sentences, keep="repair")
    ]


def bilstm_restoration(tagger: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Restore punctuation with a BiLSTM-CRF that reads words and tags alone."""
    return TaggerPunctuator(tagger.model, tagger.parameters).restore(sentences)


def bilstm_correction(tagger: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct punctuation with a BiLSTM-CRF that reads the written marks."""
    punctuator = TaggerPunctuator(tagger.model, tagger.parameters)
    return punctuator.correct([as_written(sentence) for sentence in sentences])


def paper(
    model: Trained[Any],
    analysis: Trained[Any],
    sentences: Sequence[Sentence],
) -> Sequence[Slots]:
    """Correct with the paper's model to the strings of minimum expected edit distance given T'_e.

    The paper takes the best of its samples, which approximates these strings.

    Args:
        model: a model of preset paper-correction.
        analysis: a punctuation model of written text, which provides T'_e.
        sentences: the written sentences.
    """
    corrected = Pipeline(model, analysis=analysis).correct(sentences, minimise="slots")
    return [sentence.slots for sentence in corrected]


def correction(model: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct with a correction model, which reads the written marks.

    Args:
        model: a correction model.
        sentences: the written sentences.
    """
    return [sentence.slots for sentence in Pipeline(model).correct(sentences)]


def least_risk(model: Trained[Any], sentences: Sequence[Sentence]) -> Sequence[Slots]:
    """Correct with the same model to the strings of minimum expected edit distance.

    Args:
        model: a correction model.
        sentences: the written sentences.
    """
    return [sentence.slots for sentence in Pipeline(model).correct(sentences, minimise="slots")]


def text(
    model: Trained[Any], sentences: Sequence[Sentence | Words], *, confidence: float | None = None
) -> Sequence[Slots]:
    """Correct with a text model, which reads no trees."""
    lines = [joined(sentence) for sentence in sentences]
    corrected = correct_running_text(
        model, [words for words, _ in lines], minimum_confidence=confidence
    )
    return [
        separate(sentence, corrected_line.slots, places)
        for sentence, corrected_line, (_, places) in zip(sentences, corrected, lines, strict=True)
    ]
