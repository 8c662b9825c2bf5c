"""The driver of figures 9 and 10 on a few trees."""

from pathlib import Path

from semipunct.formats.ccgbank import read_derived_sentences
from semipunct.models.ccg.chart import Counts
from semipunct.models.ccg.decoding import CcgParse
from tests.cli.test_normalise import PHRASES
from tests.formats.ccgbank.files import MILL, RAIN


def test_rules_before_and_after(driver, tmp_path: Path):
    path = tmp_path / "may.mrg"
    path.write_text(PHRASES, encoding="utf-8")
    found = driver("ccg_commas").rules([str(path)])
    assert (found["trees"], found["converted"], found["reasons"]) == (2, 1, {"gapping": 1})
    before, paper = found["tables"]["before"], found["tables"]["paper"]
    assert (before["instances"], before["rules"]) == ({"left": 1}, 1)
    assert (paper["instances"], paper["right_rules"], paper["new_rules"]) == ({"right": 1}, 1, 1)
    assert all(
        not table["changed"] and not table["unlicensed"] for table in found["tables"].values()
    )


def test_agreement_with_a_treebank(driver, tmp_path: Path):
    path = tmp_path / "some.auto"
    path.write_text(MILL + RAIN, encoding="utf-8")
    sentences = read_derived_sentences([path])
    parses = [
        CcgParse(sentences[0].tree, 0.0, Counts(1, 1), 0.1, complete=True),
        CcgParse(None, 0.0, Counts(1, 1), 0.1, complete=True),
    ]
    found = driver("ccg_commas").agreement(sentences, parses)
    assert (found.sentences, found.parsed, found.exact) == (2, 1, 1)
    assert (found.gold, found.found, found.labelled) == (7, 4, 4)
