"""Options of XLA: used where the installed version knows them, and never needed."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.arrays import programs
from semipunct.arrays.programs import compile_with_options
from semirings.log import Log


def total(semiring, x):
    return semiring.sum(x, 0)


total.__module__ = "semipunct.made_up"


def elsewhere(semiring, x):
    return semiring.sum(x, 0)


@pytest.fixture
def options(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Options of which the installed version knows all but one, and one value."""
    option_values: dict[str, object] = {
        "xla_an_option_of_another_version": True,
        "xla_backend_optimization_level": 0,
        "xla_cpu_prefer_vector_width": "many",
    }
    monkeypatch.setattr(programs, "_OPTIONS", option_values)
    monkeypatch.setattr(programs, "compilation_folder", lambda: None)
    return option_values


@pytest.mark.parametrize("function", [total, elsewhere])
def test_refused_options_are_left_out(options: dict[str, object], function):
    program = programs.jit(function, static=1)
    x = np.log(np.arange(1.0, 9.0, dtype=np.float32))
    for _ in range(2):
        assert float(program(Log(), x)) == pytest.approx(np.log(36.0), rel=1e-6)
    assert options == {"xla_backend_optimization_level": 0}
    assert float(program(Log(), x[:3])) == pytest.approx(np.log(6.0), rel=1e-6)


def test_without_any_option_results_are_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(programs, "compilation_folder", lambda: None)
    x = np.linspace(-3.0, 3.0, 50, dtype=np.float32)
    chosen = float(programs.jit(total, static=1)(Log(), x))
    monkeypatch.setattr(programs, "_OPTIONS", {})
    assert float(programs.jit(total, static=1)(Log(), x)) == pytest.approx(chosen, rel=1e-6)


def test_other_errors_of_the_compiler_are_not_hidden(options: dict[str, object]):
    def fail(_: dict[str, object]) -> None:
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: out of memory")

    with pytest.raises(jax.errors.JaxRuntimeError, match="out of memory"):
        compile_with_options(fail)
    assert len(options) == 3


def test_the_installed_version_knows_the_options():
    """A version that refuses one is slower; this is to be noticed here and not by users."""
    for name, value in programs.CHOSEN.items():
        double = jax.jit(lambda x: 2 * x, compiler_options={name: value})
        assert float(double(jnp.float32(3.0))) == 6.0


def test_the_environment_has_the_last_word():
    show = "from semipunct.arrays import programs; print(sorted(programs._OPTIONS))"

    def options(flags: str) -> str:
        environment = {**os.environ, "XLA_FLAGS": flags}
        command = [sys.executable, "-c", show]
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout

    assert "xla_backend_optimization_level" in options("")
    set_options = options("--xla_backend_optimization_level=0")
    assert "xla_backend_optimization_level" not in set_options
    assert "xla_cpu_experimental_ynn_fusion_type" in set_options
