"""Capitals given back to words of lower case, once their marks are restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from semipunct.corpus.sentences import Sentence, Words
from semipunct.marks import Puncteme
from semipunct.models.casing.restorer import CaseRestorer
from semipunct.models.casing.truecaser import Truecaser
from semipunct.tasks.base import Trained, model_of_kind


def truecase(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words],
    slots: Sequence[Sequence[Puncteme]] | None = None,
) -> list[tuple[str, ...]]:
    """Give words their capitals; nothing but the case of letters changes.

    A word that has a capital already stays as it is, and so does one of a script without case.

    Args:
        model: a truecaser and its weights.
        sentences: whose words are in lower case.
        slots: the marks between the words of each, ``[n + 1]``; by default those they have.

    Returns:
        The words of each sentence.

    Raises:
        ModelError: if the model is of another kind.
    """
    truecaser = model_of_kind(model, Truecaser)
    if slots is not None:
        given = zip(sentences, slots, strict=True)
        sentences = [replace(s, slots=tuple(between)) for s, between in given]
    return CaseRestorer(truecaser, model.parameters).restored(sentences)
