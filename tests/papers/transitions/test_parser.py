"""The beam parser: learning, the loss, training, saving and loading."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import TreebankError
from semipunct.formats import read_treebank
from semipunct.formats.conllu.from_text import bare_entry
from semipunct.formats.conllu.punctuate import punctuate_record
from semipunct.papers.transitions.options import BeamParserOptions, BeamParserTrainOptions
from semipunct.papers.transitions.parser import BeamParser
from semipunct.store.checkpoint import load
from semipunct.training.config import load_config
from semipunct.training.train import train
from tests.commands import Cli
from tests.papers.transitions.treebank import planted, sentence

TRAINING, HELD_OUT = planted(60, 0), planted(20, 1)
SMALL = ["model.table_bits=14", "model.label_bits=10", "model.beam=2", "train.visits=360"]
KEY = jax.random.key(0)


def fitted(**settings: Any) -> tuple[BeamParser, dict[str, Any]]:
    options = BeamParserOptions(**{"table_bits": 10, "label_bits": 8, "beam": 2, **settings})
    model = BeamParser.fit(TRAINING, options)
    return model, model.initial_parameters(0, 0.5)


def trained(folder: Path, *settings: str) -> Any:
    config = load_config(None, [*SMALL, *settings], kind="beam-parser")
    return train(TRAINING, HELD_OUT, folder, config=config)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of labelled trees."""
    folder = tmp_path_factory.mktemp("beam") / "all"
    settings = ("model.punctuation=all", "model.labelled=true", "train.update=max-violation")
    seen = trained(folder, *settings)
    assert seen.best["dev_uas"] == seen.best["dev_las"] == 1.0
    loaded = load(folder, BeamParser)
    before, after = (m.model.parse(m.parameters, HELD_OUT) for m in (seen, loaded))
    assert before == after
    return folder


@pytest.fixture(scope="module")
def file(folder: Path) -> Path:
    """The held-out sentences as CoNLL-U, with their punctuation as tokens."""
    records = (punctuate_record(bare_entry(s), s.slots) for s in HELD_OUT)
    texts = ("\n".join(record.lines).rstrip("\n") + "\n\n" for record in records)
    path = folder.with_name("dev.conllu")
    path.write_text("".join(texts), "utf-8")
    return path


def test_a_rule_that_only_the_comma_tells_is_learnt_by_properties(tmp_path: Path):
    blind = trained(tmp_path / "stripped", "model.punctuation=stripped")
    assert blind.best["dev_uas"] < 0.95


def test_trees_are_replaced_and_tags_kept(cli: Cli, folder: Path, file: Path, tmp_path: Path):
    flat, out = tmp_path / "flat.conllu", tmp_path / "out.conllu"  # all depend on the first
    rows = (line.split("\t") for line in file.read_text("utf-8").splitlines())
    lines = ["\t".join([*r[:6], "01"[r[0] != "1"], *r[7:]]) if len(r) > 1 else r[0] for r in rows]
    flat.write_text("\n".join(lines) + "\n\n", "utf-8")
    assert cli("parse", folder, flat, "-o", out).status == 0
    found, gold = (read_treebank([path]).sentences for path in (out, file))
    assert [s.tree for s in found] == [s.tree for s in gold]
    assert [(s.forms, s.xpos, s.slots) for s in found] == [(s.forms, s.xpos, s.slots) for s in gold]
    value = json.loads(cli("parse", folder, file, "--gold", "--json").out)
    assert (value["sentences"], value["upos"], value["las"]) == (20, 1.0, 1.0)


def test_what_it_cannot_do_is_said(cli: Cli, folder: Path, file: Path, tmp_path: Path):
    plain = tmp_path / "plain.txt"
    plain.write_text("n1 v1 n2\n", "utf-8")
    assert "beam-parser reads tags, which text does not have" in cli("parse", folder, plain).message
    refused = cli("parse", folder, file, "--trees", 2)
    assert refused.status == 2
    assert "a model of the kind beam-parser does not support --trees" in refused.message


@pytest.mark.parametrize("update, labelled", [("early", False), ("max-violation", True)])
def test_the_gradient_is_the_update_of_the_perceptron(update: str, labelled: bool):
    """The update adds features of the wrong prefix and subtracts features of the gold one."""
    model, parameters = fitted(labelled=labelled)
    weights = {n: jnp.asarray(p) for n, p in parameters.items()}
    options = BeamParserTrainOptions(update=update)
    batch = model.batch(model.encode(TRAINING), [0, 1, 2, 3], 5)

    def loss(w: Any) -> Any:
        return model.loss(w, {}, batch, KEY, options)[0]

    value, gradient = jax.jit(jax.value_and_grad(loss))(weights)
    assert float(value) > 0
    # The loss is linear in the weights as long as the search returns the same prefix.
    product = sum(float(jnp.vdot(gradient[n], weights[n])) for n in weights)
    assert product == pytest.approx(float(value), rel=1e-3)
    for leaf in gradient.values():
        np.testing.assert_array_equal(leaf, np.round(leaf))
        assert leaf.any()


WHOLE = sentence(
    ["a", ",", "“", "b", ".", "”"],
    ["N", "PUNCT", "PUNCT", "V", "PUNCT", "PUNCT"],
    [4, 4, 4, 0, 4, 4],
)


@pytest.mark.parametrize(
    "mode, parsed", [("baseline", 6), ("paired", 3), ("all", 2), ("stripped", 2)]
)
def test_modes_parse_marks_or_do_not(mode: Any, parsed: int):
    options = BeamParserOptions(punctuation=mode, table_bits=8)
    model = BeamParser.fit([WHOLE], options)
    (parse,) = model.parse(model.initial_parameters(0, 0.1), [WHOLE])
    assert sum(head >= 0 for head in parse.heads) == parsed
    assert parse.heads.count(0) == 1
    assert all(head == 0 or parse.heads[head - 1] >= 0 for head in parse.heads if head >= 0)


def test_a_treebank_without_tags_is_refused():
    untagged = replace(TRAINING[0], xpos=("_",) * len(TRAINING[0].forms))
    with pytest.raises(TreebankError, match=r"in the column xpos; train with model\.tags=upos"):
        BeamParser.fit([untagged], BeamParserOptions())
    with pytest.raises(TreebankError, match="in the column xpos; tag the treebank first"):
        BeamParser.fit([replace(untagged, upos=untagged.xpos)], BeamParserOptions())
