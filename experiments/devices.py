"""Losses of a training run on several devices and in several processes, compared with one device.

    python experiments/devices.py [--steps 200] [--kinds text parser punctuation] [--output PATH]

Each kind of model is trained on the bundled sample in batches of eight, on one device, on two and
on four (into which XLA divides the CPU), and by two processes with one device each; the first
hundred sentences are the development data. Reported are the number of steps, the largest difference
of the loss of a step from that of the run on one device, and the largest difference of a weight at
the end. A two-process run is also killed (both processes, by SIGKILL, after its first checkpoint)
and resumed: reported is whether its weights are, bit for bit, those of the run that was not killed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

RUNS = {"1 device": (1, 1), "2 devices": (2, 1), "4 devices": (4, 1), "2 processes": (1, 2)}
"""Devices of each process, and processes, by name."""

BATCH = 8
"""Sentences of a batch, or their mean number where batches are filled with words."""

DEVELOPMENT = 100
"""Development sentences, or passages."""

KILLED = "killed and resumed"
"""The name of the run that is resumed, among the figures."""


def main() -> None:
    """Train, compare, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--kinds", nargs="+", default=["text", "parser", "punctuation"])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--member", nargs=3, help="internal: kind, folder and devices of one run")
    arguments = parser.parse_args()
    if arguments.member:
        kind, folder, devices = arguments.member
        train(kind, Path(folder), int(devices), arguments.steps)
        return
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.kinds:
            found[kind] = compared(kind, Path(folder), arguments.steps)
            print(kind, json.dumps(found[kind]), file=sys.stderr, flush=True)
    text = json.dumps({"steps": arguments.steps, "batch": BATCH, "kinds": found}, indent=1)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", "utf-8")


def compared(kind: str, folder: Path, steps: int) -> dict[str, Any]:
    """Train models of a kind in each way, and compare them with the one of the first way.

    Args:
        kind: the kind.
        folder: a folder for the models.
        steps: the number of steps.
    """
    figures: dict[str, Any] = {}
    first: tuple[Sequence[float], Mapping[str, Any]] | None = None
    for name, (devices, processes) in RUNS.items():
        place = folder / f"{kind}-{name.replace(' ', '-')}"
        losses = run(kind, place, steps, devices, processes)
        weights = weights_of(place)
        first = first or (losses, weights)
        print(kind, name, file=sys.stderr, flush=True)
        figures[name] = {
            "steps": len(losses),
            "loss": max(abs(a - b) for a, b in zip(losses, first[0], strict=True)),
            "weight": max(float(np.abs(a - first[1][n]).max()) for n, a in weights.items()),
        }
    whole, place = weights_of(folder / f"{kind}-2-processes"), folder / f"{kind}-killed"
    run(kind, place, steps, 1, 2, kill=True)
    state = json.loads((place / "state.json").read_text("utf-8"))["step"]
    run(kind, place, steps, 1, 2)
    again = weights_of(place)
    same = whole.keys() == again.keys() and all(
        whole[name].tobytes() == again[name].tobytes() for name in whole
    )
    figures[KILLED] = {"steps before": state, "equal bit for bit": same}
    return figures


def weights_of(folder: Path) -> Mapping[str, Any]:
    """Return the weights in a model folder."""
    from semipunct.store.checkpoint import load

    return load(folder).parameters


def run(
    kind: str, folder: Path, steps: int, devices: int, processes: int, *, kill: bool = False
) -> list[float]:
    """Train in other processes; return the losses of the steps.

    Args:
        kind: the kind of model.
        folder: where it is written; a run that is there is continued.
        steps: the number of steps.
        devices: the number of devices of each process.
        processes: the number of processes.
        kill: whether all processes are killed after the first checkpoint.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, __file__, "--steps", str(steps)]
    command += ["--member", kind, str(folder), str(devices)]
    common = {**os.environ, "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    members: list[subprocess.Popen[str]] = []
    for index in range(processes):
        environment = {
            **common,
            "JAX_COORDINATOR_ADDRESS": address,
            "JAX_NUM_PROCESSES": str(processes),
            "JAX_PROCESS_ID": str(index),
        }
        members.append(
            subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL if index else subprocess.PIPE,
                text=True,
                env=environment if processes > 1 else common,
            )
        )
    losses: list[float] = []
    for line in members[0].stdout or ():
        if not line.startswith("{"):
            continue  # of the library that connects processes
        said = json.loads(line)
        losses += [said["loss"]] if "loss" in said else []
        if kill and said.get("phase") == "training" and said["saved"]:
            for member in members:
                member.send_signal(signal.SIGKILL)
    statuses = [member.wait() for member in members]
    if members[0].stdout:
        members[0].stdout.close()
    if any(statuses) != kill:
        raise SystemExit(f"{kind}, {processes} processes: ended with {statuses}")
    return losses


def train(kind: str, folder: Path, devices: int, steps: int) -> None:
    """Train as one process of a run, and print the loss of each step.

    Args:
        kind: the kind of model.
        folder: where it is written; a run that is there is continued.
        devices: the number of devices.
        steps: the number of steps.
    """
    import semipunct
    from semipunct.formats import read_treebank
    from semipunct.formats.running_text import read_running_text

    sample = resources.files("semipunct.data").joinpath("sample.conllu")
    with resources.as_file(sample) as path, tempfile.TemporaryDirectory() as temporary:
        sentences = list(read_treebank([path]))
        if kind == "text":
            text = Path(temporary) / "sample.txt"
            lines = [line for line in path.read_text("utf-8").splitlines() if "# text = " in line]
            text.write_text(" ".join(line.partition(" = ")[2] for line in lines) + "\n", "utf-8")
            sentences = list(read_running_text([text]))
        semipunct.train(
            sentences,
            sentences[:DEVELOPMENT],
            folder,
            kind=kind,
            devices=devices,
            processes="auto" if "JAX_NUM_PROCESSES" in os.environ else None,
            resume=folder.exists(),
            settings=[
                f"train.visits={BATCH * steps}",
                f"train.batch_size={BATCH}",
                f"train.evaluate_every={BATCH * steps // 3}",
                "train.patience=0",
            ],
            report=lambda progress: say(progress, folder),
        )


def say(progress: Any, folder: Path) -> None:
    """Print what a run reports, as a line of JSON.

    Args:
        progress: the report.
        folder: the folder that is written.
    """
    said = {"phase": progress.phase, "saved": folder.exists()}
    loss = {} if progress.objective is None else {"loss": progress.objective}
    print(json.dumps({**said, **loss}), flush=True)


if __name__ == "__main__":
    main()
