"""Suspicious marks of treebanks: improbable, missing, unpaired, badly attached, badly spaced.

One list ranks them by log odds: of another string of the slot under a model, or of the more
frequent annotation in the treebank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from math import exp, log
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

from semipunct.corpus import Entry, Sentence
from semipunct.errors import ModelError, TreebankError, UsageError
from semipunct.files import title_of
from semipunct.formats import format_of, read_entries
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.gaps import Spacing
from semipunct.formats.conllu.mark_heads import MarkedSentence
from semipunct.formats.conllu.records import Record, format_record, read_records
from semipunct.formats.conllu.requests import slot_ids
from semipunct.marks import SILENT, Puncteme, shown_string, spacing
from semipunct.marks.balance import ENCLOSING
from semipunct.marks.corrections import Correction, corrections
from semipunct.marks.matching import matched_pairs
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.decode import Analysis
from semipunct.pages.page import (
    Anchors,
    figure,
    link,
    listing,
    page,
    section,
    underlying_tree,
)
from semipunct.pages.pictures import treebank_drawing
from semipunct.pipelines.reasons.marks import reason_of_mark
from semipunct.pipelines.reasons.place import Line, Place
from semipunct.pipelines.results import Reason
from semipunct.pipelines.trained import InPlace, Trained, explaining_model
from semipunct.pipelines.tree_correction import reason
from semipunct.treebanks.slot_odds import Report, UsualStrings, slot_odds
from semipunct.trees.conventions import Conventions
from semipunct.trees.principles import RULES

# The suspicious object: the string of a slot, an unpaired mark, a head, or a space.
Kind = Literal["string", "pair", "head", "space"]

TOP = 100

# Kinds of models that judge marks.
JUDGES = ("punctuation", "slot-tagger")

# The attribute of suspicious marks in MISC.
ATTRIBUTE = "Suspect"

# The columns of ``tsv``.
HEADINGS = ("score", "log_odds", "place", "sent_id", "token", "kind", "error", "text", "reason")

# Words on each side of a slot.
_AROUND = 3

_FAR = 700  # the exponential of a larger number is infinite


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspicious slot or mark.

    Attributes:
        score: the natural log odds of an error, up to the frequency of errors.
        log_odds: of ``proposed`` given all other slots, or of the more frequent annotation.
        proposed: the string that the model prefers; ``written`` for other kinds.
        line: the line of the mark in the file, or of the word before a missing mark.
        token: the ID of that token, 0 before the first.
        explanation: the underlying marks of ``proposed``, for the first suspects.
    """

    sentence: Sentence
    kind: Kind
    slot: int
    score: float
    log_odds: float
    written: Puncteme
    proposed: Puncteme
    line: int
    token: int
    remark: str = ""
    explanation: Reason | None = None

    @property
    def place(self) -> str:
        return f"{self.sentence.path}:{self.line}"

    @property
    def correction(self) -> Correction | None:
        changes = corrections([self.written], [self.proposed])
        return next((replace(change, slot=self.slot) for change in changes), None)

    @property
    def error(self) -> str:
        """The kind of the error with its marks, or the remark."""
        correction = self.correction
        return self.remark if correction is None else correction.error


def suspects(
    model: Trained[Any] | None,
    *files: str | Path,
    top: int = TOP,
    report: Report = lambda done, total: None,
) -> list[Suspect]:
    """List suspicious marks of treebanks, the most suspicious first.

    Args:
        model: a punctuation model or a slot tagger; None to judge pairs, heads and spaces alone.
        *files: names of files in CoNLL-U; ``.gz`` is decompressed, ``-`` is standard input.

    Raises:
        TreebankError: if a file is missing or damaged, or has no usable sentence.
        UsageError: if the files are of another format.
        ModelError: if the model is of another kind.
    """
    if model is not None and model.model.kind not in JUDGES:
        raise ModelError(
            f"a model of the kind {model.model.kind} cannot judge; name a model of the kind "
            f"{' or '.join(JUDGES)}, or train one (semipunct train --kind {JUDGES[0]})"
        )
    if (form := format_of(*files).name) != Conllu.name:
        raise UsageError(f"{files[0]}: this is a file of the format {form}; give CoNLL-U")
    entries = [entry for entry in read_entries(files) if isinstance(entry.content, Sentence)]
    if not entries:
        raise TreebankError(
            f"{', '.join(map(str, files))}: no usable sentence; give a treebank with words in it"
        )
    listed = [*_unpaired(entries), *_spaced(entries), *_attached(entries)]
    if model is not None:
        listed += _improbable(model, entries, report)
    ranked = sorted(listed, key=lambda suspect: -suspect.score)
    return _explain(model, ranked[:top])


