"""Analyses as text: annotated CoNLL-U, brackets in the style of section 1 of the paper, JSON.

Data in, strings out: nothing is printed or written here.
"""

from __future__ import annotations

import json
from typing import Any

from semipunct.corpus.sentences import Omitted, Sentence
from semipunct.errors import UsageError
from semipunct.formats.conllu.records import Record, format_record
from semipunct.inference.decode import Analysis
from semipunct.marks import FINAL, INITIAL, Puncteme
from semipunct.trees.tree import constituents, top_down

LEFT, RIGHT = "SemipunctLeft", "SemipunctRight"
"""MISC attributes of a node: the tokens of its punctemes, joined by spaces."""

COMMENT = "# semipunct_"
NO_ANALYSIS = "no analysis under the model"
"""Why a sentence without an analysis is left out (only models with hard sets have such)."""

_BRACKETS = {"[": "\\[", "]": "\\]"}


def to_conllu(analysis: Analysis, number: int | None = None, label: str = "sample") -> str:
    """Give a sentence back as it was read, annotated with its underlying tree.

    Nodes with a non-empty puncteme get the MISC attributes `LEFT` and `RIGHT` (values escaped as
    `semipunct.formats.conllu.misc` does); comments give ``semipunct_log_joint``,
    ``semipunct_log_posterior`` (natural logarithms) and, where there is a number, what it is the
    number of: ``semipunct_sample`` or ``semipunct_rank``.
    All else stays byte for byte.

    Raises `UsageError` if the sentence was read without keeping its record.
    """
    sentence = analysis.sentence
    misc: dict[int, dict[str, str]] = {}
    for word_id, (left, right) in zip(sentence.word_ids, analysis.pairs, strict=True):
        if left or right:
            sides = ((LEFT, left), (RIGHT, right))
            misc[word_id] = {name: " ".join(puncteme) for name, puncteme in sides if puncteme}
    comments = [] if number is None else [f"{COMMENT}{label} = {number}"]
    comments.append(f"{COMMENT}log_joint = {analysis.log_joint:.6f}")
    comments.append(f"{COMMENT}log_posterior = {analysis.log_posterior:.6f}")
    return format_record(_record(sentence), misc, comments)


def omitted_to_conllu(sentence: Sentence | Omitted, reason: str) -> str:
    """Give a sentence back as it was read, with a comment ``semipunct_omitted = reason``.

    Raises `UsageError` if the sentence was read without keeping its record.
    """
    return format_record(_record(sentence), comments=[f"{COMMENT}omitted = {reason}"])


def _record(sentence: Sentence | Omitted) -> Record:
    if sentence.record is None:
        raise UsageError(
            f"{sentence.path}:{sentence.line}: sentence {sentence.sentence_id}: its lines were not "
            "kept when it was read; read with TreebankOptions(keep_records=True)"
        )
    return sentence.record


def to_brackets(analysis: Analysis) -> str:
    r"""Write an underlying tree in one line, in the style of section 1 of the paper.

    Every node with a non-empty puncteme, except the root, has brackets around its constituent
    and its punctemes just inside them.  Marks that are square brackets are written ``\[`` and
    ``\]``; words lack the dot of an abbreviation, which is a mark of its own.  Linear in the
    sentence.
    """
    sentence = analysis.sentence
    n = len(sentence.forms)
    left_slots, right_slots = constituents(sentence.heads)
    opening: list[list[str]] = [[] for _ in range(n + 1)]
    closing: list[list[str]] = [[] for _ in range(n + 1)]
    order = top_down(sentence.heads)
    # A head comes before its dependents in `order`, so outer constituents open first ...
    for word in order:
        left, right = analysis.pairs[word - 1]
        if left or right:
            bracket = ["["] if sentence.heads[word - 1] else []
            opening[left_slots[word - 1]] += bracket + _marks(left)
    # ... and, read backwards, inner ones close first.
    for word in reversed(order):
        left, right = analysis.pairs[word - 1]
        if left or right:
            bracket = ["]"] if sentence.heads[word - 1] else []
            closing[right_slots[word - 1]] += _marks(right) + bracket
    first, last = analysis.slots[0].underlying, analysis.slots[-1].underlying
    pieces = [INITIAL] if first[:1] == (INITIAL,) else []
    for slot in range(n + 1):
        pieces += [*sentence.forms[slot - 1 : slot], *closing[slot], *opening[slot]]
    pieces += [FINAL] if last[-1:] == (FINAL,) else []
    return " ".join(pieces)


def _marks(puncteme: Puncteme) -> list[str]:
    return [_BRACKETS.get(token, token) for token in puncteme]


def to_surface(sentence: Sentence) -> str:
    """Write words and surface tokens in one line, separated by spaces, without boundary marks."""
    pieces: list[str] = []
    for form, slot in zip(("", *sentence.forms), sentence.slots, strict=True):
        pieces += [form] if form else []
        pieces += [token for token in slot if token not in (INITIAL, FINAL)]
    return " ".join(pieces)


def to_json(analysis: Analysis, number: int | None = None, label: str = "sample") -> str:
    """Write an analysis as one line of JSON (see `as_dict`)."""
    return _dump(as_dict(analysis, number, label))


def as_dict(analysis: Analysis, number: int | None = None, label: str = "sample") -> dict[str, Any]:
    """Give an analysis as values that JSON can hold.

    ``heads`` count the words (1..n, 0 for the root) after the tree was made projective;
    ``word_ids`` are the words' ids in the file; ``nodes`` has one entry a word, ``slots`` one a
    slot (0..n); logarithms are natural.
    """
    s = analysis.sentence
    return {
        "sent_id": s.sentence_id,
        **({} if number is None else {label: number}),
        "words": list(s.forms),
        "word_ids": list(s.word_ids),
        "heads": list(s.heads),
        "relations": list(s.relations),
        "log_joint": analysis.log_joint,
        "log_posterior": analysis.log_posterior,
        "nodes": [
            {"word": word, "left": list(left), "right": list(right)}
            for word, (left, right) in enumerate(analysis.pairs, start=1)
        ],
        "slots": [
            {
                "slot": i,
                "underlying": list(slot.underlying),
                "edits": [{"edit": e.edit, "a": e.a, "b": e.b} for e in slot.edits],
                "surface": list(slot.surface),
            }
            for i, slot in enumerate(analysis.slots)
        ],
    }


def omitted_to_json(sentence: Sentence | Omitted, reason: str) -> str:
    """Write a sentence that was left out as one line of JSON: ``sent_id`` and ``omitted``."""
    return _dump({"sent_id": sentence.sentence_id, "omitted": reason})


def omitted_to_brackets(sentence: Sentence | Omitted, reason: str) -> str:
    """Write a sentence that was left out as one line, so that lines still count sentences."""
    return f"{COMMENT}omitted = {reason} (sent_id = {sentence.sentence_id})"


def _dump(value: dict[str, Any]) -> str:
    # Strict JSON: NaN and infinities raise instead of being written as words nobody else reads.
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
