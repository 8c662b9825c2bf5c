"""UDPipe gets words, tags and trees without punctuation; the scores match its own evaluation."""

import json
import random
import re
from pathlib import Path

import pytest

from semipunct.corpus import Sentence
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.results import read_result

udpipe = pytest.importorskip(
    "ufal.udpipe", reason="UDPipe comes with the optional package ufal.udpipe (extra `peers`)"
)

TREEBANK = 200
"""Number of sentences: 160 for training, 20 for evaluation."""


def treebank(noisy: bool) -> str:
    """Adjectives depend on the next noun; with noise, on it or on the verb, and tags vary too."""
    draw = random.Random(0)

    def either(*choices: str) -> str:
        return draw.choice(choices) if noisy else choices[0]

    lines: list[str] = []
    for _ in range(TREEBANK):
        rows = [
            f"{draw.choice(['big', 'old'])} ADJ J _ {either('2', '3')} amod",
            f"{draw.choice(['dogs', 'cats'])} NOUN N Number=Plur 3 nsubj",
            f"{draw.choice(['run', 'sleep'])} VERB V _ 0 root",
            f"here {either('ADV', 'X')} {either('R', 'S')} {either('_', 'Degree=Cmp')} 3 "
            f"{either('a:b', 'a')}",
            ". PUNCT . _ 3 punct",
        ]
        for w, (form, *cells) in enumerate(map(str.split, rows), 1):
            lines.append("\t".join([str(w), form, form, *cells, "_", "_"]))
        lines.append("")
    return "\n".join([*lines, ""])


@pytest.fixture
def run(driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the driver on a treebank and keep the model; return the evaluated sentences."""
    monkeypatch.setattr(driver("parser_peers"), "machine", dict)

    def command(noisy: bool, *more: str) -> tuple[Sentence, ...]:
        written = tmp_path / "rule.conllu"
        written.write_text(treebank(noisy), "utf-8")
        folder = ["--models", tmp_path / "models", "--output", tmp_path / "table.json"]
        small = ["--udpipe-set", "iterations=5", "hidden_layer=20", "structured_interval=0"]
        arguments = ["x", "--name", "rule", "--split", written, *folder, *small, *more]
        arguments += ["--systems", "udpipe", "--passes", "1"]
        monkeypatch.setattr("sys.argv", [str(a) for a in arguments])
        driver("parser_peers").main()
        return driver("treebanks").read_treebank([written]).sentences[160:180]

    return command


def test_a_rule_is_learnt_once(run, tmp_path: Path):
    dev = run(False)
    stored = read_result(tmp_path / "models" / "rule-udpipe-0.parsing.json.gz")
    assert stored.figures.as_dict()["words"] == sum(len(s.forms) for s in dev)
    table = json.loads((tmp_path / "table.json").read_text("utf-8"))["rule"]
    assert [table["rows"][0][name] for name in ("las", "uas", "upos")] == [1, 1, 1]
    assert table["speed"]["udpipe"]["sentences_per_second"] > 0
    # An existing model is not retrained.
    model = tmp_path / "models" / "rule-udpipe-0.udpipe"
    before = model.stat().st_mtime_ns
    run(False)
    assert model.stat().st_mtime_ns == before
    with pytest.raises(SystemExit, match=r"rule-udpipe-0\.udpipe: trained with other settings"):
        run(False, "--udpipe-set", "l2=0.1")


def test_udpipe_measures_the_same_of_itself(run, driver, tmp_path: Path):
    dev = run(True)
    model = udpipe.Model.load(str(tmp_path / "models" / "rule-udpipe-0.udpipe"))
    found = parsing_statistics(dev, driver("parser_peers").parsed_by_udpipe(model, dev)).figures()
    figures = [found.las, found.uas, found.upos, found.xpos, found.feats]
    assert all(0 < figure < 1 for figure in figures)  # otherwise the case would prove little
    assert found.las < found.las_universal
    default, error = udpipe.Evaluator.DEFAULT, udpipe.ProcessingError()
    evaluator = udpipe.Evaluator(model, udpipe.Evaluator.NONE, default, default)
    told = evaluator.evaluate(driver("treebanks").stripped(dev), error)
    percentages = dict(re.findall(r"(\w+): ([\d.]+)%", told))
    names = {"upostag": "upos", "xpostag": "xpos", "feats": "feats", "UAS": "uas"}
    names["LAS"] = "las_universal"  # UDPipe does not count subtypes
    expected = {theirs: f"{100 * getattr(found, ours):.2f}" for theirs, ours in names.items()}
    assert percentages.items() >= expected.items()


def test_complaints_of_udpipe_end_the_driver(driver):
    with pytest.raises(SystemExit, match="could not read the treebank"):
        driver("parser_peers").read_by_udpipe("1\tno columns\n\n")
