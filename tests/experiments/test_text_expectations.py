"""The driver that gives a punctuation model the predictions of a text model as features."""

from dataclasses import replace

import numpy as np

from semipunct.corpus.sentences import Expected
from semipunct.tasks.slot_posteriors import SlotPosterior
from tests.trained import Tiny


def test_the_most_probable_mark_of_each_slot_is_expected(driver, tiny: Tiny):
    module = driver("text_expectations")
    first = next(s for s in tiny.dev if len(s.forms) > 1)
    certain = SlotPosterior(((",",), ()), np.array([0.7, 0.3]))
    doubtful = SlotPosterior(((), (";",), (",",)), np.array([0.9, 0.06, 0.04]))
    empty = SlotPosterior(((),), np.array([1.0]))
    view = [certain, doubtful, *[empty] * (len(first.slots) - 2)]
    n = len(first.forms)
    expected = module.with_expected(first, view).expected
    strings = ((",",), (";",), *[()] * (n - 1))
    assert expected == Expected((1.0,) * n, strings, (0.7, 0.06, *[0.0] * (n - 1)))
    # The heads of a parser keep their probabilities.
    parsed = replace(first, expected=Expected((0.25,) * n, strings, (0.5,) * (n + 1)))
    assert module.with_expected(parsed, view).expected == replace(expected, heads=(0.25,) * n)
