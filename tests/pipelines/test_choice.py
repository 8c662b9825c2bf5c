"""What stands in a text restricts what is inserted."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.marks.spacing import JoiningMarks
from semipunct.models.punctuation.draws import Draws
from semipunct.pipelines.choice import Standing, chosen_strings
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.options import Candidates, RestoreOptions
from semipunct.pipelines.tree_restoration import restore_from_draws
from tests.models.punctuation.cases import sentence
from tests.pipelines.test_restore import draws


def text(forms: str, slots: str = ""):
    """Return a sentence of a text; slots are separated by ``|``, tokens by blanks."""
    words = tuple(forms.split())
    strings = slots.split("|") if slots else [""] * (len(words) + 1)
    heads = [0, *range(1, len(words))]
    base = sentence(heads, ["".join(s.split()) for s in strings])
    found = tuple(tuple(s.split()) for s in strings)
    return replace(base, forms=words, slots=found, source="text")


def chosen(
    standing: Sentence,
    *rows: str,
    joining: JoiningMarks | None = None,
    **options: Any,
):
    found = restore_from_draws(
        standing, draws(*rows), RestoreOptions(**options), None, joining or JoiningMarks()
    )
    return [" ".join(slot) for slot in found.slots]


def test_marks_of_a_text_stay_unless_requested():
    standing = text("Yum Brands fell", "|!||.")
    rows = ["|!||.", ",|,||?", ",|,||?"]
    assert chosen(standing, *rows) == [",", "!", "", "."]
    assert chosen(standing, *rows, keep="keep") == [",", "!", "", "."]
    assert chosen(standing, *rows, keep="replace") == [",", ",", "", "?"]
    of_treebank = replace(standing, source="treebank")
    assert chosen(of_treebank, *rows) == [",", ",", "", "?"]


@pytest.mark.parametrize("minimise", ["slots", "draws"])
def test_the_next_best_string_is_chosen(minimise: Candidates):
    rows = ["|.|.", "|.|.", "|.|.", "|,|!", "|,|!"]
    assert chosen(text("on Yahoo! in", "||||"[:3]), *["|.|.|."] * 3, minimise=minimise) == [
        "", ".", "", "."
    ]  # fmt: skip
    # No end beside the end of a name, but a comma is possible.
    assert chosen(text("Yahoo! in"), *rows)[1] == ","
    # A word that ends a sentence by itself needs no other mark.
    assert chosen(text("so :)"), *rows)[2] == ""
    # In a treebank nothing is known of words.
    other = replace(text("Yahoo! in"), source="treebank")
    assert chosen(other, *rows, minimise=minimise)[1] == "."


def test_the_slot_of_a_closed_word_is_not_filled_and_not_emptied():
    standing = replace(text("him her left", "|/||"), closed=frozenset({1, 2}))
    for keep in ("keep", "repair", "replace"):
        assert chosen(standing, *["|,|,|."] * 3, keep=keep) == ["", "/", "", "."]


def test_nothing_is_inserted_within_a_word_that_was_written_apart():
    standing = replace(text("went with out"), source="treebank")
    relations = ("root", "case", "goeswith")
    apart = replace(standing, tree=replace(standing.tree, relations=relations))
    assert chosen(standing, *[",|,|,|."] * 3) == [",", ",", ",", "."]
    assert chosen(apart, *[",|,|,|."] * 3) == [",", ",", "", "."]


def test_a_bracket_needs_a_partner():
    standing = text("see https://x.org/a?b=c now")
    # The closing one is more probable than nothing, the opening one is not.
    rows = ["||) ,|.", "||) ,|.", "(||)|.", "|||.", "||,|."]
    assert chosen(replace(standing, source="treebank"), *rows, "||)|.") == ["", "", ")", "."]
    assert chosen(standing, *rows) == ["", "", ",", "."]
    # Both together are better than neither.
    both = ["(||)|.", "(||)|.", "||)|.", "|||."]
    assert chosen(standing, *both) == ["(", "", ")", "."]
    # If whole draws are chosen, too.
    assert chosen(standing, "||)|.", minimise="draws") == ["", "", "", "."]


def test_the_bracket_of_an_emoticon_may_be_taken_for_a_partner():
    assert chosen(text("yes up :)", "(|||"), *["(|||)"] * 3) == ["(", "", "", ""]
    assert chosen(text("yes up :)"), *["(|||"] * 3) == ["", "", "", ""]
    # A closing one for it, and an opening one for the emoticon, would leave as many unmatched.
    assert chosen(text("yes it is :)", "(||||"), *["(|)||(|"] * 3) == ["(", "", "", "", ""]
    # Nor may a pair stand in between that takes away their partners.
    rows = ["(|)||(|)"] * 3
    assert chosen(text("yes what up :)", "(||||)"), *rows) == ["(", "", "", "", ")"]
    # An open bracket that stands may get its partner.
    assert chosen(text("yes it is", "(|||"), *["(|||) ."] * 3) == ["(", "", "", ") ."]


def test_words_that_stand_apart_are_not_joined():
    rows = ["|-|/|", "|-|/|", "|-|/|", "||,|"]
    standing = text("Dr Helen left")
    known = JoiningMarks(frozenset({("-", True)}))
    assert chosen(standing, *rows, joining=known) == ["", "", "/", ""]
    assert chosen(standing, *rows) == ["", "", ",", ""]  # by typographic rules
    assert chosen(replace(standing, source="treebank"), *rows) == ["", "-", "/", ""]
    # Han characters stand side by side in any case.
    assert chosen(replace(standing, forms=("他", "她", "来")), *rows) == ["", "-", "/", ""]


def test_uncertain_marks_need_no_partner():
    rows = ["(||)|", "(||)|", "|||", "|||", "|||"]
    assert chosen(text("a b c"), *rows, minimum_confidence=0.3) == ["", "", "", ""]
    most = ["(||)|", "(||)|", "(||)|", "(||) .|", "(|||"]
    assert chosen(text("a b c"), *most, minimum_confidence=0.7) == ["", "", "", ""]
    assert chosen(text("a b c"), *most) == ["(", "", ")", ""]


def test_signs_of_markup_are_not_inserted_into_text():
    rows = [*["<|>|``|*"] * 3, *["||,|."] * 2]
    sentence = text("a b c")
    assert chosen(sentence, *rows) == ["", "", ",", "."]
    in_a_treebank = replace(sentence, source="treebank")
    assert chosen(in_a_treebank, *rows) == ["<", ">", "``", "*"]


def decided(
    forms: str,
    *known: dict[str, float],
    threshold: float | None,
    **options: Any,
):
    """Return the strings chosen given distributions of slots, for a high F1 or for few edits."""
    found = [
        SlotPosterior(tuple(tuple(s.split()) for s in row), np.array([*row.values()]))
        for row in ({"": 1.0}, *known)
    ]
    standing = Standing(text(forms), "keep", JoiningMarks())
    none = Draws((), np.zeros((0, 0), np.int64))
    slots = chosen_strings(standing, none, found, RestoreOptions(**options), threshold)
    return [" ".join(slot) for slot in slots[1:]]


def test_for_f1_a_mark_is_inserted_from_a_threshold():
    known = ({"": 0.6, ",": 0.3, ";": 0.1}, {"": 0.7, ".": 0.25, "?": 0.05})
    assert decided("so it", *known, threshold=None) == ["", ""]
    assert decided("so it", *known, threshold=0.28) == [",", ""]
    assert decided("so it", *known, threshold=0.2) == [",", "."]
    # The confidence is the probability itself, not that given that there is a mark.
    assert decided("so it", *known, threshold=0.2, minimum_confidence=0.28) == [",", ""]


def test_for_f1_no_less_probable_mark_takes_the_place_of_an_excluded_one():
    known = ({"": 0.3, ".": 0.6, ",": 0.1}, {".": 1.0})
    assert decided("so it", *known, threshold=0.3, marks={","}) == ["", ""]
    assert decided("so it", *known, threshold=0.05, marks={","}) == [",", ""]


def test_marks_of_treebanks_are_paired_on_request():
    """Distributions of slots say nothing of partners, unlike draws of whole sentences."""
    base = replace(text("so it is"), source="treebank")
    rows = ({"": 0.1, "“": 0.9}, {"": 1.0}, {"": 0.6, "”": 0.4}, {".": 1.0})
    found = [
        SlotPosterior(tuple(tuple(s.split()) for s in row), np.array([*row.values()]))
        for row in rows
    ]
    none = Draws((), np.zeros((0, 0), np.int64))
    chosen = [
        chosen_strings(Standing(base, "replace", JoiningMarks(), paired), none, found, OPTIONS)
        for paired in (False, True)
    ]
    assert chosen[0] == [("“",), (), (), (".",)]
    assert chosen[1] == [("“",), (), ("”",), (".",)]


OPTIONS = RestoreOptions()
