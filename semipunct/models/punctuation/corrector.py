"""Models of correct punctuation given words, tree and what was written (section 6.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import msgspec

from semipunct.corpus.sentences import Sentence
from semipunct.errors import TreebankError
from semipunct.features.families import FeatureRows
from semipunct.features.templates import Table
from semipunct.marks import Puncteme, spacing
from semipunct.marks.corrections import corrections
from semipunct.models.punctuation.encoding import EncodedSentences
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions

ANALYSED = "analysed"
"""The template that looks at an underlying tree of what was written."""


class _Error(msgspec.Struct, array_like=True):
    """A row of the errors in model data."""

    before: Puncteme
    after: Puncteme
    times: int


@dataclass(frozen=True, eq=False, repr=False)
class CorrectionModel(PunctuationModel):
    """The punctuation model, with features of what was written beside those of words and tree.

    What was written is given, and only what is right is random: structure, likelihood, training
    and sampling are those of the punctuation model.

    Attributes:
        errors: the tokens of a slot that were changed in training, what became of them, and how
            often.
    """

    kind: ClassVar[str] = "correction"
    usage: ClassVar[tuple[str, ...]] = (
        "semipunct correct MODEL IN.conllu",
        "semipunct correct MODEL IN.txt --parser PARSER",
    )

    errors: Mapping[tuple[Puncteme, Puncteme], int] = field(
        default_factory=dict[tuple[Puncteme, Puncteme], int]
    )

    @classmethod
    def _fit(
        cls, sentences: Sequence[Sentence], options: ModelOptions
    ) -> tuple[Self, Mapping[Table, FeatureRows]]:
        check_written(sentences, options)
        model, rows = super()._fit(sentences, options)
        return replace(model, errors=count_corrections(sentences)), rows

    def may_become(self, written: Puncteme, right: Puncteme) -> bool:
        """Tell whether training has seen what leads from one string of a slot to another.

        Args:
            written: the tokens that were written.
            right: those that take their place.
        """
        return all(
            (one.before, one.after) in self.errors for one in corrections([written], [right])
        )

    def to_data(self) -> dict[str, Any]:
        rows = [
            [list(before), list(after), times] for (before, after), times in self.errors.items()
        ]
        return {**super().to_data(), "errors": rows}

    @classmethod
    def from_data(cls, data: Any, options: ModelOptions) -> Self:
        rows = msgspec.convert(data["errors"], list[_Error])
        if any(row.times < 1 or row.before == row.after for row in rows):
            raise ValueError("errors that nobody made")
        errors = {(row.before, row.after): row.times for row in rows}
        return replace(super().from_data(data, options), errors=errors)

    def encode(self, sentences: Sequence[Sentence]) -> EncodedSentences:
        check_written(sentences, self.options)
        return super().encode(sentences)

    def encode_trees(self, sentences: Sequence[Sentence]) -> EncodedSentences:
        check_written(sentences, self.options)
        return super().encode_trees(sentences)

    @property
    def analysed(self) -> bool:
        """Whether it looks at an underlying tree of what was written, which another model finds."""
        return ANALYSED in self.options.templates

    @property
    def description(self) -> str:
        score = "log-linear and neural" if self.options.network else "log-linear"
        return (
            f"A {score} model of correct punctuation given words, tree and what was written, made "
            "of underlying punctuation and a noisy channel (Li, Wang and Eisner 2019, section "
            "6.2). It says which marks are probably mistaken or missing, and what is right."
        )


def count_corrections(sentences: Sequence[Sentence]) -> dict[tuple[Puncteme, Puncteme], int]:
    """Count the corrections of sentences, by what was there and what becomes of it.

    Args:
        sentences: with what was written.

    Returns:
        The most frequent first.
    """
    found = Counter(
        (one.before, one.after)
        for s in sentences
        if s.written is not None
        for one in corrections(spacing.visible(s.written.slots), spacing.visible(s.slots))
    )
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def check_written(sentences: Sequence[Sentence], options: ModelOptions) -> None:
    """Check that sentences say what a model of correction looks at.

    Args:
        sentences: with what was written.
        options: of the model.

    Raises:
        TreebankError: if one does not, or lacks the underlying tree that ``analysed`` looks at.
    """
    for sentence in sentences:
        if sentence.written is None:
            raise TreebankError(
                f"{sentence.where}: there is correct punctuation alone, and a model of the kind "
                "correction needs what was written beside it; train it with --corrected, and use "
                "it with semipunct correct"
            )
        if ANALYSED in options.templates and sentence.written.pairs is None:
            raise TreebankError(
                f"{sentence.where}: no underlying tree of what was written is known, at which the "
                f"template {ANALYSED} looks; give a punctuation model of such text as --analysis"
            )
