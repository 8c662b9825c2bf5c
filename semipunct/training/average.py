"""Models trained alike, put together: their scores are averaged.

What constituents draw and what the channel does are both log-linear in scores, so that the average
is again a model, of the same form and with exact inference. The weights of sparse features and of
the channel are averaged; networks, which are not linear in theirs, stand side by side.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import numpy as np

from semipunct.errors import ModelError
from semipunct.model.network import PREFIX
from semipunct.model.punctuation import PunctuationModel
from semipunct.training import vocabulary
from semipunct.training.checkpoint import Loaded
from semipunct.training.config import Config
from semipunct.training.sealed import Array


def average(models: Sequence[Loaded]) -> tuple[PunctuationModel, dict[str, Array], Config]:
    """The model whose scores are the averages of those of some models.

    Args:
        models: at least two, trained with the same settings (but for their seeds and how long) on
            the same sentences.

    Returns:
        the model, its weights, and the settings of the first one.

    Raises:
        ModelError: if there are fewer, or if they do not have the same features and symbols.
    """
    if len(models) < 2:
        raise ModelError(f"{len(models)} model given; averaging takes two or more")
    first, *others = models
    for other in others:
        if different := _differing(first, other):
            raise ModelError(
                f"{first.path} and {other.path} differ in {different}; average models that were "
                "trained on the same sentences with the same settings but for their seeds"
            )
    parameters: dict[str, Array] = {}
    for name in first.parameters:
        every = np.stack([model.parameters[name] for model in models])
        if name.startswith(PREFIX):
            parameters[name] = every.reshape(-1, *every.shape[2:])
        else:
            parameters[name] = every.mean(0, dtype=np.float64).astype(np.float32)
    members = first.config.model.network_members * len(models)
    options = dataclasses.replace(first.config.model, network_members=members)
    model = dataclasses.replace(first.model, options=options)
    return model, parameters, dataclasses.replace(first.config, model=options)


def _differing(one: Loaded, other: Loaded) -> str:
    """What two models do not have in common; empty if they can be averaged."""
    settings = [dataclasses.asdict(m.config.model) for m in (one, other)]
    different = [f"model.{key}" for key in settings[0] if settings[0][key] != settings[1][key]]
    if different:
        return ", ".join(different)
    vocabularies = [json.dumps(vocabulary.to_json(m.model)) for m in (one, other)]
    return "" if vocabularies[0] == vocabularies[1] else "the symbols or features they know"
