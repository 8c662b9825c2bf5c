"""Analyses for files: annotations for writers, JSON.

Data in, strings out: nothing is printed or written here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from semipunct.corpus import Omitted, Sentence
from semipunct.formats import Annotation
from semipunct.inference.decode import Analysis

LEFT, RIGHT = "SemipunctLeft", "SemipunctRight"
"""Attributes of a node: the tokens of its punctemes, joined by spaces."""

COMMENT = "semipunct_"
"""The beginning of the names of our comments."""

OURS = ("Semipunct", COMMENT)
"""Beginnings of the names of all our annotations, which replace those that a file has already."""

NO_ANALYSIS = "no analysis under the model"
"""The reason to omit a sentence without an analysis (only models with hard sets have such)."""


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
    return Annotation(attributes, comments, replaces=OURS)


def omission(reason: str) -> Annotation:
    """Make the annotation of a sentence that was left out: a comment with the reason."""
    return Annotation(comments={f"{COMMENT}omitted": reason}, replaces=OURS)


def as_dict(
    analysis: Analysis,
    word_ids: Sequence[int],
    number: int | None = None,
    label: str = "sample",
) -> dict[str, Any]:
    """Return an analysis of a sentence of a file as values that JSON can hold.

    Args:
        analysis: of a sentence.
        word_ids: ``[n]`` the number of each word in the file.
        number: of the analysis if there are several, under the key ``label``.
        label: ``sample`` or ``rank``.
    """
    own = analysis.as_dict()
    return {
        "sent_id": own.pop("sent_id"),
        **({} if number is None else {label: number}),
        "words": own.pop("words"),
        "word_ids": list(word_ids),
        **own,
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
