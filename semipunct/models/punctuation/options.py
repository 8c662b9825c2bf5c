"""Options of the model: what ``config`` files and presets set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["none", "l2r", "r2l"]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Everything that decides the shape of a model.

    Attributes:
        channel: direction of the sliding window; ``none`` is the identity channel (the paper's
            ablation ATTACH).
        passes: number of passes of the sliding window; directions alternate from ``channel``
            (footnote 6).
        tied: add per-token strengths and per-token edit preferences to the edit weights, so that
            rare bigrams lean on their tokens (footnote 5).
        templates: names of the feature templates that are on.
        minimum_token_count: rarer tokens become UNK (section 4).
        minimum_pair_count: rarer pairs are left to the back-off.
        minimum_context_count: rarer feature contexts are dropped.
        longest_puncteme: longer punctemes are left to the open one.
        hard_sets: the paper's V and W_d, under which unseen strings have probability zero.
        final_mark: put a mark after the sentence, too (footnote 13).
        network: add a neural score of words and their places to the log-linear one.
        network_width: of its vectors.
        network_layers: its convolutions.
    """

    channel: Direction = "r2l"
    passes: int = 1
    tied: bool = True
    templates: tuple[str, ...] = (
        "N", "W", "A", "C", "L", "R", "S",
        "H", "O", "side", "sibling", "place", "style", "sentence",
        "character", "shape", "feature", "tag", "word", "near", "history",
    )  # fmt: skip
    minimum_token_count: int = 5
    minimum_pair_count: int = 2
    minimum_context_count: int = 3
    longest_puncteme: int = 2
    hard_sets: bool = False
    final_mark: bool = False
    network: bool = False
    network_width: int = 128
    network_layers: int = 2
