"""Explained sentences: their text as it was and as it is, their marks, and their trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TextIO

from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.corpus.located import Located
from semipunct.formats import Writer
from semipunct.marks import SILENT, Puncteme, display_form, spacing
from semipunct.render.analyses import dump, omitted_as_dict
from semipunct.render.corrected import Places
from semipunct.render.decided_marks import LEFT_OUT, Mark, decided_marks
from semipunct.render.punctuated_text import PunctuatedText, punctuate_part
from semipunct.render.reasons.catalogue import rule
from semipunct.render.reasons.marks import percent
from semipunct.render.records import MarkRecord, mark_records
from semipunct.tasks.explain import Analysed, Answer
from semipunct.tasks.restoration import Restoration
from semipunct.tasks.run import Outcome


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explained sentence, or a part of a text that was left as it was.

    Attributes:
        name: of the sentence.
        source: its text as it was.
        text: its text with the marks of the model.
        analysis: the underlying tree, if the model has explanation.
        omitted: why it was left as it was; None if it was not.
    """

    name: str
    source: str
    text: PunctuatedText
    analysis: Analysed | None = None
    omitted: Omitted | None = None

    def to_records(self) -> list[MarkRecord]:
        """Return the marks as rows of a table, each with the id of the sentence."""
        return mark_records((self.name, mark) for mark in self.text.marks)

    def as_dict(self) -> dict[str, Any]:
        """Return the sentence as values for JSON."""
        return {
            "schema": "semipunct.explain/1",
            "sent_id": self.name,
            "input": self.source,
            "text": str(self.text),
            "tree": None if self.analysis is None else str(self.analysis.analysis),
            "marks": [mark_as_dict(mark, self.analysis) for mark in self.text.marks],
        }


class TreeDetails(NamedTuple):
    """The part of the underlying tree that explains a mark.

    Attributes:
        constituent: its words.
        relation: of the constituent.
        underlying: the underlying marks of the slot.
        rule: how the channel rewrites them; None if it does not.
        features: those that weigh most, with their weights.
    """

    constituent: str
    relation: str
    underlying: str
    rule: str | None
    features: Sequence[tuple[str, float]]


def tree_details(mark: Mark, analysis: Analysed | None) -> TreeDetails | None:
    """Return what the underlying tree says about a mark; None without a tree.

    Args:
        mark: of the sentence.
        analysis: of the sentence.
    """
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
    """Return a mark as values for JSON.

    Args:
        mark: the mark.
        analysis: the underlying tree of its sentence, if there is explanation.
    """
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
    """Return an explained sentence, spaced by the rules of its script.

    Args:
        answer: the restored or corrected sentence.
        analysis: its underlying tree, if the model has explanation.
        least: the probability from which a mark that was left out is listed.
    """
    sentence, written = answer.sentence, _written(answer)
    source = spacing.text(sentence.forms, _shown(sentence.slots))
    text = spacing.text(sentence.forms, _shown(written))
    places = Places.of(text, sentence.forms, _shown(written))
    marks = _marks(sentence, written, places, answer, analysis, least)
    return Explanation(sentence.sentence_id, source, PunctuatedText(text, marks), analysis)


def explained_entry(
    entry: Entry[Any, Any],
    answer: Answer | None,
    writer: Writer[Any],
    analysis: Analysed | None = None,
    least: float = LEFT_OUT,
) -> Explanation:
    """Return an explained sentence of a file, in the layout of the file.

    Args:
        entry: of the file.
        answer: the restored or corrected sentence; None if it was left as it was.
        writer: of the entries.
        analysis: its underlying tree, if the model has explanation.
        least: the probability from which a mark that was left out is listed.
    """
    content, record = entry.content, entry.record
    if answer is None or isinstance(content, Omitted):
        text = record.text if isinstance(record, Located) else writer.plain(entry)
        omitted = content if isinstance(content, Omitted) else None
        return Explanation(content.sentence_id, text, PunctuatedText(text), None, omitted)
    written = _written(answer)
    if isinstance(record, Located):
        cased = record.recase(answer.sentence.forms)
        part = punctuate_part(cased, written, answer.slots, answer.posteriors, least, analysis)
        return Explanation(content.sentence_id, record.text, part, analysis)
    source, text = writer.text(entry, answer.sentence.slots), writer.text(entry, written)
    places = Places.of(text, writer.surface(entry), writer.spell_marks(entry, written))
    marks = _marks(answer.sentence, written, places, answer, analysis, least)
    return Explanation(content.sentence_id, source, PunctuatedText(text, marks), analysis)


