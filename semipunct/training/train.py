"""Training as one function: settings as they are written after ``--set``, and the loop."""

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
) -> TrainingResult:
    """Train a model; its folder keeps the weights that are best on the development sentences.

    Args:
        train: sentences, or what else the kind takes, to learn from.
        dev: others to choose the best weights on.
        output: the model folder to write.
        kind: of model: a key of ``semipunct.models.registry.KINDS``.
        config: a TOML file of settings.
        settings: single ones, such as ``preset=paper`` or ``train.visits=12000``, which win over
            those of the file.
        channel: direction of the channel: ``none``, ``l2r`` or ``r2l``.
        seed: of initial weights and sentence order.
        resume: continue the run that was saved in ``output``.
        force: replace the model in ``output`` if there is one, once this one is complete.
        report: called at each step.
        near: a model that some weights are kept close to: of a correction model those of the
            channel, to a punctuation model of correct text.

    Returns:
        The model with its weights, and how training went.

    Raises:
        ConfigError: for a setting that does not exist or has no such value.
        TreebankError: if there are no sentences.
        UsageError: if both ``resume`` and ``force`` are given.
        ModelError: if the folder is not ours, holds a model without ``resume`` or ``force``, is
            being written by another training, or cannot be resumed.
        TrainingError: if the objective is no longer finite.
    """
    chosen = load_config(config, settings, {"model.channel": channel, "train.seed": seed}, kind)
    enable_compilation_cache()
    return loop.train(
        chosen, train, dev, output, resume=resume, force=force, report=report, near=near
    )
