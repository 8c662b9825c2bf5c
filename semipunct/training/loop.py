"""The training loop: a plain function that reports, checkpoints and can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from semipunct.arrays.compilation import CompileClock, Shapes
from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.sentences import Sentence
from semipunct.errors import TreebankError
from semipunct.models.punctuation.batches import fit_frame
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.store import models as checkpoint
from semipunct.store.card import data_files
from semipunct.store.checked_files import Array
from semipunct.store.folder import check_output
from semipunct.training.config import Config
from semipunct.training.evaluation import Scorer
from semipunct.training.report import Phase, Progress, TrainingError, TrainingResult
from semipunct.training.run import Run, Sources, check_same, save_run, take_up
from semipunct.training.steps import Outcome, Plan, centre, make_step, optimiser

TYPICAL = 64
"""Batches looked at to choose padded sizes."""


def train(
    config: Config,
    train_sentences: Sequence[Sentence],
    dev_sentences: Sequence[Sentence],
    output: str | Path,
    *,
    resume: bool = False,
    report: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    command: str = "",
) -> TrainingResult:
    """Train a model and write its folder; prints nothing.

    Each evaluation writes a checkpoint: the best model so far and the state of the run.  At the
    end the state goes.  The order of the sentences is a function of the seed and the epoch, and
    the state is exact, so that on CPU a resumed run ends with the same bits as an uninterrupted
    one.

    Args:
        config: the settings.
        train_sentences: to learn from.
        dev_sentences: to choose the best weights on, and to stop early.
        output: the model folder.
        resume: continue the run saved in ``output``; a finished one is returned as it is.
        report: called at each step and phase.
        stop: asked after each batch; once true, the model is saved and the run ends.
        command: how to make the model again, for the model card.

    Raises:
        TreebankError: if there are no sentences, or if they end with a final mark and the model
            wants none, or the reverse.
        ModelError: if ``output`` is not ours, or cannot be resumed.
        TrainingError: if the objective or a gradient is no longer finite; the last checkpoint
            stays.
    """
    for use, sentences in (("training", train_sentences), ("development", dev_sentences)):
        if not sentences:
            raise TreebankError(
                f"there is no {use} sentence: the files hold none that can be used; "
                "give others (semipunct stats FILE tells why sentences are left out)"
            )
        if any(s.final_mark != config.model.final_mark for s in sentences):
            raise TreebankError(
                f"model.final_mark is {config.model.final_mark}, but the {use} sentences were "
                "read otherwise: read them with TreebankOptions(final_mark=model.final_mark)"
            )
    check_output(output)
    with CompileClock() as clock:
        trainer = _Trainer(config, Path(output), command, report, stop, clock)
        return trainer.run(train_sentences, dev_sentences, resume)


@dataclass
class _Trainer:
    """The arguments of ``train`` and what is set up once from them."""

    config: Config
    output: Path
    command: str
    report: Callable[[Progress], None] | None
    stop: Callable[[], bool] | None
    clock: CompileClock

    def run(
        self, train: Sequence[Sentence], dev: Sequence[Sentence], resume: bool
    ) -> TrainingResult:
        options = self.config.train
        self.shapes = Shapes()
        self.plan = Plan.of(len(train), options)
        self.sources = Sources(
            data_files(train), data_files(dev), treebank_digest(train), treebank_digest(dev)
        )
        self._tell("preparing", None)
        loaded = checkpoint.load(self.output) if resume else None
        state = checkpoint.load_state(self.output) if loaded else None
        if loaded and not state:
            check_same(loaded, self.config)
            return self._finished(loaded)
        self.model = loaded.model if loaded else PunctuationModel.fit(train, self.config.model)
        self.transformation = optimiser(options, self.plan.steps)
        initial = self.model.initial_parameters(options.seed, options.initial_scale)
        parameters = {name: jnp.asarray(value) for name, value in initial.items()}
        run = Run(parameters, self.transformation.init(parameters))
        if loaded and state:
            run = take_up(loaded, state, run, self.config, self.sources)
        self.scorer = Scorer(self.model, dev, self.shapes)
        return self._loop(run, train)

    def _loop(self, run: Run, train: Sequence[Sentence]) -> TrainingResult:
        options = self.config.train
        prepared = self.model.prepare(train)
        # The same for every seed, so that runs share what the compiler has cached.
        typical = list(islice(self.plan.batches(0, 0), TYPICAL))
        frame = fit_frame(prepared, typical, options.batch_size)
        step = make_step(self.model, options, self.transformation)
        start = centre(self.model) if options.centre == "counts" else {}
        # What a step tells is read one step late, so that the next batch is laid out meanwhile.
        waiting: Outcome | None = None
        chance = jax.random.key(options.seed)
        for members in self.plan.batches(options.seed, run.step):
            batch = self.model.lay_out(prepared, members, frame)
            with self.shapes.first_call("step", batch):
                run.parameters, run.optimiser, outcome = step(
                    run.parameters, run.optimiser, start, batch,
                    jax.random.fold_in(chance, run.step),
                )  # fmt: skip
            self._settle(run, waiting)
            due = run.visits // self.plan.evaluate_every
            run.step, run.visits, waiting = run.step + 1, run.visits + len(members), outcome
            last = run.step == self.plan.steps
            if last or run.visits // self.plan.evaluate_every > due:
                self._settle(run, waiting)
                waiting = None
                self._evaluate(run)
                early = 0 < options.patience <= run.stale
                if last or early:
                    return self._end(run, finished=True, stopped_early=early and not last)
                self._save(run, finished=False)
            if self.stop and self.stop():
                break
        self._settle(run, waiting)
        # Nothing is left to do if the state was saved at the very end of a run.
        finished = run.step >= self.plan.steps
        return self._end(run, finished=finished, interrupted=not finished)

    def _settle(self, run: Run, outcome: Outcome | None) -> None:
        if outcome is None:
            return
        if not bool(outcome.finite):
            options = self.config.train
            kept = (
                f"the last good model, of visit {run.metrics[-1]['visits']:,}, is in {self.output}"
                if run.metrics
                else "nothing has been saved yet"
            )
            raise TrainingError(
                f"the objective or its gradient is not finite after {run.visits:,} of "
                f"{self.plan.visits:,} visits (objective {float(outcome.loss)}); lower "
                f"train.learning_rate (now {options.learning_rate}) or "
                f"train.channel_learning_rate (now {options.channel_learning_rate}), or raise "
                f"train.batch_size or train.l2; {kept}"
            )
        run.add(outcome)
        self._tell("training", run, float(outcome.loss))

    def _evaluate(self, run: Run) -> None:
        self._tell("evaluating", run)
        found = self.scorer(run.parameters)
        compiled: dict[str, Any] = {
            "compiled_shapes": len(self.shapes.seen),
            "compile_seconds": round(self.shapes.seconds, 3),
        }
        run.note(found, compiled)

    def _save(self, run: Run, *, finished: bool) -> dict[str, Array]:
        self._tell("saving", run)
        return save_run(
            self.output, run, self.model, self.config, self.sources,
            command=self.command, finished=finished,
        )  # fmt: skip

    def _end(
        self, run: Run, *, finished: bool, interrupted: bool = False, stopped_early: bool = False
    ) -> TrainingResult:
        parameters = self._save(run, finished=finished)
        return TrainingResult(
            self.model, parameters, tuple(run.metrics), run.best_figures, run.visits,
            interrupted, stopped_early, len(self.shapes.seen), self.shapes.seconds,
            self.clock.seconds, run.seconds,
        )  # fmt: skip

    def _finished(self, loaded: checkpoint.Loaded) -> TrainingResult:
        visits = loaded.figures.get("best_visits")
        best = next((m for m in loaded.metrics if m["visits"] == visits), {})
        return TrainingResult(
            loaded.model, loaded.parameters, loaded.metrics, best, int(loaded.figures["visits"]),
            False, False, 0, 0.0, 0.0, float(loaded.figures["seconds"]),
        )  # fmt: skip

    def _tell(self, phase: Phase, run: Run | None, objective: float | None = None) -> None:
        if self.report is None:
            return
        last = run.metrics[-1] if run and run.metrics else {}
        best = run.best_figures if run else {}
        self.report(
            Progress(
                phase,
                run.visits if run else 0,
                self.plan.visits,
                objective,
                last.get("dev_perplexity_of_scorable"),
                best.get("dev_perplexity_of_scorable"),
                last.get("dev_unscorable", 0),
                len(self.shapes.seen),
                run.seconds if run else 0.0,
            )
        )
