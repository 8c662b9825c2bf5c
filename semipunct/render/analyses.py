"""Analyses as text: annotations for writers, brackets in the style of section 1, JSON.

Data in, strings out: nothing is printed or written here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from semipunct.corpus import Omitted, Sentence
from semipunct.formats import Annotation
from semipunct.inference.decode import Analysis
from semipunct.marks import FINAL, INITIAL, Puncteme

LEFT, RIGHT = "SemipunctLeft", "SemipunctRight"
"""Attributes of a node: the tokens of its punctemes, joined by spaces."""

COMMENT = "semipunct_"
"""The beginning of the names of our comments."""
NO_ANALYSIS = "no analysis under the model"
"""The reason to omit a sentence without an analysis (only models with hard sets have such)."""

_BRACKETS = {"[": "\\[", "]": "\\]"}


def annotation(analysis: Analysis, number: int | None = None, label: str = "sample") -> Annotation:
    """Make the annotation of a sentence with its underlying tree.

    Nodes with a non-empty puncteme get the attributes ``LEFT`` and ``RIGHT``. Comments give
    ``semipunct_log_joint`` and ``semipunct_log_posterior`` (natural logarithms).

    Args:
        analysis: of the sentence.
        number: of the analysis if there are several, for the comment ``semipunct_LABEL``.
        label: ``sample`` or ``rank``.
    """
    attributes: dict[int, dict[str, str]] = {}
    for word, sides in enumerate(analysis.pairs, start=1):
        if any(sides):
            named = zip((LEFT, RIGHT), sides, strict=True)
            attributes[word] = {name: " ".join(puncteme) for name, puncteme in named if puncteme}
    comments = {} if number is None else {f"{COMMENT}{label}": f"{number}"}
    comments[f"{COMMENT}log_joint"] = f"{analysis.log_joint:.6f}"
    comments[f"{COMMENT}log_posterior"] = f"{analysis.log_posterior:.6f}"
    return Annotation(attributes, comments)


def omission(reason: str) -> Annotation:
    """Make the annotation of a sentence that was left out: a comment with the reason."""
    return Annotation(comments={f"{COMMENT}omitted": reason})


def to_brackets(analysis: Analysis) -> str:
    r"""Write an underlying tree in one line, in the style of section 1 of the paper.

    Every node with a non-empty puncteme, except the root, has brackets around its constituent
    and its punctemes just inside them.  Marks that are square brackets are written ``\[`` and
    ``\]``; words lack the dot of an abbreviation, which is a mark of its own.  Linear in the
    sentence.
    """
    tree = analysis.sentence.tree
    sides: list[tuple[list[str], list[str]]] = []
    for head, (left, right) in zip(tree.heads, analysis.pairs, strict=True):
        bracketed = bool(head and (left or right))
        sides.append((["["] * bracketed + _marks(left), _marks(right) + ["]"] * bracketed))
    first, last = analysis.slots[0].underlying, analysis.slots[-1].underlying
    pieces = [INITIAL] if first[:1] == (INITIAL,) else []
    for form, tokens in zip(("", *analysis.sentence.forms), tree.gather(sides), strict=True):
        pieces += [*([form] if form else []), *tokens]
    pieces += [FINAL] if last[-1:] == (FINAL,) else []
    return " ".join(pieces)


def _marks(puncteme: Puncteme) -> list[str]:
    return [_BRACKETS.get(token, token) for token in puncteme]


def to_surface(sentence: Sentence) -> str:
    """Write words and surface tokens in one line, separated by spaces."""
    pieces: list[str] = []
    for form, slot in zip(("", *sentence.forms), sentence.slots, strict=True):
        pieces += [form] if form else []
        pieces += slot
    return " ".join(pieces)


def as_dict(
    analysis: Analysis,
    word_ids: Sequence[int],
    number: int | None = None,
    label: str = "sample",
) -> dict[str, Any]:
    """Return an analysis as values that JSON can hold.

    ``heads`` count the words (1..n, 0 for the root) after the tree was made projective;
    ``nodes`` has one entry a word, ``slots`` one a slot (0..n); logarithms are natural.

    Args:
        analysis: of a sentence.
        word_ids: ``[n]`` the number of each word in the file.
        number: of the analysis if there are several, under the key ``label``.
        label: ``sample`` or ``rank``.
    """
    s = analysis.sentence
    return {
        "sent_id": s.sentence_id,
        **({} if number is None else {label: number}),
        "words": list(s.forms),
        "word_ids": list(word_ids),
        "heads": list(s.tree.heads),
        "relations": list(s.tree.relations),
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
                "edits": [{"edit": e.name, "a": e.a, "b": e.b} for e in slot.edits],
                "surface": list(slot.surface),
            }
            for i, slot in enumerate(analysis.slots)
        ],
    }


def omitted_as_dict(omitted: Sentence | Omitted, reason: str) -> dict[str, Any]:
    """Return a sentence that was left out as values that JSON can hold.

    Args:
        omitted: the sentence.
        reason: to leave it out.
    """
    return {"sent_id": omitted.sentence_id, "omitted": reason}


def omitted_to_brackets(omitted: Sentence | Omitted, reason: str) -> str:
    """Write a sentence that was left out as one line, so that lines still count sentences.

    Args:
        omitted: the sentence.
        reason: to leave it out.
    """
    return f"# {COMMENT}omitted = {reason} (sent_id = {omitted.sentence_id})"


def dump(value: dict[str, Any]) -> str:
    """Write values as one line of strict JSON.

    Raises:
        ValueError: for NaN and the infinities.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
