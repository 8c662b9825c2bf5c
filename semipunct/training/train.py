"""Training as one function, with settings written as for ``--set``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus.examples import Example
from semipunct.models.registry import DEFAULT
from semipunct.store.checkpoint import SavedModel
from semipunct.training import loop
from semipunct.training.config import load_config
from semipunct.training.report import Progress, TrainingResult


def train(
    train: Sequence[Example],
    dev: Sequence[Example],
    output: str | Path,
    *,
    kind: str = DEFAULT,
    config: str | Path | None = None,
    settings: Iterable[str] = (),
    channel: str | None = None,
    seed: int | None = None,
    resume: bool = False,
    force: bool = False,
    report: Callable[[Progress], None] | None = None,
    near: SavedModel | None = None,
    start: SavedModel | None = None,
) -> TrainingResult:
    """Train a model; its folder keeps the weights that are best on the development sentences.

    Args:
        train: the training sentences, or other examples that the kind is trained on.
        dev: the development sentences, on which the best weights are selected.
        output: the model folder to write.
        kind: the kind of model, a key of ``semipunct.models.registry.KINDS``.
        config: a TOML file of settings.
        settings: single settings, such as ``preset=paper`` or ``train.visits=12000``, which
            override those of the file.
        channel: the direction of the channel: ``none``, ``l2r`` or ``r2l``.
        seed: the seed of initial weights and sentence order.
        resume: continue the run that was saved in ``output``.
        force: replace the model in ``output`` if there is one, once this one is complete.
        report: a function called at each step.
        near: a model towards whose weights some weights are regularised: for a correction model, a
            punctuation model of correct text, for the weights of the channel.
        start: a model to train further; it determines kind, vocabulary and the settings of
            ``[model]``.

    Returns:
        The model with its weights, and the record of the training run.

    Raises:
        ConfigError: if a setting does not exist or its value is invalid.
        TreebankError: if there are no sentences.
        UsageError: if both ``resume`` and ``force`` are given.
        ModelError: if the folder exists and is not a model folder, holds a model without ``resume``
            or ``force``, is being written by another training run, or cannot be resumed.
        TrainingError: if the objective is no longer finite.
    """
    options = {"model.channel": channel, "train.seed": seed}
    chosen = load_config(config, settings, options, kind, start.config.model if start else None)
    enable_compilation_cache()
    return loop.train(
        chosen,
        train,
        dev,
        output,
        resume=resume,
        force=force,
        report=report,
        near=near,
        start=start,
    )
