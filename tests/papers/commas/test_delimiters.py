"""The generative comma model on phrases: its probabilities, a rule, and deep trees."""

from dataclasses import replace
from itertools import product
from math import exp, log
from pathlib import Path

import jax
import numpy as np
import pytest

from semipunct.papers.commas.delimiters import DelimiterModel
from semipunct.papers.commas.options import DelimiterOptions
from semipunct.papers.commas.ptb import read_commas
from semipunct.papers.commas.restorer import CommaRestorer
from semipunct.papers.commas.task import restore_commas
from semipunct.store.checkpoint import load
from semipunct.training.train import train
from tests.papers.commas.phrases import files


def test_commas_of_a_word_and_its_phrase(tmp_path: Path):
    """(S (UH yes)): both nodes begin at slot 0 and end at slot 1; all pairs are enumerated."""
    path = tmp_path / "a.mrg"
    path.write_text("(S (UH yes))\n", encoding="utf-8")
    (sentence,) = read_commas([path]).sentences
    model = DelimiterModel.fit([sentence], DelimiterOptions(minimum_feature_count=1))
    weights = model.initial_parameters(4, 0.3)
    weights["bias"] = np.zeros((2, 2), np.float32)
    batch = model.batch(model.encode([sentence]), [0])
    table = np.concatenate([np.zeros((1, 2, 2)), weights["weight"]])
    score = table[batch.features[0, :2]].sum(1)
    choice = np.exp(score) / np.exp(score).sum((1, 2), keepdims=True)
    seen = 1 / (1 + exp(weights["absorb"][1]))  # both slots are at an edge
    p = np.zeros((2, 2))  # surface commas in slot 0 and in slot 1
    for (a, b), (c, d) in product(product(range(2), repeat=2), repeat=2):
        weight = choice[0, a, b] * choice[1, c, d]
        for x, y in product(range(2), repeat=2):
            at = [(seen if out else 1 - seen) if inside else 1 - out
                  for inside, out in ((a | c, x), (b | d, y))]  # fmt: skip
            p[x, y] += weight * at[0] * at[1]
    assert p.sum() == pytest.approx(1)
    ways = list(product(range(2), repeat=2))
    sentences = [
        replace(sentence, slots=tuple((",",) if out else () for out in way)) for way in ways
    ]
    several = model.batch(model.encode(sentences), range(4))
    log_p = jax.jit(lambda w: model.log_likelihoods(w, several))(weights)
    assert log_p == pytest.approx([log(p[way]) for way in ways], abs=1e-4)
    (commas,) = CommaRestorer(model, weights).commas([sentence])
    assert commas.marginal == pytest.approx([p[1].sum(), p[:, 1].sum()], abs=1e-4)


def test_a_field_weighs_both_edges_of_each_span(tmp_path: Path):
    """(S (NP (NN a) (NN b)) (VB c)): all placements of commas are enumerated."""
    path = tmp_path / "a.mrg"
    path.write_text("(S (NP (NN a) (NN b)) (VB c))\n", encoding="utf-8")
    (sentence,) = read_commas([path]).sentences
    model = DelimiterModel.fit([sentence], DelimiterOptions(minimum_feature_count=1, field=True))
    weights = model.initial_parameters(4, 0.3)
    ways = list(product(range(2), repeat=4))
    sentences = [
        replace(sentence, slots=tuple((",",) if out else () for out in way)) for way in ways
    ]
    batch = model.batch(model.encode(sentences), range(16))
    table = np.concatenate([np.zeros((1, 2, 2)), weights["weight"]])
    score = table[batch.features[0, :5]].sum(1) + weights["bias"]
    edges = ((0, 3), (0, 2), (0, 1), (1, 2), (2, 3))  # S, NP, a, b, c
    total = {w: sum(s[w[i], w[j]] for s, (i, j) in zip(score, edges, strict=True)) for w in ways}
    z = sum(map(exp, total.values()))
    log_p = jax.jit(lambda w: model.log_likelihoods(w, batch))(weights)
    assert log_p == pytest.approx([total[way] - log(z) for way in ways], abs=1e-4)
    (commas,) = CommaRestorer(model, weights).commas([sentence])
    expected = [sum(exp(total[w]) for w in ways if w[slot]) / z for slot in range(4)]
    assert commas.marginal == pytest.approx(expected, abs=1e-4)


def test_a_rule_is_learnt(tmp_path: Path):
    paths = files(tmp_path)
    parts = {name: read_commas([path]) for name, path in paths.items()}
    settings = ["train.learning_rate=0.1", "model.field=true"]
    train(parts["train"], parts["dev"], tmp_path / "m", kind="phrase-commas", settings=settings)
    loaded = load(tmp_path / "m", DelimiterModel)
    restored = restore_commas(loaded, parts["dev"].sentences)  # type: ignore[arg-type]
    assert [restoration.slots for restoration in restored] == [s.slots for s in parts["dev"]]
