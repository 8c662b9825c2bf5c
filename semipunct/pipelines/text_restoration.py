"""Restoration of marks and capitals in running text by a text model, without trees."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from types import SimpleNamespace
from typing import Any, NamedTuple

from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.fixed_parts import fixed_forms
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
    parts_with_ends = _ended(parts, ends)
    judged = (
        ((part, Case.NOTHING) for part in parts_with_ends)
        if options.case == "restore"
        else _judged(parts_with_ends, ends, fitted)
    )
    return chooser.restore(_read(reader, judged, options))


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
    number, last = 0, None

    def text_of(part: Part) -> int:
        nonlocal number, last
        # A text may consist of short turns, but does not extend beyond a file.
        if last is not None and (last.ends_text or last.words.path != part.words.path):
            number += 1
        last = part
        return number

    for _, text in groupby(parts, text_of):
        spoken = ((part, _speech(part.words)) for part in text)
        waiting: list[tuple[Part, list[str]]] = []
        sample: list[str] = []
        while len(sample) < _SAMPLE and (pair := next(spoken, None)):
            waiting.append(pair)
            sample += pair[1][: _SAMPLE - len(sample)]
        case = case_of(model, waiting[0][0].words, sample)
        for part, forms in chain(waiting, spoken):
            is_meaningless = case_of(model, part.words, forms) == Case.NOTHING
            yield part, Case.NOTHING if is_meaningless else case


def _speech(words: AnyWords) -> list[str]:
    """Return the words after which marks may be inserted, without names of speakers and code."""
    fixed = fixed_forms(words.forms)
    forms = enumerate(words.forms)
    return [form for i, form in forms if i + 1 not in words.closed and i not in fixed]


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
    waiting: deque[tuple[Part, Case, AnyWords, Puncteme]] = deque()
    has_labels = lines_of(options) == "none"

    def queries() -> Iterator[Query]:
        before: Puncteme = ()
        for part, case in parts:
            words, label = without_label(part.words) if has_labels else (part.words, ())
            waiting.append((part, case, words, label))
            nothing: tuple[Puncteme, ...] = ((),) * len(words.slots)
            standing = with_dots(words.slots) if options.keep_for(words) == "keep" else nothing
            slots = ((*before, *standing[0]), *standing[1:])
            yield Query(words.forms, slots, case, ends=part.ends_text)
            before = () if part.ends_text else standing[-1]

    for reading in reader.read(queries()):
        part, case, words, label = waiting.popleft()
        yield Read(words, reading, case, part.ends_text, part.ends_turn, part.words, label)


def with_dots(slots: Sequence[Puncteme]) -> tuple[Puncteme, ...]:
    """Encode the dots of abbreviations, which absorb a following period, as text models do."""
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
    examples: list[Any] = [
        SimpleNamespace(seen=(s.forms, s.slots)) if isinstance(s, Words) else s for s in sentences
    ]
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


def text_views(
    model: Trained[Any], sentences: Sequence[AnyWords], options: RestoreOptions
) -> list[tuple[SlotPosterior, ...]]:
    """Return the distributions of slots ``[n + 1]`` of each sentence under a text model."""
    fitted = model_of_kind(model, TextModel)
    texts = [list(of) for _, of in groupby(sentences, key=lambda s: s.path)]
    queries = (query for text in texts for query in _queries(fitted, text, options))
    readings = TextReader(fitted, model.parameters).read(queries)
    known = TextStrings(fitted)
    return [_views(known, *of) for of in zip(sentences, readings, strict=True)]


def _queries(
    model: TextModel, text: Sequence[AnyWords], options: RestoreOptions
) -> Iterator[Query]:
    case = case_of(model, text[0], [form for s in text for form in s.forms])
    before: Puncteme = ()
    for number, s in enumerate(text, 1):
        standing = s.slots if options.keep_for(s) == "keep" else ((),) * len(s.slots)
        slots = ((*before, *standing[0]), *standing[1:])
        # Sentence ends in running text are predictions of the same model, hence no evidence.
        ends = frozenset(() if text[0].source == "text" else (0, len(s.forms)))
        yield Query(s.forms, slots, case, ends=number == len(text), boundaries=ends)
        before = standing[-1]


def _views(known: TextStrings, sentence: AnyWords, reading: Reading) -> tuple[SlotPosterior, ...]:
    table = known.table(reading)
    table[1:-1] *= ~known.final
    # In running text, final marks end sentences.
    if sentence.source == "text" and known.final.any():
        table[[0, -1]] *= known.final
    known.fold(table[:1], table[-1:])
    return rank_strings(known.strings, known.normalise(table), unfillable(sentence))
