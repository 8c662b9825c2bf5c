"""``semipunct analyse``: tables, JSON and plots agree; errors are reported."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from semipunct.formats import read_treebank
from semipunct.models.punctuation.decode import best
from semipunct.models.punctuation.rewriting import Rewriter
from semipunct.papers.analysis import nunberg
from semipunct.papers.analysis.task import count
from semipunct.store import checkpoint
from semipunct.store.checkpoint import SavedModel
from tests.commands import Cli, Result, run

PUNCTUATION_ONLY = "1\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"


@dataclass(frozen=True)
class Runs:
    """Three runs of the command on a treebank: as JSON, as tables, and with a plot."""

    loaded: SavedModel
    treebank: Path
    json: Result
    tables: Result
    picture: Path

    @property
    def value(self) -> dict:
        return json.loads(self.json.out)


@pytest.fixture(scope="module")
def runs(model: Path, treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Run it on 25 copies of the short sentences with most marks, and on one to omit.

    The copies make some bigrams frequent.
    """
    folder = tmp_path_factory.mktemp("analyse")
    treebank, picture, loaded = folder / "some.conllu", folder / "rules.svg", checkpoint.load(model)
    sentences = treebanks["train"].read_text("utf-8").split("\n\n")
    short = [sentence for sentence in sentences if sentence.count("\n") < 14]
    most = sorted(short, key=lambda s: -s.count("PUNCT"))[:4]
    repeated = "".join(f"{sentence}\n\n" for sentence in most * 25)
    treebank.write_text(repeated + PUNCTUATION_ONLY, encoding="utf-8")
    tables = run("analyse", model, treebank, "--plot", picture)
    return Runs(loaded, treebank, run("analyse", model, treebank, "--json"), tables, picture)


def test_counts_and_probabilities_are_the_models(runs: Runs):
    value, loaded = runs.value, runs.loaded
    sentences = read_treebank([runs.treebank]).sentences
    counts = count(a for a in best(loaded.model, loaded.parameters, sentences) if a)
    signature = value["signature"].split("|")
    assert {"task:analyse", f"model:{loaded.digest[:12]}", "channel:r2l"} <= set(signature)
    assert value["signature"] in runs.tables.out
    assert value["sentences"] == value["analysed"] == len(sentences) == 100
    assert value["omitted"]["nothing but punctuation"] == 1
    times = {(row["a"], row["b"]): row["times"] for row in value["rewriting"]}
    assert times == {b: n for b, n in counts.bigrams.items() if "<open>" not in b}
    rewriter = Rewriter.of(loaded.model, loaded.parameters)
    number = {s: i for i, s in enumerate(loaded.model.inventory.symbols)}
    for row in value["rewriting"]:
        p = np.exp(rewriter.passes[0].log_probability[:, number[row["a"]], number[row["b"]]])
        assert list(row["probabilities"].values()) == pytest.approx(p.tolist())
    rules = value["nunberg"]["changed"]
    assert rules["rules"] == 192
    assert rules["ranked"] + len(rules["missing"]) == 192
    assert rules["ranked"] == len(rules["list"]) == sum(rules["ranks"].values())
    mean = np.mean([rule["reciprocal_rank"] for rule in rules["list"]])
    assert rules["mean_reciprocal_rank"] == pytest.approx(mean)
    words = {row["relation"]: row["words"] for row in value["relations"]}
    assert words == {r: n for r, n in words_by_relation(sentences).items() if n}


def words_by_relation(sentences) -> dict[str, int]:
    names = [relation for s in sentences for relation in s.tree.relations]
    return {name: names.count(name) for name in names}


def test_tables_and_json_agree(runs: Runs):
    lines = [re.split(r"\s{2,}", line.strip()) for line in runs.tables.out.splitlines()]
    for one in (runs.tables, runs.json):
        assert one.status == 0
        assert one.told == "1 sentence omitted: 1 with nothing but punctuation\n"
    assert "…" not in runs.tables.out
    row = runs.value["rewriting"][0]
    (shown,) = (cells for cells in lines if cells[0] == f"{row['a']} {row['b']}")
    assert shown[1:6] == [f"{row['times']}", *(f"{p:.2f}" for p in row["probabilities"].values())]
    rules = runs.value["nunberg"]["changed"]
    (shown,) = (cells for cells in lines if cells[0] == "192 that change")
    assert shown[1] == f"{rules['ranked']}"
    assert shown[5] == f"{rules['mean_reciprocal_rank']:.3f}"
    relation = next(row for row in runs.value["relations"] if row["words"] >= 25)
    (shown,) = (cells for cells in lines if cells[0] == relation["relation"])
    assert shown[1:3] == [f"{relation['words']:,}", f"{100 * relation['symmetric']:.1f}%"]


def test_the_model_alone(cli: Cli, model: Path):
    result = cli("analyse", model)
    assert result.status == 0
    assert "Table 4 need a treebank" in result.err
    assert "relations that" not in result.out.lower()
    alone = cli("analyse", model, "--json")
    assert alone.err == result.err
    value = json.loads(alone.out)
    assert "treebank:none" in value["signature"].split("|")
    for name in ("sentences", "omitted", "analysed", "relations", "inverted_marks"):
        assert value[name] is None
    assert value["confident"]["frequent_bigrams"] is None
    printed = [bigram for _, bigram, _ in nunberg.TABLE_1]
    assert all((row["a"], row["b"]) in printed for row in value["rewriting"])
    assert {row["times"] for row in value["rewriting"]} == {None}


def test_rules_are_said_to_be_of_english(cli: Cli, model: Path, runs: Runs, tmp_path: Path):
    assert "language here is different" not in runs.tables.err
    assert runs.value["language"] is None
    # The language follows from the name of the file.
    treebank = tmp_path / "id_gsd-ud-dev.conllu"
    treebank.write_text(runs.treebank.read_text("utf-8"), "utf-8")
    result = cli("analyse", model, treebank, "--json")
    assert "stated for English, and the language here is different (id)" in result.err
    assert json.loads(result.out)["language"] == "id"


def test_a_picture_of_the_rules(runs: Runs):
    assert runs.picture.read_bytes().startswith(b"<?xml")
    texts = {text.strip() for text in ElementTree.parse(runs.picture).getroot().itertext()}
    assert {"keep", "absorb left", "absorb right", "transpose"} <= texts
    row = max(runs.value["rewriting"], key=lambda row: row["times"])
    assert f"{row['a']} {row['b']}   {row['times']} time{'s' * (row['times'] != 1)}" in texts


def test_a_picture_of_an_unknown_format(cli: Cli, model: Path, tmp_path: Path):
    for plot in (tmp_path / "rules.gif", "-"):
        result = cli("analyse", model, "--plot", plot)
        assert result.status == 2
        assert "end in one of: .svg, .pdf, .png" in result.message
    assert list(tmp_path.iterdir()) == []
