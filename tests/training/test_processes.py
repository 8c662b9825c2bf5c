"""Training in two processes gives what training in one gives, and says as much."""

import json
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
    command += [*("-o", together, "--processes", "2"), *(f"--set={each}" for each in SETTINGS)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    # Each line once: the second process is silent, and so are the libraries.
    lines = [line for line in ended.stderr.splitlines() if not line.startswith("compiling")]
    one, two = load(finished.folder), load(together)
    visits = [str(entry["visits"]) for entry in one.metrics]
    said = ["training:", "development:", *visits, f"{together}:"]
    assert [line.split()[0] for line in lines] == said
    for name in ("visits", "train_objective", "dev_perplexity"):
        values = [[entry[name] for entry in model.metrics] for model in (one, two)]
        np.testing.assert_allclose(*values, rtol=1e-5)
    for name, weight in one.parameters.items():
        np.testing.assert_allclose(two.parameters[name], weight, atol=1e-5)
    assert json.loads((together / "config.json").read_text("utf-8"))["figures"]["finished"]
    assert "--processes 2" in (together / "README.md").read_text("utf-8")
