import json
import math
import os
import shutil
import signal
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.rows import Rows
from semipunct.cli.signals import interruptible
from semipunct.errors import ModelError, TreebankError, UsageError
from semipunct.models import scoring
from semipunct.models.kind import PERPLEXITY
from semipunct.models.optimisation import FINAL_RATE
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import TrainOptions
from semipunct.store.checkpoint import load, load_state
from semipunct.training import loop
from semipunct.training.plan import Plan
from semipunct.training.report import TrainingError
from semipunct.training.run import Run
from semipunct.training.step import Outcome
from semipunct.training.train import train


def after(calls):
    """Return a `stop` that is true from the given call on."""
    count = iter(range(1, 10**6))
    return lambda: next(count) >= calls


def same_bits(a, b):
    return a.keys() == b.keys() and all(a[n].tobytes() == b[n].tobytes() for n in a)


def timeless(metrics):
    # A resumed process compiles again what it needs; the clock continues.
    timed = ("seconds", "compile_seconds", "compiled_shapes")
    return [{k: v for k, v in m.items() if k not in timed} for m in metrics]


def visited(tiny, steps=12):
    """Return the visits of a run after each step: batches have equal numbers of words."""
    options = replace(tiny.config.train, visits=4800)
    plan = Plan.of([len(s.forms) for s in tiny.train], options, batching="words")
    return list(accumulate(len(m) for m in islice(plan.batches(options.seed, 0), steps)))


