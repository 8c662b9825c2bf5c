"""Settings and registry entries of the punctuation model and the correction model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Literal

from semipunct.features.templates import TEMPLATES, find_template
from semipunct.marks.edits import Direction
from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Check, Count, NotNegative, Positive

Centre = Literal["counts", "zero"]

_NO_NETWORK = "network=False, network_width=128, network_layers=2"

# The settings of the network of earlier versions.
_REMOVED = (
    "model.network", "model.network_width", "model.network_layers", "train.network_learning_rate",
    "train.network_decay", "train.dropout", "train.word_dropout", "train.warmup",
)  # fmt: skip


def _complaint(names: Sequence[str]) -> str | None:
    for name in names:
        if find_template(name) is None:
            template_names = sorted({t.name for t in TEMPLATES}, key=str.lower)
            return (
                f"there is no feature template {name!r}; choose among: {', '.join(template_names)}"
            )
    if {"c", "history"} <= set(names):
        return (
            "c looks at the marks within a constituent, history at those to the left; no order of "
            "drawing allows for both"
        )
    return None


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Settings that determine the architecture of a model.

    Attributes:
        channel: direction of the sliding window; ``none`` is the identity channel (the paper's
            ablation ATTACH).
        passes: passes of the sliding window, in alternating directions (footnote 6).
        tied: add token strengths and edit preferences to the edit weights, so that rare bigrams
            share statistical strength (footnote 5).
        minimum_token_count: rarer tokens become UNK (section 4).
        minimum_pair_count: rarer pairs are left to the back-off.
        minimum_outcome_count: minimum co-occurrences of a context and a possible puncteme for a
            weight; 0 for weights for all punctemes.
        longest_puncteme: longer punctemes are covered by the open puncteme.
        hard_sets: use the paper's V and W_d, under which unseen strings have probability zero.
        final_mark: add a mark at the end of the sentence (footnote 13).
    """

    channel: Direction = "r2l"
    passes: AtLeastOne = 1
    tied: bool = True
    templates: Annotated[tuple[str, ...], Check(_complaint)] = (
        "N", "W", "A", "C", "L", "R", "S",
        "H", "O", "side", "sibling", "place", "style", "sentence",
        "character", "shape", "feature", "tag", "word", "near", "history",
    )  # fmt: skip
    minimum_token_count: AtLeastOne = 5
    minimum_pair_count: AtLeastOne = 2
    minimum_context_count: AtLeastOne = 3
    minimum_outcome_count: Count = 1
    longest_puncteme: AtLeastOne = 2
    hard_sets: bool = False
    final_mark: bool = False

    def __repr__(self) -> str:
        # Digests of models include this text, so it keeps the network of earlier versions.
        values = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self))
        return f"{type(self).__name__}({values}, {_NO_NETWORK})"


@dataclass(frozen=True, slots=True)
class TrainOptions(kind.SharedTrainOptions):
    """Training settings; penalties are those of equation 5.

    Attributes:
        learning_rate: of ATTACH.
        lazy: update only the feature weights that a step reads; momentum and penalty of skipped
            steps are applied before the next read.
        prune: acceptable increase in development perplexity from removing small feature weights; 0
            to keep all weights.
        l2: coefficient of the squared norm of ATTACH's weights, per sentence.
        channel_l2: the same for the channel's windows.
        tied_l2: the same for the weights that the channel's windows share (``model.tied``).
        centre: centre of the norm: the initial log-counts, or zero.
        xi: coefficient of the posterior regulariser.
        squared: square each sentence's expected count of unmatched punctemes (footnote 7).
        printed_regulariser: take that expectation under the prior p(T' | T), as in line 15 of the
            printed Algorithm 1, instead of the posterior p(T' | T, x).
    """

    learning_rate: Positive = 0.0035
    channel_learning_rate: Positive = 0.03
    lazy: bool = True
    prune: NotNegative = 1e-4
    l2: NotNegative = 1e-3
    channel_l2: NotNegative = 1e-4
    tied_l2: NotNegative = 1e-3
    centre: Centre = "counts"
    xi: NotNegative = 0.0
    squared: bool = True
    printed_regulariser: bool = False

    def remedies(self) -> str:
        return (
            f"lower train.learning_rate (now {self.learning_rate}) or "
            f"train.channel_learning_rate (now {self.channel_learning_rate}), or raise "
            "train.batch_size or train.l2"
        )


KIND = kind.Kind(
    name="punctuation",
    model="semipunct.models.punctuation.model:PunctuationModel",
    model_options=ModelOptions,
    train_options=TrainOptions,
    presets=("loglinear", "parsed", "paper"),
    removed=_REMOVED,
)


@dataclass(frozen=True, slots=True, repr=False)
class CorrectionModelOptions(ModelOptions):
    """Settings of a correction model, with the additional template ``written``."""

    templates: Annotated[tuple[str, ...], Check(_complaint)] = (
        *ModelOptions().templates, "written",
    )  # fmt: skip


CORRECTION = kind.Kind(
    name="correction",
    model="semipunct.models.punctuation.corrector:CorrectionModel",
    model_options=CorrectionModelOptions,
    train_options=TrainOptions,
    presets=("correction", "parsed-correction", "paper-correction"),
    corrected="always",
    removed=_REMOVED,
)
"""The punctuation model with features of the written punctuation, trained on parallel treebanks."""
