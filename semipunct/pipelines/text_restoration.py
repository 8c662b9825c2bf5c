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
from semipunct.models.running_text.reader import (
    Case,
    Query,
    Reading,
    TextReader,
    case_of_words,
)
from semipunct.pipelines.distributions import SlotPosterior, rank_strings
from semipunct.pipelines.options import Lines, RestoreOptions, check_values
from semipunct.pipelines.results import Restoration
from semipunct.pipelines.text_choice import (
    AnyWords,
    Chooser,
    Read,
    TextStrings,
    with_label,
    without_label,
)
from semipunct.pipelines.trained import Trained, model_of_kind

# Words that decide which capitals a text has, unless lines are judged singly.
_SAMPLE = 2048


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

    Kept marks are evidence for the others, as are capitals, which are restored where a text has
    none.

    Args:
        options: by default ``RestoreOptions()``, with each line as a paragraph and F1 as the
            objective; ``samples``, ``seed`` and ``minimise`` have no effect, since nothing is
            drawn.
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
    """Yield the restored parts of texts, with a few thousand words in memory at a time."""
    fitted = model_of_kind(model, TextModel)
    _check(options, fitted)
    options = replace(options, minimise="slots")  # nothing is drawn
    ends = lines_of(options)
    threshold = None if options.objective == "edits" else float(model.parameters[THRESHOLD])
    chooser = Chooser(fitted, options, ends, threshold)
    reader = TextReader(fitted, model.parameters)
    lines: deque[AnyWords] = deque()
    if ends == "none":
        parts = _without_labels(parts, lines)
    parts_with_ends = _ended(parts, ends)
    judged = (
        ((part, Case.NOTHING) for part in parts_with_ends)
        if options.case == "restore"
        else _judged(parts_with_ends, ends, fitted)
    )
    restored = chooser.restore(_read(reader, judged, options))
    return restored if ends != "none" else _with_labels(restored, lines)


def _without_labels(parts: Iterable[Part], lines: deque[AnyWords]) -> Iterator[Part]:
    for part in parts:
        lines.append(part.words)
        yield part._replace(words=without_label(part.words)[0])


def _with_labels(
    restored: Iterable[Restoration[AnyWords]], lines: deque[AnyWords]
) -> Iterator[Restoration[AnyWords]]:
    for restoration in restored:
        line = lines.popleft()
        if label := without_label(line)[1]:
            slots, views = with_label(label, restoration.slots, restoration.posteriors)
            sentence = replace(restoration.sentence, slots=line.slots, closed=line.closed)
            restoration = replace(restoration, sentence=sentence, slots=slots, posteriors=views)
        yield restoration


def lines_of(options: RestoreOptions) -> Lines:
    """Return the meaning of line ends, or its default for texts."""
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
    """Yield parts, marking the ends of texts and of meaningful lines."""
    last: Part | None = None
    for part in parts:
        if last is not None:
            yield last
        last = part._replace(ends_text=part.ends_text or (part.ends_line and ends != "none"))
    if last is not None:
        yield last._replace(ends_text=True)


def _judged(parts: Iterable[Part], ends: Lines, model: TextModel) -> Iterator[tuple[Part, Case]]:
    """Yield parts with the meaning of their capitals.

    A line is judged by its own words. If line ends are meaningless, it is judged by the first words
    of the text, unless it is in upper case or title case.
    """
    if ends != "none":
        for part in parts:
            yield part, case_of(model, part.words, _speech(part.words))
        return
    waiting: list[Part] = []
    sample: list[str] = []
    decided: Case | None = None
    path: str | None = None
    ended = False

    def judged(parts: Sequence[Part], case: Case | None = None) -> Iterator[tuple[Part, Case]]:
        for part in parts:
            case = case_of(model, part.words, sample) if case is None else case
            own = case_of(model, part.words, _speech(part.words))
            yield part, case if own else own

    for part in parts:
        # A text may consist of short turns, but does not extend beyond a file.
        if ended or path != part.words.path:
            yield from judged(waiting)
            waiting, sample, decided, path = [], [], None, part.words.path
        ended = part.ends_text
        waiting.append(part)
        if decided is None:
            sample += _speech(part.words)[: _SAMPLE - len(sample)]
            if len(sample) == _SAMPLE:
                decided = case_of(model, part.words, sample)
        if decided is not None:
            yield from judged(waiting, decided)
            waiting = []
    yield from judged(waiting)


