"""Tables in 8 bits are nearest multiples of a scale, and are recognised as such."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file

from semipunct.models.contents import in_eight_bits, multiples
from semipunct.store.checkpoint import load


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-30, 1e-3, 0.1, 1.0, 1e20]))
def test_rounding_is_idempotent_and_near(seed: int, size: float):
    table = np.random.default_rng(seed).normal(0, size, (5, 7)).astype(np.float32)
    table[1] = 0
    rounded = in_eight_bits(table)
    most = np.abs(table).max(1, keepdims=True)
    # Half of a step of a scale that is a little larger than a 127th of the largest entry.
    assert (np.abs(rounded - table) <= most / 253 + 1e-38).all()
    np.testing.assert_array_equal(in_eight_bits(rounded), rounded)
    codes_and_scale = multiples(rounded)
    assert codes_and_scale is not None
    whole, scale = codes_and_scale
    assert whole.dtype == np.int8
    np.testing.assert_array_equal(whole * scale, rounded)
    assert len(np.unique(whole)) > 5 or size < 1e-20


def test_other_tables_have_no_multiples():
    table = np.random.default_rng(0).normal(size=(4, 50)).astype(np.float32)
    assert multiples(table) is None
    assert multiples(in_eight_bits(table)) is not None
    assert multiples(table[0]) is None
    for bad in (np.nan, np.inf):
        assert multiples(np.full((2, 2), bad, np.float32)) is None


@pytest.mark.parametrize("rows", [0, 3])
def test_degenerate_tables(rows: int):
    table = np.zeros((rows, 4), np.float32)
    assert in_eight_bits(table).shape == table.shape


def test_model_folders_hold_them_in_8_bits(text_model: Path):
    stored = load_file(text_model / "model.safetensors")
    dtypes = {name: array.dtype for name, array in stored.items()}
    assert dtypes["word"] == dtypes["ngram"] == np.int8
    assert dtypes["word/scale"] == np.float32
    assert {dtypes[n] for n in dtypes if not n.startswith(("word", "ngram"))} == {
        np.dtype(np.float16)
    }
    loaded = load(text_model).parameters
    assert {array.dtype for array in loaded.values()} == {np.dtype(np.float32)}
    np.testing.assert_array_equal(in_eight_bits(loaded["word"]), loaded["word"])
    assert len(np.unique(loaded["word"])) > 100
