"""Distributions of the slots of sentences that a text model predicts, given where they end.

The sentences of a file are read as one text, for the sake of context. Those of a treebank are read
in the guise that shows where sentences end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from semipunct.corpus.sentences import unfillable
from semipunct.corpus.word_streams import is_final
from semipunct.marks import UNK, Puncteme
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.reader import Query, Reading, TextReader
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.tasks.options import RestoreOptions
from semipunct.tasks.restore_running_text import has_capitals
from semipunct.tasks.running_text_choice import AnyWords, opening_marks
from semipunct.tasks.slot_posteriors import SlotPosterior, rank_strings


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
    texts = [list(of) for _, of in groupby(sentences, key=lambda s: s.path)]
    queries = [_query(text, options) for text in texts]
    readings = TextReader(fitted, model.parameters).read(queries)
    parts = _Parts(fitted)
    return [view for of in zip(texts, readings, strict=True) for view in parts.views(*of)]


def _query(text: Sequence[AnyWords], options: RestoreOptions) -> Query:
    """Return what the network sees of a text: kept marks, and capitals if there are any."""
    slots: list[Puncteme] = [()]
    for s in text:
        standing = s.slots if options.keep_for(s) == "keep" else ((),) * len(s.slots)
        slots[-1] = (*slots[-1], *standing[0])
        slots += standing[1:]
    forms = [form for s in text for form in s.forms]
    # Ends in running text are guesses of the same model, which are no evidence for it.
    boundaries = frozenset(() if text[0].source == "text" else _edges(text))
    return Query(forms, slots, has_capitals(text[0], forms), boundaries=boundaries)


def _edges(text: Sequence[AnyWords]) -> list[int]:
    """Return the slots of a text between sentences, with its first and last one."""
    return np.cumsum([0, *(len(s.forms) for s in text)]).tolist()


class _Parts:
    """Divides the distributions of a text among its sentences.

    Attributes:
        strings: the strings of the text model.
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

    def views(
        self, text: Sequence[AnyWords], reading: Reading
    ) -> Iterator[tuple[SlotPosterior, ...]]:
        """Yield the distributions of each sentence of a text.

        Args:
            text: its sentences.
            reading: of the text.
        """
        edges = _edges(text)
        for sentence, start, stop in zip(text, edges[:-1], edges[1:], strict=True):
            table = reading.strings[start : stop + 1, : len(self.strings)].astype(np.float64)
            table *= self._writable
            table[1:-1] *= ~self._final
            # In running text, a sentence ends where there is a mark that says so.
            if sentence.source == "text" and self._final.any():
                table[[0, -1]] *= self._final
            for row, parts in ((0, self._opening), (-1, self._closing)):
                table[row] = np.bincount(parts, table[row], len(self.strings))
            total = table.sum(1, keepdims=True)
            table[total[:, 0] <= 0, 0] = 1.0
            table /= np.where(total > 0, total, 1.0)
            yield rank_strings(self.strings, table, unfillable(sentence))
