"""Explanations in words, and positions of tokens in a text."""

from __future__ import annotations

import numpy as np
import pytest

from semipunct.marks import Edit
from semipunct.marks.corrections import corrections
from semipunct.render.corrected import Places
from semipunct.render.reasons import reason, rule
from semipunct.tasks.correction import Attached, Corrected, Explained, Reason
from semipunct.tasks.slot_posteriors import SlotPosterior
from tests.models.punctuation.cases import sentence

SENTENCE = sentence([2, 0, 2], ["", "", "", "."], relations=["appos", "root", "xyz"])
SURE = SlotPosterior(((),), np.ones(1))


def told(before: str, after: str, slot: int, cause: Reason | None) -> str:
    slots = [(), (), (), (".",)]
    right = [tuple(after.split()) if i == slot else s for i, s in enumerate(slots)]
    slots[slot] = tuple(before.split())
    (correction,) = corrections(slots, right)
    whole = Corrected(SENTENCE, tuple(right), (SURE,) * 4, ())
    return reason(whole, Explained(correction, 0.9, 0.1, cause))


def attached(word: int, side: str, tokens: str) -> Reason:
    return Reason((Attached(word, side, tuple(tokens.split())),), ())


@pytest.mark.parametrize(
    ("before", "after", "slot", "found", "expected"),
    [
        ("", ",", 1, attached(1, "right", ","), "A comma closes the apposition “w0”."),
        (";", ",", 0, attached(1, "left", ","),
         "A comma in place of the semicolon opens the apposition “w0”."),
        ("", "?", 3, attached(2, "right", "?"), "A question mark ends the sentence."),
        ("", "!", 2, attached(3, "left", "!"),
         "An exclamation mark opens the constituent of the relation xyz “w2”."),
        (",", "", 1, Reason((), ()),
         "No constituent that begins or ends between “w0” and “w1” has a comma there."),
        (",", "", 0, Reason((), ()),
         "No constituent that begins or ends before “w0” has a comma there."),
        (",", "", 1, None, "A comma is improbable between “w0” and “w1”."),
        (",", "", 0, None, "A comma is improbable before “w0”."),
        (", .", ".", 3,
         Reason((Attached(1, "right", (",",)), Attached(2, "right", (".",))),
                (Edit("absorb_left", ",", "."),)),
         "The comma is absorbed by the mark beside it (, . → .)."),
        ("", ", ,", 1, None, "The marks , , are more probable here."),
    ],
)  # fmt: skip
def test_sentences(before: str, after: str, slot: int, found: Reason | None, expected: str):
    assert told(before, after, slot, found) == expected


def test_rules():
    assert rule([]) is None
    assert rule([Edit("keep", ",", ".")]) is None
    assert rule([Edit("transpose", "”", "."), Edit("keep", ".", "”")]) == "” . → . ”"


def test_places():
    text = "  Mr. Dale,  he said: “Go”!"
    slots = [(), ("<abbr>",), (",",), (), (":", "“"), ("”", "!")]
    places = Places.of(text, ["Mr", "Dale", "he", "said", "Go"], slots)
    assert text[slice(*places.place(2, 0, 1))] == ","
    assert text[slice(*places.place(4, 0, 2))] == ": “"
    assert text[slice(*places.place(5, 1, 2))] == "!"
    assert places.place(0, 0, 0) == (2, 2)
    assert places.place(1, 0, 0) == (5, 5)
    assert places.place(5, 2, 2) == (len(text), len(text))
    assert text[: places.place(3, 0, 0)[0]] == "  Mr. Dale,  he"
    # A word with another spelling does not affect those after it.
    assert Places.of("du vin .", ["de", "le", "vin"], [(), (), (), (".",)]).place(3, 0, 1) == (7, 8)
