"""Texts with planted rules: every sentence begins with a capital *so*, and *but* has a comma."""

import random
from collections.abc import Sequence

from semipunct.corpus.word_streams import TextPassage, items, word_stream

WORDS = ("ba", "do", "gu", "ke", "al", "mo", "li")


def text(sentences: int, seed: int) -> str:
    """Return sentences such as ``So ba do, but gu.`` on one line."""
    chance = random.Random(seed)

    def some() -> str:
        return " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 3)))

    return " ".join(
        f"So {some()}, but {some()}." if chance.random() < 0.5 else f"So {some()}."
        for _ in range(sentences)
    )


def passages(sentences: int, seed: int, size: int = 24) -> Sequence[TextPassage]:
    """Return such a text as passages."""
    return word_stream("planted.txt", items([text(sentences, seed)])).passages(size)
