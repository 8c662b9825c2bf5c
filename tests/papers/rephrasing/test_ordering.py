"""The ordering model: probabilities, training and samples."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import semipunct
from semipunct.corpus import Sentence
from semipunct.errors import TreebankError
from semipunct.papers.rephrasing.model import (
    MOST_ITEMS,
    TEMPLATES,
    OrderingModel,
    Pairs,
    nodes_of,
)
from semipunct.papers.rephrasing.options import OrderingOptions
from semipunct.papers.rephrasing.task import draw_orders
from semipunct.trees import DependencyTree
from tests.papers.rephrasing.sentences import RULE, drawn, sentence


def test_nodes_are_nouns_and_verbs_with_dependents():
    tree = DependencyTree((2, 3, 0, 3, 4), ("det", "nsubj", "root", "advmod", "advmod"))
    nodes = nodes_of(tree, ("DET", "NOUN", "VERB", "ADV", "ADV"))
    assert [(node.head, node.items) for node in nodes.ordered] == [(2, (1, 2)), (3, (2, 3, 4))]
    for dependents, ordered in ((MOST_ITEMS - 1, 1), (MOST_ITEMS, 0)):
        tree = DependencyTree((0, *[1] * dependents), ("root", *["obl"] * dependents))
        nodes = nodes_of(tree, ("VERB",) * (dependents + 1))
        assert (len(nodes.ordered), nodes.long) == (ordered, 1 - ordered)


def test_probabilities_of_all_orders_are_those_of_pairs_and_add_up_to_one():
    """Three items have six orders, each weighted by its pairs, in plain Python."""
    orders = [sentence(order) for order in itertools.permutations(("nsubj", "root", "obj"))]
    model = OrderingModel.fit(orders, OrderingOptions(minimum_count=1))
    weights = model.initial_parameters(3, 1.0)
    encoded = model.encode(orders)
    placed = {name: jnp.asarray(value) for name, value in weights.items()}
    batch = model.batch(encoded, range(6))
    log_p = np.asarray(jax.jit(lambda w: model.log_likelihoods(w, batch))(placed))
    assert math.fsum(np.exp(log_p)) == pytest.approx(1, rel=1e-5)
    pairs = Pairs.of(orders, model.vocabulary)
    weight = dict(zip(model.features.tolist(), weights["weight"].tolist(), strict=True))
    scores = np.array(
        [
            sum(
                sign * weight.get(key, 0.0)
                for key, sign in zip(keys.ravel(), signs.ravel(), strict=True)
            )
            for keys, signs in zip(pairs.key.reshape(6, -1), pairs.sign.reshape(6, -1), strict=True)
        ]
    )
    np.testing.assert_allclose(log_p, scores - np.logaddexp.reduce(scores), rtol=1e-4)


def test_a_planted_order_is_learnt_saved_and_drawn(tmp_path: Path):
    settings = ["train.visits=3000", "train.learning_rate=0.05", "train.l2=1e-4"]
    semipunct.train(drawn(200, 1), drawn(50, 2), tmp_path / "m", kind="ordering", settings=settings)
    loaded: Any = semipunct.load(tmp_path / "m")
    figures = semipunct.evaluate(loaded, drawn(2, 3)).figures
    assert figures.as_dict()["figures"]["perplexity"] > 1
    assert figures.examples == 2
    # The words are given in reverse order: their given order must not matter.
    in_other_order = [sentence(tuple(reversed(RULE)), i) for i in range(200)]
    fitted = loaded.model, loaded.parameters
    orders_of = draw_orders(*fitted, in_other_order, 5).orders
    seen = Counter(
        tuple(s.tree.relations[word - 1] for word in orders[s.tree.root])
        for s, orders in zip(in_other_order, orders_of, strict=True)
    )
    assert seen.most_common(1)[0][0] == RULE
    assert 0.75 < seen[RULE] / 200 < 0.98
    # Draws for a subset of the sentences are the same.
    some = in_other_order[3:7]
    assert draw_orders(*fitted, some, 5, range(3, 7)).orders == orders_of[3:7]
    assert draw_orders(*fitted, some, 6, range(3, 7)).orders != orders_of[3:7]


def test_marks_of_an_underlying_tree_tell_relations_apart():
    """With commas obl comes first, otherwise last."""
    comma, nothing = ((",",), (",",)), ((), ())

    def with_obl(pair: Any, order: tuple[str, ...]) -> Sentence:
        s = sentence(order)
        pairs = tuple(pair if r == "obl" else nothing for r in order)
        return replace(s, underlying=pairs)

    first, last = with_obl(comma, ("obl", "root")), with_obl(nothing, ("root", "obl"))
    model = OrderingModel.fit([first, last], OrderingOptions(1, underlying=True))
    assert {"obl", "obl , _ ,"} <= {*model.vocabulary.relation}
    of_first, of_last = (Pairs.of([s], model.vocabulary, underlying=True) for s in (first, last))
    # Only tag features are shared: all others are distinct.
    shared = {*of_first.key.ravel().tolist()} & {*of_last.key.ravel().tolist()}
    assert 0 < len(shared) < len(TEMPLATES)
    weights = np.zeros(len(model.features), np.float32)
    for pairs in (of_first, of_last):
        for key, sign in zip(pairs.key.ravel(), pairs.sign.ravel(), strict=True):
            weights[np.searchsorted(model.features, key)] += 20 * sign
    turned = [with_obl(pair, order) for pair, order in
              ((comma, ("root", "obl")), (nothing, ("obl", "root")))]  # fmt: skip
    orders = draw_orders(model, {"weight": weights}, turned, seed=0).orders
    assert [order[s.tree.root] for order, s in zip(orders, turned, strict=True)] == [(2, 1), (2, 1)]
    with pytest.raises(TreebankError, match="sentence s0: has no underlying tree"):
        model.encode([sentence(("root", "obl"))])


def test_damaged_data_is_refused():
    model = OrderingModel.fit(drawn(20, 1), OrderingOptions())
    data = model.to_data()
    again = OrderingModel.from_data(data, model.options)
    assert again.vocabulary == model.vocabulary
    data["features"] = data["features"][::-1]
    with pytest.raises(ValueError, match="ascend"):
        OrderingModel.from_data(data, model.options)
