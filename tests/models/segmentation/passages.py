"""Passages in a language with rules: sentences end with a full stop, names have a capital.

And the rules of the tags of characters, spelt out.
"""

import random

from semipunct.corpus.passages import Passage
from semipunct.models.segmentation.tags import INSIDE, OUTSIDE, STOP


def passage(*sentences: str, glue: str = " ") -> Passage:
    """Build a passage of sentences with tokens separated by blanks; ``_`` joins two tokens.

    ``al`` is the multiword token *a el*.
    """
    text, tokens, ends, marks, words = "", [], [], [], []
    for sentence in sentences:
        text += glue if text else ""
        for index, word in enumerate(sentence.split()):
            form = word.removeprefix("_")
            text += " " if index and form == word else ""
            tokens.append((len(text), len(text) + len(form)))
            text += form
            ends.append(False)
            marks.append(not any(map(str.isalnum, form)))
            words.append(("a", "el") if form == "al" else (form,))
        ends[-1] = True
    columns = (tuple(column) for column in (tokens, ends, marks, words))
    return Passage("p", "made", 1, text, *columns)


def generated(count: int, seed: int) -> list[Passage]:
    """Draw passages of three sentences."""
    chance = random.Random(seed)
    words = ["ba", "do", "gu", "ke", "al", "Mo", "li.e"]

    def sentence() -> str:
        body = [chance.choice(words) for _ in range(chance.randint(1, 4))]
        comma = ["_,"] if chance.random() < 0.5 else []
        return " ".join(["So", *comma, *body, "_."])

    return [passage(*(sentence() for _ in range(3))) for _ in range(count)]


def is_possible(tags: tuple[int, ...], text: str) -> bool:
    """The rules of tags, spelt out."""
    for i, (tag, char) in enumerate(zip(tags, text, strict=True)):
        if char == " " and tag not in (OUTSIDE, INSIDE):
            return False
        if char != " " and tag == OUTSIDE:
            return False
        if tag == OUTSIDE and i and tags[i - 1] == INSIDE:
            return False
    return tags[-1] == STOP
