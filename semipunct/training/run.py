"""What a training run carries from one step to the next, and how it is saved and taken up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.errors import ModelError
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store import models as checkpoint
from semipunct.store.card import DataFile, model_card
from semipunct.store.checked_files import Array, check_arrays
from semipunct.store.models import State
from semipunct.training.config import Config
from semipunct.training.evaluation import Evaluation
from semipunct.training.steps import Outcome, Weights


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the sentences of a run came from, and their ``treebank_digest``."""

    train: Sequence[DataFile]
    development: Sequence[DataFile]
    train_digest: str
    development_digest: str


@dataclass(slots=True)
class Run:
    """The state of a run.

    Attributes:
        parameters: current weights, on the device.
        optimiser: the optimiser's state, on the device.
        step, visits: steps and sentence visits done.
        best: the best weights so far, on the host; None before the first evaluation.
        best_figures: the entry of ``metrics`` they belong to.
        stale: evaluations since then.
        metrics: one entry per evaluation.
        objective, slots, impossible: sums over the steps since the last evaluation.
        seconds_before: wall clock of the run before it was taken up again.
        began: when it was taken up, by the monotonic clock.
    """

    parameters: Weights
    optimiser: Any
    step: int = 0
    visits: int = 0
    best: dict[str, Array] | None = None
    best_figures: dict[str, Any] = field(default_factory=dict[str, Any])
    stale: int = 0
    metrics: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    objective: float = 0.0
    slots: int = 0
    impossible: int = 0
    seconds_before: float = 0.0
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Wall clock of the whole run so far."""
        return self.seconds_before + time.monotonic() - self.began

    def add(self, outcome: Outcome) -> None:
        """Add up what a step told."""
        slots = int(outcome.slots)
        self.objective += float(outcome.loss) * slots
        self.slots += slots
        self.impossible += int(outcome.impossible)

    def note(self, found: Evaluation, compiled: dict[str, Any]) -> dict[str, Any]:
        """Record an evaluation, keep the weights if they are the best, and start new sums."""
        entry: dict[str, Any] = {
            "visits": self.visits,
            "train_objective": self.objective / self.slots if self.slots else None,
            "train_unscorable": self.impossible,
            "dev_perplexity": finite(found.perplexity),
            "dev_perplexity_of_scorable": finite(found.perplexity_of_scorable),
            "dev_unscorable": found.unscorable,
            "seconds": round(self.seconds, 3),
            **compiled,
        }
        if self.best is None or _rank(entry) < _rank(self.best_figures):
            self.best, self.best_figures, self.stale = to_host(self.parameters), entry, 0
        else:
            self.stale += 1
        self.metrics.append(entry)
        self.objective, self.slots, self.impossible = 0.0, 0, 0
        return entry


def finite(value: float) -> float | None:
    """The value, or None where JSON has no word for it."""
    return value if np.isfinite(value) else None


def _rank(entry: dict[str, Any]) -> tuple[int, float]:
    """Fewer unscorable sentences are better, then a lower perplexity of the rest."""
    perplexity: float | None = entry["dev_perplexity_of_scorable"]
    return entry["dev_unscorable"], float("inf") if perplexity is None else perplexity


def to_host(parameters: Weights) -> dict[str, Array]:
    """Copies on the host: the device's own buffers are overwritten by the next step."""
    return {name: np.array(value) for name, value in parameters.items()}


def save_run(
    output: str | Path,
    run: Run,
    model: PunctuationModel,
    config: Config,
    sources: Sources,
    *,
    command: str,
    finished: bool,
) -> dict[str, Array]:
    """Write the model as it would be used now, and what ``--resume`` needs unless finished.

    Returns:
        The weights written: the best, or the current ones before the first evaluation.
    """
    parameters = to_host(run.parameters) if run.best is None else run.best
    figures = {
        "visits": run.visits,
        "finished": finished,
        "best_visits": run.best_figures.get("visits", run.visits),
        **{k: v for k, v in run.best_figures.items() if k.startswith("dev_")},
        "seconds": round(run.seconds, 3),
    }
    state = None
    if not finished:
        # Views, not copies: they are written before the next step takes the buffers back.
        current = {name: np.asarray(value) for name, value in run.parameters.items()}
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(run.optimiser)]
        state = State(
            {
                "step": run.step,
                "visits": run.visits,
                "best_figures": run.best_figures,
                "stale": run.stale,
                "objective": run.objective,
                "slots": run.slots,
                "impossible": run.impossible,
                "seconds": run.seconds,
                "train": sources.train_digest,
                "development": sources.development_digest,
            },
            {
                **{f"current.{name}": value for name, value in current.items()},
                **{f"optimiser.{i:04}": leaf for i, leaf in enumerate(leaves)},
            },
        )
    checkpoint.save(
        output,
        model,
        parameters,
        config,
        figures=figures,
        metrics=run.metrics,
        card=model_card(config, sources.train, sources.development, figures, command),
        state=state,
    )
    return parameters


def take_up(
    loaded: checkpoint.Loaded, state: State, fresh: Run, config: Config, sources: Sources
) -> Run:
    """The run that was saved, to be continued.

    Args:
        loaded: the model folder.
        state: its state.
        fresh: a run at its start, of the same settings: gives the shapes.
        config: the settings asked for now.
        sources: the sentences given now.

    Raises:
        ModelError: if the settings or sentences are not those of the saved run, or the state is
            damaged.
    """
    check_same(loaded, config)
    values = state.values
    where = f"{loaded.path / checkpoint.STATE}"
    leaves = jax.tree.leaves(fresh.optimiser)
    shapes = {f"current.{name}": np.asarray(v) for name, v in fresh.parameters.items()}
    shapes |= {f"optimiser.{i:04}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
    check_arrays(f"{loaded.path / checkpoint.STATE_ARRAYS}", state.arrays, shapes)
    try:
        for use, digest in (
            ("train", sources.train_digest),
            ("development", sources.development_digest),
        ):
            if values[use] != digest:
                raise ModelError(
                    f"{loaded.path}: the {use} sentences are not those that the run began with; "
                    "give the same files, or train without --resume"
                )
        best_figures = dict(values["best_figures"])
        return Run(
            {name: jnp.asarray(state.arrays[f"current.{name}"]) for name in fresh.parameters},
            jax.tree.unflatten(
                jax.tree.structure(fresh.optimiser),
                [jnp.asarray(state.arrays[f"optimiser.{i:04}"]) for i in range(len(leaves))],
            ),
            step=int(values["step"]),
            visits=int(values["visits"]),
            best=dict(loaded.parameters) if best_figures else None,
            best_figures=best_figures,
            stale=int(values["stale"]),
            metrics=[dict(entry) for entry in loaded.metrics],
            objective=float(values["objective"]),
            slots=int(values["slots"]),
            impossible=int(values["impossible"]),
            seconds_before=float(values["seconds"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{where}: does not hold what --resume needs ({error}); train without --resume"
        ) from error


def check_same(loaded: checkpoint.Loaded, config: Config) -> None:
    """Check that settings are those of a saved run.  Raises `ModelError` naming the first other."""
    before, now = loaded.config.to_dict(), config.to_dict()
    for section, values in now.items():
        for key, value in values.items():
            if before[section][key] != value:
                raise ModelError(
                    f"{loaded.path}: {section}.{key} was {before[section][key]} when the run "
                    f"began and is {value} now; give the same settings, or train without --resume"
                )
