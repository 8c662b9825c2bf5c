"""Signatures: the task, treebank and conditions of a measurement in one line."""

from __future__ import annotations

from collections.abc import Mapping

from semipunct.version import __version__


def figures_signature(
    task: str, model: str, treebank: str, conditions: Mapping[str, str] | None = None
) -> str:
    """Return the signature of figures, which are comparable if they differ only in the model.

    Args:
        task: the name of the metric.
        model: the beginning of the digest of the model, and of any other that takes part.
        treebank: a SHA-256 digest of the gold sentences.
        conditions: options that the figures depend on.

    Raises:
        ValueError: as ``join_signature`` does.
    """
    return join_signature(
        {
            "task": task,
            "model": model,
            "treebank": treebank[:12],
            **(conditions or {}),
            "version": __version__,
        }
    )


def join_signature(parts: Mapping[str, str]) -> str:
    """Return the line ``key:value|key:value``.

    Raises:
        ValueError: if a part could not be parsed again, or ``task`` or ``treebank`` is missing.
    """
    for key, value in parts.items():
        if not key or not value or set("|:") & set(key) or "|" in value:
            raise ValueError(f"{key}:{value} cannot be a part of a signature")
    if not {"task", "treebank"} <= parts.keys():
        raise ValueError("a signature must name its task and its treebank")
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def split_signature(signature: str) -> dict[str, str]:
    """Return the parts of a signature; the inverse of ``join_signature``.

    Raises:
        ValueError: if it is not a signature, or task or treebank is missing.
    """
    pairs = [part.partition(":") for part in signature.split("|")]
    parts = {key: value for key, _, value in pairs}
    if len(parts) < len(pairs):
        raise ValueError(f"the signature {signature!r} names a part twice")
    if not all(key and value for key, value in parts.items()):
        raise ValueError(f"the signature {signature!r} does not consist of key:value")
    for key in ("task", "treebank"):
        if key not in parts:
            raise ValueError(f"the signature {signature!r} does not name the {key}")
    return parts
