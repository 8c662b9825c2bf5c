"""Text of restored sentences."""

import numpy as np

from semipunct.marks import ABBREVIATION
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.results import Restoration
from semipunct.pipelines.writing import as_dict
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
    value = as_dict(FOUND, "— w0 w1.!", [2, 3], strings=2)
    assert list(value) == ["schema", "sent_id", "text", "words", "word_ids", "slots", "nbest"]
    assert (value["schema"], value["sent_id"]) == ("semipunct.restore/1", "s")
    assert (value["text"], value["words"], value["word_ids"]) == (
        "— w0 w1.!", ["w0", "w1"], [2, 3]
    )  # fmt: skip
    first, second, _ = value["slots"]
    # The inserted mark is listed although it is not among the two most probable.
    assert [(a["surface"], a["probability"]) for a in first["alternatives"]] == [
        ([","], 0.5), ([], 0.3), (["—"], 0.2)
    ]  # fmt: skip
    assert (first["slot"], first["surface"], first["probability"]) == (0, ["—"], 0.2)
    assert first["entropy_nats"] == KNOWN.entropy > 1
    assert (second["slot"], len(second["alternatives"])) == (1, 2)
    assert value["nbest"] == [{"slots": [["—"], [], ["!"]], "probability": 0.25}]
