"""Distributions of the slots of sentences that a text model predicts, given where they end.

A text model reads running text, in which sentence ends are unknown. Here they are known, so the
sentences of a file are read as one text, for the sake of context, and their ends are taken into
account twice. The string at the end of a sentence is likely to be one that ends a sentence: its
probability given that the sentence ends is, by Bayes' rule, that in running text times that of an
end after it. And the slots within a sentence are read again, with a mark shown at each end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, Words, unfillable
from semipunct.corpus.word_streams import is_final
from semipunct.marks import UNK, Puncteme
from semipunct.marks.balance import ENCLOSING
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.reader import Query, Reading, TextReader
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.tasks.restoration import RestoreOptions
from semipunct.tasks.slot_posteriors import SlotPosterior, predicted

Floats = npt.NDArray[np.float64]
AnyWords = Sentence[Any] | Words

ENDS_WITHOUT_MARK = 0.02
"""The probability that a sentence of a treebank ends in a slot without a mark that ends sentences,
such as that of a title. In running text sentences end where such a mark is."""


def text_views(
    model: Trained[Any], sentences: Sequence[AnyWords], options: RestoreOptions
) -> list[tuple[SlotPosterior, ...]]:
    """Return the distributions of slots that a text model predicts for sentences.

    Args:
        model: a text model with its weights.
        sentences: the sentences; those of the same file that follow each other are one text.
        options: say whether existing marks are kept, and thus seen.

    Returns:
        ``[n + 1]`` distributions for each sentence.

    Raises:
        ModelError: if the model is of another kind.
    """
    fitted = model_of_kind(model, TextModel)
    reader = TextReader(fitted, model.parameters)
    ends = _Ends(fitted)
    texts = [list(of) for _, of in groupby(sentences, key=lambda s: s.path)]
    queries = [_query(text, options) for text in texts]
    at_ends = reader.read(queries)
    shown = [ends.shown(*of) for of in zip(texts, queries, at_ends, strict=True)]
    within = reader.read(shown)
    return [view for of in zip(texts, at_ends, within, strict=True) for view in ends.views(*of)]


def has_capitals(sentences: Sequence[AnyWords]) -> bool:
    """Return whether capitals of a text are meant; a transcript may have a few by accident.

    Args:
        sentences: of the text.
    """
    forms = [form for sentence in sentences for form in sentence.forms]
    return sum(form != form.lower() for form in forms) > _ACCIDENTS * len(forms)


_ACCIDENTS = 0.02
"""The share of words with capitals up to which a text counts as one without."""


def opening_marks(string: Puncteme) -> Puncteme:
    """Return the marks at the end of a string that open what follows.

    Args:
        string: the marks between two words.
    """
    number = len(string)
    while number and string[number - 1] in _OPENINGS:
        number -= 1
    return string[number:]


_OPENINGS = ENCLOSING.openings | {"¿", "¡"}


def _query(text: Sequence[AnyWords], options: RestoreOptions) -> Query:
    """Return what the network sees of a text: kept marks, and capitals if there are any."""
    slots: list[Puncteme] = [()]
    for s in text:
        kept = s.slots if options.keep_for(s) == "keep" else ((),) * len(s.slots)
        slots[-1] = (*slots[-1], *kept[0])
        slots += kept[1:]
    return Query([form for s in text for form in s.forms], slots, has_capitals(text))


def _edges(text: Sequence[AnyWords]) -> list[int]:
    """Return the slots of a text between sentences, with its first and last one."""
    return np.cumsum([0, *(len(s.forms) for s in text)]).tolist()


class _Ends:
    """What the ends of sentences say about the strings of a text model.

    Attributes:
        strings: the strings.
    """

    def __init__(self, model: TextModel) -> None:
        """Tabulate the strings of a model."""
        self.strings = model.strings.strings
        number = {string: i for i, string in enumerate(self.strings)}
        opening = [opening_marks(string) for string in self.strings]
        pairs = zip(self.strings, opening, strict=True)
        closing = [string[: len(string) - len(after)] for string, after in pairs]
        # Marks that open a sentence belong to it, and those before them to the previous one.
        self._opening = [number.get(string, 0) for string in opening]
        self._closing = [number.get(string, 0) for string in closing]
        self._writable = np.array([UNK not in string for string in self.strings])
        self._final = np.array([is_final(string) for string in self.strings])

    def shown(self, text: Sequence[AnyWords], query: Query, reading: Reading) -> Query:
        """Return a query that also shows a probable mark at each end of a sentence."""
        slots = list(query.slots)
        if self._final.any():
            for slot in _edges(text):
                if not slots[slot]:
                    likely = np.where(self._final, self._probability(reading, slot), -1.0)
                    slots[slot] = self.strings[int(likely.argmax())]
        return query._replace(slots=slots)

    def views(
        self, text: Sequence[AnyWords], at_ends: Reading, within: Reading
    ) -> Iterator[tuple[SlotPosterior, ...]]:
        """Yield the distributions of each sentence of a text.

        Args:
            text: its sentences.
            at_ends: the reading for slots between sentences.
            within: the reading for all others.
        """
        edges = _edges(text)
        for sentence, start, stop in zip(text, edges[:-1], edges[1:], strict=True):
            table = within.strings[start : stop + 1, : len(self.strings)].astype(np.float64)
            table *= self._writable & ~self._final
            without = 0.0 if sentence.source == "text" else ENDS_WITHOUT_MARK
            ends = np.where(self._final, 1.0, without)
            for row, slot, parts in ((0, start, self._opening), (-1, stop, self._closing)):
                joint = self._probability(at_ends, slot) * ends
                table[row] = np.bincount(parts, joint, len(self.strings))
            total = table.sum(1, keepdims=True)
            table[total[:, 0] <= 0, 0] = 1.0
            table /= np.where(total > 0, total, 1.0)
            yield predicted(self.strings, table, unfillable(sentence))

    def _probability(self, reading: Reading, slot: int) -> Floats:
        row = reading.strings[slot, : len(self.strings)].astype(np.float64)
        return row * self._writable
