"""The state of a training run, which is updated at each step, saved, and restored."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import msgspec
import numpy as np

from semipunct.corpus.examples import Example, treebank_digest
from semipunct.errors import ModelError
from semipunct.models.base import Array, Model
from semipunct.models.kind import Config, Criterion
from semipunct.store.card import DataFile
from semipunct.store.checked_files import check_arrays
from semipunct.store.checkpoint import SavedModel, TrainingState
from semipunct.store.folder import STATE, STATE_ARRAYS
from semipunct.training.step import Outcome, Weights


class Saved(Protocol):
    """A model from a folder: a ``SavedModel``, or a pipeline of one."""

    @property
    def model(self) -> Model: ...
    @property
    def parameters(self) -> Mapping[str, Array]: ...
    @property
    def config(self) -> Config: ...
    @property
    def digest(self) -> str: ...
    @property
    def path(self) -> Any: ...


PRUNING_COST = "pruning_cost"
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


# The attributes of a ``Run`` that are saved unchanged.
_PLAIN = ("step", "visits", "best_figures", "stale", "loss", "slots", "impossible")


@dataclass(slots=True)
class Run:
    """The state of a run.

    Attributes:
        parameters: the weights, on the device, without updates that the optimiser has deferred.
        best: the best weights so far, on the host; None before the first evaluation.
        best_figures: the entry of ``metrics`` of the best weights.
        stale: evaluations since then.
        metrics: one entry per evaluation.
        loss: the sum of the loss over slots since the last evaluation.
        slots: the number of these slots.
        impossible: sentences of these steps that the model could not score.
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
        return self.seconds_before + time.monotonic() - self.began

    def add(self, outcome: Outcome) -> None:
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
        """Record an evaluation, keep the weights if they are the best, and reset the sums."""
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
        """Record figures after pruning, and numbers of weights before and after."""
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
        return {
            "visits": self.visits,
            "finished": finished,
            "best_visits": self.best_figures.get("visits", self.visits),
            **of_best(self.best_figures),
            "seconds": round(self.seconds, 3),
        }

    def state(self, sources: Sources) -> TrainingState:
        """Return the state for ``--resume``; its arrays are overwritten by the next step."""
        return TrainingState(
            msgspec.to_builtins(
                SavedRun(
                    **{name: getattr(self, name) for name in _PLAIN},
                    seconds=self.seconds,
                    train=sources.train_digest,
                    development=sources.development_digest,
                )
            ),
            self.arrays(),
        )

    def arrays(self) -> dict[str, Array]:
        """Return weights and optimiser by the names under which they are saved."""
        leaves = jax.tree.leaves(self.optimiser)
        named = {f"current.{name}": value for name, value in self.parameters.items()}
        named |= {f"optimiser.{i:04}": leaf for i, leaf in enumerate(leaves)}
        # Views, not copies: they are written before the next step reuses the buffers.
        return {name: np.asarray(value) for name, value in named.items()}


def of_best(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of the best weights."""
    return {k: v for k, v in figures.items() if k.startswith("dev_") or k in _PRUNING}


def to_host(parameters: Mapping[str, Any]) -> dict[str, Array]:
    """Copy weights to the host, since the next step overwrites the buffers of the device."""
    return {name: np.array(value) for name, value in parameters.items()}


def take_up(loaded: SavedModel, state: TrainingState, fresh: Run, sources: Sources) -> Run:
    """Resume a saved run; a new run provides the expected shapes."""
    shapes = fresh.arrays()
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
            [jnp.asarray(state.arrays[name]) for name in shapes if name.startswith("optimiser.")],
        ),
        best=dict(loaded.parameters) if saved.best_figures else None,
        metrics=[dict(entry) for entry in loaded.metrics],
        seconds_before=saved.seconds,
        **{name: getattr(saved, name) for name in _PLAIN},
    )


def check_start(start: Saved, config: Config) -> None:
    """Check that a model can be trained further: kind and architecture must agree."""
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
    """Check that the settings are those of a saved run."""
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
    old, new = before.to_dict(), current.to_dict()
    for section in sections:
        for key, value in new[section].items():
            if old[section][key] != value:
                yield f"{section}.{key}", old[section][key], value


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of the sentences of a run, and digests of the sentences."""

    train: Sequence[DataFile]
    development: Sequence[DataFile]
    train_digest: str
    development_digest: str

    @classmethod
    def of(cls, train: Sequence[Example], development: Sequence[Example]) -> Sources:
        return cls(
            data_files(train),
            data_files(development),
            treebank_digest(train),
            treebank_digest(development),
        )


def data_files(examples: Sequence[Example]) -> list[DataFile]:
    """List the files of examples, in order of appearance, with checksums."""
    counts: dict[str, list[int]] = {}
    for example in examples:
        count = counts.setdefault(example.path, [0, 0])
        count[0] += 1
        count[1] += example.size
    return [DataFile.of(name, *count) for name, count in counts.items()]
