"""A run on several devices gives what a run on one device gives, but for rounding."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import semipunct
from semipunct.errors import UsageError
from semipunct.training.devices import Devices
from tests.models.running_text.texts import text
from tests.trained import run


def test_devices_that_do_not_exist_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no device 'nonsense' that JAX can use, only:"):
        Devices.find("nonsense")
    number = jax.local_device_count() + 1
    with pytest.raises(UsageError, match=f"^{number} devices cannot be used"):
        Devices.find(None, number)
    file = tmp_path / "a.txt"
    file.write_text(text(20, 5) + "\n", encoding="utf-8")
    command = ("train", file, "--dev", file, "--kind", "text", "-o", tmp_path / "out")
    refused = run(*command, "--devices", str(number))
    assert refused.status == 2
    assert f"{number} devices cannot be used" in refused.message
    refused = run(*command, "--device", "nonsense")
    assert refused.status == 2
    assert "there is no device 'nonsense'" in refused.message
    assert not (tmp_path / "out").exists()


def test_one_device_changes_nothing():
    devices, arrays = Devices.find("cpu"), {"a": np.ones(3), "b": np.ones((2, 2))}
    for place in (devices.replicate, devices.divide, devices.gather):
        assert place(arrays) is arrays


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["text", "punctuation", "parser"])
def test_the_number_of_devices_changes_rounding_only(kind: str, tmp_path: Path):
    alone, together = (_losses(kind, number, tmp_path) for number in (1, 2))
    assert len(alone) >= 8
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=1e-5)


def _losses(kind: str, number: int, folder: Path) -> list[float]:
    flags = f"--xla_force_host_platform_device_count={number}"
    arguments = [kind, str(number), str(folder / f"{kind}{number}")]
    finished = subprocess.run(
        [sys.executable, __file__, *arguments],
        env={**os.environ, "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    return json.loads(finished.stdout)


def _train(kind: str, number: int, folder: Path) -> list[float]:
    from semipunct.formats import read_treebank
    from tests.commands import sample_lines
    from tests.models.running_text.texts import passages

    losses: list[float] = []
    if kind == "text":
        train, dev = passages(60, 5), passages(60, 2)
    else:
        source = folder.with_suffix(".conllu")
        source.write_text("".join(sample_lines()[:64]), encoding="utf-8")
        train = dev = list(read_treebank([source]))
    semipunct.train(
        train, dev, folder, kind=kind, devices=number,
        settings=["train.visits=96", "train.batch_size=8", "train.evaluate_every=0"],
        report=lambda progress: losses.extend(
            [] if progress.objective is None else [progress.objective]
        ),
    )  # fmt: skip
    return losses


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_train(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
