"""The neural score: its inputs, what it must ignore, and that it can learn."""

from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.features.attributes import Attributes
from semipunct.features.history import CLOSING, OPENING
from semipunct.features.network_inputs import CODES, PLACES, network_inputs, network_vocabulary
from semipunct.features.vocabulary import Vocabulary
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.network import PREFIX, Dropout, read_words, scores_of_words
from semipunct.models.punctuation.options import ModelOptions, TrainOptions
from tests.models.punctuation.cases import SENTENCES, TINY, TRAINING, batch_of, sentence

SMALL = {"network": True, "network_width": 8, "network_layers": 2}


@cache
def model() -> PunctuationModel:
    return PunctuationModel.fit(TRAINING, ModelOptions(**{**TINY, **SMALL, "templates": ()}))


def parameters(seed=0):
    """Return weights of which none is zero."""
    generator = np.random.default_rng(seed)
    initial = model().initial_parameters(seed, 0.0)
    return {n: x + generator.normal(0, 0.3, x.shape).astype(x.dtype) for n, x in initial.items()}


@cache
def scorer(layers: int):
    tables = model().attach_tables

    @jax.jit
    def score(p, columns, sentence, dropout=None):
        return scores_of_words(p, tables, read_words(p, columns, sentence, layers, dropout))

    return score


def scores(sentences, weights=None):
    """Return scores `[words, pairs]` of sentences laid out together."""
    batch = batch_of(model(), sentences)
    schedule = batch.schedule
    of = np.where(schedule.is_word, schedule.sentence_of_word, -1)
    word_scores = scorer(2)(parameters(), batch.columns, of)
    return np.asarray(word_scores)[: sum(len(s.forms) for s in sentences)]


def test_columns_written_out():
    s = replace(
        sentence([2, 0, 2, 3], ["", "", ",", "", "."], upos=["DET", "NOUN", "X", "X"]),
        forms=("The", "cat", "of", "B2B"),
        feats=("_", "Number=Sing", "_", "Number=Sing"),
    )
    symbols = network_vocabulary([s, s])
    tokens = Vocabulary.of([s], (",", "."))
    names = (*CODES, *PLACES, *OPENING, *CLOSING)
    values = dict(
        zip(names, network_inputs(Attributes([s], tokens), symbols).T.tolist(), strict=True)
    )
    assert symbols.values["form"] == ("b2b", "cat", "of", "the")
    assert symbols.values["suffix"] == ("b2b", "cat", "of", "the")
    assert symbols.values["prefix"] == ("b2", "ca", "of", "th")
    assert values == {
        "form": [4, 2, 3, 1],
        "suffix": [4, 2, 3, 1],
        "prefix": [4, 2, 3, 1],
        "upos": [1, 2, 3, 3],
        "xpos": [1, 2, 3, 3],
        "feats": [2, 1, 2, 1],
        "relation": [1, 2, 1, 1],
        "shape": [1, 0, 0, 7],  # capital first; all capitals; a digit
        "side": [1, 2, 0, 0],
        "span": [0, 4, 2, 0],  # 1, 4, 2 and 1 words in half octaves
        "left_dependents": [0, 1, 0, 0],
        "right_dependents": [0, 1, 1, 0],
        "depth": [1, 0, 1, 2],
        "starting": [2, 0, 1, 1],
        "ending": [1, 0, 0, 3],
        "order": [0, 0, 0, 0],
        "head": [1, 0, -1, -1],
        "first": [0, -1, 0, 0],
        "last": [0, 2, 1, 0],
        # Slots, left and right: 0-1, 0-4, 2-4, 3-4; no token is 3, a comma 1.
        "left_seen": [3, 3, 3, 1],
        "left_since": [0, 0, 2, 0],
        "left_marked": [0, 0, 0, 1],
        "left_open": [3, 3, 3, 3],
        "right_seen": [3, 1, 1, 1],
        "right_since": [0, 2, 2, 2],
        "right_marked": [0, 1, 1, 1],
        "right_open": [3, 3, 3, 3],
        "edge": [3, 3, 1, 3],
        "last_place": [0, 3, 2, 1],
    }
    unseen = network_inputs(Attributes([s], tokens), network_vocabulary([sentence([0], ["", ""])]))
    assert (unseen[:, CODES.index("form")] == 0).all()


