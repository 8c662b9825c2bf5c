"""Training in two processes gives what training in one gives, and says as much."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from semipunct.store.checkpoint import load
from tests.commands import sample_lines
from tests.trained import SETTINGS, Finished

ROOT = Path(__file__).parents[2]


@pytest.mark.exhaustive
def test_two_processes_train_the_model_of_one(finished: Finished, tmp_path: Path):
    sentences = sample_lines()
    paths = [tmp_path / "train.conllu", tmp_path / "dev.conllu"]
    for path, part in zip(paths, (sentences[:24], sentences[24:36]), strict=True):
        path.write_text("".join(part), encoding="utf-8")
    together = tmp_path / "together"
    command = [sys.executable, "-m", "semipunct", "train", paths[0], "--dev", paths[1]]
    command += [*("-o", together, "--processes", "auto"), *(f"--set={each}" for each in SETTINGS)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    common = {**os.environ, "JAX_COORDINATOR_ADDRESS": address, "JAX_NUM_PROCESSES": "2"}
    members = [
        subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, cwd=ROOT,
            env={**common, "JAX_PROCESS_ID": str(index)},
        )
        for index in range(2)
    ]  # fmt: skip
    first, second = (member.communicate()[1] for member in members)
    assert [member.returncode for member in members] == [0, 0], first + second
    one, two = load(finished.folder), load(together)
    # The second process is silent.
    assert f"{together}: dev perplexity" in first
    assert "training:" in first
    assert "training:" not in second
    assert str(together) not in second
    for name in ("visits", "train_objective", "dev_perplexity"):
        values = [[entry[name] for entry in model.metrics] for model in (one, two)]
        np.testing.assert_allclose(*values, rtol=1e-5)
    for name, weight in one.parameters.items():
        np.testing.assert_allclose(two.parameters[name], weight, atol=1e-5)
    assert json.loads((together / "config.json").read_text("utf-8"))["figures"]["finished"]
    assert "--processes auto" in (together / "README.md").read_text("utf-8")
