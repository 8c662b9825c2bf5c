"""Correction of running text by a text model, without trees.

The model reads the original marks of all slots and predicts the probability that each string is
correct (``models.running_text.guises``). A slot changes if another string is more probable, and
probable enough, among the strings that the error channel can turn into the original one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.corpus.word_streams import is_final
from semipunct.errors import UsageError
from semipunct.marks import Puncteme
from semipunct.marks.spacing import BY_TYPOGRAPHY
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.reader import Query, Reading, TextReader
from semipunct.pipelines.choice import beside_what_stands, may_replace
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.options import CorrectOptions, Lines
from semipunct.pipelines.results import Corrected, explain_corrections
from semipunct.pipelines.text_choice import (
    LONGEST_SECTION,
    SECTION,
    AnyWords,
    TextStrings,
    divided_lines,
    joined_lines,
)
from semipunct.pipelines.text_restoration import case_of
from semipunct.pipelines.trained import Trained, model_of_kind

Floats = npt.NDArray[np.float64]

# The default minimum probability of a correction. On learners' text and on web text, F0.5 is flat
# from 0.5 to 0.8, but higher values change far fewer correct marks.
LEAST = 0.8

# Mean lengths in words of a sentence, and of a heading or another line without a final mark.
_SENTENCE, _HEADING = 15, 4

# Lines whose final mark was forgotten, for each line that needs none, and the maximum of this
# ratio, for long lines; tuned on learners' text and on web text, where lines of any length lack the
# mark.
_FORGOTTEN, _MOST_FORGOTTEN = 0.03, 0.2

# Results omit less probable strings of a slot.
_NEGLIGIBLE = 1e-4


def correct_running_text(
    model: Trained[Any],
    lines: Sequence[AnyWords | OmittedT],
    options: CorrectOptions | None = None,
    **settings: Any,
) -> list[Corrected | OmittedT]:
    """Correct the marks of running text; words and their capitals are unchanged.

    Args:
        options: by default ``CorrectOptions()`` with a minimum confidence of ``LEAST``; ``samples``
            and ``seed`` have no effect, since nothing is drawn.
    """
    options = with_default(replace(options or CorrectOptions(), **settings))
    fitted = model_of_kind(model, TextModel)
    check(options, fitted)
    usable: list[AnyWords] = without_omitted(lines)
    return with_omitted(lines, _correct_texts(model, usable, options))


def correct_parts(
    model: Trained[Any], texts: Sequence[Sequence[AnyWords]], options: CorrectOptions
) -> list[Corrected]:
    """Correct the marks of the lines of texts whose sentences cross line ends."""
    answers = _correct_texts(model, list(map(joined_lines, texts)), options)
    return [
        explain_corrections(cast(Sentence, words), slots, posteriors)
        for lines, answer in zip(texts, answers, strict=True)
        for words, (slots, posteriors) in zip(
            lines, divided_lines(lines, answer.slots, answer.posteriors), strict=True
        )
    ]


def _correct_texts(
    model: Trained[Any], texts: Sequence[AnyWords], options: CorrectOptions
) -> list[Corrected]:
    fitted: TextModel = model.model
    queries = [
        Query(words.forms, words.slots, case_of(fitted, words, words.forms), written=True)
        for words in texts
    ]
    readings = TextReader(fitted, model.parameters).read(queries)
    channel = Channel(fitted)
    return [
        _corrected(channel, words, reading, options)
        for words, reading in zip(texts, readings, strict=True)
    ]


def with_default(options: CorrectOptions) -> CorrectOptions:
    """Fill in the default minimum confidence of text models."""
    if options.minimum_confidence is not None:
        return options
    return replace(options, minimum_confidence=LEAST)


def check(options: CorrectOptions, model: TextModel) -> None:
    """Raise ``UsageError`` unless all options are valid for a text model."""
    if options.minimise != "errors":
        raise UsageError(
            f"a text model chooses the most probable strings; leave out minimise={options.minimise}"
        )
    if options.analyses:
        raise UsageError("a text model uses no underlying trees; leave out analyses")
    options.check(model.strings.tokens)


class Channel:
    """The strings of a text model, with their possible corrections."""

    def __init__(self, model: TextModel) -> None:
        self.known = TextStrings(model)
        size = len(self.known.strings)
        self._possible = (model.errors[:size, :size] > 0) | np.eye(size, dtype=bool)
        self._possible[self.known.rare] = False
        # The order of the same marks, such as a period and a quotation mark, is a convention.
        tokens = [sorted(string) for string in self.known.strings]
        self._possible &= np.array([[a != b or a is b for b in tokens] for a in tokens])

    def probabilities(
        self, written: Sequence[Puncteme], reading: Reading, lines: Lines | None = None
    ) -> Floats:
        """Return the probabilities of the strings of a line, ``[n + 1, strings]``.

        Args:
            written: ``[n + 1]`` the original strings.
        """
        known = self.known
        summed = reading.strings[:, : len(known.strings)].astype(np.float64)
        if not written[-1]:
            summed[-1, ~known.final & (np.arange(len(known.strings)) > 0)] = 0
            summed[-1, known.final] *= odds_of_sentence(len(written) - 1)
        if is_final(written[-1]) or (lines == "sentence" and known.final.any()):
            summed[-1, ~known.final] = 0
        known.fold(summed[:1], summed[-1:])
        return summed

    def posterior(self, written: Puncteme, probability: Floats) -> SlotPosterior:
        """Return the distribution over the original string and its possible corrections."""
        tag = self.known.number.get(written)
        if tag is None:  # the channel never writes a string without a tag
            return SlotPosterior((written,), np.ones(1))
        share = np.where(self._possible[:, tag], probability, 0.0)
        share[tag] = max(share[tag], 1e-9)
        share /= share.sum()
        order = [
            i for i in np.argsort(-share, kind="stable").tolist()
            if share[i] > _NEGLIGIBLE or i == tag
        ]  # fmt: skip
        ranked = share[order]
        return SlotPosterior(tuple(self.known.strings[i] for i in order), ranked / ranked.sum())


def odds_of_sentence(words: int) -> float:
    """Return the factor for the odds of a final mark on a line without one.

    The training passages are cut anywhere, but a line is a sentence or a heading, which is shorter.
    The lengths of both are geometrically distributed.
    """
    # In logs, since the probability of a heading of 3,000 words underflows.
    sentence, heading = (
        (words - 1) * math.log1p(-1 / mean) - math.log(mean) for mean in (_SENTENCE, _HEADING)
    )
    most = math.log(_MOST_FORGOTTEN / _FORGOTTEN)
    return _SENTENCE * _FORGOTTEN * math.exp(min(most, sentence - heading))


def _corrected(
    channel: Channel, words: AnyWords, reading: Reading, options: CorrectOptions
) -> Corrected:
    table = channel.probabilities(words.slots, reading, options.lines)
    posteriors = [
        channel.posterior(written, row) for written, row in zip(words.slots, table, strict=True)
    ]
    chosen: list[Puncteme] = []
    for part, views in _parts(words, posteriors):
        best = [
            _best(slot, written, options) for slot, written in zip(views, part.slots, strict=True)
        ]
        slots = beside_what_stands(cast(Sentence, part), best, views, BY_TYPOGRAPHY)
        chosen += slots[len(chosen) > 0 :]
    return explain_corrections(cast(Sentence, words), tuple(chosen), tuple(posteriors))


def _best(view: SlotPosterior, written: Puncteme, options: CorrectOptions) -> Puncteme:
    """Return the most probable permitted string; the original one if in doubt."""
    best = next(
        (s for s in view.strings if s == written or may_replace(s, written, options.marks)), written
    )
    return best if view.of(best) >= options.least else written


def _parts(
    words: AnyWords, views: Sequence[SlotPosterior]
) -> Iterator[tuple[Words, Sequence[SlotPosterior]]]:
    """Divide a line after sentences.

    The first slot of a part is the last slot of the preceding part, which decides it.
    """
    start, size = 0, len(words.forms)
    for slot in range(1, size + 1):
        ends = slot - start >= SECTION and is_final(words.slots[slot])
        if ends or slot - start == LONGEST_SECTION or slot == size:
            closed = {number - start for number in words.closed if start <= number <= slot}
            if start:
                closed.add(0)
            part = Words(
                words.sentence_id, words.path, words.line, words.forms[start:slot],
                words.slots[start : slot + 1], frozenset(closed), words.source,
            )  # fmt: skip
            yield part, views[start : slot + 1]
            start = slot
