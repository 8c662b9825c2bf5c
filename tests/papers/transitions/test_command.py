"""``semipunct parse`` with a beam parser: tagged treebanks, figures, and errors."""

import json
from pathlib import Path

import pytest

from semipunct.corpus import Sentence
from semipunct.evaluation.results import read_result
from semipunct.formats import read_treebank
from semipunct.formats.conllu.from_text import bare_entry
from semipunct.formats.conllu.punctuate import punctuate_record
from tests.commands import Cli
from tests.papers.transitions.treebank import planted

SMALL = ("model.table_bits=12", "model.label_bits=10", "model.beam=4", "model.labelled=true")


def text(sentences: list[Sentence]) -> str:
    """Write sentences as CoNLL-U, with their punctuation as tokens."""
    records = (punctuate_record(bare_entry(sentence), sentence.slots) for sentence in sentences)
    return "".join("\n".join(record.lines).rstrip("\n") + "\n\n" for record in records)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tagged")
    found = {"train": folder / "train.conllu", "dev": folder / "dev.conllu"}
    found["train"].write_text(text(planted(60, 0)), "utf-8")
    found["dev"].write_text(text(planted(20, 1)), "utf-8")
    return found


@pytest.fixture(scope="module")
def trained(files: dict[str, Path]):
    """Train a parser once for each way to treat punctuation."""
    found: dict[str, Path] = {}

    def train(cli: Cli, punctuation: str, visits: int) -> Path:
        if punctuation not in found:
            found[punctuation] = files["train"].with_name(punctuation)
            settings = [*SMALL, f"model.punctuation={punctuation}", f"train.visits={visits}"]
            result = cli(
                "train", files["train"], "--dev", files["dev"], "-o", found[punctuation],
                "--kind", "beam-parser", *(x for one in settings for x in ("--set", one)),
            )  # fmt: skip
            assert result.status == 0, result.err
        return found[punctuation]

    return train


def test_trees_are_replaced_and_tags_kept(cli: Cli, trained, files, tmp_path: Path):
    parser = trained(cli, "all", 240)
    gold = read_treebank([files["dev"]]).sentences
    flat = tmp_path / "flat.conllu"  # every word depends on the first
    rows = (line.split("\t") for line in files["dev"].read_text("utf-8").splitlines())
    lines = ["\t".join([*r[:6], "01"[r[0] != "1"], *r[7:]]) if len(r) > 1 else r[0] for r in rows]
    flat.write_text("\n".join(lines) + "\n\n", "utf-8")
    assert read_treebank([flat]).sentences[0].tree != gold[0].tree
    out = tmp_path / "out.conllu"
    assert cli("parse", parser, flat, "-o", out).status == 0
    found = read_treebank([out]).sentences
    # The rule is learnt, with hardly an exception.
    assert sum(a.tree == b.tree for a, b in zip(found, gold, strict=True)) >= 18
    assert [(s.forms, s.xpos, s.slots) for s in found] == [(s.forms, s.xpos, s.slots) for s in gold]


def test_figures_are_printed_and_stored(cli: Cli, trained, files, tmp_path: Path):
    parser, stored = trained(cli, "all", 240), tmp_path / "figures.json"
    value = json.loads(
        cli("parse", parser, files["dev"], "--gold", "--json", "--result", stored).out
    )
    assert (value["sentences"], value["upos"]) == (20, 1.0)
    assert value["uas"] >= value["las"] > 0.95
    assert read_result(stored).figures.as_dict()["las"] == value["las"]


def test_standard_input_is_read_once(cli: Cli, trained, files, tmp_path: Path):
    parser, out = trained(cli, "all", 240), tmp_path / "out.conllu"
    result = cli("parse", parser, "-", "--gold", "-o", out, stdin=files["dev"].read_bytes())
    assert result.status == 0, result.err
    assert "heads (UAS)" in result.out
    assert out.read_text("utf-8") == cli("parse", parser, files["dev"]).out


@pytest.mark.exhaustive
def test_a_parser_that_attaches_marks_is_trained_and_used(cli: Cli, trained, files):
    parser = trained(cli, "baseline", 20)
    result = cli("parse", parser, files["dev"])
    assert result.status == 0, result.err
    words = [len(s.forms) for s in planted(20, 1)]
    rows = [line.split("\t") for line in result.out.splitlines() if line[:1].isdigit()]
    assert sum(row[3] != "PUNCT" for row in rows) == sum(words)
    assert sum(row[6] == "0" for row in rows) == len(words)


def test_what_it_cannot_do_is_said(cli: Cli, trained, files, tmp_path: Path):
    parser = trained(cli, "all", 240)
    plain = tmp_path / "plain.txt"
    plain.write_text("n1 v1 n2\n", "utf-8")
    assert "beam-parser reads tags, which text does not have" in cli("parse", parser, plain).message
    refused = cli("parse", parser, files["dev"], "--trees", 2)
    assert refused.status == 2
    assert "a model of the kind beam-parser does not support --trees" in refused.message
    untagged = tmp_path / "untagged.conllu"
    untagged.write_text("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    found = cli("parse", parser, untagged)
    assert found.status == 1
    assert "no word has a tag in the column xpos; train with model.tags=upos" in found.message