def _speech(words: AnyWords) -> list[str]:
    """Return the words after which marks may be inserted, without names of speakers."""
    return [form for slot, form in enumerate(words.forms, start=1) if slot not in words.closed]


def case_of(model: TextModel, words: AnyWords, forms: Sequence[str]) -> Case:
    """Return the evidence of capitals; those of a treebank are part of its words.

    Args:
        words: a line of the text.
        forms: its words, or more words of the text.
    """
    if words.source == "treebank":
        return Case.EVERYTHING
    return case_of_words(model, forms)


def _read(
    reader: TextReader, parts: Iterable[tuple[Part, Case]], options: RestoreOptions
) -> Iterator[Read]:
    waiting: deque[tuple[Part, Case]] = deque()

    def queries() -> Iterator[Query]:
        before: Puncteme = ()
        for part, case in parts:
            waiting.append((part, case))
            words = part.words
            nothing: tuple[Puncteme, ...] = ((),) * len(words.slots)
            standing = with_dots(words.slots) if options.keep_for(words) == "keep" else nothing
            slots = ((*before, *standing[0]), *standing[1:])
            yield Query(words.forms, slots, case, ends=part.ends_text)
            before = () if part.ends_text else standing[-1]

    for reading in reader.read(queries()):
        part, case = waiting.popleft()
        yield Read(part.words, reading, case, part.ends_text, part.ends_turn)


def with_dots(slots: Sequence[Puncteme]) -> tuple[Puncteme, ...]:
    """Encode the dots of abbreviations, which absorb a following period, as text models do."""
    if not any(ABBREVIATION in string for string in slots):
        return tuple(slots)
    return tuple(
        string
        if ABBREVIATION not in string
        else (".", *(token for token in string[1:] if token not in (ABBREVIATION, ".")))
        for string in slots
    )


def with_compared_marks(restoration: Restoration[AnyWords]) -> Restoration[AnyWords]:
    """Encode the marks of a sentence for comparison with a text model."""
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
    """Return the signature of the figures of a text model."""
    examples = [_Surface(s) if isinstance(s, Words) else s for s in sentences]
    keep = "+".join(sorted({options.keep_for(sentence) for sentence in sentences}))
    return figures_signature(
        "restoration",
        digest[:12],
        treebank_digest(examples),
        {
            "lines": lines_of(options),
            "objective": options.objective or "f1",
            "capitals": "hidden" if options.case == "restore" else "shown",
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
    """Return the distributions of slots ``[n + 1]`` of each sentence under a text model."""
    fitted = model_of_kind(model, TextModel)
    texts = [list(of) for _, of in groupby(sentences, key=lambda s: s.path)]
    queries = [_query(fitted, text, options) for text in texts]
    readings = TextReader(fitted, model.parameters).read(queries)
    known = TextStrings(fitted)
    return [view for of in zip(texts, readings, strict=True) for view in _views(known, *of)]


def _query(model: TextModel, text: Sequence[AnyWords], options: RestoreOptions) -> Query:
    slots: list[Puncteme] = [()]
    for s in text:
        standing = s.slots if options.keep_for(s) == "keep" else ((),) * len(s.slots)
        slots[-1] = (*slots[-1], *standing[0])
        slots += standing[1:]
    forms = [form for s in text for form in s.forms]
    # Sentence ends in running text are predictions of the same model, hence no evidence.
    boundaries = frozenset(() if text[0].source == "text" else _edges(text))
    return Query(forms, slots, case_of(model, text[0], forms), boundaries=boundaries)


def _edges(text: Sequence[AnyWords]) -> list[int]:
    """Return the slots between sentences, with the first and last slot of the text."""
    return np.cumsum([0, *(len(s.forms) for s in text)]).tolist()


def _views(
    known: TextStrings, text: Sequence[AnyWords], reading: Reading
) -> Iterator[tuple[SlotPosterior, ...]]:
    edges = _edges(text)
    for sentence, start, stop in zip(text, edges[:-1], edges[1:], strict=True):
        table = known.table(reading, slice(start, stop + 1))
        table[1:-1] *= ~known.final
        # In running text, final marks end sentences.
        if sentence.source == "text" and known.final.any():
            table[[0, -1]] *= known.final
        known.fold(table[:1], table[-1:])
        yield rank_strings(known.strings, known.normalise(table), unfillable(sentence))
