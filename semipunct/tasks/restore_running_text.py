"""Restoration of marks and capitals in running text by a text model, without trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from semipunct.corpus.omission import OmittedT, with_omitted, without_omitted
from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.word_streams import is_final
from semipunct.errors import UsageError
from semipunct.inference.draws import Draws
from semipunct.marks import UNK, Puncteme
from semipunct.marks.balance import ENCLOSING, encloses
from semipunct.marks.joining import BY_TYPOGRAPHY
from semipunct.models.running_text.model import THRESHOLD, TextModel
from semipunct.models.running_text.reader import Query, Reading, TextReader
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.tasks.choice import Standing, chosen_strings
from semipunct.tasks.restoration import Restoration, RestoreOptions, RestoreSettings
from semipunct.tasks.slot_posteriors import SlotPosterior

Lines = Literal["none", "paragraph", "sentence"]
"""What the end of a line says: nothing; a sentence ends there; a sentence ends there and nowhere
else."""

AnyWords = Sentence[Any] | Words

Objective = Literal["f1", "edits"]
"""What decisions optimise: the F1 of marks, or the number of edits, as in the paper."""

_NEGLIGIBLE = 1e-4
"""Strings of a slot are left out of the result unless they are more probable than this."""


def restore_running_text(
    model: Trained[Any],
    lines: Sequence[Sentence[Any] | Words | OmittedT],
    options: RestoreOptions | None = None,
    *,
    ends: Lines = "paragraph",
    objective: Objective = "f1",
    **settings: Unpack[RestoreSettings],
) -> list[Restoration[AnyWords] | OmittedT]:
    """Restore the marks and capitals of running text.

    Marks that are kept are evidence for the others. Capitals are restored where the text has none.

    Args:
        model: a text model with its weights.
        lines: the words of each line, and its marks. Omitted ones pass through.
        options: by default ``RestoreOptions()``; nothing is drawn, so ``samples``, ``seed`` and
            ``minimise`` have no effect.
        ends: what the end of a line says.
        objective: what decisions optimise.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``.

    Raises:
        UsageError: if an option is invalid, or not for a text model.
        ModelError: if the model is of another kind.
    """
    options = replace(options or RestoreOptions(), **settings)
    fitted = model_of_kind(model, TextModel)
    _check(options, fitted)
    known: list[Sentence[Any] | Words] = without_omitted(lines)
    threshold = float(model.parameters[THRESHOLD]) if objective == "f1" else None
    units = [_joined(known)] if ends == "none" and known else known
    shown = [_query(unit, options) for unit in units]
    readings = TextReader(fitted, model.parameters).read(shown)
    results = [
        _restored(fitted, unit, reading, options, ends, threshold, cased=query.cased)
        for unit, query, reading in zip(units, shown, readings, strict=True)
    ]
    if ends == "none" and known:
        results = list(_cut(results[0], known))
    return with_omitted(lines, results)


def _check(options: RestoreOptions, model: TextModel) -> None:
    if options.keep == "repair":
        raise UsageError(
            "a text model does not repair marks; choose --keep keep or replace, or use "
            "semipunct correct"
        )
    if options.nbest:
        raise UsageError("a text model decides slot by slot; leave out --nbest")
    if not 0 <= options.minimum_confidence <= 1:
        raise UsageError(
            f"the minimum confidence is {options.minimum_confidence}; give a probability, 0 to 1"
        )
    if unknown := sorted(set(options.marks or ()) - set(model.strings.tokens)):
        raise UsageError(
            f"the model has never seen {' '.join(unknown)}; its marks are: "
            f"{' '.join(model.strings.tokens)}"
        )


def _query(words: Sentence[Any] | Words, options: RestoreOptions) -> Query:
    """Return what the network sees of a text: kept marks, and capitals if there are any."""
    nothing: tuple[Puncteme, ...] = ((),) * len(words.slots)
    kept = words.slots if options.keep_for(words) == "keep" else nothing
    return Query(words.forms, kept, _has_capitals(words))


def _has_capitals(words: Sentence[Any] | Words) -> bool:
    """Return whether capitals of a text are meant; a transcript may have a few by accident."""
    capitals = sum(form != form.lower() for form in words.forms)
    return capitals > _ACCIDENTS * len(words.forms)


_ACCIDENTS = 0.02
"""The share of words with capitals up to which a text counts as one without."""


def _restored(
    model: TextModel,
    words: Sentence[Any] | Words,
    reading: Reading,
    options: RestoreOptions,
    ends: Lines,
    threshold: float | None,
    *,
    cased: bool,
) -> Restoration[AnyWords]:
    """Decide on the marks of a text, and then on the capitals that follow them."""
    strings = model.strings.strings
    probability = _possible(reading.strings[:, : len(strings)].astype(np.float64), strings, ends)
    known = _posteriors(strings, probability)
    chosen: list[Puncteme] = [()]
    for part, found in _parts(words, _decisive(known, threshold)):
        standing = Standing(part, options.keep_for(words), BY_TYPOGRAPHY)
        own = chosen_strings(standing, _NO_DRAWS, found, options)
        chosen[-1:] = own if len(chosen) == 1 else [chosen[-1], *own[1:]]
    before = _before(reading.strings[0, : len(strings)], strings, ends)
    forms = words.forms if cased else _capitalised(model, words, reading, [before, *chosen[1:]])
    return Restoration(replace(words, forms=forms), tuple(chosen), tuple(known), ())


def _parts(
    words: Sentence[Any] | Words, known: Sequence[SlotPosterior]
) -> Iterator[tuple[Words, Sequence[SlotPosterior]]]:
    """Divide a text after sentences, so that partners of brackets and quotation marks are near.

    The first slot of a part is the last one of the part before it, where it is decided.
    """
    start, size = 0, len(words.forms)
    for slot in range(1, size + 1):
        best = known[slot].strings[0]
        ends = slot - start >= _PART and is_final(best) and not encloses(best)
        if ends or slot - start == _LONGEST_PART or slot == size:
            closed = {number - start for number in words.closed if start < number <= slot}
            slots = words.slots[start : slot + 1]
            if start:
                closed.add(0)
                slots = ((), *slots[1:])
            part = Words(
                words.sentence_id, words.path, words.line, words.forms[start:slot], slots,
                frozenset(closed), words.source,
            )  # fmt: skip
            yield part, known[start : slot + 1]
            start = slot


_PART, _LONGEST_PART = 40, 160
"""The numbers of words from which a text is divided after a sentence, and at which in any case."""

_NO_DRAWS = Draws((), np.zeros((0, 0), np.int64))


def _possible(
    probability: npt.NDArray[np.float64], strings: Sequence[Puncteme], ends: Lines
) -> npt.NDArray[np.float64]:
    """Exclude the strings that what is known of line ends forbids, and unwritable ones.

    The model was trained on passages from the middle of texts, so its first slot has the marks of
    the sentence before, too, and its last one those of the sentence after it.
    """
    final = np.array([is_final(string) for string in strings])
    allowed = np.ones(probability.shape, bool)
    allowed[:, [UNK in string for string in strings]] = False
    if ends != "none" and final.any():
        allowed[-1] &= final
    if ends == "sentence":
        allowed[1:-1] &= ~final
    rest = np.where(allowed, probability, 0.0)
    number = {string: i for i, string in enumerate(strings)}
    opening = [_opening(string, ()) for string in strings]
    closing = [s[: len(s) - len(after)] for s, after in zip(strings, opening, strict=True)]
    for row, parts in ((rest[0], opening), (rest[-1], closing)):
        whole = row.copy()
        row[:] = 0
        np.add.at(row, [number.get(part, 0) for part in parts], whole)
    total = rest.sum(1, keepdims=True)
    # Where nothing is left to choose from, there is no mark.
    rest[total[:, 0] <= 0, 0] = 1.0
    return rest / np.where(total > 0, total, 1.0)


def _before(
    probability: npt.NDArray[np.float32], strings: Sequence[Puncteme], ends: Lines
) -> Puncteme:
    """Return the most probable marks before a text, as if another one preceded it."""
    final = [is_final(string) or ends == "none" for string in strings]
    return strings[int(np.argmax(np.where(final, probability, 0.0)))]


def _posteriors(
    strings: Sequence[Puncteme], probability: npt.NDArray[np.float64]
) -> list[SlotPosterior]:
    """Return the distribution of each slot, with its probable strings in order."""
    order = np.argsort(-probability, 1, kind="stable")
    ranked = np.take_along_axis(probability, order, 1)
    counts = np.maximum(1, (ranked > _NEGLIGIBLE).sum(1))
    return [
        SlotPosterior(tuple(strings[i] for i in row[:n].tolist()), own[:n] / own[:n].sum())
        for row, own, n in zip(order, ranked, counts.tolist(), strict=True)
    ]


def _decisive(known: Sequence[SlotPosterior], threshold: float | None) -> list[SlotPosterior]:
    """Return distributions whose expected edit distances lead to the wanted decisions.

    For F1, a slot whose most probable mark reaches the threshold is certainly not empty, and all
    others are. Which mark stands there is left open.
    """
    if threshold is None:
        return list(known)
    result: list[SlotPosterior] = []
    for slot in known:
        marks = [(s, p) for s, p in zip(slot.strings, slot.probability.tolist(), strict=True) if s]
        if not marks or marks[0][1] < threshold:
            result.append(_EMPTY)
        else:
            share = np.array([p for _, p in marks])
            result.append(SlotPosterior(tuple(s for s, _ in marks), share / share.sum()))
    return result


_EMPTY = SlotPosterior(((),), np.ones(1))


def _capitalised(
    model: TextModel, words: Sentence[Any] | Words, reading: Reading, chosen: Sequence[Puncteme]
) -> tuple[str, ...]:
    """Return the words of a text in lower case with the most probable capitals."""
    pairs = reading.pairs[model.strings.codes(chosen[:-1])]
    shapes = np.argmax(reading.shapes + pairs, 1)
    spelt = model.spelt([form.lower() for form in words.forms], shapes.tolist())
    return tuple(
        new if old == old.lower() else old for old, new in zip(words.forms, spelt, strict=True)
    )


def _joined(lines: Sequence[Sentence[Any] | Words]) -> Words:
    """Join lines to one text; marks at the end of one and the start of the next share a slot."""
    forms = tuple(form for line in lines for form in line.forms)
    slots: list[Puncteme] = [()]
    closed: set[int] = set()
    for line in lines:
        closed |= {slot + len(slots) - 1 for slot in line.closed}
        slots[-1] = (*slots[-1], *line.slots[0])
        slots += line.slots[1:]
    first = lines[0]
    return Words(
        first.sentence_id, first.path, first.line, forms, tuple(slots), frozenset(closed),
        first.source,
    )  # fmt: skip


def _cut(
    whole: Restoration[AnyWords], lines: Sequence[Sentence[Any] | Words]
) -> Iterator[Restoration[AnyWords]]:
    """Divide the restoration of joined lines; opening marks belong to the line they open."""
    start = 0
    for line in lines:
        stop = start + len(line.forms)
        slots, known = list(whole.slots[start : stop + 1]), whole.posteriors[start : stop + 1]
        forms = whole.sentence.forms[start:stop]
        if start:
            slots[0] = _opening(slots[0], line.slots[0])
        if stop < len(whole.sentence.forms):
            own = _opening(slots[-1], ())
            slots[-1] = slots[-1][: len(slots[-1]) - len(own)]
        yield Restoration(replace(line, forms=forms), tuple(slots), known, ())
        start = stop


def _opening(string: Puncteme, known: Puncteme) -> Puncteme:
    """Return the marks at the end of a string that open what follows.

    Args:
        string: the marks between two lines.
        known: those that stood before the second line, which stay there.
    """
    if known and string[-len(known) :] == known:
        return known
    number = len(string)
    while number and string[number - 1] in _OPENINGS:
        number -= 1
    return string[number:]


_OPENINGS = ENCLOSING.openings | {"¿", "¡"}
