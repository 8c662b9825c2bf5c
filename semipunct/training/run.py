"""The state of a training run, which is updated at each step, saved, and restored."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import numpy as np

from semipunct.corpus.examples import Example, treebank_digest
from semipunct.errors import ModelError
from semipunct.models.base import Array
from semipunct.models.kind import Config, Criterion
from semipunct.store.card import DataFile
from semipunct.store.checked_files import check_arrays
from semipunct.store.checkpoint import SavedModel, TrainingState
from semipunct.store.folder import STATE, STATE_ARRAYS
from semipunct.training.step import Outcome, Weights

PRUNING_COST = "pruning_cost"
"""The name of a figure: the increase of the criterion when weights were pruned."""

_PRUNING = (PRUNING_COST, "weights", "pruned_weights")


class SavedRun(msgspec.Struct, forbid_unknown_fields=True):
    """The content of ``state.json``: plain values of a ``Run``, and digests of its sentences."""

    step: int
    visits: int
    best_figures: dict[str, Any]
    stale: int
    loss: float = msgspec.field(name="objective")
    slots: int
    impossible: int
    seconds: float
    train: str
    development: str


_PLAIN = ("step", "visits", "best_figures", "stale", "loss", "slots", "impossible")
"""The attributes of a ``Run`` that are saved as they are."""


@dataclass(slots=True)
class Run:
    """The state of a run.

    Attributes:
        parameters: the weights, on the device, without updates that the optimiser has deferred.
        optimiser: the optimiser's state, on the device.
        step: steps done.
        visits: sentence visits done.
        best: the best weights so far, on the host; None before the first evaluation.
        best_figures: the entry of ``metrics`` of the best weights.
        stale: the number of evaluations since then.
        metrics: one entry per evaluation.
        loss: the sum of the loss over the slots of the steps since the last evaluation.
        slots: the number of these slots.
        impossible: the number of sentences of these steps that the model could not score.
        seconds_before: the wall-clock time of the run before it was resumed.
        began: the time when it was started or resumed, by the monotonic clock.
    """

    parameters: Weights
    optimiser: Any
    step: int = 0
    visits: int = 0
    best: dict[str, Array] | None = None
    best_figures: dict[str, Any] = field(default_factory=dict[str, Any])
    stale: int = 0
    metrics: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    loss: float = 0.0
    slots: int = 0
    impossible: int = 0
    seconds_before: float = 0.0
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """The wall-clock time of the whole run so far."""
        return self.seconds_before + time.monotonic() - self.began

    def add(self, outcome: Outcome) -> None:
        """Add the outcome of a step to the sums."""
        slots = int(outcome.slots)
        self.loss += float(outcome.loss) * slots
        self.slots += slots
        self.impossible += int(outcome.impossible)

    def note(
        self,
        weights: Mapping[str, Any],
        figures: Mapping[str, Any],
        compiled: Mapping[str, Any],
        criterion: Criterion,
    ) -> None:
        """Record an evaluation, keep the weights if they are the best, and reset the sums.

        Args:
            weights: the evaluated weights.
            figures: the figures of the development examples, by their names in ``metrics``.
            compiled: figures of compilation, to be recorded as well.
            criterion: the criterion for the best weights.
        """
        entry: dict[str, Any] = {
            "visits": self.visits,
            "train_objective": self.loss / self.slots if self.slots else None,
            "train_unscorable": self.impossible,
            **figures,
            "seconds": round(self.seconds, 3),
            **compiled,
        }
        if self.best is None or criterion.rank(entry) < criterion.rank(self.best_figures):
            self.best, self.best_figures, self.stale = to_host(weights), entry, 0
        else:
            self.stale += 1
        self.metrics.append(entry)
        self.loss, self.slots, self.impossible = 0.0, 0, 0

    def note_pruned(
        self, figures: Mapping[str, Any], before: int, after: int, criterion: Criterion
    ) -> None:
        """Record the figures of the best weights after pruning, and the cost of pruning.

        Args:
            figures: the figures of the development examples, by their names in ``metrics``.
            before: the number of weights before pruning.
            after: the number of weights after pruning.
            criterion: the criterion of whose figure the cost is the difference.
        """
        was, pruned_value = criterion.of(self.best_figures), criterion.of(figures)
        pruning_record = {
            PRUNING_COST: None if was is None or pruned_value is None else pruned_value - was,
            "weights": after,
            "pruned_weights": before - after,
        }
        self.best_figures = {**self.best_figures, **figures, **pruning_record}
        if self.metrics:
            self.metrics[-1] = self.metrics[-1] | pruning_record

    def figures(self, *, finished: bool) -> dict[str, Any]:
        """Return the figures of the run for the model folder.

        Args:
            finished: whether the run is finished.
        """
        return {
            "visits": self.visits,
            "finished": finished,
            "best_visits": self.best_figures.get("visits", self.visits),
            **of_best(self.best_figures),
            "seconds": round(self.seconds, 3),
        }

    def state(self, sources: Sources) -> TrainingState:
        """Return the state for ``--resume``; its arrays are overwritten by the next step.

        Args:
            sources: the sources of the sentences.
        """
        # Views, not copies: they are written before the next step reuses the buffers.
        current = {name: np.asarray(value) for name, value in self.parameters.items()}
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(self.optimiser)]
        return TrainingState(
            msgspec.to_builtins(
                SavedRun(
                    **{name: getattr(self, name) for name in _PLAIN},
                    seconds=self.seconds,
                    train=sources.train_digest,
                    development=sources.development_digest,
                )
            ),
            {
                **{f"current.{name}": value for name, value in current.items()},
                **{f"optimiser.{i:04}": leaf for i, leaf in enumerate(leaves)},
            },
        )


def of_best(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return those figures that are about the best weights."""
    return {k: v for k, v in figures.items() if k.startswith("dev_") or k in _PRUNING}


