"""Programs: results, sharing of compiled code, storage on disk, and when it is not used."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.arrays import compilation, programs
from semipunct.arrays.memory import memory_maps
from semipunct.arrays.programs import Program
from semirings.log import Log
from semirings.viterbi import Viterbi

X = {"a": jnp.arange(3.0), "b": np.array([2, 3])}


@dataclass(frozen=True)
class Ours:
    """A static argument of a class in the project."""

    fingerprint: str


@dataclass(frozen=True)
class Foreign:
    """A static argument of a class outside the project."""

    scale: float = 2.0


Ours.__module__ = "semipunct.made_up"


class Named(NamedTuple):
    """A named part of a result."""

    one: jax.Array
    none: None


class Scaled:
    """A function that counts how often it is traced, with a name inside the project."""

    def __init__(self):
        self.traced = 0
        self.__module__, self.__name__, self.__qualname__ = "semipunct.made_up", "scaled", "scaled"

    def __call__(self, scale, semiring, x, key=None):
        self.traced += 1
        factor = getattr(scale, "scale", None) or float(scale.fingerprint)
        drawn = 0.0 if key is None else jax.random.uniform(key)
        total = semiring.sum(x["a"] * factor, 0)
        return {"sum": total, "pair": (x["b"] + 1, drawn), "more": Named(total, None)}


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    """Clear a folder that other tests may have set."""
    monkeypatch.setattr(programs, "compilation_folder", lambda: None)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that stores everything, regardless of compilation time."""
    monkeypatch.setattr(programs, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(programs, "compilation_folder", lambda: tmp_path)
    return tmp_path


def program(donated=()):
    function = Scaled()
    return function, Program(function, 2, donated)


def sums(answer):
    return float(answer["sum"]), np.asarray(answer["pair"][0]).tolist(), float(answer["pair"][1])


def kept(folder):
    return sorted(folder.glob("scaled-*.lowered"))


def test_equal_descriptions_share_a_trace_and_others_do_not():
    function, run = program()
    for _ in range(2):
        assert sums(run(Ours("2.0"), Viterbi(), X))[0] == 4.0
    assert function.traced == 1
    assert sums(run(Ours("3.0"), Viterbi(), X))[0] == 6.0
    assert sums(run(Ours("2.0"), Log(), X))[0] == pytest.approx(4.1429, abs=1e-4)
    assert function.traced == 3
    run(Ours("2.0"), Viterbi(), {**X, "b": np.array([2.0])})
    assert function.traced == 4


def test_another_process_traces_nothing(folder):
    _, first = program()
    key = jax.random.key(3)
    expected = sums(first(Ours("2.0"), Log(), X, key))
    assert 0 < expected[2] < 1
    assert len(kept(folder)) == 1
    function, second = program()
    assert sums(second(Ours("2.0"), Log(), X, key)) == expected
    assert sums(second(Ours("2.0"), Log(), X, jax.random.key(4))) != expected
    assert second(Ours("2.0"), Log(), X, key)["more"] == Named(expected[0], None)
    assert function.traced == 0
    assert sums(second(Ours("4.0"), Log(), X, key)) != expected


def test_changed_code_traces_again(folder, monkeypatch):
    program()[1](Ours("2.0"), Log(), X)
    monkeypatch.setattr(programs, "code_digest", lambda: "another commit")
    function, again = program()
    again(Ours("2.0"), Log(), X)
    assert function.traced == 1
    assert len(kept(folder)) == 2


def test_nothing_is_kept_if_the_code_cannot_be_read(folder, monkeypatch):
    monkeypatch.setattr(programs, "code_digest", lambda: None)
    assert sums(program()[1](Ours("2.0"), Viterbi(), X))[0] == 4.0
    assert kept(folder) == []


@pytest.mark.parametrize("damage", [b"", b"no such thing", None], ids=["empty", "other", "cut"])
def test_a_damaged_file_is_made_again(folder, damage):
    expected = sums(program()[1](Ours("2.0"), Log(), X))
    (path,) = kept(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    function, again = program()
    assert sums(again(Ours("2.0"), Log(), X)) == expected
    assert function.traced == 1
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_done_without(folder, monkeypatch):
    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert sums(program()[1](Ours("2.0"), Viterbi(), X))[0] == 4.0
    assert list(folder.iterdir()) == []


def test_other_packages_are_compiled_and_not_kept(folder):
    function, run = program()
    assert sums(run(Foreign(), Viterbi(), X))[0] == 4.0
    assert sums(run(Foreign(3.0), Viterbi(), X))[0] == 6.0
    assert function.traced == 2
    doubled = Program(lambda x: 2 * x, 0, ())
    assert float(doubled(2.0)) == 4.0
    assert kept(folder) == []


def test_within_a_trace_it_is_the_function(folder):
    _, run = program()
    gradient = jax.jit(jax.grad(lambda a: run(Ours("2.0"), Log(), {**X, "a": a})["sum"]))
    np.testing.assert_allclose(gradient(X["a"]).sum(), 2.0, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_donated_memory_is_taken():
    function = Scaled()
    run = Program(function, 2, (2,))
    x = {"a": np.arange(1024.0), "b": jnp.zeros(2, int)}
    assert run(Ours("1.0"), Viterbi(), x)["pair"][0].tolist() == [1, 1]
    assert x["b"].is_deleted()


def test_arguments_from_wherever_share_a_compiled_form():
    _, run = program()
    of_host = {"a": np.arange(3.0, dtype=np.float32), "b": np.array([2, 3], np.int32)}
    with compilation.CompileClock() as clock:
        answer = run(Ours("2.0"), Log(), of_host)
        once = clock.seconds
        committed = jax.device_put(of_host["a"], jax.devices()[0])
        run(Ours("2.0"), Log(), {"a": committed, "b": answer["pair"][0]})
    assert clock.seconds == once > 0


def test_arguments_of_other_devices_have_a_form_of_their_own():
    program = (
        "import jax, numpy as np\n"
        "from semipunct.arrays.programs import Program\n"
        "def twice(x): return 2 * x\n"
        "twice.__module__ = 'semipunct.made_up'\n"
        "run, x, devices = Program(twice, 0, ()), np.ones(4, np.float32), jax.devices()\n"
        "assert [run(jax.device_put(x, d)).devices() for d in devices] == [{d} for d in devices]\n"
        "with jax.default_device(devices[1]):\n"
        "    assert run(x).devices() == {devices[1]}\n"
        "mesh = jax.sharding.Mesh(np.array(devices), ('a',))\n"
        "halves = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec('a'))\n"
        "assert run(jax.device_put(x, halves)).tolist() == [2.0] * 4\n"
    )
    two = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    subprocess.run([sys.executable, "-c", program], check=True, env=two)


def test_few_programs_stay_in_memory(monkeypatch):
    monkeypatch.setattr(programs, "_MOST_READY", 2)
    function, run = program()
    for scale in ("1.0", "2.0", "1.0", "3.0", "1.0", "2.0"):
        run(Ours(scale), Log(), X)
    assert function.traced == 4


def test_threads_share_a_trace():
    function, run = program()
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(run, Ours("2.0"), Log(), X) for _ in range(8)]
        answers = [sums(each.result()) for each in futures]
    assert [x[0] for x in answers] == [answers[0][0]] * 8
    assert function.traced == 1


def test_nothing_is_kept_where_jax_keeps_nothing(tmp_path):
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    try:
        assert compilation.compilation_folder() == tmp_path
        jax.config.update("jax_enable_compilation_cache", False)
        assert compilation.compilation_folder() is None
    finally:
        jax.config.update("jax_enable_compilation_cache", True)
        jax.config.update("jax_compilation_cache_dir", before)


def test_the_clock_counts_tracing_once():
    _, run = program()
    with compilation.CompileClock() as clock:
        run(Ours("2.0"), Log(), X)
        first = clock.lowering
        run(Ours("2.0"), Log(), X)
    assert clock.lowering == first > 0
    assert clock.seconds > 0


def test_compiled_forms_go_before_memory_maps_run_out(monkeypatch):
    function, run = program()
    expected = sums(run(Ours("2.0"), Log(), X))
    assert run._ready
    monkeypatch.setattr(programs, "_MOST_MAPS", 0)
    if memory_maps():
        run(Ours("3.0"), Log(), X)
        assert not run._ready
    programs.forget_compiled()
    assert sums(run(Ours("2.0"), Log(), X)) == expected
    assert function.traced > 1