def _improbable(
    model: Trained[Any], entries: Sequence[Entry[Record, Any]], report: Report
) -> Iterator[Suspect]:
    fitted = InPlace.of(model)
    sentences: list[Sentence] = [entry.content for entry in entries]
    usual = UsualStrings.of(sentences)
    odds_of_sentences = slot_odds(fitted, sentences, usual, report)
    for entry, sentence, odds in zip(entries, sentences, odds_of_sentences, strict=True):
        marks = slot_ids(entry)
        for slot, string, log_odds, score in odds:
            written = sentence.slots[slot]
            change = next(iter(corrections([written], [string])), None)
            start = (
                change.start - sum(t in SILENT for t in written[: change.start]) if change else 0
            )
            ids = marks[slot]
            token = ids[min(start, len(ids) - 1)] if ids else 0
            if not token:
                token = entry.word_ids[slot - 1] if slot else 0
            yield _suspect(entry, "string", slot, score, token, log_odds=log_odds, proposed=string)


def _suspect(
    entry: Entry[Record, Any], kind: Kind, slot: int, score: float, token: int, *,
    log_odds: float | None = None, remark: str = "", proposed: Puncteme | None = None,
) -> Suspect:  # fmt: skip
    sentence: Sentence = entry.content
    record = entry.record
    position = record.tokens[max(token, 1) - 1].position
    return Suspect(
        sentence, kind, slot, score, score if log_odds is None else log_odds, sentence.slots[slot],
        sentence.slots[slot] if proposed is None else proposed,
        record.line + position, token, remark,
    )  # fmt: skip


def _odds(usual: int, unusual: int) -> float:
    """Return log odds under Laplace's rule of succession."""
    return log((usual + 1) / (unusual + 1))


def _unpaired(entries: Iterable[Entry[Record, Any]]) -> list[Suspect]:
    lone: list[tuple[Entry[Record, Any], int, int, str]] = []
    counts: Counter[tuple[str, bool]] = Counter()
    for entry in entries:
        slots = entry.content.slots
        paired = {place for pair in matched_pairs(slots) for place in pair}
        marks = slot_ids(entry)
        for slot, string in enumerate(slots):
            visible = [i for i, token in enumerate(string) if token not in SILENT]
            for place, index in enumerate(visible):
                token = string[index]
                if token in ENCLOSING.openings or token in ENCLOSING.partners:
                    counts[token, (slot, index) in paired] += 1
                    if (slot, index) not in paired:
                        lone.append((entry, slot, marks[slot][place], token))
    return [
        _suspect(
            entry, "pair", slot, _odds(counts[token, True], counts[token, False]), mark,
            remark=f"{shown_string((token,))} has no partner",
        )
        for entry, slot, mark, token in lone
    ]  # fmt: skip


def _spaced(entries: Iterable[Entry[Record, Any]]) -> list[Suspect]:
    """List spaces beside marks that differ from the usual ones of the same mark."""
    places: list[tuple[Entry[Record, Any], int, int, tuple[str, str], bool]] = []
    counts: Counter[tuple[tuple[str, str], bool]] = Counter()
    gaps_of_entries = [(entry, Spacing.of(entry.record).spaces) for entry in entries]
    if not any(False in gaps[:-1] for _, gaps in gaps_of_entries):
        return []  # spaces are not annotated
    for entry, gaps in gaps_of_entries:
        for slot, ids in enumerate(slot_ids(entry)):
            for mark in ids:
                form = entry.record.tokens[mark - 1].form
                for side, place in (("before", mark - 2), ("after", mark - 1)):
                    is_inside = 0 <= place < len(gaps) - 1
                    gap = gaps[place] if is_inside else None
                    if gap is not None:
                        counts[(form, side), gap] += 1
                        places.append((entry, slot, mark, (form, side), gap))
    return [
        _suspect(
            # A wrong space is on either side of its mark.
            entry, "space", slot, _odds(counts[context, not gap], counts[context, gap]) - log(2),
            mark, remark=f"{'a' if gap else 'no'} space {context[1]} {context[0]}",
        )
        for entry, slot, mark, context, gap in places
        if counts[context, not gap] > counts[context, gap]
    ]  # fmt: skip


