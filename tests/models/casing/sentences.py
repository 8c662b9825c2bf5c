"""Sentences of a language with capitalisation rules."""

import random

from semipunct.corpus import Sentence
from semipunct.trees import DependencyTree


def sentence(chance: random.Random) -> Sentence:
    """Draw a sentence: capitals at its start and after a colon; some words have their own."""
    forms, slots = [], [()]
    for i in range(chance.randint(3, 6)):
        word = chance.choice(["ba", "do", "Mo", "UN", "iPo", "1"])
        opens = i == 0 or slots[-1] == (":",)
        forms.append(word.capitalize() if opens and word.islower() else word)
        slots.append((":",) if chance.random() < 0.3 else ())
    slots[-1] = (".",)
    n = len(forms)
    tree = DependencyTree((0, *[1] * (n - 1)), ("root", *["dep"] * (n - 1)))
    columns = (tuple(forms), *[("_",) * n] * 4)
    return Sentence("s", "made", 1, *columns, tree, tuple(slots))


def drawn(count: int, seed: int) -> list[Sentence]:
    """Draw some sentences."""
    chance = random.Random(seed)
    return [sentence(chance) for _ in range(count)]
