"""Comparison of answers with a reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Treebank
from semipunct.corpus.examples import parallel_digest
from semipunct.corpus.parallel import ParallelSentence
from semipunct.corpus.sentences import Sentence, open_slots
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import TreebankError
from semipunct.evaluation.confusion import Confusion, confusions
from semipunct.evaluation.correction import correction_statistics
from semipunct.evaluation.figures import Figures
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import Result, figures_signature
from semipunct.formats.parallel import read_references
from semipunct.marks import Puncteme, display_form, shown_string
from semipunct.pipelines.chunks import Outcome
from semipunct.pipelines.notices import omissions
from semipunct.pipelines.options import CorrectOptions, Request
from semipunct.pipelines.results import Corrected, Restoration
from semipunct.wording import figure

if TYPE_CHECKING:
    from semipunct.corpus import Entry


NO_COUNTS = (
    "--result stores counts by sentence, which the figures of this kind of model do not have; "
    "leave it out"
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of strings."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    wraps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Figures with their tables and messages.

    Attributes:
        result: the statistics to store; None if the metric is not a sum over sentences.
    """

    task: str
    figures: Figures
    rows: Sequence[tuple[str, str]]
    signature: str
    result: Result | None = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tables: Sequence[Table] = ()
    tokens: Iterable[str] = ()
    omitted: str = ""
    messages: Sequence[str] = ()

    @classmethod
    def of(cls, result: Result, **values: Any) -> Assessment:
        figures = result.figures
        rows = values.pop("rows", None) or figures.rows()
        return cls(
            task=result.task, figures=figures, rows=rows, signature=result.signature,
            result=result, **values,
        )  # fmt: skip


def assess_parses(
    system: str, signature: str, treebank: Sequence[Any], parses: Sequence[Sentence]
) -> Assessment:
    """Compare the trees and tags of a parser with a treebank."""
    is_treebank = isinstance(treebank, Treebank)
    return Assessment.of(
        Result(system, signature, parsing_statistics(without_omitted(treebank), parses)),
        extra={"omitted": treebank.omitted_by_reason()} if is_treebank else {},
        omitted=omissions(treebank),
    )


def assess_restorations(
    system: str,
    signature: str,
    restored: Sequence[Restoration[Any]],
    *,
    most: int = 0,
    marks: Set[str] | None = None,
) -> Assessment:
    """Compare restored punctuation with the input.

    Args:
        marks: the marks to compare; None for all.
    """
    sentences = [restoration.sentence for restoration in restored]
    if marks is not None:
        sentences = [replace(s, slots=_only(s.slots, marks)) for s in sentences]
    slots = [r.slots if marks is None else _only(r.slots, marks) for r in restored]
    statistics = restoration_statistics(
        [open_slots(s, s.slots) for s in sentences],
        [open_slots(s, predicted) for s, predicted in zip(sentences, slots, strict=True)],
    )
    figures = statistics.figures()
    mistakes = confusions(sentences, slots)[:most] if most else []
    by_mark = [
        (display_form(mark), figure(score.precision), figure(score.recall), figure(score.f1),
         f"{score.gold:,}")
        for mark, score in sorted(figures.marks.items(), key=lambda item: -item[1].gold)
    ]  # fmt: skip
    tables = [Table(("mark", "precision", "recall", "F1", "in the input"), by_mark)]
    if mistakes:
        headings = ("in the input", "restored", "slots", "edits", "for example")
        tables.append(
            Table(headings, [_confusion_row(mistake) for mistake in mistakes], wraps=True)
        )
    strings = (string for mistake in mistakes for string in (mistake.gold, mistake.predicted))
    return Assessment.of(
        Result(system, signature, statistics),
        extra={"confusions": [mistake.as_dict() for mistake in mistakes]} if most else {},
        tables=tables,
        tokens=[*figures.marks, *chain.from_iterable(strings)],
    )


def _only(slots: Sequence[Puncteme], marks: Set[str]) -> tuple[Puncteme, ...]:
    return tuple(tuple(token for token in slot if token in marks) for slot in slots)


def _confusion_row(confusion: Confusion) -> tuple[str, ...]:
    example = confusion.examples[0]
    return (
        shown_string(confusion.gold, "nothing"),
        shown_string(confusion.predicted, "nothing"),
        f"{confusion.count:,}",
        f"{confusion.edits:,}",
        f"{' '.join(example.before)} ▁ {' '.join(example.after)}",
    )


def assess_corrections(
    system: str,
    signature: str,
    pairs: Sequence[tuple[Corrected, ParallelSentence[Any]]],
    *,
    most: int,
) -> Assessment:
    """Compare corrected punctuation with references."""
    if not pairs:
        raise TreebankError("no sentence could be corrected, so there is nothing to compare")
    statistics = correction_statistics(
        [open_slots(corrected.sentence, corrected.sentence.slots) for corrected, _ in pairs],
        [open_slots(corrected.sentence, corrected.slots) for corrected, _ in pairs],
        [
            [open_slots(corrected.sentence, gold) for gold in pair.references]
            for corrected, pair in pairs
        ],
    )
    errors = statistics.figures().errors.items()
    ranked = sorted(errors, key=lambda item: (-item[1].needed, -item[1].proposed))
    rows = [
        (error, f"{score.correct:,}", f"{score.proposed - score.correct:,}", f"{score.needed:,}")
        for error, score in ranked[:most]
    ]
    table = Table(("error", "corrected", "wrong corrections", "in the input"), rows)
    return Assessment.of(Result(system, signature, statistics), tables=[table] if most else [])


def restorations_of(outcomes: Sequence[Outcome[Restoration[Any]]]) -> list[Restoration[Any]]:
    """Return the restored sentences among outcomes."""
    restored = [restoration for _, restoration in outcomes if restoration is not None]
    if not restored:
        raise TreebankError("no sentence could be restored, so there is nothing to compare")
    return restored


Assess = Callable[[Sequence[Outcome[Corrected]]], Assessment]


def prepare_comparison(
    task: Any,
    entries: Iterator[Entry[Any, Any]],
    request: Request,
    *,
    running: bool,
) -> tuple[Iterator[Entry[Any, Any]], Assess]:
    """Return entries, and a function that compares their corrections with the references."""
    references: list[Any] = []
    if request.references:
        read = [*entries]
        contents = [entry.content for entry in read]
        alignment: Any = request.align
        references = read_references(contents, request.references, alignment, running=running)
        entries = iter(read)

    def assess(outcomes: Sequence[Outcome[Corrected]]) -> Assessment:
        pairs = [
            (corrected, pair)
            for (_, corrected), pair in zip(outcomes, references, strict=True)
            if corrected is not None and pair is not None
        ]
        options: CorrectOptions = task.options
        conditions = {
            "samples": str(options.samples),
            "seed": str(options.seed),
            "minimise": options.minimise,
            "analyses": str(options.analyses),
            "marks": "all" if options.marks is None else str(len(options.marks)),
            "confidence": f">={options.least:g}",
        }
        digest = parallel_digest([pair for _, pair in pairs])
        line = figures_signature("correction", task.model.digest[:12], digest, conditions)
        return assess_corrections(request.system, line, pairs, most=request.listed)

    return entries, assess
