"""`semipunct average`: models in, a model out, or one message."""

from pathlib import Path

import numpy as np

from semipunct.training.checkpoint import load, save
from tests.cli.conftest import Cli


def shifted(model: Path, folder: Path, shift: float) -> Path:
    """The model with other weights."""
    loaded = load(model)
    weights = {name: value + np.float32(shift) for name, value in loaded.parameters.items()}
    save(folder, loaded.model, weights, loaded.config, figures=loaded.figures, card="# Mine\n")
    return folder


def test_the_average_is_a_model(cli: Cli, model: Path, treebanks: dict[str, Path], tmp_path: Path):
    out = tmp_path / "mean"
    parts = [shifted(model, tmp_path / str(i), i) for i in (0, 3)]
    result = cli("average", *parts, "-o", out)
    assert result.status == 0, result.err
    assert "the average of 2 models" in result.err
    name = "attach.relation"
    expected = load(model).parameters[name] + 1.5
    np.testing.assert_allclose(load(out).parameters[name], expected, rtol=1e-6)
    card = (out / "README.md").read_text("utf-8")
    assert f"semipunct average {parts[0]} {parts[1]} -o {out}" in card
    assert "## Mine" in card
    assert cli("evaluate", out, treebanks["dev"]).status == 0


def test_what_cannot_be_averaged(cli: Cli, model: Path, tmp_path: Path):
    out = tmp_path / "mean"
    assert "takes two or more" in cli("average", model, "-o", out).message
    gone = tmp_path / "gone"
    assert f"{gone}: there is no such folder" in cli("average", model, gone, "-o", out).message
    (tmp_path / "notes.txt").write_text("mine")
    assert "left alone" in cli("average", model, model, "-o", tmp_path).message
    assert not out.exists()
