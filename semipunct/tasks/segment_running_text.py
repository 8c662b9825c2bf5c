"""Sentences of running text where a text model restores their ends, with its capitals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Unpack

from semipunct.corpus.located import Located, RawText
from semipunct.corpus.sentences import Words
from semipunct.corpus.treebank import Omitted
from semipunct.corpus.word_streams import is_final
from semipunct.formats.running_text import line_of_text, part_of_line
from semipunct.formats.text import read_line
from semipunct.marks import Puncteme
from semipunct.tasks.base import Trained
from semipunct.tasks.options import RestoreOptions, RestoreSettings
from semipunct.tasks.restore_running_text import lines_of, restore_running_text
from semipunct.tasks.running_text_choice import opening_marks


def segment_running_text(
    model: Trained[Any],
    texts: Sequence[str | RawText],
    options: RestoreOptions | None = None,
    **settings: Unpack[RestoreSettings],
) -> list[list[Located]]:
    """Split texts into sentences after the words where a text model inserts or keeps their ends.

    Words and marks are those that text models read (``corpus.word_streams``). Words of a text
    without capitals get those that the model restores.

    Args:
        model: a text model with its weights.
        texts: texts of any length, with any characters.
        options: of the restoration; ``keep`` says whether existing marks are seen, and ``lines``
            the meaning of the end of a text; with ``sentence`` each text is one.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``.

    Returns:
        The sentences of each text, whose parts add up to the text apart from capitals.

    Raises:
        UsageError: if an option is invalid, or not for a text model.
        ModelError: if the model is of another kind.
    """
    options = replace(options or RestoreOptions(), **settings)
    # Sentences end whether or not their marks are to be inserted.
    options = RestoreOptions(keep=options.keep, lines=options.lines)
    ends = lines_of(options)
    raw = [text if isinstance(text, RawText) else RawText(text) for text in texts]
    whole = [read_line(text, line_of_text) for text in raw]
    # Without ends, all lines of a call are one text, and these are separate ones.
    calls = [[part] for part in whole] if ends == "none" else [whole]
    restorations = [
        restoration
        for parts in calls
        for restoration in restore_running_text(model, [part.content for part in parts], options)
    ]
    sentences_of_texts: list[list[Located]] = []
    for text, part, restoration in zip(raw, whole, restorations, strict=True):
        if isinstance(part.content, Omitted) or isinstance(restoration, Omitted):
            sentences_of_texts.append([part] if text.text else [])
            continue
        cased = part.recase(restoration.sentence.forms)
        cuts = [] if ends == "sentence" else _cuts(part.content, restoration.slots)
        sentences_of_texts.append(list(_parts(cased, text, cuts)))
    return sentences_of_texts


def _cuts(words: Words, slots: Sequence[Puncteme]) -> list[int]:
    """Return the numbers of the words after which a sentence ends, except the last."""
    return [
        slot
        for slot in range(1, len(words.forms))
        if is_final(slots[slot]) and slot not in words.closed
    ]


def _parts(whole: Located, source: RawText, cuts: Sequence[int]) -> Iterator[Located]:
    """Yield the sentences of a text, each of which extends to the beginning of the next.

    Marks before the first word belong to its sentence, and so do marks that open it.
    """
    begins = [0, *(_begin(whole, slot) for slot in cuts), len(whole.text)]
    edges = [0, *cuts, len(whole.spans)]
    line = source.line
    for number, ((begin, end), (first, last)) in enumerate(
        zip(pairwise(begins), pairwise(edges), strict=True), start=1
    ):
        text = whole.text[begin:end]
        skipped = whole.text[begin : whole.spans[first][0]].count("\n")
        name = f"#{line + skipped}.{number}" if cuts else f"#{line + skipped}"
        yield part_of_line(name, source.path, line + skipped, whole, (begin, end), (first, last))
        line += text.count("\n")


def _begin(whole: Located, slot: int) -> int:
    """Return the place where the sentence after a slot begins."""
    marks = whole.marks[slot]
    strings = () if isinstance(whole.content, Omitted) else whole.content.slots[slot]
    opening = len(opening_marks(strings))
    return marks[len(marks) - opening][0] if opening else whole.spans[slot][0]
