"""Sentences of a language with word-order rules."""

import random

from semipunct.corpus import Sentence
from semipunct.trees import DependencyTree

RULE = ("nsubj", "aux", "root", "obj", "obl")
"""The order of a verb and its dependents."""
TAGS = {"nsubj": "NOUN", "aux": "AUX", "root": "VERB", "obj": "NOUN", "obl": "NOUN"}


def sentence(relations: tuple[str, ...], number: int = 0) -> Sentence:
    """Build a verb with dependents in the given order."""
    root = relations.index("root") + 1
    heads = tuple(0 if r == "root" else root for r in relations)
    n = len(relations)
    upos = tuple(TAGS.get(r, "X") for r in relations)
    tree = DependencyTree(heads, relations)
    columns = (relations, ("_",) * n, upos, ("_",) * n, ("_",) * n)
    return Sentence(f"s{number}", "made", number + 1, *columns, tree, ((),) * (n + 1))


def drawn(count: int, seed: int) -> list[Sentence]:
    """Draw verbs with some dependents in the order of ``RULE``, but a tenth with obl first."""
    chance = random.Random(seed)
    sentences: list[Sentence] = []
    for number in range(count):
        some = [r for r in RULE if r == "root" or chance.random() < 0.6]
        if "obl" in some and chance.random() < 0.1:
            some = ["obl", *(r for r in some if r != "obl")]
        sentences.append(sentence(tuple(some), number))
    return sentences
