"""The driver for figures 9 and 10 on a few trees."""

from pathlib import Path
from typing import Any

from semipunct.models.kind import Config
from semipunct.papers.ccg.ccgbank import read_derived_sentences
from semipunct.papers.ccg.options import KIND, CcgOptions, CcgTrainOptions
from semipunct.papers.ccg.parser import CcgModel
from semipunct.store.checkpoint import save
from tests.papers.ccg.files import MILL, RAIN
from tests.papers.ccg.test_normalise import PHRASES


def test_rules_before_and_after(driver: Any, tmp_path: Path):
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


def test_charts_and_parses_of_two_grammars(driver: Any, tmp_path: Path):
    path, folder = tmp_path / "some.auto", tmp_path / "parser"
    path.write_text(MILL + RAIN, encoding="utf-8")
    options = CcgOptions(size=4, layers=1, minimum_count=1)
    model = CcgModel.fit(read_derived_sentences([path]), options)
    save(folder, model, model.initial_parameters(0, 0.0), Config(KIND, options, CcgTrainOptions()))
    grammars = [("seen", str(path), "observed"), ("both", str(path), "both")]
    found = driver("ccg_commas").nodes(str(folder), str(path), grammars, 1, headed=True)
    seen, both = found["grammars"]["seen"], found["grammars"]["both"]
    assert (seen["coverage"], seen["binary_ratio"], seen["binary_interval"]) == (1.0, 1.0, (1, 1))
    assert seen["binary_nodes"] < seen["conjunctive_nodes"] < both["conjunctive_nodes"]
    systems = [(name, str(folder), str(path)) for name in ("a", "b")]
    parsers = driver("ccg_commas").parse(systems, 0)["parsers"]
    assert parsers["b"]["p"]["labelled_f1"] == 1.0
