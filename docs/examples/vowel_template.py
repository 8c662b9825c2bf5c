"""A feature template: whether a word begins with a vowel, alone and with its relation."""

import numpy as np

from semipunct.extend import Attributes, Single, Template


def vowels(table: Attributes) -> dict[str, np.ndarray]:
    """Give each word 1 if it begins with a vowel, else 0."""
    forms = [form for s in table.words.sentences for form in s.forms]
    return {"vowel": np.array([form[0].lower() in "aeiou" for form in forms], np.int64)}


VOWEL = Template(
    "vowel",
    "pair",
    (("relation", "vowel"), ("vowel",)),
    brings={"vowel": Single(lambda symbols: 2, vowels)},
)
