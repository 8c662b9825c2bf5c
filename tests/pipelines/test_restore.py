"""Restoration minimises the expected loss under the draws."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import ABBREVIATION
from semipunct.models.punctuation.sampler import Draws
from semipunct.pipelines.choice import best_draw, best_strings
from semipunct.pipelines.distributions import SlotPosterior, posteriors
from semipunct.pipelines.options import RestoreOptions
from semipunct.pipelines.pipeline import Pipeline
from semipunct.pipelines.trained import InPlace
from semipunct.pipelines.tree_restoration import (
    most_frequent,
    restore_from_draws,
)
from semipunct.pipelines.writing import in_own_characters
from tests.models.punctuation.cases import model, sentence

S = sentence([2, 0], ["", "", ""])


def draws(*rows: str) -> Draws:
    """Build draws, one per row: slots separated by ``|``, tokens by blanks."""
    table = [[tuple(slot.split()) for slot in row.split("|")] for row in rows]
    strings = [tuple(dict.fromkeys(column)) for column in zip(*table, strict=True)]
    chosen = [[s.index(x) for s, x in zip(strings, row, strict=True)] for row in table]
    return Draws(tuple(strings), np.array(chosen))


def edits(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Compute the edit distance from its definition."""
    if not a or not b:
        return len(a) + len(b)
    change = edits(a[1:], b[1:]) + (a[0] != b[0])
    return min(change, 1 + edits(a[1:], b), 1 + edits(a, b[1:]))


def test_a_case_written_out():
    d = draws("|,|.", "|,|.", "||.", "||. ”", "|| ”")
    first, second, third = posteriors(d)
    assert first.strings == ((),)
    assert first.entropy == 0.0
    assert dict(zip(second.strings, second.probability, strict=True)) == {
        (): pytest.approx(0.6), (",",): pytest.approx(0.4),
    }  # fmt: skip
    assert second.entropy == pytest.approx(-0.6 * math.log(0.6) - 0.4 * math.log(0.4))
    assert third.strings[0] == (".",)
    assert third.of((".",)) == pytest.approx(0.6)
    assert third.of((";",)) == 0.0
    # In the last slot, "." is one edit from ". ”" and from "”".
    assert third.expected_distances([(".",), (".", "”"), ()]).tolist() == pytest.approx(
        [0.4, 0.8, 1.2]
    )
    assert best_strings(d, posteriors(d)) == [(), (), (".",)]
    # No draw has both strings, except the third.
    assert best_draw(d, posteriors(d)) == [(), (), (".",)]


def test_a_string_that_is_not_the_most_probable_may_lose_least():
    d = draws(*["("] * 4, *[". ”"] * 3, *[", ”"] * 3)
    assert best_strings(d, posteriors(d)) != [("(",)]


STRINGS = st.lists(st.sampled_from([",", ".", "”"]), max_size=3).map(tuple)


@given(st.lists(st.tuples(STRINGS, STRINGS), min_size=1, max_size=8))
def test_the_losses_are_the_least(rows: list[tuple[tuple[str, ...], ...]]):
    d = draws(*["|".join(map(" ".join, row)) for row in rows])

    def loss(strings: list[tuple[str, ...]]) -> int:
        return sum(edits(a, b) for row in rows for a, b in zip(strings, row, strict=True))

    by_slot = best_strings(d, posteriors(d))
    product = itertools.product(*[set(column) for column in zip(*rows, strict=True)])
    assert loss(by_slot) == min(loss(list(x)) for x in product)
    whole = best_draw(d, posteriors(d))
    assert tuple(whole) in rows
    assert loss(whole) == min(loss(list(row)) for row in rows)
    times = Counter(rows)
    listed = most_frequent(d, 3)
    assert [round(share * len(rows)) for _, share in listed] == sorted(times.values())[::-1][:3]
    assert all(times[x] == round(share * len(rows)) for x, share in listed)