def _marks(
    sentence: Sentence[Any] | Words,
    written: Sequence[Puncteme],
    places: Places,
    answer: Answer,
    analysis: Analysed | None,
    least: float,
) -> list[Mark]:
    slots = sentence.slots, written
    return decided_marks(
        sentence.forms, slots, places, answer.slots, answer.posteriors, least, analysis
    )


def _written(answer: Answer) -> Sequence[Puncteme]:
    return answer.written if isinstance(answer, Restoration) else answer.slots


def _shown(slots: Sequence[Puncteme]) -> list[Puncteme]:
    return [tuple(t if t in SILENT else display_form(t) for t in slot) for slot in slots]


def write_plain(explanations: Iterable[Explanation], stream: TextIO) -> None:
    """Write explanations as lines without colour.

    Args:
        explanations: the sentences.
        stream: which must not translate line ends.
    """
    for segments in lines_for_terminal(explanations):
        stream.write("".join(text for _, text in segments) + "\n")


def write_json(explanations: Iterable[Explanation], stream: TextIO) -> None:
    """Write a JSON object for each sentence.

    Args:
        explanations: the sentences.
        stream: which must not translate line ends.
    """
    for explanation in explanations:
        if explanation.omitted is None:
            stream.write(dump(explanation.as_dict()) + "\n")
        else:
            stream.write(
                dump(omitted_as_dict(explanation.omitted, explanation.omitted.reason)) + "\n"
            )


Segment = tuple[str, str]
"""A part of a line for the terminal: its style and its characters."""


def lines_for_terminal(explanations: Iterable[Explanation]) -> Iterator[list[Segment]]:
    """Yield lines for the terminal: each sentence, or how it changed, and a line for each mark.

    Args:
        explanations: the sentences.
    """
    for explanation in explanations:
        before, after = explanation.source.strip("\r\n"), str(explanation.text).strip("\r\n")
        if explanation.omitted is not None:
            yield [("dim", f"  {after}" if after.strip() else "")]
            continue
        if before == after:
            yield [("", f"  {after}")]
        else:
            yield [("red", f"- {before}")]
            yield [("green", f"+ {after}")]
        for mark in explanation.text.marks:
            yield _line_of_mark(explanation, mark)
        yield [("", "")]


_STYLES = {
    "inserted": "green",
    "removed": "red",
    "replaced": "yellow",
    "kept": "",
    "left out": "dim",
}
_AROUND = 14  # characters of the text beside a mark


def _line_of_mark(explanation: Explanation, mark: Mark) -> list[Segment]:
    left = " ".join(str(explanation.text)[max(0, mark.start - _AROUND) : mark.start].split())
    where = f"after “{left.split(' ')[-1]}”" if left.strip() else "at the beginning"
    changed = f"{mark.before} → {mark.after}" if mark.decision == "replaced" else ""
    shown = changed or mark.after or mark.before or (mark.alternatives[0][0] or "nothing")
    style = _STYLES[mark.decision]
    segments = [
        ("", "    "),
        (f"bold {style}".strip(), shown),
        (style, f" {mark.decision} {where}, {percent(mark.probability)}"),
        ("", f": {mark.reason}"),
    ]
    if mark.decision == "left out":
        segments[2] = (style, f" left out {where}, {percent(mark.alternatives[0][1])}")
    details = tree_details(mark, explanation.analysis)
    if details is not None and details.features:
        weights = "; ".join(f"{feature} {weight:+.2f}" for feature, weight in details.features)
        segments.append(("dim", f" [{details.relation}; {weights}]"))
    return segments


def explained_outcomes(
    outcomes: Sequence[Outcome[Answer]],
    analyses: Sequence[Analysed | None],
    writer: Writer[Any],
    least: float = LEFT_OUT,
) -> Iterator[Explanation]:
    """Yield the explained sentences of a file.

    Args:
        outcomes: entries and what was restored or corrected, None for those left unchanged.
        analyses: their underlying trees.
        writer: of the entries.
        least: the probability from which a mark that was left out is listed.
    """
    for (entry, answer), analysis in zip(outcomes, analyses, strict=True):
        yield explained_entry(entry, answer, writer, analysis, least)
