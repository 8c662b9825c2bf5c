"""Training in two processes gives what training in one gives, and says as much."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np

from semipunct.formats import read_treebank
from semipunct.store.checkpoint import load
from semipunct.training.config import load_config
from semipunct.training.train import train

SETTINGS = ("train.visits=48", "train.batch_size=8", "train.evaluate_every=24", "train.seed=3")


def test_two_processes_train_the_model_of_one(treebanks: dict[str, Path], tmp_path: Path):
    """The kind is one that is compiled in seconds."""
    paths = treebanks["test"], treebanks["dev"]
    together = tmp_path / "together"
    command = [sys.executable, "-m", "semipunct", "train", paths[0], "--dev", paths[1]]
    command += ["-o", together, "--kind", "ordering", "--processes", "auto"]
    command += [f"--set={each}" for each in SETTINGS]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    common = {**os.environ, "JAX_COORDINATOR_ADDRESS": address, "JAX_NUM_PROCESSES": "2"}
    members = [
        subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
            env={**common, "JAX_PROCESS_ID": str(index)},
        )
        for index in range(2)
    ]  # fmt: skip
    first, second = (member.communicate()[1] for member in members)
    assert [member.returncode for member in members] == [0, 0], first + second
    config = load_config(None, SETTINGS, kind="ordering")
    train(*(read_treebank([path]).sentences for path in paths), tmp_path / "one", config=config)
    one, two = load(tmp_path / "one"), load(together)
    # The second process is silent.
    assert f"{together}: dev perplexity" in first
    assert "training:" in first
    assert "training:" not in second
    assert str(together) not in second
    for name in ("visits", "train_objective", "dev_perplexity"):
        values = [[entry[name] for entry in model.metrics] for model in (one, two)]
        np.testing.assert_allclose(*values, rtol=1e-5)
    np.testing.assert_allclose(two.parameters["weight"], one.parameters["weight"], atol=1e-5)
    assert json.loads((together / "config.json").read_text("utf-8"))["figures"]["finished"]
    assert "--processes auto" in (together / "README.md").read_text("utf-8")
