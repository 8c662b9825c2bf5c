"""A feature template for the tests: whether a word begins with a vowel.

This is all that a template costs, with one entry in ``semipunct.features.templates.TEMPLATES``.
"""

import numpy as np

from semipunct.arrays.unique_rows import Ints
from semipunct.features.attributes import Attributes, Single
from semipunct.features.templates import Template


def _vowels(table: Attributes) -> dict[str, Ints]:
    forms = [form for s in table.words.sentences for form in s.forms]
    return {"vowel": np.array([form[0].lower() in "aeiou" for form in forms], np.int64)}


VOWEL = Template(
    "vowel",
    "pair",
    (("relation", "vowel"), ("vowel",)),
    brings={"vowel": Single(lambda symbols: 2, _vowels)},
)