def evaluated(tiny):
    """Return the visits of a run at its three evaluations."""
    visits = visited(tiny)
    return [b for a, b in pairwise([0, *visits]) if b // 16 > a // 16]


def test_training_learns_and_says_so(tiny, finished):
    training = finished.result
    assert [m["visits"] for m in training.metrics] == evaluated(tiny)
    assert not training.interrupted
    assert not training.stopped_early
    assert training.metrics[-1]["dev_perplexity"] < training.metrics[0]["dev_perplexity"]
    assert training.best["dev_perplexity"] == min(m["dev_perplexity"] for m in training.metrics)
    assert 2 <= training.compiled_shapes <= 4
    assert 0 < training.compile_seconds <= training.seconds
    lines = (finished.folder / "metrics.jsonl").read_text().splitlines()
    assert tuple(json.loads(line) for line in lines) == training.metrics
    assert load_state(finished.folder) is None
    card = (finished.folder / "README.md").read_text()
    assert "semipunct train" in card
    assert f"| training | `{tiny.train[0].path}` | 24 |" in card


def test_progress_is_reported(finished):
    phases = [p.phase for p in finished.reports]
    assert phases[0] == "preparing"
    assert phases.count("training") == 12
    assert phases.count("evaluating") == phases.count("saving") == 3
    assert finished.reports[-1].visits == finished.reports[-1].total == 48
    assert finished.reports[-1].best == finished.result.best["dev_perplexity"]


def test_what_pruning_costs_is_noted():
    entries = [{"dev_perplexity_of_scorable": x, "visits": i} for i, x in enumerate((1.5, 1.25))]
    run = Run({}, None, best_figures=entries[0], metrics=list(entries))
    assert "pruning_cost" not in run.figures(finished=False)
    run.note_pruned({"dev_perplexity_of_scorable": 1.625}, 1000, 40, PERPLEXITY)
    expected = {"pruning_cost": 0.125, "weights": 40, "pruned_weights": 960}
    assert expected.items() <= run.figures(finished=True).items()
    assert run.figures(finished=True)["dev_perplexity_of_scorable"] == 1.625
    assert run.metrics == [entries[0], entries[1] | expected]
    assert entries[1].keys() == {"dev_perplexity_of_scorable", "visits"}


def test_resumed_equals_uninterrupted(tiny, finished, tmp_path):
    folder, batches = tmp_path / "model", 5  # within an epoch, after an evaluation
    first = train(tiny.train, tiny.dev, folder, config=tiny.config, stop=after(batches))
    assert first.interrupted
    assert first.visits == visited(tiny)[batches - 1]
    assert same_bits(load(folder).parameters, first.parameters)
    second = train(tiny.train, tiny.dev, folder, config=tiny.config, resume=True)
    assert not second.interrupted
    assert same_bits(second.parameters, finished.result.parameters)
    assert timeless(second.metrics) == timeless(finished.result.metrics)
    assert second.seconds > first.seconds
    for name in ("model.safetensors", "vocabulary.json"):
        assert (folder / name).read_bytes() == (finished.folder / name).read_bytes()


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of the finished run: two training runs cannot write to one folder simultaneously."""
    return shutil.copytree(finished.folder, tmp_path / "finished")


def test_a_model_is_not_overwritten_without_a_word(tiny, folder):
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(ModelError, match=r"there is a model already.*--force.*--resume"):
        train(tiny.train, tiny.dev, folder, config=tiny.config)
    with pytest.raises(UsageError, match="give one of the two"):
        train(tiny.train, tiny.dev, folder, config=tiny.config, resume=True, force=True)
    assert (folder / "manifest.json").read_bytes() == before


def test_a_model_that_is_replaced_stays_until_the_new_one_is_complete(tiny, finished, folder):
    other_config = replace(tiny.config, train=replace(tiny.config.train, seed=4))
    (folder / "notes.txt").write_text("mine")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def stopped():
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        with pytest.raises(ModelError, match="another training is writing this folder"):
            train(tiny.train, tiny.dev, folder, config=other_config, force=True)
        return True

    first = train(tiny.train, tiny.dev, folder, config=other_config, force=True, stop=stopped)
    assert first.interrupted
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises(ModelError, match="--resume"):
        train(tiny.train, tiny.dev, folder, config=other_config)
    second = train(tiny.train, tiny.dev, folder, config=other_config, resume=True)
    assert same_bits(load(folder).parameters, second.parameters)
    assert not same_bits(second.parameters, finished.result.parameters)
    assert (folder / "notes.txt").read_text() == "mine"
    assert load_state(folder) is None
    assert [path.name for path in folder.parent.iterdir()] == ["finished"]


def test_resuming_needs_the_same_run(tiny, folder, tmp_path):
    other_config = replace(tiny.config, train=replace(tiny.config.train, l2=0.5))
    with pytest.raises(ModelError, match=r"train\.l2 was 0\.001 when the run began and is 0\.5"):
        train(tiny.train, tiny.dev, folder, config=other_config, resume=True)
    with pytest.raises(ModelError, match="there is no such folder"):
        train(tiny.train, tiny.dev, tmp_path / "none", config=tiny.config, resume=True)
    begun = tmp_path / "begun"
    train(tiny.train, tiny.dev, begun, config=tiny.config, stop=after(1))
    with pytest.raises(ModelError, match="the development sentences are not those"):
        train(tiny.train, tiny.dev[:-1], begun, config=tiny.config, resume=True)


def test_a_full_disk_leaves_the_last_good_model(tiny, tmp_path, monkeypatch):
    folder, saved = tmp_path / "model", []
    fsync = os.fsync

    def full_in_the_end(file):
        if folder.exists() and load(folder).metrics[-1]["visits"] >= evaluated(tiny)[1]:
            saved.append({path.name: path.read_bytes() for path in folder.iterdir()})
            raise OSError(28, "No space left on device")
        fsync(file)

    monkeypatch.setattr(os, "fsync", full_in_the_end)
    with pytest.raises(ModelError, match="No space left on device"):
        train(tiny.train, tiny.dev, folder, config=tiny.config)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == saved[0]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    resumed = train(tiny.train, tiny.dev, folder, config=tiny.config, resume=True)
    assert resumed.visits == visited(tiny)[-1]


def test_patience_ends_a_run(tiny, finished, tmp_path, monkeypatch):
    options = replace(tiny.config.train, patience=2, visits=4800)
    # Constant weights never improve; zero updates avoid compilation of another step.
    monkeypatch.setattr(loop, "step", fake_step(math.log(2.0)))
    training = train(
        tiny.train, tiny.dev, tmp_path / "m", config=replace(tiny.config, train=options)
    )
    assert training.stopped_early
    assert [m["visits"] for m in training.metrics] == evaluated(tiny)
    assert training.best["visits"] == evaluated(tiny)[0]


def fake_step(*losses):
    """Return a step that changes nothing and reports the given losses, the last one for ever."""
    remaining = list(losses)

    def step(recipe, parameters, state, constants, batch, key):
        loss = remaining.pop(0) if len(remaining) > 1 else remaining[0]
        ok = jnp.asarray(math.isfinite(loss))
        return (parameters, state, Outcome(jnp.asarray(loss), jnp.asarray(9), jnp.asarray(1), ok))

    return step


def test_divergence_is_told_and_the_last_model_stays(tiny, tmp_path, monkeypatch):
    folder = tmp_path / "model"
    monkeypatch.setattr(loop, "step", fake_step(*[0.5] * 5, math.nan))
    with pytest.raises(TrainingError) as error:
        train(tiny.train, tiny.dev, folder, config=tiny.config)
    assert f"after {visited(tiny)[5]} of 48 visits" in str(error.value)
    assert "train.learning_rate (now 0.0035)" in str(error.value)
    assert f"of visit {evaluated(tiny)[0]}, is in" in str(error.value)
    steps = 1 + visited(tiny).index(evaluated(tiny)[0])
    assert load(folder).metrics[0]["train_unscorable"] == steps
    monkeypatch.setattr(loop, "step", fake_step(math.inf))
    with pytest.raises(TrainingError, match="nothing has been saved yet"):
        train(tiny.train, tiny.dev, tmp_path / "other", config=tiny.config)
    assert list(tmp_path.iterdir()) == [folder]


def test_weights_that_score_nothing_are_never_the_best(tiny, tmp_path, monkeypatch):
    scores = iter([-1.0, math.nan, -2.0])
    monkeypatch.setattr(loop, "step", fake_step(0.5))
    monkeypatch.setattr(scoring, "log_likelihoods", lambda *_: np.full(len(tiny.dev), next(scores)))
    training = train(tiny.train, tiny.dev, tmp_path / "m", config=tiny.config)
    assert [m["dev_unscorable"] for m in training.metrics] == [0, len(tiny.dev), 0]
    assert training.metrics[1]["dev_perplexity"] is None
    assert training.best["visits"] == evaluated(tiny)[0]


def test_nothing_to_train_on(tiny, tmp_path):
    with pytest.raises(TreebankError, match="no training sentence"):
        train([], tiny.dev, tmp_path / "model", config=tiny.config)
    with pytest.raises(TreebankError, match="no development sentence"):
        train(tiny.train, [], tmp_path / "model", config=tiny.config)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sentences, visits", [(1, 1000), (289, 5000), (12_543, 30_000)])
def test_visits_grow_with_the_root_of_the_treebank(sentences, visits):
    plan = Plan.of([9] * sentences, TrainOptions())
    assert (plan.visits, plan.evaluate_every) == (visits, -(-visits // 6))
    explicit_plan = Plan.of([9] * sentences, TrainOptions(visits=77, evaluate_every=7))
    assert (explicit_plan.visits, explicit_plan.evaluate_every) == (77, 7)


def test_each_part_has_its_rate_and_its_decay():
    options = TrainOptions(learning_rate=0.1, channel_learning_rate=0.5)
    names = ("attach.pair", "attach.relation", "channel.0.window")
    weights = {name: jnp.zeros(2) for name in names}
    model: Any = None
    adam = PunctuationModel.optimiser(model, options, 4, 10.0)
    state = adam.init(weights)
    gradients = {**weights, "attach.pair": Rows(jnp.arange(2), jnp.ones(2))}
    gradients |= {name: jnp.ones(2) for name in names[1:]}
    sizes = []
    for _ in range(5):
        updates, state = adam.update(gradients, state, weights)
        sizes.append([float(-jax.tree.leaves(updates[name])[-1][0]) for name in names])
    np.testing.assert_allclose(sizes[0], [0.1, 0.1, 0.5], rtol=1e-5)
    np.testing.assert_allclose(sizes[4], np.multiply([0.1, 0.1, 0.5], FINAL_RATE), rtol=1e-4)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_raise_a_flag(number):
    def handler(*_):
        raise AssertionError

    # A test run in the background of a script may ignore signals.
    inherited = signal.signal(number, handler)
    try:
        with interruptible() as stop:
            assert not stop()
            os.kill(os.getpid(), number)
            assert stop()
            assert stop.signal == number
            # The next signal has its usual effect.
            assert signal.getsignal(number) == handler
        assert signal.getsignal(number) == handler
    finally:
        signal.signal(number, inherited)


def test_shapes_are_counted_once():
    shapes = Shapes()
    for size in (2, 3, 2):
        with shapes.first_call("f", {"a": np.zeros(size), "b": None}):
            pass
    with shapes.first_call("g", {"a": np.zeros(2), "b": None}):
        pass
    assert len(shapes.seen) == 3
