"""Confusion counts between marks."""

from __future__ import annotations

from semipunct.evaluation.confusion import Confusion, Example, confusions
from tests.models.punctuation.cases import sentence


def test_confusions_written_out():
    one = sentence([2, 0, 2], ["", ",", "", ". ”"])
    other = sentence([0], ["“", "."])
    restored = [((), (), (), (".",)), (("“",), (".", "”"))]
    example = Example("made.conllu:1 s", ("w0",), ("w1", "w2"))
    assert confusions([one, other, one], [*restored, restored[0]], examples=1) == [
        Confusion((",",), (), 2, 2, (example,)),
        Confusion((".", "”"), (".",), 2, 2, (Example("made.conllu:1 s", ("w0", "w1", "w2"), ()),)),
        Confusion((".",), (".", "”"), 1, 1, (Example("made.conllu:1 s", ("w0",), ()),)),
    ]


def test_the_costliest_come_first_and_examples_are_short():
    inner = ["," if i == 6 else "" for i in range(1, 12)]
    long = sentence([0, *range(1, 12)], ["", *inner, ". . ."])
    slots = [(), *[()] * 11, ()]
    first, second = confusions([long], [slots])
    assert (first.edits, second.edits) == (3, 1)
    assert second.examples[0].before == ("w2", "w3", "w4", "w5")
    assert second.examples[0].after == ("w6", "w7", "w8", "w9")
    assert second.as_dict()["examples"][0]["after"] == "w6 w7 w8 w9"


def test_nothing_is_confused():
    s = sentence([0], ["", "."])
    assert confusions([s], [((), (".",))]) == []
    assert confusions([], []) == []
