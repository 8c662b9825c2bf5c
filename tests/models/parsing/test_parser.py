"""The parser compared with all analyses of short sentences, and on a planted treebank."""

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
from semipunct.errors import ModelError, UsageError
from semipunct.models.parsing.decoding import decode_trees, sample_trees, top
from semipunct.models.parsing.options import ParserOptions, ParserTrainOptions
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.criteria import evaluate
from semipunct.pipelines.parses import Parse, parse, parses
from semipunct.pipelines.trained import InPlace
from semipunct.store.checkpoint import load
from semipunct.trees import DependencyTree, tree_fault
from tests.models.parsing.treebank import planted, sentence
from tests.planted import figures

SMALL = ParserOptions(8, 8, 8, 2, 1, 8, 8, 8, 1, 1)
SHORT = [
    sentence(["ba", "ce", "di"], ["A", "B", "A"], [2, 0, 2], ["x", "root", "x"]),
    sentence(["di"], ["A"], [0], ["root"]),
]


@pytest.fixture(scope="module")
def random() -> InPlace[Parser]:
    """Return a parser with weights large enough for trees to differ in probability."""
    model = Parser.fit(SHORT, SMALL)
    weights = model.initial_parameters(0, 0.0)
    weights["arc.weight"] = np.random.default_rng(1).normal(0, 3, (8, 8)).astype(np.float32)
    return InPlace.of(InPlace(model, weights))


@pytest.fixture(scope="module")
def trained(parser: Path) -> Any:
    return load(parser, Parser)


def projective(words: int) -> list[tuple[int, ...]]:
    """Return all projective trees with one root, by the definition."""
    trees = []
    for heads in itertools.product(range(words + 1), repeat=words):
        if tree_fault(heads):
            continue
        arcs = [tuple(sorted((head, word))) for word, head in enumerate(heads, 1)]
        if not any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2)):
            trees.append(heads)
    return trees


@partial(jax.jit, static_argnums=0)
def compiled(model: Parser, weights: Any, batch: Any) -> jax.Array:
    return model.log_likelihoods(weights, batch)


def log_probabilities(model: Parser, weights: Any, sentences: list[Sentence]) -> np.ndarray:
    batch = model.batch(model.encode(sentences), range(len(sentences)))
    return np.asarray(compiled(model, weights, batch))


@pytest.mark.exhaustive
def test_analyses_of_two_words_have_probability_one(random: InPlace[Parser]):
    tags = ("A", "B", "unseen")
    every = [
        sentence(["ba", "ce"], list(pair), list(heads), list(names))
        for heads in projective(2)
        for names in itertools.product(("root", "x", "unseen"), repeat=2)
        for pair in itertools.product(tags, repeat=2)
    ]
    # In ``sentence`` the columns of these tags agree: in the other columns any values are allowed.
    analyses = []
    for s in every:
        for xpos in itertools.product(("a", "b", "unseen"), repeat=2):
            for feats in itertools.product(("Tag=A", "Tag=B", "unseen"), repeat=2):
                analyses.append(replace(s, xpos=xpos, feats=feats))
    total = sum(
        np.exp(log_probabilities(random.model, random.parameters, analyses[i : i + 512])).sum()
        for i in range(0, len(analyses), 512)
    )
    assert total == pytest.approx(1, abs=1e-4)


def tree_probabilities(random: InPlace[Parser], forms: list[str]) -> dict[tuple[int, ...], float]:
    """Return tree probabilities from the likelihoods of analyses with different heads."""
    trees = projective(len(forms))
    analyses = [
        sentence(forms, ["A"] * len(forms), list(heads), ["x"] * len(forms)) for heads in trees
    ]
    encoded = random.model.encode(analyses)
    batch = random.model.batch(encoded, range(len(analyses)))
    # Relations depend on heads: their factor is that of a model without relations.
    plain = {**random.parameters}
    plain["relation.weight"] = jax.numpy.zeros_like(plain["relation.weight"])
    log_p = jax.jit(lambda weights, batch: random.model._parts(weights, batch, None)[0])(
        plain, batch
    )
    weights = np.exp(np.asarray(log_p, np.float64))
    return dict(zip(trees, (weights / weights.sum()).tolist(), strict=True))


@pytest.fixture(scope="module")
def expected(random: InPlace[Parser]) -> dict[tuple[int, ...], float]:
    """Return the probabilities of all trees of four words."""
    return tree_probabilities(random, FORMS)


