"""The driver for comma restoration: Figure 4, and the comparison of commas, on a small tree."""

from pathlib import Path
from typing import Any

import pytest

from semipunct.papers.commas.ptb import read_commas

TEXT = "( (S (PP (IN In) (NP (NN May))) (, ,) (NP (PRP it)) (VP (VBD rained)) (. .)) )\n"


@pytest.fixture
def commas(driver: Any) -> Any:
    """The driver."""
    return driver("commas")


@pytest.fixture
def sentences(tmp_path: Path) -> Any:
    path = tmp_path / "a.mrg"
    path.write_text(TEXT, encoding="utf-8")
    return read_commas([path]).sentences


def test_figure_4_written_out(commas: Any, sentences: Any):
    """The sentence has four inner slots: In | May, it | rained | . with a comma in the second."""
    chart = commas.starts_and_ends(sentences)
    assert chart["ends"]["with"] == [0, 0, 0, 100]  # NN, NP and PP
    assert chart["starts"]["with"] == [0, 0, 100]  # NP and PRP
    assert chart["ends"]["without"] == pytest.approx([0, 100 / 3, 200 / 3])
    assert chart["starts"]["without"] == pytest.approx([0, 100 / 3, 200 / 3])


def test_commas_alone_are_compared(commas: Any, sentences: Any):
    result = commas.scored("x", sentences, [(False, True, True, False, False, False)], "d" * 64)
    figures = result.statistics.figures()
    assert (figures.micro.precision, figures.micro.recall) == (0.5, 1.0)
    assert figures.slot_accuracy == pytest.approx(5 / 6)
    assert set(figures.marks) == {","}
