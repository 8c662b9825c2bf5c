"""Truecasing: capitals for words in lower case, once their punctuation is restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.marks import Puncteme
from semipunct.models.casing.restorer import CaseRestorer
from semipunct.models.casing.truecaser import Truecaser
from semipunct.tasks.base import Trained, model_of_kind


def truecase(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    slots: Sequence[Sequence[Puncteme]] | None = None,
) -> list[tuple[str, ...] | OmittedT]:
    """Restore the capitals of words; only the case of letters changes.

    A word that already has a capital is unchanged, and so is a word in a script without case.

    Args:
        model: a truecaser with its weights.
        sentences: sentences in lower case. Omitted ones pass through.
        slots: for each sentence that is not omitted, ``[n + 1]`` the marks between its words; by
            default its slots.

    Returns:
        The words of each sentence.

    Raises:
        ModelError: if the model is of another kind.
    """
    truecaser = model_of_kind(model, Truecaser)
    usable: list[Sentence | Words] = without_omitted(sentences)
    if slots is not None:
        with_slots = zip(usable, slots, strict=True)
        usable = [replace(s, slots=tuple(between)) for s, between in with_slots]
    cased = CaseRestorer(truecaser, model.parameters).restore(usable)
    return with_omitted(sentences, cased)
