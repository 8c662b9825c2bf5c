"""Commands say once that compilation takes long, while it does."""

import threading

import jax
import jax.monitoring
import jax.numpy as jnp
import pytest

from semipunct.arrays.compilation import SlowCompilation, compilation_folder
from semipunct.cli import phases


def test_a_slow_program_is_announced_while_it_is_compiled():
    announced = threading.Event()
    slow = SlowCompilation(announced.set, 0.01)
    slow.start()
    try:
        jax.monitoring.record_event("/jax/compilation_cache/compile_requests_use_cache")
        assert announced.wait(10)
    finally:
        slow.stop()


def test_many_small_programs_are_announced_once():
    calls: list[int] = []
    slow = SlowCompilation(lambda: calls.append(1), 1e-6)
    slow.start()
    try:
        for size in (3, 4, 5):
            jax.jit(lambda x: x * 2)(jnp.zeros(size)).block_until_ready()
    finally:
        slow.stop()
    assert calls == [1]


def test_commands_name_the_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(phases, "PATIENCE", 1e-6)
    phases.keep_programs()
    jax.jit(lambda x: x * 5)(jnp.zeros(3)).block_until_ready()
    monkeypatch.setattr(phases, "PATIENCE", 1e6)
    phases.keep_programs()
    said = capsys.readouterr().err
    assert said.count("compiling programs") == 1
    assert str(compilation_folder()) in said.replace("\n", "")