def _attached(entries: Sequence[Entry[Record, Any]]) -> list[Suspect]:
    sentences = [(entry, MarkedSentence.of(entry.record)) for entry in entries]
    conventions = Conventions.of(v for _, each in sentences for v in each.judgement.votes())
    changes = [
        (entry, change)
        for entry, each in sentences
        for change in each.head_changes(conventions, RULES, strict=False)
    ]
    total = sum(sum(each.is_mark) for _, each in sentences)
    counts = Counter(change.problem for _, change in changes)
    listed: list[Suspect] = []
    for entry, change in changes:
        slot = sum(word < change.mark for word in entry.word_ids)
        number = counts[change.problem]
        head = entry.record.tokens[change.after - 1].form
        remark = (
            f"{change.problem}; by the rule {change.rule} it belongs to {change.after} ({head})"
        )
        # A wrong head is uniform over the words of the sentence.
        score = _odds(total - number, number) - log(entry.content.size)
        listed.append(_suspect(entry, "head", slot, score, change.mark, remark=remark))
    return listed


def _explain(model: Trained[Any] | None, listed: Sequence[Suspect]) -> list[Suspect]:
    strings = [i for i, suspect in enumerate(listed) if suspect.kind == "string"]
    fitted = explaining_model(model)
    if fitted is None or not strings:
        return list(listed)
    preferred: list[Sentence] = []
    for number in strings:
        suspect = listed[number]
        slots = list(suspect.sentence.slots)
        slots[suspect.slot] = suspect.proposed
        preferred.append(replace(suspect.sentence, slots=tuple(slots)))
    analyses: list[Analysis | None] = decode.best(fitted.model, fitted.parameters, preferred)
    explained = list(listed)
    for number, analysis in zip(strings, analyses, strict=True):
        suspect = listed[number]
        explained[number] = replace(suspect, explanation=reason(analysis, suspect.slot))
    return explained


def _sentences_of(
    suspects: Iterable[Suspect], files: Iterable[str | Path]
) -> dict[tuple[str, int], MarkedSentence]:
    """Read the sentences of suspects with all tokens, by file and line."""
    places = {(suspect.sentence.path, suspect.sentence.line) for suspect in suspects}
    return {
        (record.path, record.line): MarkedSentence.of(record)
        for path in files
        for record in read_records(path)
        if (record.path, record.line) in places
    }


def _underlying_trees(
    model: Trained[Any] | None, suspects: Iterable[Suspect]
) -> dict[tuple[str, int], Analysis]:
    fitted = explaining_model(model)
    if fitted is None:
        return {}
    sentences = {(s.sentence.path, s.sentence.line): s.sentence for s in suspects}
    analyses = decode.best(fitted.model, fitted.parameters, [*sentences.values()])
    return {
        place: analysis
        for place, analysis in zip(sentences, analyses, strict=True)
        if analysis is not None
    }


def explain(suspect: Suspect) -> str:
    """Explain a suspicion in a sentence."""
    correction = suspect.correction
    if correction is None:
        return suspect.remark
    slots = list(suspect.sentence.slots)
    slots[suspect.slot] = suspect.proposed
    preferred = 1 / (1 + exp(-suspect.log_odds)) if suspect.log_odds > -_FAR else 0.0
    return reason_of_mark(
        Place(Line(suspect.sentence.forms, spacing.visible(slots)), suspect.slot),
        correction.before,
        correction.after,
        preferred,
        (),
        None if suspect.explanation is None else suspect.sentence,
        suspect.explanation,
    ).text


def reason_beyond_error(suspect: Suspect) -> str:
    """Return the reason for a suspicion, unless it is the error itself."""
    because = explain(suspect)
    return "" if because == suspect.error else because


def excerpt(suspect: Suspect) -> str:
    """Return the words around a slot, with its marks in brackets."""
    forms, slot = suspect.sentence.forms, suspect.slot
    marks = shown_string(suspect.written) if suspect.written else ""
    before, after = forms[max(0, slot - _AROUND) : slot], forms[slot : slot + _AROUND]
    return " ".join((*before, f"[{marks}]", *after))


def line(suspect: Suspect) -> str:
    """Format a suspect with its place, score, error and reason."""
    sentence = suspect.sentence
    because = reason_beyond_error(suspect)
    remark = f" ({because})" if because else ""
    return (
        f"{suspect.place}: sentence {sentence.sentence_id}: {suspect.score:.2f} "
        f"{suspect.error}: {excerpt(suspect)}{remark}"
    )