def test_marks_and_confidence_restrict_what_is_put_in():
    d = draws("|,|. ”", "|,|. ”", "|;|.")
    whole = restore_from_draws(S, d, RestoreOptions())
    assert whole.slots == ((), (",",), (".", "”"))
    some = restore_from_draws(S, d, RestoreOptions(marks=frozenset({".", ";"})))
    assert some.slots == ((), (";",), (".",))
    assert restore_from_draws(S, d, RestoreOptions(minimum_confidence=0.7)).slots == ((), (), ())
    assert restore_from_draws(S, d, RestoreOptions(minimum_confidence=0.6)).slots == whole.slots
    drawn = restore_from_draws(S, d, RestoreOptions(minimise="draws", marks=frozenset({"."})))
    assert drawn.slots == ((), (), (".",))


def test_nobody_writes_the_token_of_rare_marks():
    d = draws("<unk>", "<unk>", "<unk>", ".")
    assert best_strings(d, posteriors(d)) == [(".",)]
    assert best_strings(draws("<unk>"), posteriors(draws("<unk>"))) == [()]
    assert best_draw(draws("<unk>"), posteriors(draws("<unk>"))) == [()]


def test_certainty_has_no_entropy():
    assert SlotPosterior(((",",),), np.ones(1)).entropy == 0.0


def test_restoring_with_a_model():
    m = model("r2l")
    parameters = m.initial_parameters(0, 0.0)
    fitted = InPlace(m, parameters)
    one, two = Pipeline(fitted).restore([S, S], samples=50, nbest=2)
    for found in (one, two):
        assert len(found.slots) == len(found.posteriors) == 3
        assert len(found.nbest) == 2
        assert all("^" not in slot for slot in found.slots)
        assert all(p.probability.sum() == pytest.approx(1) for p in found.posteriors)
    again = Pipeline(fitted).restore([S], samples=50, nbest=2)[0]
    assert again.slots == one.slots
    assert again.nbest == one.nbest


KEEPING = ("N", "W", "L", "R", "S", "history")


def test_what_stands_is_kept_or_repaired_or_replaced():
    m = model("r2l", templates=KEEPING)
    fitted = InPlace(m, m.initial_parameters(2, 0.3))
    marked = sentence([2, 0], ["“", "", "§"])
    found = {
        keep: Pipeline(fitted).restore([marked], samples=400, keep=keep)[0]
        for keep in ("replace", "repair", "keep")
    }
    assert found["keep"].slots[0] == ("“",)
    assert found["keep"].slots[2] == ("§",)  # although it is unknown to the model

    def chance(keep: str) -> float:
        known = found[keep].posteriors[0]
        return sum(known.of(string) for string in known.strings if "“" in string)

    assert chance("replace") + 0.1 < chance("repair") < chance("keep") == 1
    # Without evidence nothing can be kept.
    empty = replace(marked, slots=((), (), ()))
    kept, replaced = (
        Pipeline(fitted).restore([empty], samples=50, keep=keep)[0] for keep in ("keep", "replace")
    )
    assert kept.slots == replaced.slots
    assert kept.posteriors[1].strings == replaced.posteriors[1].strings


def test_the_dot_of_an_abbreviation_absorbs_a_period():
    """The dot is written if requested, and one dot is enough in the text."""
    given_sentence = replace(S, slots=((), (), (ABBREVIATION,)))
    found = restore_from_draws(given_sentence, draws("| |. ”", "| |. ”"), RestoreOptions(), None)
    assert found.slots == ((), (), (".", "”"))
    assert found.written == ((), (), (ABBREVIATION, "”"))
    assert in_own_characters(found, ((), (), (ABBREVIATION, '"'))).slots[2] == (".", '"')
    other = restore_from_draws(given_sentence, draws("| |, .", "| |, ."), RestoreOptions(), None)
    assert other.written == ((), (), (ABBREVIATION, ",", "."))
