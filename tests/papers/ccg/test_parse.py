"""``semipunct parse`` with a parser of derivations: input and output files, figures, and errors."""

import json
from pathlib import Path

import pytest

from semipunct.evaluation.results import read_result
from semipunct.models.kind import Config
from semipunct.papers.ccg.ccgbank import read_derivations, read_derived_sentences
from semipunct.papers.ccg.options import KIND, CcgOptions, CcgTrainOptions
from semipunct.papers.ccg.parser import CcgModel
from semipunct.store.checkpoint import save
from tests.commands import Cli
from tests.papers.ccg.files import MILL, RAIN

TEXT = MILL + RAIN


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("derived") / "some.auto"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def parser(treebank: Path) -> Path:
    """An untrained parser, which accepts any derivation with its rules."""
    options = CcgOptions(size=4, layers=1, minimum_count=1)
    model = CcgModel.fit(read_derived_sentences([treebank]), options)
    folder = treebank.parent / "parser"
    save(folder, model, model.initial_parameters(0, 0.0), Config(KIND, options, CcgTrainOptions()))
    return folder


def test_words_get_derivations(cli: Cli, parser: Path, treebank: Path, tmp_path: Path):
    out = tmp_path / "out.auto"
    result = cli("parse", parser, treebank, "-o", out)
    assert result.status == 0, result.err
    assert "left out" not in result.err
    found, gold = list(read_derivations(out)), list(read_derivations(treebank))
    assert [each.sentence_id for each in found] == [each.sentence_id for each in gold]
    for one, other in zip(found, gold, strict=True):
        assert [leaf.form for leaf in one.leaves] == [leaf.form for leaf in other.leaves]
    assert cli("parse", parser, out).out == out.read_text("utf-8")


def test_figures(cli: Cli, parser: Path, treebank: Path):
    value = json.loads(cli("parse", parser, treebank, "--gold", "--json").out)
    assert (value["sentences"], value["words"], value["coverage"]) == (2, 15, 1.0)
    stored = treebank.parent / "result.json"
    table = cli("parse", parser, treebank, "--gold", "--result", stored).out
    assert "F1 of labelled dependencies" in table
    assert read_result(stored).figures.as_dict()["labelled_f1"] == value["labelled_f1"]


def test_what_is_refused(cli: Cli, parser: Path, treebank: Path, tmp_path: Path):
    wrong = cli("parse", parser, treebank, "--nbest", 3)
    assert wrong.status == 2
    assert "a model of the kind ccg-parser does not support --nbest" in wrong.message
    other = tmp_path / "some.conllu"
    other.write_text("1\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n", encoding="utf-8")
    text = cli("parse", parser, other)
    assert text.status == 2
    assert "whose name ends in .auto" in text.message
    broken = tmp_path / "broken.auto"
    broken.write_text(TEXT[:300], encoding="utf-8")
    damaged = cli("parse", parser, broken, "-o", tmp_path / "none.auto")
    assert (damaged.status, (tmp_path / "none.auto").read_text()) == (0, "")
    assert f"a malformed tree, first {broken}:2: sentence mill.1" in damaged.err


def test_files_are_evaluated_and_compared(cli: Cli, tmp_path: Path):
    gold, some, all_of = (tmp_path / f"{name}.auto" for name in ("gold", "some", "all"))
    gold.write_text(MILL + RAIN, encoding="utf-8")
    all_of.write_text(RAIN + MILL, encoding="utf-8")
    some.write_text(RAIN, encoding="utf-8")
    for path in (some, all_of):
        result = cli("evaluate", path, gold, "--json", "--result", path.with_suffix(".json"))
        assert result.status == 0, result.err
    # "some" lacks the first sentence.
    found = cli("evaluate", some, gold, "--json")
    assert "1 sentence without a derivation" in found.err
    figures = json.loads(found.out)
    assert (figures["coverage"], figures["labelled_precision"]) == (0.5, 1.0)
    both = cli("compare", all_of.with_suffix(".json"), some.with_suffix(".json"), "--json")
    row = json.loads(both.out)["measures"]["labelled_f1"]
    assert (row["a"], row["b"] < 1) == (1.0, True)
    piped = json.loads(cli("evaluate", some, "-", "--json", stdin=gold.read_bytes()).out)
    assert {**piped, "signature": ""} == {**figures, "signature": ""}
    wrong = cli("evaluate", gold, some)
    assert wrong.status == 2
    assert "is not a sentence of the treebank" in wrong.message
    assert cli("evaluate", gold, tmp_path / "a.conllu").status == 2
