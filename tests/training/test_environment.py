"""How the environment describes the processes of a run, and what is refused."""

import re
import socket
from pathlib import Path

import pytest

from semipunct.errors import UsageError
from semipunct.training import environment
from semipunct.training.environment import (
    describe_process,
    is_loss,
    local_environments,
    number_to_start,
)
from tests.trained import run

RIGHT = {
    "JAX_COORDINATOR_ADDRESS": "node0:1234",
    "JAX_NUM_PROCESSES": "4",
    "JAX_PROCESS_ID": "3",
}


def test_three_variables_describe_a_process():
    assert describe_process(RIGHT) == {
        "coordinator_address": "node0:1234",
        "num_processes": 4,
        "process_id": 3,
        "cluster_detection_method": "deactivate",
    }
    assert describe_process({"PATH": "x"}) == {}
    assert describe_process({"JAX_COORDINATOR_ADDRESS": "node0:1234", "SLURM_JOB_ID": "7"}) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"JAX_PROCESS_ID": ""}, "JAX_COORDINATOR_ADDRESS is set and JAX_PROCESS_ID is not"),
        ({"JAX_COORDINATOR_ADDRESS": ""}, "JAX_NUM_PROCESSES is set and JAX_COORDINATOR_ADDRESS"),
        ({"JAX_COORDINATOR_ADDRESS": "node0"}, "is 'node0'; write HOST:PORT"),
        ({"JAX_COORDINATOR_ADDRESS": "node0:99999"}, "write HOST:PORT"),
        ({"JAX_COORDINATOR_ADDRESS": "node0:²"}, "write HOST:PORT"),
        ({"JAX_COORDINATOR_ADDRESS": ":80"}, "write HOST:PORT"),
        ({"JAX_PROCESS_ID": "-1"}, "JAX_PROCESS_ID is '-1'; write a number"),
        ({"JAX_NUM_PROCESSES": "two"}, "JAX_NUM_PROCESSES is 'two'; write a number"),
        ({"JAX_PROCESS_ID": "4"}, "is 4 and JAX_NUM_PROCESSES is 4; numbers are 0 to 3"),
        ({"JAX_NUM_PROCESSES": "0"}, "there must be at least one"),
    ],
)  # fmt: skip
def test_a_wrong_description_is_refused(change: dict[str, str], message: str):
    with pytest.raises(UsageError, match=re.escape(message)):
        describe_process({**RIGHT, **change})


def test_a_port_in_use_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as used:
        taken = {**RIGHT, "JAX_COORDINATOR_ADDRESS": f"127.0.0.1:{used.getsockname()[1]}"}
        assert describe_process(taken)["process_id"] == 3
        with pytest.raises(UsageError, match="the port is in use here"):
            describe_process({**taken, "JAX_PROCESS_ID": "0"})


def test_processes_of_one_machine_share_its_cores(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(environment, "_cores", lambda: 8)
    monkeypatch.delenv("NPROC", raising=False)
    first, second = local_environments(2)
    assert describe_process(first)["process_id"] == 0
    assert describe_process(second) == {**describe_process(first), "process_id": 1}
    assert first["NPROC"] == "4"
    assert local_environments(64)[63]["NPROC"] == "1"
    monkeypatch.setenv("NPROC", "3")
    assert "NPROC" not in local_environments(2)[0]


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "1.5", "²", "65", "9" * 50, "", "AUTO"])
def test_numbers_of_processes_that_make_no_sense_are_refused(wrong: str, tmp_path: Path):
    with pytest.raises(UsageError, match=f"^--processes {re.escape(wrong)}: "):
        number_to_start(wrong)
    words = ("--dev", "d.conllu", "-o", tmp_path / "m", f"--processes={wrong}")
    assert run("train", "t.conllu", *words).status == 2


def test_numbers_of_processes():
    assert [number_to_start(x) for x in ("auto", "1", "64")] == [None, 1, 64]


def test_standard_input_is_not_read_by_several_processes(tmp_path: Path):
    refused = run("train", "-", "--dev", "d", "-o", tmp_path / "m", "--processes", "2")
    assert refused.message == "error: standard input is read by one process only; name a file"
    assert refused.status == 2


def test_messages_of_a_loss_are_told_from_others():
    assert is_loss("UNKNOWN: Gloo all-reduce failed: Connection closed by peer [127.0.0.1]:60039")
    assert is_loss("UNAVAILABLE: Task 1 heartbeat timeout.")
    assert not is_loss("RESOURCE_EXHAUSTED: out of memory")
