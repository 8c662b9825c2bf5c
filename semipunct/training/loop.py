"""The training loop for all kinds of models, with progress reports, checkpoints and stopping."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.memory import release_memory
from semipunct.corpus.examples import Example
from semipunct.errors import ModelError
from semipunct.models.base import Array, Model
from semipunct.models.kind import Config
from semipunct.models.scoring import Batches
from semipunct.store import checkpoint
from semipunct.store.card import model_card
from semipunct.training.devices import Devices
from semipunct.training.plan import Plan
from semipunct.training.report import Phase, Progress, TrainingError, TrainingResult
from semipunct.training.run import (
    Run,
    Saved,
    Sources,
    check_same,
    check_start,
    of_best,
    take_up,
    to_host,
)
from semipunct.training.step import Outcome, Recipe, step
from semipunct.version import __version__
from semipunct.wording import quantity


@dataclass
class Trainer:
    """The arguments of ``train``, and the objects that are created once from them.

    Each evaluation writes a checkpoint: the best model so far and the state of the run, which is
    deleted at the end. On CPU a resumed run is bitwise identical to an uninterrupted one.
    """

    config: Config
    output: Path
    command: str
    report: Callable[[Progress], None] | None
    stop: Callable[[], bool] | None
    near: Saved | None = None
    start: Saved | None = None
    devices: Devices = field(default_factory=Devices.find)
    model: Model = field(init=False)
    size: float = field(init=False, default=0.0)

    def run(self, train: Sequence[Example], dev: Sequence[Example], resume: bool) -> TrainingResult:
        """Train the model, and write its folder."""
        options = self.config.train
        self.shapes = Shapes()
        self.votes: Any = [False]
        kind = self.config.kind.load()
        lengths = [example.size for example in train]
        self.size = float(np.mean(lengths)) if lengths else 0.0
        self.plan = Plan.of(lengths, options, batching=kind.batching)
        self.sources = Sources.of(train, dev)
        self._tell("preparing", None)
        loaded = checkpoint.load(self.output) if resume else None
        state = checkpoint.load_state(self.output) if loaded else None
        self.devices.check_same("input", self._digest(loaded, state))
        if loaded:
            check_same(loaded, self.config)
            if state is None:
                return self._finished(loaded)
            self.model, encoded = loaded.model, loaded.model.encode(train)
        elif self.start is not None:
            check_start(self.start, self.config)
            self.model, encoded = self.start.model, self.start.model.encode(train)
        else:
            self.model, encoded = kind.fit_and_encode(train, self.config.model)
            if self.near is not None:
                self.model = self.model.near(self.near.model, self.near.parameters)
        slots = float(np.mean([example.choices for example in train]))
        self.recipe = Recipe(self.model, options, self.plan.steps, slots)
        self.optimiser = self.recipe.optimiser()
        initial = self.model.initial_parameters(options.seed, options.initial_scale)
        if self.start is not None:
            initial = {**initial, **self.start.parameters}
        parameters = {name: jnp.asarray(value) for name, value in initial.items()}
        run = Run(parameters, self.optimiser.init(parameters))
        if loaded and state:
            run = take_up(loaded, state, run, self.sources)
        run.parameters, run.optimiser = self.devices.replicate((run.parameters, run.optimiser))
        self.examples, self.development = dev, Batches(self.model, self.model.encode(dev))
        release_memory()  # used for fitting
        finished, early = self._loop(run, encoded)
        del encoded  # frees memory for pruning and saving
        release_memory()
        return self._end(run, finished=finished, stopped_early=early)

    def _digest(
        self, loaded: checkpoint.SavedModel | None, state: checkpoint.TrainingState | None
    ) -> str:
        models = [saved and saved.digest for saved in (loaded, self.start, self.near)]
        sentences = (self.sources.train_digest, self.sources.development_digest)
        described = (__version__, self.config.to_dict(), sentences, models, state and state.values)
        return hashlib.sha256(repr(described).encode()).hexdigest()

    def _loop(self, run: Run, encoded: Any) -> tuple[bool, bool]:
        """Take steps; return whether the run is finished, and whether it was stopped early."""
        options = self.config.train
        sentences = self.plan.most_sentences(options.seed)
        typical = self.plan.typical_batches()
        shape = self.model.fit_shape(encoded, typical, sentences, scoring=False)
        constants = self.devices.replicate(self.model.constants(options))
        # The outcome of a step is read one step later, while the next batch is prepared.
        waiting: Outcome | None = None
        chance = self.devices.replicate(jax.random.key(options.seed))
        for members in self.plan.batches(options.seed, run.step):
            batch = self.devices.divide(self.model.batch(encoded, members, shape))
            with self.shapes.first_call("step", batch):
                run.parameters, run.optimiser, outcome = step(
                    self.recipe, run.parameters, run.optimiser, constants, batch,
                    jax.random.fold_in(chance, run.step),
                )  # fmt: skip
            self._settle(run, waiting)
            due = run.visits // self.plan.evaluate_every
            run.step, run.visits, waiting = run.step + 1, run.visits + len(members), outcome
            last = self.plan.is_done(run.step, run.visits)
            if last or run.visits // self.plan.evaluate_every > due:
                self._settle(run, waiting)
                waiting = None
                self._evaluate(run)
                early = 0 < options.patience <= run.stale
                if last or early:
                    return True, early and not last
                self._save(run, finished=False)
            if self._stops():
                break
        self._settle(run, waiting)
        # No step is left if the state was saved at the very end of a run.
        return self.plan.is_done(run.step, run.visits), False

    def _stops(self) -> bool:
        """Return whether to stop the run: in all processes after the same batch."""
        last, self.votes = self.votes, self.devices.votes(bool(self.stop and self.stop()))
        # Votes are read one step later, so no process waits for the others.
        return bool((self.votes if self.devices.processes == 1 else last)[0])

    def _settle(self, run: Run, outcome: Outcome | None) -> None:
        if outcome is None:
            return
        if not bool(outcome.finite):
            remedy = (
                f"the last good model, of visit {run.metrics[-1]['visits']:,}, is in {self.output}"
                if run.metrics
                else "nothing has been saved yet"
            )
            raise TrainingError(
                f"the objective or its gradient is not finite after {self._visits(run):,} of "
                f"{quantity(self.plan.visits, 'visit')} (objective {float(outcome.loss)}); "
                f"{self.config.train.remedies()}; {remedy}"
            )
        run.add(outcome)
        self._tell("training", run, float(outcome.loss))

    def _figures(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return self.devices.ask_first(
            lambda: self.config.kind.figures(
                self.model, parameters, self.examples, self.development, self.shapes
            )
        )

    def _weights(self, run: Run) -> Mapping[str, Any]:
        """Return calibrated weights, with updates that the optimiser has deferred."""
        weights = self.devices.gather(self.optimiser.result(run.parameters, run.optimiser))
        return self.model.calibrate(weights, self.development)

    def _evaluate(self, run: Run) -> None:
        self._tell("evaluating", run)
        weights = self._weights(run)
        figures = self._figures(weights)
        compiled: dict[str, Any] = {
            "compiled_shapes": len(self.shapes.seen),
            "compile_seconds": round(self.shapes.seconds, 3),
        }
        run.note(weights, figures, compiled, self.config.kind.criterion)

    def _save(self, run: Run, *, finished: bool) -> Mapping[str, Array]:
        """Write the current best model, with the state of the run unless it is finished."""
        self._tell("saving", run)
        parameters: Mapping[str, Array] = run.best or to_host(self._weights(run))
        if finished:
            parameters = self._pruned(parameters, run)
        figures = run.figures(finished=finished)
        train, development = self.sources.train, self.sources.development
        self.devices.ask_first(
            lambda: checkpoint.save(
                self.output,
                self.model,
                parameters,
                self.config,
                figures=figures,
                metrics=run.metrics,
                card=model_card(self.model, self.config, train, development, figures, self.command),
                state=None if finished else run.state(self.sources),
            )
        )
        return parameters

    def _pruned(self, parameters: Mapping[str, Array], run: Run) -> Mapping[str, Array]:
        # An evaluation takes seconds, so results are cached.
        evaluated = {id(parameters): (parameters, run.best_figures)} if run.best else {}

        def figures_of(weights: Mapping[str, Array]) -> dict[str, Any]:
            if id(weights) not in evaluated:  # held below, so that the id stays unique
                evaluated[id(weights)] = weights, self._figures(weights)
            return evaluated[id(weights)][1]

        def perplexity(weights: Mapping[str, Array]) -> float:
            criterion_value = self.config.kind.criterion.of(figures_of(weights))
            return math.inf if criterion_value is None else criterion_value

        pruned_weights = self.model.prune(parameters, self.config.train, perplexity)
        self.model, smaller = self.model.without_zeros(pruned_weights)
        if pruned_weights is not parameters:
            figures = figures_of(pruned_weights)
            sizes = [sum(array.size for array in some.values()) for some in (parameters, smaller)]
            run.note_pruned(figures, sizes[0], sizes[1], self.config.kind.criterion)
        return smaller

    def _end(self, run: Run, *, finished: bool, stopped_early: bool) -> TrainingResult:
        parameters = self._save(run, finished=finished)
        return TrainingResult(
            self.model, parameters, tuple(run.metrics), run.best_figures, run.visits,
            not finished, stopped_early, len(self.shapes.seen), self.shapes.seconds,
            run.seconds, self.config.kind.criterion,
        )  # fmt: skip

    def _finished(self, loaded: checkpoint.SavedModel) -> TrainingResult:
        figures, metrics = loaded.figures, loaded.metrics
        try:
            best = next((m for m in metrics if m["visits"] == figures.get("best_visits")), {})
            best = best | of_best(figures)
            visits, seconds = int(figures["visits"]), float(figures["seconds"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"{loaded.path}: does not hold the figures of a run; train without --resume"
            ) from error
        return TrainingResult(
            loaded.model, loaded.parameters, metrics, best, visits,
            False, False, 0, 0.0, seconds, loaded.config.kind.criterion,
        )  # fmt: skip

    def _visits(self, run: Run) -> int:
        return min(run.visits, self.plan.visits)

    def _tell(self, phase: Phase, run: Run | None, loss: float | None = None) -> None:
        if self.report is None:
            return
        criterion = self.config.kind.criterion
        last = run.metrics[-1] if run and run.metrics else {}
        best = run.best_figures if run else {}
        self.report(
            Progress(
                phase,
                self._visits(run) if run else 0,
                self.plan.visits,
                loss,
                criterion.label,
                criterion.of(last),
                criterion.of(best),
                last.get("dev_unscorable", 0),
                run.seconds if run else 0.0,
                self.config.kind.counted,
                self.size,
            )
        )
