"""Packing of models for distribution, with the loss measured on held-out examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from semipunct.corpus.treebank import without_omitted
from semipunct.errors import ModelError
from semipunct.models.base import Array
from semipunct.models.contents import in_eight_bits
from semipunct.models.registry import find_kind
from semipunct.models.scoring import Batches
from semipunct.store.checkpoint import SavedModel, save
from semipunct.store.folder import CARD, STATE, STATE_ARRAYS, check_output, is_model_folder
from semipunct.wording import figure, quantity

# The least width of a table in 8 bits: the scale of each row takes four bytes.
LEAST = 16


@dataclass(frozen=True, slots=True)
class Packing:
    """Sizes and figures of a model, before and after packing."""

    size_before: int
    size: int
    figures_before: Mapping[str, float]
    figures: Mapping[str, float]


def pack(
    model: SavedModel[Any], output: str | Path, examples: Sequence[Any] = (), *, force: bool = False
) -> Packing:
    """Write a smaller copy of a model: tables of weights in 8 bits, others in half precision.

    A section of the model card reports the figures before and after packing.

    Raises:
        ModelError: if the run of the model is not finished, if a model exists and ``force`` is not
            given, or if the model cannot be written.
    """
    files = {path.name: path for path in model.path.iterdir() if path.is_file()}
    if STATE in files or STATE_ARRAYS in files:
        raise ModelError(
            f"{model.path}: the training of this model is not finished; finish it with "
            "'semipunct train --resume'"
        )
    folder = Path(output)
    check_output(folder)
    if not force and is_model_folder(folder):
        raise ModelError(f"{folder}: is there already; name another place, or give force=True")
    packed = pack_weights(model.parameters)
    before, after = (_figures(model, weights, examples) for weights in (model.parameters, packed))
    size_before = sum(path.stat().st_size for path in files.values())
    card = files[CARD].read_text("utf-8", errors="backslashreplace") if CARD in files else ""
    text = card.rstrip() + _section(len(examples), before, after)
    save(
        folder, model.model, packed, model.config,
        figures=model.figures, metrics=model.metrics, card=text,
    )  # fmt: skip
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    return Packing(size_before, size, before, after)


def pack_weights(parameters: Mapping[str, Array]) -> dict[str, Array]:
    """Round rows of tables to 8 bits, and other arrays to half precision.

    Arrays beyond the range of half precision (65,504) are kept. Saving stores these weights without
    loss (``store.checkpoint``).
    """
    return {name: _packed(np.asarray(array)) for name, array in parameters.items()}


def _packed(array: Array) -> Array:
    if array.dtype != np.float32 or not np.isfinite(array).all():
        return array
    if array.ndim == 2 and array.shape[1] >= LEAST:
        return in_eight_bits(array)
    with np.errstate(over="ignore"):
        half = array.astype(np.float16).astype(np.float32)
    return half if np.isfinite(half).all() else array


def _figures(
    model: SavedModel[Any], weights: Mapping[str, Any], examples: Sequence[Any]
) -> dict[str, float]:
    if not examples:
        return {}
    usable = without_omitted(examples)
    batches = Batches(model.model, model.model.encode(usable))
    values = find_kind(model.model.kind).metrics(model.model, weights, usable, batches)
    return {name: float(value) for name, value in values.items() if value is not None}


def _section(examples: int, before: Mapping[str, float], after: Mapping[str, float]) -> str:
    text = (
        "\n\n## Packed\n\nTables of weights are rounded to 8 bits with a scale for each row, other "
        "weights to half\nprecision."
    )
    if not before:
        return f"{text} The figures above are those of the model before packing.\n"
    rows = "\n".join(
        f"| {name.replace('_', ' ')} | {figure(before[name])} | {figure(after[name])} |"
        for name in before
    )
    return (
        f"{text} On {quantity(examples, 'held-out example')}:\n\n"
        f"| figure | before | packed |\n| --- | --- | --- |\n{rows}\n"
    )