FORMS = ["ba", "ce", "di", "zz"]
NUMBERS = np.zeros((1, 2), np.uint32)


@pytest.mark.exhaustive
def test_the_best_trees_in_order(random: InPlace[Parser], expected: Any):
    inputs = random.model.batch(random.model.encode_words([words(FORMS)]), [0]).inputs
    trees, *_ = top(random.model, 4, random.parameters, inputs)
    ranked = sorted(expected.items(), key=lambda item: -item[1])[:4]
    for k, (heads, probability) in enumerate(ranked):
        assert tuple(np.asarray(trees.heads)[k, 0, :4].tolist()) == heads
        assert np.exp(trees.log_probability[k, 0]) == pytest.approx(probability, rel=1e-3)
    best, _, certainty, *_ = decode_trees(random.model, "best", random.parameters, inputs)
    assert tuple(np.asarray(best.heads)[0, :4].tolist()) == ranked[0][0]
    for word, head in enumerate(ranked[0][0]):
        marginal = sum(p for heads, p in expected.items() if heads[word] == head)
        assert certainty.head[0, word] == pytest.approx(marginal, abs=1e-4)


def test_the_tree_of_least_risk(random: InPlace[Parser], expected: Any):

    def right(heads: tuple[int, ...]) -> float:
        return sum(p * sum(map(int.__eq__, heads, tree)) for tree, p in expected.items())

    inputs = random.model.batch(random.model.encode_words([words(FORMS)]), [0]).inputs
    trees, *_ = decode_trees(random.model, "risk", random.parameters, inputs)
    best_heads = tuple(np.asarray(trees.heads)[0, :4].tolist())
    assert right(best_heads) == pytest.approx(max(map(right, expected)), abs=1e-5)


@pytest.mark.exhaustive
def test_trees_are_drawn_as_often_as_they_are_probable(random: InPlace[Parser], expected: Any):
    inputs = random.model.batch(random.model.encode_words([words(FORMS)]), [0]).inputs
    trees, tags, *_ = sample_trees(
        random.model, 4000, random.parameters, inputs, jax.random.key(0), NUMBERS
    )
    drawn = [tuple(heads) for heads in np.asarray(trees.heads)[:, 0, :4].tolist()]
    shares = {heads: n / 4000 for heads, n in Counter(drawn).items()}
    distance = sum(abs(shares.get(heads, 0) - p) for heads, p in expected.items()) / 2
    # The expected distance of 4,000 draws is less than half the square root of trees over draws.
    assert distance < 0.5 * (len(expected) / 4000) ** 0.5
    for heads, log_probability in zip(
        drawn[:50], np.asarray(trees.log_probability)[:50, 0], strict=True
    ):
        assert np.exp(log_probability) == pytest.approx(expected[heads], rel=1e-3)
    # Code 0 stands for values unseen in training, and is never predicted.
    assert np.asarray(tags)[:, :, 0, :4].min() >= 1


def words(forms: list[str], name: str = "w") -> Words:
    return Words(name, "made", 1, tuple(forms), ((),) * (len(forms) + 1))


@pytest.mark.exhaustive
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
    assert (best_parse.sentence.upos, best_parse.sentence.xpos, best_parse.sentence.feats) == tuple(
        (value,) for value in best
    )
    assert [p for (p,) in best_parse.tags] == pytest.approx([share_of[best]] * 3, rel=1e-3)
    (draws,) = parses(InPlace(model, weights), [word], 1000)
    drawn = Counter((d.sentence.upos[0], d.sentence.xpos[0], d.sentence.feats[0]) for d in draws)
    assert {*drawn} <= {*share_of}
    assert drawn[best] / 1000 == pytest.approx(share_of[best], abs=0.06)


@pytest.mark.exhaustive
def test_a_parser_without_combinations_predicts_each_tag_separately(random: InPlace[Parser]):
    data = random.model.to_data()
    del data["vocabulary"]["combination"]
    model = Parser.from_data(data, SMALL)
    weights = {**random.parameters}
    for name, preference in {"upos": 5.0, "xpos": -5.0, "feats": -5.0}.items():
        weights[f"{name}.bias"] = jax.numpy.array([9.0, preference, 0.0])
    (best_parse,) = parse(InPlace(model, weights), SHORT[1:])
    assert (best_parse.sentence.upos, best_parse.sentence.xpos) == (("A",), ("b",))
    (draws,) = parses(InPlace(model, weights), SHORT[1:], 50)
    assert {(d.sentence.upos, d.sentence.xpos) for d in draws} >= {(("A",), ("b",))}


