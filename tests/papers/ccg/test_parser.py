"""The parser: likelihoods compared with sums without a chart, a planted rule, the store."""

import itertools
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.options import CcgOptions, CcgTrainOptions
from semipunct.papers.ccg.parser import CcgModel, log_marginals
from semipunct.papers.ccg.task import CcgParser
from semipunct.structures.distribution import Distribution

LEFT = Derivation((0, 1, 2, 2, 1), ("S", "S", "S", "S", "S"), (0,) * 5)
RIGHT = Derivation((0, 1, 1, 2, 2), ("S", "S", "S", "S", "S"), (0,) * 5)
PAIR = Derivation((0, 1, 1), ("S", "S", "S"), (0,) * 3)
OPTIONS = CcgOptions(size=4, layers=1)
TRAINING = CcgTrainOptions(dropout=0.0, unknown=0.0, l2=0.0)


def sentence(tags: str, tree: Derivation, number: int = 0) -> Sentence[Derivation]:
    words = tuple(f"w{number}{i}" for i in range(len(tags)))
    none = ("_",) * len(tags)
    return Sentence(
        f"s{number}", "planted", 1, words, none, none, tuple(tags), none, tree,
        ((),) * (len(tags) + 1),
    )  # fmt: skip


TREEBANK = [sentence("LLL", LEFT), sentence("RRR", RIGHT, 1)] * 4


@pytest.fixture(scope="module")
def trained() -> tuple[CcgModel, dict[str, jax.Array]]:
    return learnt(TREEBANK, OPTIONS)


def learnt(
    treebank: list[Sentence[Derivation]], options: CcgOptions
) -> tuple[CcgModel, dict[str, jax.Array]]:
    """Train a model on all sentences at once."""
    model, encoded = CcgModel.fit_and_encode(treebank, options)
    batch = model.batch(encoded, range(len(treebank)), None)
    parameters = {n: jnp.asarray(w) for n, w in model.initial_parameters(0, 0.0).items()}

    @jax.jit
    def step(weights: dict[str, jax.Array]) -> dict[str, jax.Array]:
        loss = partial(
            model.loss, constants={}, batch=batch, key=jax.random.key(0), options=TRAINING
        )
        slopes = jax.grad(lambda w: loss(w)[0])(weights)
        return {name: w - 0.5 * slopes[name] for name, w in weights.items()}

    for _ in range(60):
        parameters = step(parameters)
    return model, parameters


def test_planted_attachment_is_recovered(trained: tuple[CcgModel, dict[str, jax.Array]]):
    parser = CcgParser(*trained)
    unseen = [sentence("LLL", LEFT, 7), sentence("RRR", RIGHT, 8)]
    assert [best_parse.derivation for best_parse in parser.parse(unseen)] == [LEFT, RIGHT]
    (best_parse,) = parser.parse([sentence("LL", PAIR)])
    # One use of a rule and the two words; three items.
    assert best_parse.counts == (1, 6, 1)


HEADED = [
    replace(sentence("NNN", tree, i), forms=(word, "m", "n"))
    for i, (word, tree) in enumerate((("a", LEFT), ("b", RIGHT)) * 4)
]
"""All tags are equal: the first word takes the last one if it is *a*, not if it is *b*."""


def test_attachment_planted_in_heads_is_recovered():
    model, parameters = learnt(HEADED, replace(OPTIONS, heads=True))
    parser = CcgParser(model, parameters)
    assert [best_parse.derivation for best_parse in parser.parse(HEADED[:2])] == [LEFT, RIGHT]
    # Weights computed with numpy equal those in the loss.
    _, encoded = CcgModel.fit_and_encode(HEADED, model.options)
    batch = model.batch(encoded, range(len(HEADED)), None)
    leaves = log_marginals(model.chain(parameters, batch))
    assert batch.forests is not None
    graph = model.forest(parameters, batch, batch.forests, leaves)
    tagged = parser.supertags(HEADED)
    for i, forest in enumerate(encoded.forests):
        assert forest is not None
        weights = parser.weights(HEADED[i], tagged[i], forest.forest)
        np.testing.assert_allclose(weights, graph.weights.edge[i, : len(weights)], atol=1e-4)


def test_the_partition_is_the_sum_over_both_trees(trained: tuple[CcgModel, dict[str, jax.Array]]):
    model, parameters = trained
    _, encoded = CcgModel.fit_and_encode(TREEBANK, OPTIONS)
    batch = model.batch(encoded, range(len(TREEBANK)), None)
    assert batch.forests is not None
    leaves = log_marginals(model.chain(parameters, batch))
    graph = model.forest(parameters, batch, batch.forests, leaves)
    weights = np.asarray(graph.weights.edge)[0]
    rows = batch.forests
    cells = list(zip(rows.spans[0].tolist(), rows.rules[0].tolist(), weights, strict=True))
    words = sum(w for _, rule, w in cells if rule == 0)
    two = {(i, j): w for (i, _, j), _, w in cells if j - i == 2}
    splits = {k: w for (i, k, j), rule, w in cells if rule and (i, j) == (0, 3) and k < 3}
    (root,) = (w for (i, k, j), rule, w in cells if rule and (i, k, j) == (0, 3, 3))
    trees = [two[0, 2] + splits[2], two[1, 3] + splits[1]]
    expected = words + root + np.logaddexp(*trees)
    partition = Distribution(graph).log_partition()[0]
    np.testing.assert_allclose(partition, expected, rtol=1e-4)


def test_probabilities_of_all_categories_sum_to_one():
    trees = [replace(PAIR, categories=("S", *pair)) for pair in itertools.product("NS", repeat=2)]
    sentences = [sentence("LL", tree) for tree in trees]
    model = CcgModel.fit(sentences, OPTIONS)
    batch = model.batch(model.encode(sentences), range(4))
    log_p = jax.jit(model.log_likelihoods)(model.initial_parameters(0, 1.0), batch)
    assert np.exp(log_p).sum() == pytest.approx(1, rel=1e-4)
