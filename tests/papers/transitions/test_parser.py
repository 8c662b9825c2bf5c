"""The beam parser: learning, the loss, training, saving and loading."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import TreebankError, UsageError
from semipunct.models.scoring import Batches
from semipunct.papers.transitions.options import BeamParserOptions, BeamParserTrainOptions
from semipunct.papers.transitions.parser import BeamParser, Parse, attachment
from semipunct.papers.transitions.search import arcs
from semipunct.store.checkpoint import load
from semipunct.training.config import load_config
from semipunct.training.train import train
from tests.papers.transitions.treebank import planted, sentence

TRAINING, HELD_OUT = planted(60, 0), planted(20, 1)
SMALL = ["model.table_bits=14", "model.label_bits=10", "model.beam=2", "train.visits=360"]
KEY = jax.random.key(0)


def fitted(**settings: Any) -> tuple[BeamParser, dict[str, Any]]:
    options = BeamParserOptions(**{"table_bits": 10, "label_bits": 8, "beam": 2, **settings})
    model = BeamParser.fit(TRAINING, options)
    return model, model.initial_parameters(0, 0.5)


@cache
def _trained(folder: Path, *settings: str) -> Any:
    config = load_config(None, [*SMALL, *settings], kind="beam-parser")
    return train(TRAINING, HELD_OUT, folder, config=config)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("beam")


def test_a_rule_that_only_the_comma_tells_is_learnt_by_properties(folder: Path):
    seen = _trained(folder / "all", "model.punctuation=all")
    assert seen.best["dev_uas"] == 1.0
    blind = _trained(folder / "stripped", "model.punctuation=stripped")
    assert blind.best["dev_uas"] < 0.95


@pytest.mark.exhaustive
def test_labels_are_learnt(folder: Path):
    training = _trained(folder / "labelled", "model.labelled=true", "train.update=max-violation")
    assert training.best["dev_uas"] == training.best["dev_las"] == 1.0
    (parse,) = training.model.parse(training.parameters, HELD_OUT[:1])
    assert parse.relations == HELD_OUT[0].tree.relations
    assert parse.heads == HELD_OUT[0].tree.heads


def test_a_model_is_loaded_as_it_was_saved(folder: Path):
    training = _trained(folder / "all", "model.punctuation=all")
    loaded = load(folder / "all", BeamParser)
    before, after = (m.model.parse(m.parameters, HELD_OUT) for m in (training, loaded))
    assert before == after
    again = train(TRAINING, HELD_OUT, folder / "all", config=loaded.config, resume=True)
    assert again.best == training.best


def test_training_resumes_with_the_same_bits(folder: Path):
    config = load_config(None, [*SMALL, "model.punctuation=all"], kind="beam-parser")
    whole = _trained(folder / "all", "model.punctuation=all")
    stops = iter([False] * 20 + [True])
    first = train(TRAINING, HELD_OUT, folder / "m", config=config, stop=lambda: next(stops))
    assert first.interrupted
    second = train(TRAINING, HELD_OUT, folder / "m", config=config, resume=True)
    for name, weight in whole.parameters.items():
        np.testing.assert_array_equal(weight, second.parameters[name])


@pytest.mark.exhaustive
@pytest.mark.parametrize("beam, labelled", [(3, True), (16, False)])
def test_the_score_of_a_parse_is_that_of_its_derivation(beam: int, labelled: bool):
    """A lane follows the derivation, given as gold tree, and has the same score."""
    model, parameters = fitted(beam=beam, labelled=labelled)
    parses = model.parse(parameters, HELD_OUT[:4])
    trees = [
        replace(s, tree=replace(s.tree, heads=parse.heads, relations=parse.relations))
        for s, parse in zip(HELD_OUT, parses, strict=False)
    ]
    batch = model.batch(model.encode(trees), range(len(trees)))
    trace = _searched(model, {n: jnp.asarray(p) for n, p in parameters.items()}, batch)
    for row, (tree, parse) in enumerate(zip(trees, parses, strict=True)):
        last = 2 * len(tree.forms) - 1
        arcs_of_path = arcs(np.asarray(batch.actions)[row, :last].tolist())
        assert [(d, h) for d, h in sorted(arcs_of_path) if d] == [
            (d, h) for d, h in enumerate(parse.heads, start=1) if h
        ]
        assert float(trace.score[last, row, 0]) == pytest.approx(parse.score, rel=1e-4)
        if bool(trace.gold[last, row, 0]):  # the oracle's derivation of the tree is the best one
            assert float(trace.score[last, row, -1]) == pytest.approx(parse.score, rel=1e-4)
        else:
            assert float(trace.score[last, row, -1]) != pytest.approx(parse.score, rel=1e-6)


@partial(jax.jit, static_argnums=0)
def _searched(model: BeamParser, parameters: Any, batch: Any) -> Any:
    return model.search(parameters, batch, gold=True)


@pytest.mark.parametrize("update, labelled", [("early", False), ("max-violation", True)])
def test_the_gradient_is_the_update_of_the_perceptron(update: str, labelled: bool):
    """It is the feature counts of the wrong prefix minus those of the correct one."""
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


@pytest.mark.exhaustive
def test_nothing_is_learnt_from_what_is_found():
    """The loss of a sentence is zero if and only if the best derivation is the gold one."""
    model, parameters = fitted(beam=2)
    weights = {n: jnp.asarray(p) for n, p in parameters.items()}
    loss = jax.jit(lambda w, b: model.loss(w, {}, b, KEY, BeamParserTrainOptions())[0])
    (parse,) = model.parse(parameters, TRAINING[:1])
    as_parsed = replace(TRAINING[0], tree=replace(TRAINING[0].tree, heads=parse.heads))
    seen: set[bool] = set()
    for s in [as_parsed, *TRAINING[1:4], sentence(["n0"], ["N"], [0])]:
        batch = model.batch(model.encode([s]), [0])
        trace = _searched(model, weights, batch)
        is_best = bool(trace.gold[2 * len(s.forms) - 1, 0, 0])
        assert (float(loss(weights, batch)) == 0.0) == is_best
        seen.add(is_best)
    assert seen == {False, True}


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


def test_a_sentence_of_marks_alone_is_parsed_to_nothing():
    only = sentence(["*", "*"], ["PUNCT", "PUNCT"], [0, 1])
    model, parameters = fitted(punctuation="all")
    assert model.parse(parameters, [only, WHOLE])[0] == Parse((-1, -1), ("_", "_"), 0.0)


def test_marks_without_heads_cannot_be_parsed():
    bare = sentence(["a", "b"], ["N", "V"], [2, 0], ["", ",", "."])
    for mode in ("baseline", "paired"):
        with pytest.raises(
            TreebankError, match=r"made:1: sentence s: .*read the treebank with mar"
        ):
            BeamParser.fit([bare], BeamParserOptions(punctuation=mode))


def test_a_treebank_without_tags_is_refused():
    untagged = replace(TRAINING[0], xpos=("_",) * len(TRAINING[0].forms))
    with pytest.raises(TreebankError, match=r"in the column xpos; train with model\.tags=upos"):
        BeamParser.fit([untagged], BeamParserOptions())
    with pytest.raises(TreebankError, match="in the column xpos; tag the treebank first"):
        BeamParser.fit([replace(untagged, upos=untagged.xpos)], BeamParserOptions())


def test_probabilities_are_refused():
    model, parameters = fitted()
    with pytest.raises(UsageError, match="has no probabilities"):
        model.log_likelihoods(
            {n: jnp.asarray(p) for n, p in parameters.items()},
            model.batch(model.encode(HELD_OUT), [0]),
        )


def test_words_and_tags_that_were_never_seen_and_long_sentences_are_parsed():
    model, parameters = fitted()
    n = 150
    odd = sentence(["\u202e☃"] * n, ["?"] * n, [0, *range(1, n)])
    (parse,) = model.parse(parameters, [odd])
    assert parse.heads.count(0) == 1
    assert model.unseen([odd]) == {"xpos": {"?": n}}


def test_attachment_is_counted_by_hand():
    model, parameters = fitted()
    batches = Batches(model, model.encode(HELD_OUT))
    figures = attachment(model, parameters, HELD_OUT, batches)
    parses = model.parse(parameters, HELD_OUT)
    right = [
        a == b for s, p in zip(HELD_OUT, parses, strict=True)
        for a, b in zip(s.tree.heads, p.heads, strict=True)
    ]  # fmt: skip
    assert figures == {"uas": sum(right) / len(right), "words": len(right)}
