"""The driver of supar trains on words and trees, and evaluates the trees that supar returns."""

import json
import random
from pathlib import Path

import pytest

from semipunct.evaluation.results import read_result

pytest.importorskip("supar", reason="supar, a competitor, is not installed (pip install supar)")
pytestmark = pytest.mark.filterwarnings("ignore")
"""It calls functions that torch has deprecated since."""

SMALL = {"n_lstm_hidden": 20, "n_lstm_layers": 1, "n_arc_mlp": 40, "n_rel_mlp": 20, "lr": 2e-2}


def treebank() -> str:
    """Return sentences in which an adjective depends on the next noun, and marks on the verb."""
    draw = random.Random(0)
    lines: list[str] = []
    for _ in range(200):
        rows = [
            f"{draw.choice(['big', 'old'])} ADJ 2 amod",
            f"{draw.choice(['dogs', 'cats'])} NOUN 4 nsubj",
            ", PUNCT 4 punct",
            f"{draw.choice(['run', 'sleep'])} VERB 0 root",
        ]
        for w, (form, upos, head, relation) in enumerate(map(str.split, rows), 1):
            lines.append("\t".join([str(w), form, form, upos, "_", "_", head, relation, "_", "_"]))
        lines.append("")
    return "\n".join([*lines, ""])


def test_a_rule_is_learnt_and_measured_once(driver, tmp_path: Path, monkeypatch):
    module = driver("supar_parser")
    monkeypatch.setattr(module, "machine", dict)
    monkeypatch.setattr(module, "SETTINGS", module.SETTINGS | SMALL)
    written = tmp_path / "rule.conllu"
    written.write_text(treebank(), "utf-8")
    folders = ["--models", tmp_path / "models", "--output", tmp_path]
    arguments = ["--name", "rule", "--split", written, *folders, "--batch-size", "100"]
    monkeypatch.setattr("sys.argv", ["supar_parser.py", *map(str, arguments), "--epochs", "15"])
    module.main()
    stored = read_result(tmp_path / "rule-supar-0.parsing.json.gz").figures.as_dict()
    figures = json.loads((tmp_path / "rule-supar-0.json").read_text("utf-8"))
    assert (stored["words"], stored["las"], stored["upos"], stored["feats"]) == (60, 1, 0, 0)
    assert (figures["las"], figures["uas"], figures["epochs"]) == (1, 1, 15)
    # An existing model is not retrained.
    monkeypatch.setattr("torch.manual_seed", lambda _: pytest.fail("trained again"))
    module.main()
    again = json.loads((tmp_path / "rule-supar-0.json").read_text("utf-8"))
    assert again["training_seconds"] == figures["training_seconds"]
    monkeypatch.setattr("sys.argv", ["supar_parser.py", *map(str, arguments), "--epochs", "1"])
    with pytest.raises(SystemExit, match="rule-supar-0: trained with other settings"):
        module.main()
