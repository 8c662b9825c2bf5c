"""Small treebanks with heads assigned by a rule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semipunct.corpus import Sentence
from semipunct.trees import DependencyTree


def sentence(
    forms: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],
    slots: Sequence[str] = (),
    relations: Sequence[str] = (),
) -> Sentence:
    """Build a sentence; tags are in xpos, and ``PUNCT`` is a mark; slots are split at blanks."""
    n = len(forms)
    upos = tuple(tag if tag == "PUNCT" else "X" for tag in tags)
    return Sentence(
        "s", "made", 1, tuple(forms), ("_",) * n, upos, tuple(tags), ("_",) * n,
        DependencyTree(tuple(heads), tuple(relations) or ("dep",) * n),
        tuple(tuple(slot.split()) for slot in slots) or ((),) * (n + 1),
    )  # fmt: skip


def planted(count: int, seed: int) -> list[Sentence]:
    """Nouns between two verbs depend on the first verb up to a comma, on the second after it.

    Only the comma determines the heads.
    """
    generator = np.random.default_rng(seed)
    sentences: list[Sentence] = []
    for _ in range(count):
        subjects, objects, more = generator.integers([1, 0, 0], 3).tolist()
        tags = ["N"] * subjects + ["V"] + ["N"] * (objects + more) + ["V"]
        first, second = subjects + 1, len(tags)
        heads = [first] * subjects + [0] + [first] * objects + [second] * more + [first]
        relations = ["subj"] * subjects + ["root"] + ["obj"] * objects + ["subj"] * more + ["next"]
        slots = [""] * (len(tags) + 1)
        slots[first + objects], slots[-1] = ",", "."
        words = [f"{tag.lower()}{generator.integers(3)}" for tag in tags]
        sentences.append(sentence(words, tags, heads, slots, relations))
    return sentences
