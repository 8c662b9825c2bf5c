"""Changes that must not affect a result, changes that must, and edge cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import jax
import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.channel import mirror
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.shapes import FEW_WORDS, draft, fit_shape, own_shape
from semipunct.structures.given_tree import Edits, inside
from semipunct.trees import DependencyTree
from semirings import Log, Real, Viterbi
from tests.models.punctuation.cases import (
    DIRECTIONS,
    QUICK,
    SENTENCES,
    SHAPE,
    Parameters,
    ask,
    model,
    potentials_of,
    sentence,
)
from tests.selection import selected


def log_p(m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]) -> np.ndarray:
    answer = ask(potentials_of(m, parameters, sentences), Real())
    return np.asarray(answer.log_weight)[: len(sentences)]


def freely(m: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]):
    """Compute log p(x | T) and its gradient for the parameters, in a shape that fits."""
    batch = m.batch(m.encode(sentences), range(len(sentences)))
    gradient, log_weight = _gradient(m)(parameters, batch)
    return np.asarray(log_weight)[: len(sentences)], gradient


@cache
def _gradient(m: PunctuationModel):
    """Compile with the batch as an argument, so that all weights share the compiled function."""

    def loss(p: Parameters, batch: Batch):
        total = inside(m.potentials(m.read(p, batch), batch), Real())
        log_weight = Real().log_weight(total.value) + total.log_scale
        return jax.numpy.sum(jax.numpy.where(log_weight > -np.inf, log_weight, 0.0)), log_weight

    return jax.jit(jax.grad(loss, has_aux=True), compiler_options=QUICK)


@pytest.mark.parametrize("direction", selected(DIRECTIONS, lambda x: x == "l2r"))
def test_the_company_and_the_order_change_nothing(direction: str):
    m = model(direction)
    parameters = m.initial_parameters(7, 1.0)
    expected = log_p(m, parameters, SENTENCES)
    for i in (0, 4, 8):
        np.testing.assert_allclose(log_p(m, parameters, [SENTENCES[i]]), expected[i], rtol=1e-5)
    backwards = log_p(m, parameters, SENTENCES[::-1])
    np.testing.assert_allclose(backwards[::-1], expected, rtol=1e-5)


@pytest.mark.exhaustive
def test_the_size_of_the_shape_changes_nothing():
    m = model("r2l")
    parameters = m.initial_parameters(7, 1.0)
    expected = log_p(m, parameters, SENTENCES)
    log_p_of_larger, _ = freely(m, parameters, SENTENCES)
    np.testing.assert_allclose(log_p_of_larger, expected, rtol=1e-5)


def test_a_batch_beyond_the_shape_gets_a_larger_one():
    m = model("l2r")
    encoded = m.encode(SENTENCES)
    tight = replace(SHAPE, words=8, strings=4, states=2, steps=2, factors=4)
    batch = m.batch(encoded, range(len(SENTENCES)), tight)
    assert len(batch.relation) >= sum(encoded.lengths)
    assert batch.slots[: len(SENTENCES)].tolist() == [len(s.slots) for s in SENTENCES]


def test_a_fitted_shape_fits():
    m = model("l2r")
    encoded = m.encode(SENTENCES)
    batches = [[0, 1, 2], [3, 4], [5, 6, 7, 8]]
    shape = fit_shape(encoded, [draft(encoded, b) for b in batches], 4, scoring=True)
    for members in batches:
        batch = m.batch(encoded, members, shape)
        assert batch.relation.shape == (shape.words,)
        assert batch.slots.shape == (4,)


@pytest.mark.parametrize(("names", "least", "most"), [(6, 6, 12), (12, 12, 18), (400, 6, 40)])
def test_steps_suit_all_chains_but_those_out_of_proportion(names: int, least: int, most: int):
    m = model("l2r")

    def flat(words: int) -> Sentence:
        return sentence([0, *[1] * (words - 1)], ["", *[","] * (words - 1), "."])

    encoded = m.encode([*[flat(6)] * 19, flat(names)])
    drafts = [draft(encoded, [i]) for i in range(20)]
    shape = fit_shape(encoded, drafts, 1, scoring=False)
    assert least <= shape.steps <= most


def test_steps_suit_a_sentence_with_many_strings_of_three_tokens():
    """Such sentences have few lanes and need many steps although no chain is long."""
    m = model("l2r")
    listed = sentence([0, *[1] * 11], ["", *[","] * 11, "."])
    kids = [head for first in (2, 6, 10, 14) for head in (1, first, first, first)]
    wide = sentence([0, *kids], ["", *[",,."] * 16, "."])
    encoded = m.encode([*[listed] * 19, wide])
    shape = fit_shape(encoded, [draft(encoded, [i]) for i in range(19)], 1, scoring=False)
    placed = draft(encoded, [19]).schedule_absorptions(shape.lanes)
    assert draft(encoded, [19]).chain < placed.steps <= shape.steps


@pytest.mark.parametrize(("copies", "scoring"), [(1, 1), (20, 2)])
def test_lanes_have_one_width_for_few_words_without_a_gradient(copies: int, scoring: int):
    """For few words compilation dominates; in training narrow lanes are always worthwhile."""
    encoded = model("l2r").encode([*SENTENCES] * copies)
    drafted = draft(encoded, range(copies * len(SENTENCES)))
    assert (drafted.words >= FEW_WORDS) == (scoring > 1)
    for has_gradient, widths in ((False, scoring), (True, 2)):
        shape = fit_shape(encoded, [drafted], 512, scoring=not has_gradient)
        assert len(shape.lanes) == widths
        # For every width, each absorption is placed.
        assert sum(map(len, drafted.schedule_absorptions(shape.lanes).step)) == sum(drafted.work(2))
    assert len(own_shape(drafted).lanes) == scoring


def test_one_long_sentence_among_short_ones_takes_memory_in_proportion():
    """The memory of a batch is proportional to its words."""
    m = model("l2r")
    long = sentence([0, *[1] * 1999], ["", *[","] * 1999, "."])
    encoded = m.encode([*SENTENCES, long])
    shape = fit_shape(encoded, [draft(encoded, range(len(SENTENCES)))], 16, scoring=True)
    batch = m.batch(encoded, [len(SENTENCES)], shape)
    bytes_per_word = sum(x.nbytes for x in jax.tree.leaves(batch)) / 2000
    assert bytes_per_word < 20_000


def mirrored_sentence(s: Sentence) -> Sentence:
    """Return the sentence in reverse."""
    n = len(s.forms)
    return replace(
        s,
        upos=s.upos[::-1],
        xpos=s.xpos[::-1],
        feats=s.feats[::-1],
        tree=DependencyTree(
            tuple(n + 1 - h if h else 0 for h in reversed(s.tree.heads)), s.tree.relations[::-1]
        ),
        slots=tuple(slot[::-1] for slot in s.slots[::-1]),
    )


@pytest.mark.exhaustive
def test_l2r_on_a_mirrored_sentence_is_r2l():
    """Edits are mirrored, and pairs have the probabilities of their mirror images."""
    from_right, back = model("r2l", final_mark=True), model("l2r")
    parameters = from_right.initial_parameters(3, 1.0)
    a = potentials_of(from_right, parameters, SENTENCES)
    b = potentials_of(back, parameters, [mirrored_sentence(s) for s in SENTENCES])
    # The words of a mirrored sentence are in reverse order, and so are the sides of a pair. The
    # pairs of the inventory are not closed under mirroring: those without an image are disabled.
    names = [from_right.inventory.pair_name(p) for p in range(len(from_right.inventory.pairs))]
    images = [(right[::-1], left[::-1]) for left, right in names]
    image = [names.index(pair) if pair in names else None for pair in images]
    has_image = np.array([i is not None for i in image])
    # The open puncteme's spelling may differ in reverse: it is disabled too.
    has_open = np.array(["<open>" in left + right for left, right in names])
    choice = np.where(has_image & ~has_open, np.asarray(a.choice), -np.inf)
    mirrored = np.full_like(choice, -np.inf)
    base = 0
    for s in SENTENCES:
        words = slice(base, base + len(s.forms))
        for p, i in enumerate(image):
            if i is not None:
                mirrored[words, i] = choice[words, p][::-1]
        base += len(s.forms)
    # Potentials of r2l already hold the mirrored edits; in text order l2r reads the same, except
    # that the boundary marks have changed places.
    symbols = list(from_right.inventory.symbols)
    marks = symbols.index("^"), symbols.index("$")
    order = np.arange(len(symbols))
    order[list(marks)] = marks[::-1]
    edits = Edits(*(table[order][:, order] for table in a.automata.edits))
    b = b._replace(choice=mirrored, automata=b.automata._replace(edits=edits))
    log_p = ask(a._replace(choice=choice), Log()).log_weight[: len(SENTENCES)]
    expected = ask(b, Log()).log_weight[: len(SENTENCES)]
    assert np.isfinite(log_p).sum() > 6
    np.testing.assert_allclose(log_p, expected, rtol=1e-5)


def test_mirrored_tables_are_what_the_r2l_window_reads():
    m = model("r2l")
    parameters = m.initial_parameters(3, 1.0)
    unmirrored = model("l2r")
    assert unmirrored.inventory.symbols == m.inventory.symbols
    from_right, back = (
        potentials_of(x, parameters, SENTENCES[:1]).automata.edits for x in (m, unmirrored)
    )
    for table, expected in zip(from_right, mirror(back), strict=True):
        np.testing.assert_allclose(table, expected, atol=1e-6)


STRANGE = (
    sentence([0], [", ; ” ”", "“ . ; ;"]),
    sentence([0], ["; ;", ""]),
    sentence([2, 0], ["", "” “ . , ” “", ""]),
    sentence([0], ["", " ".join([",", ".", "“", "”", ";"] * 6)]),
    sentence([0], [" ".join([".", *[","] * 29]), ""]),
    sentence([0, 1, 1], ["", " ".join(["”"] * 30), "", " ".join(["“", "."] * 15)]),
)


@pytest.mark.parametrize("direction", [pytest.param("none", marks=pytest.mark.exhaustive), "r2l"])
def test_every_surface_string_has_positive_probability(direction: str):
    m = model(direction)
    for seed, scale in ((0, 0.0), (1, 1.0)):
        parameters = m.initial_parameters(seed, scale)
        log_weight, gradient = freely(m, parameters, STRANGE)
        assert np.isfinite(log_weight).all()
        assert (log_weight < -5).all()
        assert (log_weight > -300).all()
        assert all(np.isfinite(g).all() for g in jax.tree.leaves(gradient))


@pytest.mark.exhaustive
@pytest.mark.parametrize("direction", [pytest.param("none", marks=pytest.mark.exhaustive), "r2l"])
def test_hard_sets_leave_some_sentences_impossible_with_finite_gradients(direction: str):
    m = model(direction, hard_sets=True, minimum_pair_count=1)
    parameters = m.initial_parameters(1, 0.5)
    log_weight, gradient = freely(m, parameters, (*STRANGE, *SENTENCES[:3]))
    assert (log_weight[: len(STRANGE)] == -np.inf).any()
    assert np.isfinite(log_weight[len(STRANGE) :]).all()
    assert all(np.isfinite(g).all() for g in jax.tree.leaves(gradient))
    assert any(g.any() for g in jax.tree.leaves(gradient))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "heads",
    [range(10_000), pytest.param([0, *[1] * 9_999], marks=pytest.mark.exhaustive)],
    ids=["a chain of depth 10,000", "a flat sentence"],
)
def test_long_sentences_stay_finite(heads: Sequence[int]):
    m = model("r2l")
    parameters = m.initial_parameters(0, 0.0)
    slots = ["", ",", "", "", "; ,"] * 2000
    long = sentence(list(heads), ["", *slots[:-1], "."])
    batch = m.batch(m.encode([long]), [0])
    for semiring in (Real(), Viterbi()):
        total = jax.jit(lambda p, s=semiring: inside(m.potentials(m.read(p, batch), batch), s))(
            parameters
        )
        log_weight = semiring.log_weight(total.value) + total.log_scale
        assert np.isfinite(log_weight[0])
        assert log_weight[0] < -500