@pytest.mark.parametrize(
    ("sentences", "visits"), [(1, 1_000), (400, 26_000), (4_000, 86_000), (40_000, 500_000)]
)
def test_small_treebanks_have_more_epochs_than_large_ones(sentences: int, visits: int):
    assert ParserTrainOptions().suggested_visits(sentences) == visits


@pytest.mark.exhaustive
def test_padding_changes_nothing(random: InPlace[Parser]):
    model, weights = random.model, random.parameters
    alone = log_probabilities(model, weights, SHORT[:1])
    longer = sentence(["ba"] * 20, ["A"] * 20, [*range(2, 21), 0], ["x"] * 20)
    together = log_probabilities(model, weights, [SHORT[0], longer])
    assert together[0] == pytest.approx(float(alone[0]), rel=1e-4)
    # A batch of a given size has rows without a sentence.
    batch = model.batch(model.encode(SHORT), [0], 2)
    np.testing.assert_allclose(compiled(model, weights, batch)[1:], 0.0, atol=1e-5)


def test_a_planted_rule_is_learned(trained: Any, parser: Path):
    assert figures(parser)["dev_las"] > 0.98
    unseen = planted(30, 2, ["zy", "wo", "vu"])
    parses = parse(trained, unseen)
    right = [
        parsed.sentence.tree == s.tree
        and parsed.sentence.upos == s.upos
        and parsed.sentence.feats == s.feats
        for parsed, s in zip(parses, unseen, strict=True)
    ]
    assert np.mean(right) > 0.9
    assert all(0 < p <= 1 + 1e-5 for parsed in parses for p in parsed.sentence.expected.heads)
    assert all(parsed.log_probability <= 1e-4 for parsed in parses)


def test_punctuation_is_expected_of_words_alone(trained: Any):
    """The planted marks are predicted regardless of the slots, in long sentences as well."""
    unseen = planted(30, 2, ["zy", "wo", "vu"])
    bare = [without_punctuation(s) for s in unseen]
    parses_with_slots = parse(trained, bare, slots=True)
    best = [tuple(view.strings[0] for view in parsed.slots) for parsed in parses_with_slots]
    assert np.mean([a == s.slots for a, s in zip(best, unseen, strict=True)]) > 0.9
    drawn = parses(trained, bare, 2, slots=True)
    assert all(len(of) == 2 for of in drawn)
    assert not any(parsed.slots for parsed in parse(trained, bare))
    for parsed, of, s in zip(parses_with_slots, drawn, unseen, strict=True):
        for draw in of:
            for view, again in zip(parsed.slots, draw.slots, strict=True):
                assert view.strings[0] == again.strings[0]
                assert again.probability == pytest.approx(view.probability, abs=1e-4)
        believed = parsed.sentence.expected
        assert believed is not None
        for slot, view, string, p in zip(
            s.slots, parsed.slots, believed.strings, believed.probabilities, strict=True
        ):
            assert view.probability.sum() == pytest.approx(1)
            assert p == pytest.approx(view.of(string), abs=2e-3)
            assert string == slot or not slot or p < 0.5


@pytest.mark.exhaustive
def test_marks_are_read_where_they_were_trained_on():
    """Marks on either side of a word affect its analysis, and are not predicted."""
    training = planted(4, 3)
    model = Parser.fit(training, replace(SMALL, marks=True))
    weights = model.initial_parameters(0, 0.0)
    assert not any(name.startswith(("slot", "string", "end")) for name in weights)
    s = max(training, key=lambda s: len(s.forms))
    probabilities = [
        float(log_probabilities(model, weights, [replace(s, slots=slots)])[0])
        for slots in (
            ((),) * len(s.slots),
            ((",",), *((),) * (len(s.slots) - 1)),
            (*((),) * (len(s.slots) - 1), (",",)),
            (*((),) * (len(s.slots) - 1), (".",)),
        )
    ]
    assert len({round(x, 4) for x in probabilities}) == 4
    trained = InPlace(model, weights)
    assert not any(parsed.slots for parsed in parse(trained, training, slots=True))
    bare = [without_punctuation(sentence) for sentence in training]
    heads = [
        [parsed.sentence.expected.heads for parsed in parse(trained, of)] for of in (training, bare)
    ]
    assert heads[0] != heads[1]


