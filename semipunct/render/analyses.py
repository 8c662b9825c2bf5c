"""Representations of analyses in files: annotations for writers, brackets, JSON.

The functions return values and strings; they do not print or write anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from semipunct.corpus import Omitted, Sentence
from semipunct.formats import Annotation

if TYPE_CHECKING:
    from semipunct.models.punctuation.decode import Analysis

LEFT, RIGHT = "SemipunctLeft", "SemipunctRight"
"""Attributes of a node: the tokens of its left and right puncteme, joined by spaces."""

COMMENT = "semipunct_"
"""The prefix of the names of our comments."""

OURS = ("Semipunct", COMMENT)
"""Prefixes of the names of our annotations; new annotations replace existing ones of a file."""

NO_ANALYSIS = "no analysis under the model"
"""The reason to omit a sentence without an analysis (possible only with hard sets)."""


def tree_annotation(analysis: Analysis, number: int | None = None, label: str = "sample") -> Annotation:
    """Make the annotation of a sentence with its underlying tree.

    Nodes with a non-empty puncteme get the attributes ``LEFT`` and ``RIGHT``. Comments give
    ``semipunct_log_likelihood``, ``semipunct_log_joint`` and ``semipunct_log_posterior`` (natural
    logarithms). Where there are
    several analyses, the id of the sentence gets a suffix, such as ``weblog-7.rank2``.

    Args:
        analysis: the analysis of the sentence.
        number: of the analysis if there are several, for the comment ``semipunct_LABEL``.
        label: ``sample`` or ``rank``.
    """
    attributes: dict[int, dict[str, str]] = {}
    for word, sides in enumerate(analysis.pairs, start=1):
        if any(sides):
            named_sides = zip((LEFT, RIGHT), sides, strict=True)
            attributes[word] = {
                name: " ".join(puncteme) for name, puncteme in named_sides if puncteme
            }
    comments = {} if number is None else {f"{COMMENT}{label}": f"{number}"}
    comments[f"{COMMENT}log_likelihood"] = f"{analysis.log_likelihood:.6f}"
    comments[f"{COMMENT}log_joint"] = f"{analysis.log_joint:.6f}"
    comments[f"{COMMENT}log_posterior"] = f"{analysis.log_posterior:.6f}"
    suffix = "" if number is None else f".{label}{number}"
    return Annotation(attributes, comments, suffix, replaces=OURS)


def shown_tokens(analysis: Analysis) -> set[str]:
    """Return the tokens in the text of an analysis, for a legend of their symbols."""
    marks = {token for pair in analysis.pairs for side in pair for token in side}
    edges = (analysis.slots[0].underlying[:1], analysis.slots[-1].underlying[-1:])
    return marks | {token for edge in edges for token in edge}


def omission(reason: str) -> Annotation:
    """Make the annotation of a sentence that was left out: a comment with the reason."""
    return Annotation(comments={f"{COMMENT}omitted": reason}, replaces=OURS)


def analysis_as_dict(
    analysis: Analysis,
    word_ids: Sequence[int],
    number: int | None = None,
    label: str = "sample",
) -> dict[str, Any]:
    """Return the analysis of a sentence of a file as values for JSON.

    Args:
        analysis: the analysis of a sentence.
        word_ids: ``[n]`` the number of each word in the file.
        number: of the analysis if there are several, under the key ``label``.
        label: ``sample`` or ``rank``.
    """
    values = analysis.as_dict()
    return {
        "schema": "semipunct.decode/1",
        "sent_id": values.pop("sent_id"),
        **({} if number is None else {label: number}),
        "words": values.pop("words"),
        "word_ids": list(word_ids),
        **values,
    }


def omitted_as_dict(omitted: Sentence | Omitted, reason: str) -> dict[str, Any]:
    """Return a sentence that was left out as values for JSON.

    Args:
        omitted: the sentence.
        reason: the reason to leave it out.
    """
    return {
        "schema": "semipunct.omitted/1",
        "sent_id": omitted.sentence_id,
        "omitted": reason,
    }


def to_brackets(analysis: Analysis, number: int | None = None) -> str:
    """Return an analysis as one line.

    The line is the tree. If a sentence has several analyses, the line has four columns, separated
    by tabs: the id of the sentence, the number of the analysis, its natural log posterior
    probability, and the tree.

    Args:
        analysis: the analysis of the sentence.
        number: of the analysis if there are several.
    """
    if number is None:
        return str(analysis)
    name, posterior = analysis.sentence.sentence_id, f"{analysis.log_posterior:.6f}"
    return "\t".join((name, f"{number}", posterior, str(analysis)))


def omitted_to_brackets(omitted: Sentence | Omitted, reason: str) -> str:
    """Return a line for a sentence that was left out, so that every sentence has a line.

    Args:
        omitted: the sentence.
        reason: the reason to leave it out.
    """
    return f"# {COMMENT}omitted = {reason} (sent_id = {omitted.sentence_id})"


def dump(value: dict[str, Any]) -> str:
    """Return values as one line of strict JSON.

    Raises:
        ValueError: for NaN and the infinities.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