def columns(suspect: Suspect) -> str:
    """Format a suspect as tab-separated ``HEADINGS``."""
    sentence = suspect.sentence
    values = (
        f"{suspect.score:.4f}", f"{suspect.log_odds:.4f}", suspect.place, sentence.sentence_id,
        str(suspect.token), suspect.kind, suspect.error, excerpt(suspect),
        explain(suspect),
    )  # fmt: skip
    return "\t".join(" ".join(value.split()) for value in values)


def json_object(suspects: Sequence[Suspect], files: Iterable[str]) -> dict[str, Any]:
    """Return suspects as JSON values."""
    rows = [
        {
            "path": suspect.sentence.path,
            "line": suspect.line,
            "sent_id": suspect.sentence.sentence_id,
            "token": suspect.token,
            "slot": suspect.slot,
            "kind": suspect.kind,
            "score": suspect.score,
            "log_odds": suspect.log_odds,
            "error": suspect.error,
            "written": list(suspect.written),
            "proposed": list(suspect.proposed),
            "reason": explain(suspect),
        }
        for suspect in suspects
    ]
    return {"schema": "semipunct.suspects/1", "files": list(files), "suspects": rows}


def annotate(suspects: Sequence[Suspect], files: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of files with suspicious marks in MISC.

    The value is the score and the error: ``Suspect=9.48:superfluous%20,``. A missing mark is noted
    on the preceding word.
    """
    values_of: dict[tuple[str, int], dict[int, list[str]]] = {}
    for suspect in suspects:
        place = suspect.sentence.path, suspect.sentence.line
        values = values_of.setdefault(place, {}).setdefault(max(suspect.token, 1), [])
        # MISC is in Unicode normal form C, unlike possibly the forms.
        values.append(normalize("NFC", f"{suspect.score:.2f}:{suspect.error}"))
    for path in files:
        for record in read_records(path):
            attributes = values_of.get((record.path, record.line), {})
            misc = {token: {ATTRIBUTE: ";".join(values)} for token, values in attributes.items()}
            yield format_record(record, misc, replaces=(f"{ATTRIBUTE}=",))


def suspects_page(
    suspects: Sequence[Suspect], files: Sequence[str | Path], model: Trained[Any] | None
) -> Iterator[str]:
    """Yield the parts of a page of ranked suspects, linked to their trees."""
    sentences = _sentences_of(suspects, files)
    analyses = _underlying_trees(model, suspects)
    anchors = Anchors()
    of_sentences: dict[tuple[str, int], list[Suspect]] = {}
    for suspect in suspects:
        of_sentences.setdefault((suspect.sentence.path, suspect.sentence.line), []).append(suspect)
    names = {place: anchors.add(sentences[place].record.sentence_id) for place in of_sentences}
    rows = [
        (
            f"{rank}",
            f"{suspect.score:.2f}",
            f"{suspect.log_odds:.2f}",
            escape(suspect.error),
            escape(excerpt(suspect)),
            escape(reason_beyond_error(suspect)),
            link(names[suspect.sentence.path, suspect.sentence.line], suspect.sentence.sentence_id),
            escape(suspect.place),
        )
        for rank, suspect in enumerate(suspects, start=1)
    ]
    headings = ("rank", "score", "log odds", "error", "text", "reason", "sentence", "place")
    table = listing(headings, rows, numbers=(0, 1, 2), wide=(4, 5))
    sections = (
        _suspect_section(name, sentences[place], of_sentences[place], analyses.get(place))
        for place, name in names.items()
    )
    title = title_of("Suspicious marks", files)
    yield from page(title, chain([table], sections), "trees")


def _suspect_section(
    anchor: str, sentence: MarkedSentence, suspects: Sequence[Suspect], analysis: Analysis | None
) -> str:
    lines = "".join(
        f"<li>{suspect.score:.2f} {escape(suspect.error)}: {escape(excerpt(suspect))}</li>"
        for suspect in suspects
    )
    pieces = [
        f"<ul>{lines}</ul>\n",
        figure(treebank_drawing(sentence, (), {max(s.token, 1) for s in suspects})),
    ]
    if analysis is not None:
        pieces += underlying_tree(analysis)
    return section(anchor, sentence.record.sentence_id, pieces)
