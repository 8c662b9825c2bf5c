"""Models of correct punctuation given words, tree and written punctuation (section 6.2).

See docs/decisions/correction.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence
from semipunct.errors import ModelError, TreebankError
from semipunct.features.index import FeatureRows
from semipunct.features.templates import Table
from semipunct.marks import Puncteme, spacing
from semipunct.marks.corrections import corrections
from semipunct.models.base import Model, Weights
from semipunct.models.punctuation.batches import EncodedSentences
from semipunct.models.punctuation.channel import CHANNEL
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions, TrainOptions

ANALYSED = "analysed"
"""The template of features of the underlying tree of the written punctuation."""


@dataclass(frozen=True, eq=False, repr=False)
class CorrectionModel(PunctuationModel):
    """The punctuation model with features of the written punctuation.

    The written punctuation is given and only the correct punctuation is random, so structure,
    likelihood, training and sampling are inherited.
    """

    kind: ClassVar[str] = "correction"
    usage: ClassVar[tuple[str, ...]] = (
        "semipunct correct MODEL IN.conllu",
        "semipunct correct MODEL IN.txt --parser PARSER",
    )

    # training counts of corrections, by original and corrected tokens
    errors: Mapping[tuple[Puncteme, Puncteme], int] = field(
        default_factory=dict[tuple[Puncteme, Puncteme], int]
    )
    # channel weights towards which training is regularised (section 6.2)
    centre: Mapping[str, npt.NDArray[np.float32]] = field(
        default_factory=dict[str, npt.NDArray[np.float32]]
    )

    @classmethod
    def _fit(
        cls, sentences: Sequence[Sentence], options: ModelOptions
    ) -> tuple[Self, Mapping[Table, FeatureRows]]:
        check_written(sentences, options)
        model, rows = super()._fit(sentences, options)
        return replace(model, errors=count_corrections(sentences)), rows

    def near(self, base_model: Model, parameters: Weights) -> Self:
        if not isinstance(base_model, PunctuationModel):
            return super().near(base_model, parameters)
        own_symbols = self.inventory.symbols
        place = {symbol: i for i, symbol in enumerate(base_model.inventory.symbols)}
        base_places = [place[symbol] for symbol in own_symbols if symbol in place]
        common_places = [i for i, symbol in enumerate(own_symbols) if symbol in place]
        centre: dict[str, npt.NDArray[np.float32]] = {}
        for name, weights in self.initial_parameters(0, 0.0).items():
            if not name.startswith(CHANNEL):
                continue
            if name not in parameters:
                raise ModelError(
                    f"the model of --near has no weights {name} of its channel; give one with "
                    "the same settings model.channel, model.passes and model.tied"
                )
            value, base_weights = np.array(weights, np.float32), np.asarray(parameters[name])
            axes = [range(4)] if weights.ndim > 1 else []
            symbols = weights.ndim - len(axes)
            value[np.ix_(*axes, *[common_places] * symbols)] = base_weights[
                np.ix_(*axes, *[base_places] * symbols)
            ]
            centre[name] = value
        if not centre:
            raise ModelError("a model with model.channel=none has no channel; leave out --near")
        return replace(self, centre=centre)

    def initial_parameters(self, seed: int, scale: float) -> dict[str, np.ndarray]:
        return {**super().initial_parameters(seed, scale), **self.centre}

    def constants(self, options: TrainOptions) -> dict[str, jax.Array]:
        centre = {name: jnp.asarray(value) for name, value in self.centre.items()}
        return {**super().constants(options), **centre}

    def may_become(self, written: Puncteme, right: Puncteme) -> bool:
        """Return whether all corrections from ``written`` to ``right`` occur in training."""
        return all(
            (correction.before, correction.after) in self.errors
            for correction in corrections([written], [right])
        )

    def to_data(self) -> dict[str, Any]:
        rows = [
            [list(before), list(after), times] for (before, after), times in self.errors.items()
        ]
        return {**super().to_data(), "errors": rows, "centre": {**self.centre}}

    @classmethod
    def from_data(cls, data: Any, options: ModelOptions) -> Self:
        rows = msgspec.convert(data["errors"], list[tuple[Puncteme, Puncteme, int]])
        if any(times < 1 or before == after for before, after, times in rows):
            raise ValueError("an error changes nothing, or has a count below 1")
        errors = {(before, after): times for before, after, times in rows}
        model = replace(super().from_data(data, options), errors=errors)
        centre = msgspec.convert(data.get("centre", {}), dict[str, np.ndarray])
        start = model.initial_parameters(0, 0.0)
        for name, value in centre.items():
            if name not in start or value.shape != start[name].shape:
                raise ValueError(f"{name}: not the weights of this channel")
        return replace(model, centre=centre)

    def _encode(
        self, sentences: Sequence[Sentence], rows: Mapping[Table, FeatureRows] | None
    ) -> EncodedSentences:
        check_written(sentences, self.options)
        return super()._encode(sentences, rows)

    @property
    def analysed(self) -> bool:
        """Whether the model uses an underlying tree of the written punctuation."""
        return ANALYSED in self.options.templates

    @property
    def description(self) -> str:
        return (
            "A log-linear model of correct punctuation given words, tree and what was written, "
            "made of underlying punctuation and a noisy channel (Li, Wang and Eisner 2019, section "
            "6.2). It says which marks are probably mistaken or missing, and what is right."
        )


def count_corrections(sentences: Sequence[Sentence]) -> dict[tuple[Puncteme, Puncteme], int]:
    """Count corrections by original and corrected tokens, most frequent first."""
    counts = Counter(
        (correction.before, correction.after)
        for s in sentences
        if s.written is not None
        for correction in corrections(spacing.visible(s.written.slots), spacing.visible(s.slots))
    )
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def check_written(sentences: Sequence[Sentence], options: ModelOptions) -> None:
    """Check that sentences have the written punctuation that a correction model needs.

    Raises:
        TreebankError: if a sentence lacks it, or its underlying tree if ``analysed`` is a template.
    """
    for sentence in sentences:
        if sentence.written is None:
            raise TreebankError(
                f"{sentence.where}: has only correct punctuation, but a model of the kind "
                "correction also needs the original punctuation; train it with --corrected, and "
                "use it with semipunct correct"
            )
        if ANALYSED in options.templates and sentence.written.pairs is None:
            raise TreebankError(
                f"{sentence.where}: has no underlying tree of the original punctuation, which the "
                f"template {ANALYSED} needs; give a punctuation model of such text as --analysis"
            )
