"""The properties of characters that the tokeniser embeds, and their vocabulary."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from semipunct.models.vocabulary import Codes, Vocabulary

# ``kind`` is category and script; ``pair`` the character and the next one; ``run`` its word,
# ``following`` the next word; ``shape`` the capitals and length of its word; ``style`` whether the
# whole text has marks and capitals, because sentence ends look different without them.
CODES = ("character", "kind", "pair", "run", "following", "shape", "style")

LEARNT = {"character": 0, "pair": 0, "run": 1, "following": 1}
"""Properties that training sometimes replaces with the unknown value; equal numbers share a mask.
"""

_IN_WORDS = "'’-"
_RUN = re.compile(r"\w+")
_LONGEST = 8
_LONGEST_RUN = 40  # longer runs are unlikely to recur as words


class CharacterVocabulary(Vocabulary, frozen=True, dict=True):
    """The known values of each property."""

    character: tuple[str, ...]
    kind: tuple[str, ...]
    pair: tuple[str, ...]
    run: tuple[str, ...]
    shape: tuple[str, ...]
    style: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str], characters: int, runs: int) -> CharacterVocabulary:
        """Collect the values of training texts."""
        counts = {name: Counter[str]() for name in cls.__struct_fields__}
        for text in texts:
            for name, values in properties(text).items():
                if name in counts:
                    counts[name].update(values)
        least = {"character": characters, "pair": runs, "run": runs}
        # The count of a run is incremented once for each of its characters.
        for value, n in counts["run"].items():
            counts["run"][value] = n // max(1, len(value))
        return cls(
            *(
                tuple(sorted(v for v, n in counts[name].items() if v and n >= least.get(name, 1)))
                for name in cls.__struct_fields__
            )
        )

    @property
    def following(self) -> tuple[str, ...]:
        return self.run

    def encode(self, text: str) -> Codes:
        """Return the codes of a text, ``[CODES, characters]``."""
        values = properties(text)
        kinds = ("run" if name == "following" else name for name in CODES)
        return np.stack(
            [self.codes(kind, values[name]) for kind, name in zip(kinds, CODES, strict=True)]
        )


def properties(text: str) -> dict[str, list[str]]:
    """Return the values of all properties for each character of a text."""
    run, shape, following = ([""] * len(text) for _ in range(3))
    before = 0
    for match in _RUN.finditer(text):
        start, end = match.span()
        word = match[0].lower() if end - start <= _LONGEST_RUN else ""
        following[before:start] = [word] * (start - before)
        run[start:end] = [word] * (end - start)
        shape[start:end] = [_shape(match[0])] * (end - start)
        before = start
    return {
        "character": list(text),
        "kind": [kind(char) for char in text],
        "pair": [text[i : i + 2] for i in range(len(text))],
        "run": run,
        "following": following,
        "shape": shape,
        "style": [_style(text)] * len(text),
    }


def _style(text: str) -> str:
    """Return the marks and capitals of a text; apostrophes and hyphens are parts of words."""
    marks = any(kind(char).startswith("Po") and char not in _IN_WORDS for char in {*text})
    capitals = any(char.isupper() for char in {*text})
    return f"{'marks' * marks} {'capitals' * capitals}"


@lru_cache(maxsize=2**16)
def kind(char: str) -> str:
    """Return the Unicode category of a character and the first word of its name, the script."""
    return f"{unicodedata.category(char)} {unicodedata.name(char, '').partition(' ')[0]}"


def _shape(run: str) -> str:
    if run.islower():
        case = "a"
    elif run.isupper():
        case = "A"
    elif run[:1].isupper():
        case = "Aa"
    else:
        case = "1" if run.isnumeric() else "x"
    return f"{case}{min(len(run), _LONGEST)}"
