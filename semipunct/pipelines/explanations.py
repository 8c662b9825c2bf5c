"""Explained sentences: original and new text, marks with reasons, and underlying trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from semipunct.corpus import Entry, Omitted, Sentence
from semipunct.corpus.located import Located
from semipunct.corpus.parallel import as_written
from semipunct.formats import Writer
from semipunct.formats.text import TextWriter
from semipunct.marks import display_form, spacing
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.corrector import CorrectionModel
from semipunct.models.punctuation.decode import Analysis
from semipunct.models.punctuation.feature_weights import NodeFeatures
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.pipelines.chunks import Outcome, in_chunks
from semipunct.pipelines.limits import LEFT_OUT
from semipunct.pipelines.marked_text import (
    Mark,
    Places,
    PunctuatedText,
    decided_marks,
    mark_records,
    punctuate_part,
)
from semipunct.pipelines.reasons.catalogue import rule
from semipunct.pipelines.reasons.marks import percent
from semipunct.pipelines.results import Analysed, Corrected, Restoration, shown_slots
from semipunct.pipelines.trained import InPlace, Trained, explaining_model
from semipunct.pipelines.tree_correction import reason
from semipunct.pipelines.tree_writing import dump, omitted_as_dict
from semipunct.trees import DependencyTree

if TYPE_CHECKING:
    from semipunct.pipelines.task import Task


# A sentence with restored or corrected marks.
Answer = Restoration[Any] | Corrected


def analyse_answers(
    model: Trained[Any], answers: Sequence[Answer | Omitted]
) -> list[Analysed | None]:
    """Return the underlying tree of each restored or corrected sentence, or None."""
    fitted = explaining_model(model)
    if fitted is None:
        return [None] * len(answers)
    punctuated = [
        None if isinstance(answer, Omitted) else _punctuated(fitted.model, answer)
        for answer in answers
    ]
    sentences = [sentence for sentence in punctuated if sentence is not None]
    analyses = iter(decode.best(fitted.model, fitted.parameters, sentences) if sentences else ())
    return [
        None if sentence is None else _analysed(fitted, next(analyses)) for sentence in punctuated
    ]


def _punctuated(model: PunctuationModel, answer: Answer) -> Sentence | None:
    sentence = answer.sentence
    if not isinstance(sentence, Sentence) or not isinstance(sentence.tree, DependencyTree):
        return None
    if isinstance(model, CorrectionModel):
        sentence = as_written(sentence)
    return replace(sentence, slots=tuple(answer.slots))


def _analysed(fitted: InPlace[PunctuationModel], analysis: Analysis | None) -> Analysed | None:
    if analysis is None:
        return None
    size = len(analysis.slots)
    reasons = [reason(analysis, slot) for slot in range(size)]
    return Analysed(
        analysis,
        tuple(one for one in reasons if one is not None),
        NodeFeatures(fitted.model, fitted.parameters, analysis.sentence),
    )


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explained sentence, or an unchanged part of a text with the reason in ``omitted``."""

    name: str
    source: str
    text: PunctuatedText
    analysis: Analysed | None = None
    omitted: Omitted | None = None

    def to_records(self) -> list[dict[str, Any]]:
        """Return the marks as rows of a table, each with the id of the sentence."""
        return mark_records((self.name, mark) for mark in self.text.marks)

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": "semipunct.explain/1",
            "sent_id": self.name,
            "input": self.source,
            "text": str(self.text),
            "tree": None if self.analysis is None else str(self.analysis.analysis),
            "marks": [mark_as_dict(mark, self.analysis) for mark in self.text.marks],
        }


class TreeDetails(NamedTuple):
    """The part of the underlying tree that accounts for a mark.

    Attributes:
        rule: the rewriting by the channel; None if the marks surface unchanged.
    """

    constituent: str
    relation: str
    underlying: str
    rule: str | None
    features: Sequence[tuple[str, float]]


def tree_details(mark: Mark, analysis: Analysed | None) -> TreeDetails | None:
    """Return the part of the underlying tree that accounts for a mark; None without a tree."""
    constituent = mark.why.constituent
    if analysis is None or constituent is None:
        return None
    reason = analysis.reasons[constituent.slot]
    return TreeDetails(
        " ".join(constituent.words),
        constituent.relation,
        " ".join(map(display_form, reason.underlying)),
        rule(reason.edits),
        analysis.weights(constituent.attached),
    )


def mark_as_dict(mark: Mark, analysis: Analysed | None = None) -> dict[str, Any]:
    """Return a mark as values for JSON."""
    details = tree_details(mark, analysis)
    return {
        "start": mark.start,
        "end": mark.end,
        "before": mark.before,
        "after": mark.after,
        "decision": mark.decision,
        "probability": mark.probability,
        "alternatives": [
            {"marks": marks, "probability": share} for marks, share in mark.alternatives
        ],
        "reason": mark.reason,
        "key": mark.why.key,
        "tree": None
        if details is None
        else {
            **details._asdict(),
            "features": [{"feature": f, "weight": weight} for f, weight in details.features],
        },
    }


