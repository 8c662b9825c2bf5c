"""Packed models: smaller files, the same answers up to rounding."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import semipunct
from semipunct.errors import ModelError, UsageError
from semipunct.pipelines.pack import LEAST, pack_weights
from semipunct.pipelines.pipeline import Pipeline
from semipunct.store.folder import STATE
from tests.commands import Cli

WEIGHTS = arrays.arrays(
    np.float32,
    arrays.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=LEAST + 1),
    elements=st.floats(-1e5, 1e5, width=32),
)


@given(WEIGHTS)
def test_rounding_is_bounded_and_done_once(weights: Any):
    packed = pack_weights({"w": weights})["w"]
    if weights.ndim == 2 and weights.shape[1] >= LEAST:
        # Half a step; a step is a 127th of the largest entry of the row, rounded up to 11 bits.
        bound = np.abs(weights).max(1, keepdims=True) / 127 * (1 + 2**-9) / 2 + 1e-37
    else:  # half precision, or unchanged
        bound = np.abs(weights) * 2**-11 + 2**-24
    assert (np.abs(packed - weights) <= bound).all()
    assert np.array_equal(pack_weights({"w": packed})["w"], packed)


def test_a_folder_is_replaced_only_if_told(model: Path, treebanks: dict[str, Path], tmp_path: Path):
    nlp, place = semipunct.load(model), tmp_path / "packed"
    packing = nlp.pack(place, semipunct.read(treebanks["dev"]))
    assert packing.size < packing.size_before
    assert packing.figures.keys() == packing.figures_before.keys() >= {"perplexity"}
    assert "| figure | before | packed |" in (place / "README.md").read_text("utf-8")
    with pytest.raises(ModelError, match="is there already"):
        nlp.pack(place)
    nlp.pack(place, force=True)
    assert "are those of the model before packing" in (place / "README.md").read_text("utf-8")


def test_an_unfinished_run_is_not_packed(model: Path, tmp_path: Path):
    run = tmp_path / "run"
    shutil.copytree(model, run)
    (run / STATE).write_bytes(b"{}")
    with pytest.raises(ModelError, match="the training of this model is not finished"):
        semipunct.load(run).pack(tmp_path / "out")


def test_a_name_parses_by_the_parser_of_the_name(
    models_of_xx: Path, parser: Path, model: Path, cli: Cli
):
    # Otherwise another test's model of the same files may be returned, which has another path.
    (models_of_xx / "text" / "README.md").touch()
    text = semipunct.load("xx")
    assert [*text.parts] == ["text"]
    with pytest.raises(ModelError, match="xx/text: has no parser; install one"):
        text.parse("so it ran")
    shutil.copytree(parser, models_of_xx / "parser")
    assert {*text.parts} == {"text", "parser"}
    Path("a.txt").write_text("so it ran\n", "utf-8")
    options = ("--format", "text", "--samples", 20)
    by_name = cli("restore", model, "a.txt", "--parser", "xx/parser", *options)
    assert by_name.status == 0, by_name.err
    assert by_name.out == cli("restore", model, "a.txt", "--parser", parser, *options).out
    lines = "so ba but do\nso it ran\n"
    found = text.parse(lines, decoder="best")
    own = semipunct.load("xx/parser").parse(lines, decoder="best")
    direct = semipunct.load(parser, text_model="xx").parse(lines, decoder="best")
    heads = [parse.sentence.tree.heads for parse in direct]
    assert len(heads) == 2
    for parses in (found, own):
        assert [parse.sentence.tree.heads for parse in parses] == heads
    with pytest.raises(UsageError, match="give one of the two"):
        Pipeline(text, parser=text, text_model=text, tokeniser=text).segment("a")
