"""Omitted sentences among others: set aside before a task, and back in their places after it.

What is omitted, instead of ending the reading of a file, is in
docs/decisions/0039-malformed-trees.md.
"""

from collections.abc import Sequence
from typing import Any, Never, cast

from typing_extensions import TypeVar

from semipunct.corpus.sentences import Sentence, Words
from semipunct.corpus.treebank import Omitted

S = TypeVar("S")
Result = TypeVar("Result", default=Any)

OmittedT = TypeVar("OmittedT", bound=Omitted, default=Never)
"""``Omitted`` where the sentences of a call may be omitted ones, otherwise no type at all, so that
results for sentences alone are results alone."""


def without_omitted(sentences: Sequence[S | Omitted]) -> list[S]:
    """Return the sentences that models can process.

    Args:
        sentences: the contents of entries.
    """
    return [s for s in sentences if not isinstance(s, Omitted)]


def with_omitted(
    sentences: Sequence[Sentence[Any] | Words | OmittedT], results: Sequence[Result]
) -> list[Result | OmittedT]:
    """Return one result for each sentence; an omitted sentence stands for itself.

    Args:
        sentences: the contents of entries.
        results: the results for the sentences that are not omitted, in order.
    """
    remaining = iter(results)
    places = [s if isinstance(s, Omitted) else next(remaining) for s in sentences]
    return cast(list[Result | OmittedT], places)
