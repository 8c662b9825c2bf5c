"""Parsers: probabilities against enumeration, the planted rule, draws, and the use of words."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from semipunct.corpus import Sentence, Words
from semipunct.corpus.sentences import without_punctuation
from semipunct.errors import UsageError
from semipunct.models.parsing.decoding import decode_trees, sample_trees, top
from semipunct.models.parsing.options import ParserOptions, ParserTrainOptions
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.parses import Parse, parse, parses
from semipunct.pipelines.trained import InPlace
from semipunct.store.checkpoint import load
from semipunct.trees import DependencyTree, tree_fault
from tests.models.parsing.treebank import planted, sentence
from tests.planted import figures

SMALL = ParserOptions(8, 8, 8, 2, 1, 8, 8, 8, False, 1, 1)
SHORT = [
    sentence(["ba", "ce", "di"], ["A", "B", "A"], [2, 0, 2], ["x", "root", "x"]),
    sentence(["di"], ["A"], [0], ["root"]),
]
FORMS = ["ba", "ce", "di", "zz"]
DRAWS = 1000


def untrained(trees: Any) -> InPlace[Parser]:
    model = Parser.fit(SHORT, replace(SMALL, trees=trees))
    weights = model.initial_parameters(0, 0.0)
    weights["arc.weight"] = np.random.default_rng(1).normal(0, 3, (8, 8)).astype(np.float32)
    return InPlace.of(InPlace(model, weights))


@pytest.fixture(scope="module")
def random() -> InPlace[Parser]:
    return untrained("projective")


@pytest.fixture(scope="module")
def trained(parser: Path) -> Any:
    return load(parser, Parser)


def trees_of(words: int, shapes: str) -> list[tuple[int, ...]]:
    trees = []
    for heads in itertools.product(range(words + 1), repeat=words):
        if tree_fault(heads):
            continue
        arcs = [tuple(sorted((head, word))) for word, head in enumerate(heads, 1)]
        crossing = any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))
        if shapes == "nonprojective" or not crossing:
            trees.append(heads)
    return trees


@partial(jax.jit, static_argnums=0)
def compiled(model: Parser, weights: Any, batch: Any) -> jax.Array:
    return model.log_likelihoods(weights, batch)


def log_probabilities(model: Parser, weights: Any, sentences: list[Sentence]) -> np.ndarray:
    batch = model.batch(model.encode(sentences), range(len(sentences)))
    return np.asarray(compiled(model, weights, batch))


def words(forms: list[str], name: str = "w") -> Words:
    return Words(name, "made", 1, tuple(forms), ((),) * (len(forms) + 1))


@pytest.mark.parametrize("shapes, number", [("projective", 30), ("nonprojective", 64)])
def test_trees_have_their_probabilities(shapes: str, number: int):
    """Best trees, least risk and marginals, or draws, agree with an enumeration of all trees."""
    model, weights = (parser := untrained(shapes)).model, parser.parameters
    trees = trees_of(4, shapes)
    assert len(trees) == number
    analyses = [sentence(FORMS, ["A"] * 4, list(heads), ["x"] * 4) for heads in trees]
    # Relations depend on heads: without their weights, all three codes are equally probable.
    plain = {**weights, "relation.weight": jax.numpy.zeros_like(weights["relation.weight"])}
    batch = model.batch(model.encode(analyses), range(number))
    log_p = jax.jit(lambda w, b: model._parts(w, b, None)[0])(plain, batch)
    p = np.exp(np.asarray(log_p, np.float64)) * 3**4
    assert p.sum() == pytest.approx(1, abs=1e-3)
    expected = dict(zip(trees, (p / p.sum()).tolist(), strict=True))
    ranked = sorted(expected.items(), key=lambda item: -item[1])
    inputs = model.batch(model.encode_words([words(FORMS)]), [0]).inputs
    if shapes == "projective":

        def right(heads: tuple[int, ...]) -> float:
            return sum(p * sum(map(int.__eq__, heads, tree)) for tree, p in expected.items())

        risk, _, certainty, *_ = decode_trees(model, "risk", weights, inputs)
        chosen = tuple(np.asarray(risk.heads)[0, :4].tolist())
        assert right(chosen) == pytest.approx(max(map(right, trees)), abs=1e-4)
        for word, head in enumerate(chosen):
            marginal = sum(p for heads, p in expected.items() if heads[word] == head)
            assert certainty.head[0, word] == pytest.approx(marginal, abs=1e-4)
        first, *_ = top(model, 3, weights, inputs)
        for k, (heads, probability) in enumerate(ranked[:3]):
            assert tuple(np.asarray(first.heads)[k, 0, :4].tolist()) == heads
            assert np.exp(first.log_probability[k, 0]) == pytest.approx(probability, rel=1e-3)
        return
    numbers = np.zeros((1, 2), np.uint32)
    drawn, tags, *_ = sample_trees(model, DRAWS, weights, inputs, jax.random.key(0), numbers)
    heads = [tuple(h) for h in np.asarray(drawn.heads)[:, 0, :4].tolist()]
    shares = {tree: n / DRAWS for tree, n in Counter(heads).items()}
    distance = sum(abs(shares.get(tree, 0) - p) for tree, p in expected.items()) / 2
    # The expected distance is less than half the square root of trees over draws.
    assert distance < 0.5 * (number / DRAWS) ** 0.5
    for tree, log_probability in zip(heads[:50], drawn.log_probability[:50, 0], strict=True):
        assert np.exp(log_probability) == pytest.approx(expected[tree], rel=1e-3)
    # Code 0, of values unseen in training, is never predicted.
    assert np.asarray(tags)[:, :, 0, :4].min() >= 1


def test_analyses_of_a_word_have_probability_one(random: InPlace[Parser]):
    word = sentence(["ba"], ["A"], [0], ["x"])
    values = (("A", "B", "?"), ("a", "b", "?"), ("Tag=A", "Tag=B", "?"), ("root", "x", "?"))
    analyses = [
        replace(word, upos=(u,), xpos=(x,), feats=(f,), tree=DependencyTree((0,), (r,)))
        for u, x, f, r in itertools.product(*values)
    ]
    log_p = log_probabilities(random.model, random.parameters, analyses)
    assert np.exp(log_p).sum() == pytest.approx(1, abs=1e-4)


def test_tags_are_chosen_among_the_combinations_of_training(random: InPlace[Parser]):
    weights = {**random.parameters}
    # Each column has a preference of its own; code 1 is A, code 2 is B.
    for name, preference in {"upos": 2.0, "xpos": -1.5, "feats": -1.0}.items():
        weights[f"{name}.bias"] = jax.numpy.array([9.0, preference, 0.0])
    model = random.model
    word = sentence(["di"], ["A"], [0], ["root"])
    columns = [("A", "a", "Tag=A"), ("B", "b", "Tag=B")]
    ways = [replace(word, upos=(u,), xpos=(x,), feats=(f,)) for u, x, f in itertools.product(
        *zip(*columns, strict=True)
    )]  # fmt: skip
    likelihoods = np.exp(log_probabilities(model, weights, ways).astype(np.float64))
    chance = {(s.upos[0], s.xpos[0], s.feats[0]): p for s, p in zip(ways, likelihoods, strict=True)}
    share_of = {c: chance[c] / sum(chance[c] for c in columns) for c in columns}
    assert max(chance, key=lambda c: chance[c]) not in share_of
    best = max(share_of, key=lambda c: share_of[c])
    (best_parse,) = parse(InPlace(model, weights), [word])
    s = best_parse.sentence
    assert (s.upos, s.xpos, s.feats) == tuple((value,) for value in best)
    assert [p for (p,) in best_parse.tags] == pytest.approx([share_of[best]] * 3, rel=1e-3)
    (draws,) = parses(InPlace(model, weights), [word], 1000)
    drawn = Counter((d.sentence.upos[0], d.sentence.xpos[0], d.sentence.feats[0]) for d in draws)
    assert {*drawn} <= {*share_of}
    assert drawn[best] / 1000 == pytest.approx(share_of[best], abs=0.06)


@pytest.mark.parametrize("sentences, visits", [(1, 1_000), (400, 26_000), (40_000, 500_000)])
def test_small_treebanks_have_more_epochs_than_large_ones(sentences: int, visits: int):
    assert ParserTrainOptions().suggested_visits(sentences) == visits


def test_padding_changes_nothing(random: InPlace[Parser]):
    model, weights = random.model, random.parameters
    longer = sentence(["ba"] * 20, ["A"] * 20, [*range(2, 21), 0], ["x"] * 20)
    alone = np.asarray(compiled(model, weights, model.batch(model.encode(SHORT), [0], 2)))
    together = log_probabilities(model, weights, [SHORT[0], longer])
    assert together[0] == pytest.approx(float(alone[0]), rel=1e-4)
    np.testing.assert_allclose(alone[1:], 0.0, atol=1e-5)  # rows without a sentence


def test_marks_are_read_where_they_were_trained_on():
    training = planted(4, 3)
    model = Parser.fit(training, replace(SMALL, marks=True))
    weights = model.initial_parameters(0, 0.0)
    assert not any(name.startswith(("slot", "string", "end")) for name in weights)
    s = max(training, key=lambda s: len(s.forms))
    empty = ((),) * (len(s.slots) - 1)
    ways = [((), *empty), ((",",), *empty), (*empty, (",",)), (*empty, (".",))]
    log_p = log_probabilities(model, weights, [replace(s, slots=slots) for slots in ways])
    assert len({round(float(x), 4) for x in log_p}) == 4


def test_a_planted_rule_is_learned_of_words_alone(trained: Any, parser: Path):
    assert figures(parser)["dev_las"] > 0.98
    unseen = planted(30, 2, ["zy", "wo", "vu"])
    bare = [Words(s.sentence_id, s.path, s.line, s.forms, s.slots) for s in unseen]
    found = parse(trained, bare)
    right = [
        parsed.sentence.tree == s.tree
        and parsed.sentence.upos == s.upos
        and parsed.sentence.feats == s.feats
        for parsed, s in zip(found, unseen, strict=True)
    ]
    assert np.mean(right) > 0.9
    assert all(0 < p <= 1 + 1e-5 for parsed in found for p in parsed.sentence.expected.heads)
    assert all(parsed.log_probability <= 1e-4 for parsed in found)
    # Analyses are not read.
    wrong = [replace(s, upos=("X",) * s.size, tree=DependencyTree(
        (0, *range(1, s.size)), ("dep",) * s.size
    )) for s in unseen]  # fmt: skip
    assert parse(trained, wrong) == found


def test_punctuation_is_expected_of_words_alone(trained: Any):
    unseen = planted(30, 2, ["zy", "wo", "vu"])
    bare = [without_punctuation(s) for s in unseen]
    parses_with_slots = parse(trained, bare, slots=True)
    best = [tuple(view.strings[0] for view in parsed.slots) for parsed in parses_with_slots]
    assert np.mean([a == s.slots for a, s in zip(best, unseen, strict=True)]) > 0.9
    assert not any(parsed.slots for parsed in parse(trained, bare))
    for parsed, s in zip(parses_with_slots, unseen, strict=True):
        believed = parsed.sentence.expected
        assert believed is not None
        for slot, view, string, p in zip(
            s.slots, parsed.slots, believed.strings, believed.probabilities, strict=True
        ):
            assert view.probability.sum() == pytest.approx(1)
            assert p == pytest.approx(view.of(string), abs=2e-3)
            assert string == slot or not slot or p < 0.5


def test_ranks(trained: Any):
    one_word = sentence(["baate"], ["VERB"], [0], ["root"])
    ranks = parses(trained, [*planted(4, 4), one_word], 3, draw=False)
    for of in ranks:
        log_probabilities = [parsed.log_probability for parsed in of]
        assert log_probabilities == sorted(log_probabilities, reverse=True)
        assert len({parsed.sentence.tree.heads for parsed in of}) == len(of)
    assert len(ranks[-1]) == 1  # one word has one tree
    with pytest.raises(UsageError, match="0 trees"):
        parses(trained, [one_word], 0)


def test_draws_do_not_depend_on_other_sentences(trained: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("semipunct.pipelines.limits.PARSED", 8)
    long = words([form for s in planted(4, 10) for form in s.forms][:10])
    sentences = [*planted(3, 4), long, *planted(2, 5)]
    together = parses(trained, sentences, 5, seed=1)
    apart = [parses(trained, [s], 5, seed=1, first=i)[0] for i, s in enumerate(sentences)]
    assert [[*map(_drawn, of)] for of in apart] == [[*map(_drawn, of)] for of in together]
    # Each sentence has separate random numbers, and so has each piece of a long one.
    twice = parses(trained, [words(["ba"] * 16, name) for name in "ab"], 5, seed=1)
    assert [*map(_drawn, twice[0])] != [*map(_drawn, twice[1])]
    heads = [parsed.sentence.tree.heads for parsed in twice[0]]
    assert any(h[:8] != tuple(max(0, x - 8) if x else 0 for x in h[8:]) for h in heads)
    parses(trained, sentences[:1], 5, seed=2**64)


def _drawn(parsed: Parse) -> tuple[object, ...]:
    """Return parts that do not depend on sums over the sentence, which depend on the padding."""
    s = parsed.sentence
    return s.tree, s.upos, s.xpos, s.feats


def test_a_long_sentence_is_parsed_in_pieces(trained: Any, monkeypatch: pytest.MonkeyPatch):
    # Pieces of the usual length would be compiled for 512 words.
    monkeypatch.setattr("semipunct.pipelines.limits.PARSED", 8)
    forms = [form for s in planted(60, 6) for form in s.forms][:90]
    (parsed,) = parse(trained, [words(forms)])
    assert parsed.sentence.forms == tuple(forms)
    assert tree_fault(parsed.sentence.tree.heads) is None
    assert len(parsed.relations) == len(parsed.tags[0]) == 90
    believed = parsed.sentence.expected
    assert believed is not None
    assert (len(believed.heads), len(believed.strings)) == (90, 91)
