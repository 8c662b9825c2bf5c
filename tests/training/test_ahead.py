"""What a second thread does while the first one goes on."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.arrays.programs import Program, forget_compiled
from semipunct.training.ahead import like, meanwhile
from semipunct.training.loop import train


def test_tasks_are_run_in_order_while_the_body_runs():
    done: list[int] = []
    last = threading.Event()
    tasks: list[Callable[[], object]] = [lambda: done.append(1), lambda: done.append(2), last.set]
    with meanwhile(tasks):
        assert last.wait(10)
    assert done == [1, 2]


def test_what_has_not_begun_at_the_end_is_left_out():
    begun, goes_on = threading.Event(), threading.Event()
    done: list[int] = []

    def slow() -> None:
        begun.set()
        goes_on.wait(10)

    def tasks() -> Iterator[Callable[[], object]]:
        yield slow
        threading.Timer(0.05, goes_on.set).start()
        yield lambda: done.append(1)

    with meanwhile(tasks()):
        begun.wait(10)
        threading.Timer(0.2, goes_on.set).start()
    assert not done


def test_a_task_that_fails_is_left_to_the_body():
    def wrong() -> None:
        raise ValueError

    with meanwhile([wrong]):
        pass


def test_arrays_of_the_same_shapes_take_no_memory():
    given = {"a": jnp.ones((1000, 1000)), "b": (jnp.zeros(3, jnp.int32),)}
    found = like(given)
    assert found["a"].shape == (1000, 1000)
    assert found["a"].dtype == np.float32
    assert found["a"].base.nbytes < 16
    assert found["b"][0].dtype == np.int32


def test_a_training_compiles_nothing_twice(
    tiny: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What is compiled ahead is what the steps and evaluations run."""
    forget_compiled()
    compiled = Program._compiled
    counts: Counter[str] = Counter()
    threads: set[str] = set()

    def noted(self: Program, static: Any, dynamic: Any, key: str) -> Any:
        counts[f"{self._function.__name__} {key}"] += 1
        threads.add(threading.current_thread().name)
        return compiled(self, static, dynamic, key)

    monkeypatch.setattr(Program, "_compiled", noted)
    result = train(tiny.config, tiny.train, tiny.dev, tmp_path / "model")
    assert set(counts.values()) == {1}
    names = Counter(key.partition(" ")[0] for key in counts)
    assert names["_gradient"] + names["_score"] == result.compiled_shapes
    assert len(threads) == 2
