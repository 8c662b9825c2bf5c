"""Small treebanks with heads, relations and tags assigned by rules."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from semipunct.corpus import Sentence
from semipunct.trees import DependencyTree

STEMS = ["ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu"]


def sentence(
    forms: list[str],
    tags: list[str],
    heads: list[int],
    relations: list[str],
    name: str = "s",
    marks: Mapping[int, str] = {},
) -> Sentence:
    n = len(forms)
    return Sentence(
        name, "made", 1, tuple(forms), ("_",) * n, tuple(tags), tuple(t.lower() for t in tags),
        tuple(f"Tag={tag}" for tag in tags), DependencyTree(tuple(heads), tuple(relations)),
        tuple((marks[i],) if i in marks else () for i in range(n + 1)),
    )  # fmt: skip


def planted(count: int, seed: int, stems: list[str] = STEMS) -> list[Sentence]:
    """Endings determine tags; adjectives depend on the next noun, nouns on the verb.

    A comma follows each noun before the verb, a period the last word. Stems carry no information,
    so that words with unseen stems can be parsed.
    """
    generator = np.random.default_rng(seed)
    sentences: list[Sentence] = []
    for number in range(count):
        before, after = generator.integers([1, 0], 3).tolist()
        tags: list[str] = []
        for _ in range(before):
            tags += ["ADJ"] * int(generator.integers(2)) + ["NOUN"]
        verb = len(tags) + 1
        tags.append("VERB")
        for _ in range(after):
            tags += ["ADJ"] * int(generator.integers(2)) + ["NOUN"]
        heads = [{"ADJ": i + 1, "NOUN": verb, "VERB": 0}[tag] for i, tag in enumerate(tags, 1)]
        relations = [
            {"ADJ": "amod", "NOUN": "nsubj" if i < verb else "obj", "VERB": "root"}[tag]
            for i, tag in enumerate(tags, 1)
        ]
        endings = {"ADJ": "ish", "NOUN": "on", "VERB": "ate"}
        forms = [str(generator.choice(stems)) + endings[tag] for tag in tags]
        marks = {i: "," for i, tag in enumerate(tags[:verb], 1) if tag == "NOUN"}
        marks[len(tags)] = "."
        sentences.append(sentence(forms, tags, heads, relations, f"s{number}", marks))
    return sentences
