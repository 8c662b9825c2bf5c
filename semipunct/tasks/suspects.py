"""Suspicious marks of treebanks: improbable, missing, unpaired, badly attached, badly spaced.

All are ranked in one list, by log odds: of another string of the slot given all other marks, under
a model; of the more frequent annotation in the treebank, for what no model is needed to see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import Any, Literal

from semipunct.corpus import Entry, Sentence
from semipunct.errors import TreebankError, UsageError
from semipunct.formats import format_of, read_entries
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.mark_heads import MarkedSentence
from semipunct.formats.conllu.records import Record, read_records
from semipunct.formats.conllu.renumber import spaces
from semipunct.marks import SILENT, Puncteme, shown_string
from semipunct.marks.balance import ENCLOSING
from semipunct.marks.corrections import Correction, corrections
from semipunct.marks.matching import matched_pairs
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.decode import Analysis
from semipunct.tasks.base import InPlace, Trained
from semipunct.tasks.correct import reason
from semipunct.tasks.correction import Reason
from semipunct.tasks.punctuation_models import explaining_model
from semipunct.tasks.slot_odds import UsualStrings, slot_odds
from semipunct.trees.conventions import Conventions
from semipunct.trees.principles import RULES

Kind = Literal["string", "pair", "head", "space"]
"""What is suspicious: the string of a slot, a lone mark of a pair, a head, a space."""

TOP = 100
"""The default number of suspects."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspicious slot or mark.

    Attributes:
        sentence: the words, the tree, and the marks as written.
        kind: what is suspicious.
        slot: the number of the slot.
        score: the natural log odds of an error, but for the frequency of errors; by it suspects
            are ranked.
        log_odds: those of ``proposed`` given all other slots, or of the more frequent annotation.
        written: the string of the slot.
        proposed: the string that the model prefers there; the written one for other kinds.
        line: of the mark in the file, or of the word before a missing one.
        token: the ID of that token, 0 before the first.
        remark: what is suspicious about a head, a space or a pair.
        explanation: the underlying marks of ``proposed``; None for other kinds, for models without
            underlying marks, and beyond the first suspects of a list.
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
    def correction(self) -> Correction | None:
        """The change from the written to the proposed string, if there is one."""
        changes = corrections([self.written], [self.proposed])
        return next((replace(change, slot=self.slot) for change in changes), None)

    @property
    def error(self) -> str:
        """Return the kind of the error with its marks, or the remark."""
        correction = self.correction
        return self.remark if correction is None else correction.error


def list_suspects(model: Trained[Any] | None, *files: str | Path, top: int = TOP) -> list[Suspect]:
    """List suspicious marks of treebanks, the most suspicious first.

    Sentences whose punctuation has dependents or that have no words are not judged.

    Args:
        model: as of ``semipunct.suspects``, and so are the others.
        *files: in CoNLL-U.
        top: the number of suspects.

    Raises:
        TreebankError, UsageError, ModelError: as ``semipunct.suspects`` does.
    """
    if (form := format_of(*files).name) != Conllu.name:
        raise UsageError(f"{files[0]}: this is a file of the format {form}; give CoNLL-U")
    entries = [entry for entry in read_entries(files) if isinstance(entry.content, Sentence)]
    if not entries:
        raise TreebankError(
            f"{', '.join(map(str, files))}: no usable sentence; give a treebank with words in it"
        )
    listed = [*_unpaired(entries), *_spaced(entries), *_attached(entries)]
    if model is not None:
        listed += _improbable(model, entries)
    ranked = sorted(listed, key=lambda suspect: -suspect.score)
    return _explain(model, ranked[:top])


def _improbable(model: Trained[Any], entries: Sequence[Entry[Record, Any]]) -> Iterator[Suspect]:
    """Compare the string of each slot with others, given all other slots."""
    fitted = InPlace.of(model)
    sentences: list[Sentence] = [entry.content for entry in entries]
    usual = UsualStrings.of(sentences)
    odds_of_sentences = slot_odds(fitted, sentences, usual)
    for entry, sentence, odds in zip(entries, sentences, odds_of_sentences, strict=True):
        marks = _marks_of_slots(entry)
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
            yield _suspect(
                entry,
                "string",
                slot,
                score,
                token,
                log_odds=log_odds,
                proposed=string,
            )


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


def _marks_of_slots(entry: Entry[Record, Any]) -> list[list[int]]:
    """Return the IDs of the marks in each slot."""
    words = set(entry.word_ids)
    rows: list[list[int]] = [[]]
    for token in entry.record.tokens:
        if token.word_id in words:
            rows.append([])
        else:
            rows[-1].append(token.word_id)
    return rows


def _odds(usual: int, unusual: int) -> float:
    """Return the log odds of the usual annotation, with Laplace's rule of succession."""
    return log((usual + 1) / (unusual + 1))


def _unpaired(entries: Iterable[Entry[Record, Any]]) -> list[Suspect]:
    """List brackets and quotation marks without a partner in their sentence."""
    lone: list[tuple[Entry[Record, Any], int, int, str]] = []
    counts: Counter[tuple[str, bool]] = Counter()
    for entry in entries:
        slots = entry.content.slots
        paired = {place for pair in matched_pairs(slots) for place in pair}
        marks = _marks_of_slots(entry)
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
    """List spaces beside marks that differ from those beside the same mark elsewhere."""
    places: list[tuple[Entry[Record, Any], int, int, tuple[str, str], bool]] = []
    counts: Counter[tuple[tuple[str, str], bool]] = Counter()
    gaps_of_entries = [(entry, spaces(entry.record)) for entry in entries]
    if not any(False in gaps[:-1] for _, gaps in gaps_of_entries):
        return []  # spaces are not annotated
    for entry, gaps in gaps_of_entries:
        for slot, ids in enumerate(_marks_of_slots(entry)):
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
            # A wrong space is at one of the two sides of its mark.
            entry, "space", slot, _odds(counts[context, not gap], counts[context, gap]) - log(2),
            mark, remark=f"{'a' if gap else 'no'} space {context[1]} {context[0]}",
        )
        for entry, slot, mark, context, gap in places
        if counts[context, not gap] > counts[context, gap]
    ]  # fmt: skip


def _attached(entries: Sequence[Entry[Record, Any]]) -> list[Suspect]:
    """List marks whose heads the guidelines do not allow."""
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
        # A wrong head is drawn among the words of the sentence.
        score = _odds(total - number, number) - log(entry.content.size)
        listed.append(_suspect(entry, "head", slot, score, change.mark, remark=remark))
    return listed


def _explain(model: Trained[Any] | None, listed: Sequence[Suspect]) -> list[Suspect]:
    """Add the underlying marks of the strings that a model prefers."""
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


def sentences_of(
    suspects: Iterable[Suspect], files: Iterable[str | Path]
) -> dict[tuple[str, int], MarkedSentence]:
    """Return the sentences of suspicious marks with all tokens, by file and line.

    Args:
        suspects: suspicious marks.
        files: the files of their treebank, which are read again.
    """
    places = {(suspect.sentence.path, suspect.sentence.line) for suspect in suspects}
    return {
        (record.path, record.line): MarkedSentence.of(record)
        for path in files
        for record in read_records(path)
        if (record.path, record.line) in places
    }


def underlying_trees(
    model: Trained[Any] | None, suspects: Iterable[Suspect]
) -> dict[tuple[str, int], Analysis]:
    """Return the best underlying trees of the marks as written, by file and line.

    Args:
        model: a model; one without underlying marks has no trees.
        suspects: suspicious marks of sentences.
    """
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