def test_a_new_network_scores_nothing():
    batch = batch_of(model(), SENTENCES)
    initial = model().initial_parameters(3, 0.0)
    bare = {n: x for n, x in initial.items() if not n.startswith(PREFIX)}
    plain = replace(model(), network_vocabulary=None)
    word_scores, alone = (
        jax.jit(lambda p, m=m: m.log_choice(m.read(p, batch), batch))(p)
        for m, p in ((model(), initial), (plain, bare))
    )
    np.testing.assert_array_equal(word_scores, alone)
    drawn_again = model().initial_parameters(4, 0.0)
    assert (initial["network.hidden.weight"] != drawn_again["network.hidden.weight"]).any()


def test_neighbours_and_padding_are_not_seen():
    together = scores(SENTENCES)
    assert np.abs(together).max() > 0.1
    apart = np.concatenate([scores([s]) for s in SENTENCES])
    np.testing.assert_allclose(together, apart, atol=1e-5)


def test_punctuation_is_not_seen_but_words_and_trees_are():
    s = sentence([2, 0, 2, 3], ["", "", ",", "", "."])
    assert (scores([s]) == scores([replace(s, slots=((),) * 5)])).all()
    for changed in (
        replace(s, forms=("w0", "w1", "w2", "new")),
        replace(s, tree=replace(s.tree, heads=(2, 0, 2, 2))),
        replace(s, upos=("X", "X", "X", "VERB")),
        replace(s, tree=replace(s.tree, relations=("dep", "root", "appos", "dep"))),
    ):
        assert np.abs(scores([s]) - scores([changed])).max() > 1e-3


def test_dropout_is_a_matter_of_its_key_alone():
    batch = batch_of(model(), SENTENCES)
    of = np.where(batch.schedule.is_word, batch.schedule.sentence_of_word, -1)

    def drawn(seed, rate=0.5, words=0.5):
        dropout = Dropout(jax.random.key(seed), rate, words)
        return np.asarray(scorer(2)(parameters(), batch.columns, of, dropout))

    whole = np.asarray(scorer(2)(parameters(), batch.columns, of))
    assert (drawn(1) == drawn(1)).all()
    assert (drawn(1) != drawn(2)).any()
    np.testing.assert_allclose(drawn(1, 0.0, 0.0), whole, rtol=1e-4, atol=1e-5)
    assert np.abs(drawn(1, 0.0, 0.99) - whole).max() > 1e-3
    assert np.isfinite(drawn(1, 0.9, 0.9)).all()


@pytest.mark.parametrize("layers", [0, 1])
def test_any_number_of_convolutions(layers):
    batch = batch_of(model(), SENTENCES)
    of = np.asarray(batch.schedule.sentence_of_word)
    assert np.isfinite(scorer(layers)(parameters(), batch.columns, of)).all()


@pytest.mark.exhaustive
def test_it_learns_which_words_take_a_comma():
    """Only the preceding word determines whether a comma follows: tags and trees are all equal."""
    words = ("yes", "no", "far", "near")
    sentences = [
        replace(sentence([2, 0], ["", "," if i % 2 else "", "."]), forms=(words[i % 4], "go"))
        for i in range(16)
    ]
    learning = PunctuationModel.fit(
        sentences, ModelOptions(**{**TINY, **SMALL, "templates": ("N",), "minimum_pair_count": 1})
    )
    batch = learning.batch(learning.encode(sentences), range(16))
    weights = {n: jnp.asarray(x) for n, x in learning.initial_parameters(0, 0.0).items()}

    settings = TrainOptions(l2=0.0, channel_l2=0.0, lazy=False)

    @jax.jit
    def loss_and_gradient(p):
        return jax.value_and_grad(lambda q: learning.objective(q, {}, batch, settings)[0])(p)

    first, _ = loss_and_gradient(weights)
    for _ in range(60):
        _, gradient = loss_and_gradient(weights)
        weights = {
            n: x - 0.5 * gradient[n] if n.startswith(PREFIX) else x for n, x in weights.items()
        }
    last, _ = loss_and_gradient(weights)
    assert float(last) < float(first) / 3
