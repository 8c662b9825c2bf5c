"""Text of restored sentences."""

import numpy as np

from semipunct.marks import ABBREVIATION
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.results import Restoration
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
    """They stay in place, and nowhere else, whatever was restored."""
    assert FOUND.written == (("—",), (), (ABBREVIATION, "!"))
    moved = Restoration(ETC, ((), (ABBREVIATION, ","), ("!",)), FOUND.posteriors, ())
    assert moved.written == ((), (",",), (ABBREVIATION, "!"))


def test_json():
    value = FOUND.as_dict()
    assert list(value) == ["sent_id", "text", "words", "slots", "nbest"]
    first, second, last = value["slots"]
    assert [(a["surface"], a["probability"]) for a in first["alternatives"]] == [
        ([","], 0.5), ([], 0.3), (["—"], 0.2)
    ]  # fmt: skip
    assert (first["slot"], first["surface"], first["probability"]) == (0, ["—"], 0.2)
    assert first["entropy_nats"] == KNOWN.entropy > 1
    assert (second["slot"], last["surface"]) == (1, [ABBREVIATION, "!"])
    assert value["nbest"] == [{"slots": [["—"], [], ["!"]], "probability": 0.25}]
    # The string that was put into a slot is listed though it was never drawn.
    listed = KNOWN.as_dict(("!",))["alternatives"]
    assert listed[-1] == {"surface": ["!"], "probability": 0.0}
