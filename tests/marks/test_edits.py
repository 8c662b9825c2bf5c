"""The channel's edit table: the result of an edit, moves of the window, and permitted edits."""

import itertools

import pytest

from semipunct.marks import EDITS, FINAL, INITIAL, OPEN, Edit, EditName
from semipunct.marks.edits import apply_edit, move, possible
from tests.oracle import Channel, edit_paths


def test_results():
    assert EDITS == ("keep", "absorb_left", "absorb_right", "transpose")
    assert [apply_edit(name, "a", "b") for name in EDITS] == [
        ("a", "b"), ("b",), ("a",), ("b", "a"),
    ]  # fmt: skip
    assert Edit("transpose", "”", ".").result == (".", "”")


def slide(names: tuple[EditName, ...], text: tuple[str, ...], *, mirrored: bool) -> tuple[str, ...]:
    """Apply one edit after another, as ``move`` defines."""
    pending, *following = text[::-1] if mirrored else text
    written: list[str] = []
    for name, token in zip(names, following, strict=True):
        stays, leaves = move(name, mirrored=mirrored)
        window = (pending, token)
        written += [] if leaves is None else [window[leaves]]
        pending = window[stays]
    written.append(pending)
    return tuple(written[::-1] if mirrored else written)


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_moves_of_a_window_are_the_oracles(direction: str):
    """This covers all sequences of three edits, in either direction."""
    text = ("w", "x", "y", "z")
    windows = itertools.permutations(text, 2)
    channel = Channel(direction, {window: dict.fromkeys(EDITS, 0.25) for window in windows})
    paths = list(edit_paths(channel, text))
    assert len(paths) == 4**3
    for _, names, surface in paths:
        assert slide(names, text, mirrored=direction == "r2l") == surface


def test_possible_edits_written_out():
    assert possible(INITIAL, FINAL) == ("keep",)
    assert possible(INITIAL, ",") == ("keep", "absorb_right")
    assert possible(",", FINAL) == ("keep", "absorb_left")
    assert possible(",", ",") == ("keep", "absorb_right")
    assert possible(",", ".") == EDITS
    assert possible(OPEN, OPEN) == ("keep",)
