"""Restoration of marks and capitals in running text by a text model, without trees."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.sentences import Words, unfillable
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import UsageError
from semipunct.evaluation.results import figures_signature
from semipunct.marks import ABBREVIATION, Puncteme
from semipunct.models.running_text.model import THRESHOLD, TextModel
from semipunct.models.running_text.reader import Query, Reading, TextReader
from semipunct.pipelines.distributions import SlotPosterior, rank_strings
from semipunct.pipelines.options import Lines, RestoreOptions, check_values
from semipunct.pipelines.results import Restoration
from semipunct.pipelines.text_choice import AnyWords, Chooser, Read, TextStrings
from semipunct.pipelines.trained import Trained, model_of_kind

_ACCIDENTS = 0.02
"""The share of words with capitals up to which a text counts as one without."""

_SAMPLE = 2048
"""The words from which it is judged whether a text has capitals, if lines are not judged singly."""


class Part(NamedTuple):
    """A line of a text, or a part of a line."""

    words: AnyWords
    ends_line: bool = True
    ends_text: bool = False
    ends_turn: bool = False


def restore_running_text(
    model: Trained[Any],
    contents: Sequence[AnyWords | OmittedT],
    options: RestoreOptions | None = None,
    **settings: Any,
) -> list[Restoration[AnyWords] | OmittedT]:
    """Restore the marks and capitals of running text.

    Marks that are kept are evidence for the others, and so are capitals, which are restored where a
    text has none. Those of sentences of a treebank stay.

    Args:
        options: by default ``RestoreOptions()``; nothing is drawn, so ``samples``, ``seed`` and
            ``minimise`` have no effect. By default a line is a paragraph, and decisions optimise
            F1.
    """
    options = replace(options or RestoreOptions(), **settings)
    usable: list[AnyWords] = without_omitted(contents)
    parts = map(Part, usable)
    restored = restored_parts(model, parts, options)
    return with_omitted(contents, list(restored))


def restored_parts(
    model: Trained[Any],
    parts: Iterable[Part],
    options: RestoreOptions,
) -> Iterator[Restoration[AnyWords]]:
    """Yield the restored parts of texts, of which some thousand words are in memory at a time."""
    fitted = model_of_kind(model, TextModel)
    _check(options, fitted)
    options = replace(options, minimise="slots")  # there are no draws to choose from
    ends = lines_of(options)
    threshold = None if options.objective == "edits" else float(model.parameters[THRESHOLD])
    chooser = Chooser(fitted, options, ends, threshold)
    reader = TextReader(fitted, model.parameters)
    labels: deque[Puncteme] = deque()
    if ends == "none":
        parts = _without_labels(parts, labels)
    parts_with_ends = _ended(parts, ends)
    judged = (
        ((part, False) for part in parts_with_ends)
        if options.lower
        else _judged(parts_with_ends, ends)
    )
    restored = chooser.restore(_read(reader, judged, options))
    return restored if ends != "none" else _with_labels(restored, labels)


def _without_labels(parts: Iterable[Part], labels: deque[Puncteme]) -> Iterator[Part]:
    """Yield parts without the marks before a line that never change, which are set aside.

    The dash before an item, or before a second speaker in a subtitle, is no mark between
    two words of the text that crosses the lines: the line before it may end with a period.
    """
    for part in parts:
        words = part.words
        labels.append(words.slots[0] if 0 in words.closed else ())
        if labels[-1]:
            slots, closed = ((), *words.slots[1:]), words.closed - {0}
            part = part._replace(words=replace(words, slots=slots, closed=closed))
        yield part


def _with_labels(
    restored: Iterable[Restoration[AnyWords]], labels: deque[Puncteme]
) -> Iterator[Restoration[AnyWords]]:
    """Yield restored parts with the marks that were set aside."""
    for restoration in restored:
        label, words = labels.popleft(), restoration.sentence
        if label:
            slots, closed = (label, *words.slots[1:]), words.closed | {0}
            first, *later = restoration.posteriors
            strings = tuple((*label, *string) for string in first.strings)
            restoration = replace(
                restoration,
                sentence=replace(words, slots=slots, closed=closed),
                slots=((*label, *restoration.slots[0]), *restoration.slots[1:]),
                posteriors=(replace(first, strings=strings), *later),
            )
        yield restoration


def lines_of(options: RestoreOptions) -> Lines:
    """Return the meaning of the ends of lines, with the default for texts filled in."""
    return options.lines or "paragraph"


def _check(options: RestoreOptions, model: TextModel) -> None:
    if options.keep == "repair":
        raise UsageError(
            "a text model does not repair marks; choose --keep keep or replace, or use "
            "semipunct correct"
        )
    if options.nbest:
        raise UsageError("a text model decides slot by slot; leave out --nbest")
    check_values(options, model.strings.tokens)


def _ended(parts: Iterable[Part], ends: Lines) -> Iterator[Part]:
    """Yield parts, of which the last one ends its text, as does the end of a line that says so."""
    last: Part | None = None
    for part in parts:
        if last is not None:
            yield last
        last = part._replace(ends_text=part.ends_text or (part.ends_line and ends != "none"))
    if last is not None:
        yield last._replace(ends_text=True)


def _judged(parts: Iterable[Part], ends: Lines) -> Iterator[tuple[Part, bool]]:
    """Yield parts, and whether their capitals are meant.

    A line is judged by its own words. If lines are no units of the text, all are judged by its
    first words.
    """
    if ends != "none":
        yield from ((part, has_capitals(part.words, _speech(part.words))) for part in parts)
        return
    waiting: list[Part] = []
    sample: list[str] = []
    cased: bool | None = None
    path: str | None = None
    ended = False
    for part in parts:
        # A text may have turns of a few words, but is no more than a file.
        if ended or path != part.words.path:
            yield from _judged_by(waiting, sample)
            waiting, sample, cased, path = [], [], None, part.words.path
        ended = part.ends_text
        if cased is not None:
            yield part, cased
            continue
        waiting.append(part)
        sample += _speech(part.words)[: _SAMPLE - len(sample)]
        if len(sample) == _SAMPLE:
            cased = has_capitals(part.words, sample)
            yield from ((earlier, cased) for earlier in waiting)
            waiting = []
    yield from _judged_by(waiting, sample)


def _speech(words: AnyWords) -> list[str]:
    """Return the words after which marks may be inserted, without names of speakers."""
    return [form for slot, form in enumerate(words.forms, start=1) if slot not in words.closed]


def _judged_by(parts: Sequence[Part], sample: Sequence[str]) -> Iterator[tuple[Part, bool]]:
    for part in parts:
        yield part, has_capitals(part.words, sample)


def has_capitals(words: AnyWords, forms: Sequence[str]) -> bool:
    """Return whether capitals are meant; a transcript may have a few by accident.

    Those of a treebank are part of its words.
    """
    capitals = sum(form != form.lower() for form in forms)
    return words.source == "treebank" or capitals > _ACCIDENTS * len(forms)


def _read(
    reader: TextReader, parts: Iterable[tuple[Part, bool]], options: RestoreOptions
) -> Iterator[Read]:
    """Yield parts with the distributions of their slots."""
    waiting: deque[tuple[Part, bool]] = deque()

    def queries() -> Iterator[Query]:
        before: Puncteme = ()
        for part, cased in parts:
            waiting.append((part, cased))
            words = part.words
            nothing: tuple[Puncteme, ...] = ((),) * len(words.slots)
            standing = with_dots(words.slots) if options.keep_for(words) == "keep" else nothing
            slots = ((*before, *standing[0]), *standing[1:])
            yield Query(words.forms, slots, cased, ends=part.ends_text)
            before = () if part.ends_text else standing[-1]

    for reading in reader.read(queries()):
        part, cased = waiting.popleft()
        yield Read(part.words, reading, cased, part.ends_text, part.ends_turn)


def with_dots(slots: Sequence[Puncteme]) -> tuple[Puncteme, ...]:
    """Return strings as a text model sees them, for which the dot of an abbreviation is a period.

    Such a dot absorbs the period that follows it.

    Args:
        slots: ``[n + 1]`` strings of tokens.
    """
    if not any(ABBREVIATION in string for string in slots):
        return tuple(slots)
    return tuple(
        string
        if ABBREVIATION not in string
        else (".", *(token for token in string[1:] if token not in (ABBREVIATION, ".")))
        for string in slots
    )


def with_compared_marks(restoration: Restoration[AnyWords]) -> Restoration[AnyWords]:
    """Return a restoration whose sentence has the marks for comparison with a text model."""
    slots = with_dots(restoration.sentence.slots)
    return replace(
        restoration,
        sentence=replace(restoration.sentence, slots=slots),
        slots=with_dots(restoration.slots),
    )


def running_text_signature(
    digest: str,
    sentences: Sequence[AnyWords],
    options: RestoreOptions,
) -> str:
    """Return the signature of figures, which are comparable if they differ only in the model."""
    examples = [_Surface(s) if isinstance(s, Words) else s for s in sentences]
    keep = "+".join(sorted({options.keep_for(sentence) for sentence in sentences}))
    return figures_signature(
        "restoration",
        digest[:12],
        treebank_digest(examples),
        {
            "lines": lines_of(options),
            "objective": options.objective or "f1",
            "capitals": "hidden" if options.lower else "shown",
            "marks": "all" if options.marks is None else str(len(options.marks)),
            "confidence": f">={options.minimum_confidence:g}",
            "keep": keep,
        },
    )


class _Surface:
    """The words and slots of a line as an example for ``treebank_digest``."""

    def __init__(self, words: Words) -> None:
        self.path, self.size, self.choices = words.path, len(words.forms), len(words.slots)
        self.seen = (words.forms, words.slots)


def text_views(
    model: Trained[Any], sentences: Sequence[AnyWords], options: RestoreOptions
) -> list[tuple[SlotPosterior, ...]]:
    """Return the distributions of slots that a text model predicts for sentences.

    Returns:
        ``[n + 1]`` distributions for each sentence.
    """
    fitted = model_of_kind(model, TextModel)
    texts = [list(of) for _, of in groupby(sentences, key=lambda s: s.path)]
    queries = [_query(text, options) for text in texts]
    readings = TextReader(fitted, model.parameters).read(queries)
    known = TextStrings(fitted)
    return [view for of in zip(texts, readings, strict=True) for view in _views(known, *of)]


def _query(text: Sequence[AnyWords], options: RestoreOptions) -> Query:
    """Return the input of the network: kept marks, and capitals if there are any."""
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


def _views(
    known: TextStrings, text: Sequence[AnyWords], reading: Reading
) -> Iterator[tuple[SlotPosterior, ...]]:
    """Yield the distributions of each sentence of a text."""
    edges = _edges(text)
    for sentence, start, stop in zip(text, edges[:-1], edges[1:], strict=True):
        table = known.table(reading, slice(start, stop + 1))
        table[1:-1] *= ~known.final
        # In running text, a sentence ends where there is a mark that says so.
        if sentence.source == "text" and known.final.any():
            table[[0, -1]] *= known.final
        known.fold(table[:1], table[-1:])
        yield rank_strings(known.strings, known.normalise(table), unfillable(sentence))