def test_parsing_asks_for_words_alone(trained: Any):
    sentences = planted(5, 3)
    bare = [Words(s.sentence_id, s.path, s.line, s.forms, s.slots) for s in sentences]
    wrong = [
        replace(s, upos=("X",) * len(s.forms), tree=DependencyTree(
            (0, *range(1, len(s.forms))), ("dep",) * len(s.forms)
        ))
        for s in sentences
    ]  # fmt: skip
    assert parse(trained, bare) == parse(trained, wrong)


@pytest.mark.exhaustive
def test_draws_and_ranks(trained: Any):
    sentences = planted(3, 4)
    draws = parses(trained, sentences, 5, seed=1)
    assert [len(of) for of in draws] == [5, 5, 5]
    assert parses(trained, sentences, 5, seed=1) == draws
    ranks = parses(
        trained,
        [*sentences, planted(1, 5)[0], sentence(["baate"], ["VERB"], [0], ["root"])],
        3,
        draw=False,
    )
    for of in ranks:
        log_probabilities = [parsed.log_probability for parsed in of]
        assert log_probabilities == sorted(log_probabilities, reverse=True)
        assert len({parsed.sentence.tree.heads for parsed in of}) == len(of)
    # One word has one tree.
    assert len(ranks[-1]) == 1
    with pytest.raises(UsageError, match="0 trees"):
        parses(trained, sentences, 0)


@pytest.mark.exhaustive
def test_draws_do_not_depend_on_other_sentences(trained: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("semipunct.pipelines.limits.PARSED", 8)
    long = words([form for s in planted(4, 10) for form in s.forms][:10])
    sentences = [*planted(3, 4), long, *planted(2, 5)]
    together = parses(trained, sentences, 5, seed=1)
    apart = [parses(trained, [s], 5, seed=1, first=i)[0] for i, s in enumerate(sentences)]
    assert [[_drawn(parsed) for parsed in of] for of in apart] == [
        [_drawn(parsed) for parsed in of] for of in together
    ]
    # Each sentence has separate random numbers, and so has each piece of a long one.
    twice = parses(trained, [words(["ba"] * 16, name) for name in "ab"], 5, seed=1)
    assert [_drawn(parsed) for parsed in twice[0]] != [_drawn(parsed) for parsed in twice[1]]
    heads = [parsed.sentence.tree.heads for parsed in twice[0]]
    assert any(h[:8] != tuple(max(0, x - 8) if x else 0 for x in h[8:]) for h in heads)
    parses(trained, sentences[:1], 5, seed=2**64)


def _drawn(parsed: Parse) -> tuple[object, ...]:
    s = parsed.sentence
    return s.tree, s.upos, s.xpos, s.feats


def test_a_long_sentence_is_parsed_in_pieces(trained: Any, monkeypatch: pytest.MonkeyPatch):
    # Pieces of the usual length would be compiled for 512 words.
    monkeypatch.setattr("semipunct.pipelines.limits.PARSED", 8)
    forms = [form for s in planted(400, 6) for form in s.forms][:900]
    (parsed,) = parse(trained, [words(forms)])
    assert parsed.sentence.forms == tuple(forms)
    assert tree_fault(parsed.sentence.tree.heads) is None
    assert len(parsed.relations) == len(parsed.tags[0]) == 900
    believed = parsed.sentence.expected
    assert believed is not None
    assert (len(believed.heads), len(believed.strings)) == (900, 901)


def test_other_kinds_are_refused(trained: Any, random: InPlace[Parser]):
    with pytest.raises(ModelError, match="kind parser predicts trees and tags"):
        evaluate(trained, planted(2, 7))
    from semipunct.papers.analysis.options import TaggerOptions
    from semipunct.papers.analysis.tagger import SlotTagger

    tagger = SlotTagger.fit(planted(2, 8), TaggerOptions())
    with pytest.raises(ModelError, match="slot-tagger, but a parser is needed"):
        parse(InPlace(tagger, {}), planted(1, 9))


def test_data_and_back(random: InPlace[Parser]):
    again = Parser.from_data(random.model.to_data(), SMALL)
    assert again.vocabulary == random.model.vocabulary
    assert again.vocabulary.codes("upos", ["A", "B", "C"]).tolist() == [1, 2, 0]
