"""Devices of a training run: which are refused, and that one device changes nothing."""

from pathlib import Path

import jax
import numpy as np
import pytest

from semipunct.errors import ModelError, UsageError
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


def test_a_process_alone_agrees_with_itself():
    devices = Devices.find("cpu")
    assert devices.is_writer
    assert devices.ask_first(lambda: {"x": [1.5]}) == {"x": [1.5]}
    assert list(devices.votes(True)) == [True]
    devices.check_same("input", "digest")
    with pytest.raises(ModelError, match="full"):
        devices.ask_first(lambda: _fail("full"))


def _fail(message: str) -> None:
    raise ModelError(message)