def to_host(parameters: Mapping[str, Any]) -> dict[str, Array]:
    """Copy weights to the host, since the next step overwrites the buffers of the device."""
    return {name: np.array(value) for name, value in parameters.items()}


def take_up(loaded: SavedModel, state: TrainingState, fresh: Run, sources: Sources) -> Run:
    """Restore a saved run in order to resume it.

    Args:
        loaded: the content of the model folder.
        state: the saved state.
        fresh: a new run with the same settings, which provides the expected shapes.
        sources: the sources of the sentences given now.

    Raises:
        ModelError: if the sentences are not those of the saved run, or the state is damaged.
    """
    leaves = jax.tree.leaves(fresh.optimiser)
    shapes = {f"current.{name}": np.asarray(v) for name, v in fresh.parameters.items()}
    shapes |= {f"optimiser.{i:04}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
    check_arrays(f"{loaded.path / STATE_ARRAYS}", state.arrays, shapes)
    try:
        saved = msgspec.convert(state.values, SavedRun)
    except msgspec.ValidationError as error:
        raise ModelError(
            f"{loaded.path / STATE}: does not hold what --resume needs ({error}); train "
            "without --resume"
        ) from error
    for use in ("train", "development"):
        if getattr(saved, use) != getattr(sources, f"{use}_digest"):
            raise ModelError(
                f"{loaded.path}: the {use} sentences are not those that the run began with; "
                "give the same files, or train without --resume"
            )
    return Run(
        {name: jnp.asarray(state.arrays[f"current.{name}"]) for name in fresh.parameters},
        jax.tree.unflatten(
            jax.tree.structure(fresh.optimiser),
            [jnp.asarray(state.arrays[f"optimiser.{i:04}"]) for i in range(len(leaves))],
        ),
        best=dict(loaded.parameters) if saved.best_figures else None,
        metrics=[dict(entry) for entry in loaded.metrics],
        seconds_before=saved.seconds,
        **{name: getattr(saved, name) for name in _PLAIN},
    )


def check_start(start: SavedModel, config: Config) -> None:
    """Check that a model can be trained further with some settings.

    Args:
        start: the model.
        config: the settings.

    Raises:
        ModelError: if the kind or a setting of the architecture differs; the message names it.
    """
    if start.config.kind != config.kind:
        raise ModelError(
            f"{start.path}: is a model of the kind {start.config.kind.name}, which cannot be "
            f"trained further as {config.kind.name}; give --kind {start.config.kind.name}"
        )
    for key, before, value in _changes(start.config, config, "model"):
        raise ModelError(
            f"{start.path}: {key} is {before} there and {value} here; a model that is trained "
            "further keeps its architecture, so leave the setting out"
        )


def check_same(loaded: SavedModel, config: Config) -> None:
    """Check that settings are the same as those of a saved run.

    Args:
        loaded: the saved run.
        config: the settings given now.

    Raises:
        ModelError: if a setting differs; the message names the first one.
    """
    if loaded.config.kind != config.kind:
        raise ModelError(
            f"{loaded.path}: the kind was {loaded.config.kind.name} when the run began and is "
            f"{config.kind.name} now; give the same kind, or train without --resume"
        )
    for key, before, value in _changes(loaded.config, config, "model", "train"):
        raise ModelError(
            f"{loaded.path}: {key} was {before} when the run began and is {value} now; give the "
            "same settings, or train without --resume"
        )


def _changes(before: Config, current: Config, *sections: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the settings that differ, with both values."""
    old, new = before.to_dict(), current.to_dict()
    for section in sections:
        for key, value in new[section].items():
            if old[section][key] != value:
                yield f"{section}.{key}", old[section][key], value


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the sentences of a run.

    Attributes:
        train: files of the training sentences.
        development: files of the development sentences.
        train_digest: ``treebank_digest`` of the training sentences.
        development_digest: ``treebank_digest`` of the development sentences.
    """

    train: Sequence[DataFile]
    development: Sequence[DataFile]
    train_digest: str
    development_digest: str

    @classmethod
    def of(cls, train: Sequence[Example], development: Sequence[Example]) -> Sources:
        """Describe sentences, and the current content of their files.

        Args:
            train: the training examples.
            development: the development examples.
        """
        return cls(
            data_files(train),
            data_files(development),
            treebank_digest(train),
            treebank_digest(development),
        )


def data_files(examples: Sequence[Example]) -> list[DataFile]:
    """List the files that examples were read from, in order of appearance, with checksums."""
    counts: dict[str, list[int]] = {}
    for example in examples:
        count = counts.setdefault(example.path, [0, 0])
        count[0] += 1
        count[1] += example.size
    return [DataFile.of(name, *count) for name, count in counts.items()]
