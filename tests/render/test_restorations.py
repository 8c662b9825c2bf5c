"""Restored sentences as they are written."""

import numpy as np

from semipunct.marks import ABBREVIATION
from semipunct.render.restorations import as_dict
from semipunct.tasks.restore import Restoration, SlotPosterior
from tests.models.punctuation.cases import sentence

ETC = sentence([2, 0], ["“", "", f"{ABBREVIATION} ."])
KNOWN = SlotPosterior(((",",), (), ("—",)), np.array([0.5, 0.3, 0.2]))
CERTAIN = SlotPosterior(((ABBREVIATION, "!"),), np.ones(1))
FOUND = Restoration(
    ETC,
    (("—",), (), (ABBREVIATION, "!")),
    (KNOWN, KNOWN, CERTAIN),
    (((("—",), (), ("!",)), 0.25),),
)


def test_dots_of_abbreviations_are_parts_of_words():
    """They stay where they were, and nowhere else, whatever was restored."""
    assert FOUND.written == (("—",), (), (ABBREVIATION, "!"))
    moved = Restoration(ETC, ((), (ABBREVIATION, ","), ("!",)), FOUND.posteriors, ())
    assert moved.written == ((), (",",), (ABBREVIATION, "!"))


def test_json():
    value = as_dict(FOUND, "— w0 w1.!", strings=2)
    assert (value["sent_id"], value["text"], value["words"]) == ("s", "— w0 w1.!", ["w0", "w1"])
    first, second, _ = value["slots"]
    # What was put in is listed although it is not among the two most probable.
    assert first["alternatives"] == {",": 0.5, "": 0.3, "—": 0.2}
    assert (first["string"], first["probability"]) == ("—", 0.2)
    assert second["alternatives"] == {",": 0.5, "": 0.3}
    assert value["nbest"] == [{"slots": ["—", "", "!"], "share": 0.25}]
