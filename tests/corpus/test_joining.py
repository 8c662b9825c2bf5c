"""Marks that only join words, learnt from the spaces of a treebank."""

from pathlib import Path

import pytest

from semipunct.corpus.statistics import joining_marks
from semipunct.formats import read_treebank
from semipunct.marks.spacing import BY_TYPOGRAPHY, JoiningMarks


def record(mark: str, spaces: tuple[bool, bool], head: int) -> str:
    """Write *15 mark year old*, in which *15* depends on the word numbered ``head``."""
    rows = (("15", "NUM", head), (mark, "PUNCT", 3), ("year", "NOUN", 4), ("old", "ADJ", 0))
    lines = []
    for number, (form, tag, above) in enumerate(rows, 1):
        glued = number < 3 and not spaces[number - 1]
        relation = "punct" if tag == "PUNCT" else "dep" if above else "root"
        misc = "SpaceAfter=No" if glued else "_"
        lines.append(f"{number}\t{form}\t_\t{tag}\t_\t_\t{above}\t{relation}\t_\t{misc}")
    return "\n".join(lines) + "\n\n"


def learnt(path: Path, *records: str) -> JoiningMarks:
    path.write_text("".join(records), encoding="utf-8")
    return joining_marks(read_treebank([path]).sentences)


def test_marks_without_blanks_are_learnt(tmp_path: Path):
    path = tmp_path / "x.conllu"
    hyphens = [record("-", (False, False), 3)] * 6 + [record("-", (True, True), 3)] * 2
    dashes = [record("-", (True, True), 4)] * 5 + [record("-", (False, False), 4)] * 2
    commas = [record(",", (False, True), 3)] * 5
    habits = learnt(path, *hyphens, *dashes, *commas)
    # A word and its head are joined by a hyphen, other words are parted by a dash.
    assert habits.places == {("-", True)}
    assert not habits.may_part(("-",), is_compound=True)
    assert habits.may_part(("-",), is_compound=False)
    assert habits.may_part((",",), is_compound=True)


def test_without_spaces_typography_decides(tmp_path: Path):
    habits = learnt(tmp_path / "x.conllu", *[record("-", (True, True), 3)] * 6)
    assert habits == BY_TYPOGRAPHY
    assert [habits.join("-", is_compound=is_compound) for is_compound in (True, False)] == [
        True, False,
    ]  # fmt: skip
    assert [habits.join(token, is_compound=True) for token in "/–,"] == [True, False, False]


@pytest.mark.parametrize("spaces", [(False, True), (True, False), (True, True)])
def test_a_blank_on_one_side_parts(tmp_path: Path, spaces: tuple[bool, bool]):
    joined = [record("/", (False, False), 3)] * 4
    assert learnt(tmp_path / "x.conllu", *joined).places == {("/", True)}
    assert learnt(tmp_path / "x.conllu", *joined, *[record("/", spaces, 3)] * 3).places == set()