def explained_sentence(
    answer: Answer, analysis: Analysed | None = None, least: float = LEFT_OUT
) -> Explanation:
    """Explain a sentence, spaced by the rules of its script."""
    sentence = answer.sentence
    source = spacing.text(sentence.forms, shown_slots(sentence.slots))
    text = answer.text
    places = Places.of(text, sentence.forms, shown_slots(answer.written))
    marks = _marks(places, answer, analysis, least)
    return Explanation(sentence.sentence_id, source, PunctuatedText(text, marks), analysis)


def explained_entry(
    entry: Entry[Any, Any],
    answer: Answer | None,
    writer: Writer[Any],
    analysis: Analysed | None = None,
    least: float = LEFT_OUT,
) -> Explanation:
    """Explain a sentence of a file, in the layout of the file; without an answer, unchanged."""
    content, record = entry.content, entry.record
    if answer is None or isinstance(content, Omitted):
        text = record.text if isinstance(record, Located) else writer.plain(entry)
        omitted = content if isinstance(content, Omitted) else None
        return Explanation(content.sentence_id, text, PunctuatedText(text), None, omitted)
    written = answer.written
    if isinstance(record, Located):
        cased = record.recase(answer.sentence.forms)
        part = punctuate_part(cased, written, answer.slots, answer.posteriors, least, analysis)
        return Explanation(content.sentence_id, record.text, part, analysis)
    source, text = writer.text(entry, answer.sentence.slots), writer.text(entry, written)
    places = Places.of(text, writer.surface(entry), writer.spell_marks(entry, written))
    marks = _marks(places, answer, analysis, least)
    return Explanation(content.sentence_id, source, PunctuatedText(text, marks), analysis)


def _marks(places: Places, answer: Answer, analysis: Analysed | None, least: float) -> list[Mark]:
    forms, slots = answer.sentence.forms, (answer.sentence.slots, answer.written)
    return decided_marks(forms, slots, places, answer.slots, answer.posteriors, least, analysis)


def write_json(explanations: Iterable[Explanation], stream: TextIO) -> None:
    """Write one JSON object per sentence to a stream that does not translate line ends."""
    for explanation in explanations:
        omitted = explanation.omitted
        values = omitted_as_dict(omitted, omitted.reason) if omitted else explanation.as_dict()
        stream.write(dump(values) + "\n")


def lines_of_text(explanations: Iterable[Explanation]) -> Iterator[str]:
    """Yield each sentence, or its difference from the original, and a line per mark."""
    for explanation in explanations:
        before, after = explanation.source.strip("\r\n"), str(explanation.text).strip("\r\n")
        if explanation.omitted is not None:
            yield f"  {after}\n" if after.strip() else "\n"
            continue
        yield f"  {after}\n" if before == after else f"- {before}\n+ {after}\n"
        yield from (_line_of_mark(explanation, mark) for mark in explanation.text.marks)
        yield "\n"


_AROUND = 14  # characters of the text beside a mark


def _line_of_mark(explanation: Explanation, mark: Mark) -> str:
    left = " ".join(str(explanation.text)[max(0, mark.start - _AROUND) : mark.start].split())
    where = f"after “{left.split(' ')[-1]}”" if left.strip() else "at the beginning"
    changed = f"{mark.before} → {mark.after}" if mark.decision == "replaced" else ""
    shown = changed or mark.after or mark.before or (mark.alternatives[0][0] or "nothing")
    share = mark.alternatives[0][1] if mark.decision == "left out" else mark.probability
    line = f"    {shown} {mark.decision} {where}, {percent(share)}: {mark.reason}"
    details = tree_details(mark, explanation.analysis)
    if details is not None and details.features:
        weights = "; ".join(f"{feature} {weight:+.2f}" for feature, weight in details.features)
        line += f" [{details.relation}; {weights}]"
    return line + "\n"


def explain(
    model: Trained[Any],
    answers: Sequence[Answer | Omitted],
    *,
    left_out: float = LEFT_OUT,
) -> list[Explanation | Omitted]:
    """Explain the marks of restored or corrected sentences."""
    analyses = analyse_answers(model, answers)
    return [
        answer if isinstance(answer, Omitted) else explained_sentence(answer, analysis, left_out)
        for answer, analysis in zip(answers, analyses, strict=True)
    ]


def explain_text(task: Task[Any, Any], text: str, left_out: float = LEFT_OUT) -> list[Explanation]:
    """Explain the marks of each part of a text, restored or corrected by a task."""
    entries = [Entry(cast(Any, part.content), part) for part in task.read_text(text)]
    outcomes = task.answer(entries)
    return list(explain_outcomes(task.model, outcomes, TextWriter(), left_out))


# Sentences per batch of analyses.
_TOGETHER = 64


def explain_outcomes(
    model: Trained[Any],
    outcomes: Iterable[Outcome[Any]],
    writer: Writer[Any],
    least: float = LEFT_OUT,
) -> Iterator[Explanation]:
    """Yield explanations of the sentences of files, given answers or None for unchanged entries."""
    for chunk in in_chunks(outcomes, _TOGETHER):
        answered = [answer for _, answer in chunk if answer is not None]
        analyses = iter(analyse_answers(model, answered))
        for entry, answer in chunk:
            analysis = None if answer is None else next(analyses)
            yield explained_entry(entry, answer, writer, analysis, least)
