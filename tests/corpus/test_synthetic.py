"""Synthetic treebanks: what is drawn is what was planted, and it survives being written."""

import itertools
import math
import sys
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from semipunct import marks
from semipunct.corpus.generator import ROOT, Planted, allowed, planted_english
from semipunct.corpus.sentences import Sentence, to_sentence
from semipunct.corpus.synthetic import Synthetic, generate, scaling_sentence
from semipunct.errors import UsageError
from semipunct.formats.conllu.plain import to_conllu
from semipunct.trees.tree import constituents
from tests import oracle
from tests.formats.conllu.builders import records

SIZE = 3000


@cache
def drawn(direction: str = "r2l") -> tuple[Synthetic, ...]:
    return tuple(generate(replace(planted_english(), direction=direction), SIZE, seed=7))


def agree(counts: Counter, planted: Mapping[Hashable, float]) -> None:
    """Every frequency is within 4.5 standard deviations of its probability."""
    total = counts.total()
    assert set(counts) <= {item for item, p in planted.items() if p}
    for item, p in planted.items():
        deviation = math.sqrt(p * (1 - p) / total)
        assert abs(counts[item] / total - p) <= 4.5 * deviation + 1e-12, (item, counts[item], p)


def test_lengths_and_relations():
    planted = planted_english()
    lengths, words, phrases = Counter(), Counter(), Counter()
    for item in drawn():
        sentence = item.sentence
        lengths[len(sentence.forms)] += 1
        left, right = constituents(sentence.heads)
        for i, relation in enumerate(sentence.relations):
            if sentence.heads[i] == 0:
                assert relation == ROOT
            else:
                (words if right[i] - left[i] == 1 else phrases)[relation] += 1
    agree(lengths, planted.lengths)
    agree(words, planted.word_relations)
    agree(phrases, planted.phrase_relations)


def test_upos_and_pairs_given_the_relation():
    planted = planted_english()
    upos, pairs = {}, {}
    for item in drawn():
        for relation, tag, pair in zip(
            item.sentence.relations, item.sentence.upos, item.pairs, strict=True
        ):
            upos.setdefault(relation, Counter())[tag] += 1
            pairs.setdefault(relation, Counter())[pair] += 1
    for relation in upos:
        agree(upos[relation], planted.upos.get(relation, {"X": 1.0}))
        agree(pairs[relation], planted.pairs.get(relation, {((), ()): 1.0}))


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_edits_given_the_window(direction: str):
    planted = planted_english()
    edits = {}
    for item in drawn(direction):
        for edit in itertools.chain.from_iterable(item.edits):
            edits.setdefault((edit.a, edit.b), Counter())[edit.name] += 1
    for window, counts in edits.items():
        agree(counts, planted.edits.get(window, {"keep": 1.0}))
    assert sum(edits[",", "."].values()) > 100


@pytest.mark.parametrize("direction", ["l2r", "r2l", "none"])
def test_underlying_and_surface_are_those_of_the_oracle(direction: str):
    planted = replace(planted_english(), final_mark=True, direction=direction)
    edits = planted.edits
    for item in generate(planted, 150, seed=3):
        sentence = item.sentence
        assert list(item.underlying) == oracle.underlying_slots(
            sentence.heads, item.pairs, True, True
        )
        for underlying, surface, made in zip(
            item.underlying, sentence.slots, item.edits, strict=True
        ):
            paths = oracle.edit_paths(oracle.Channel(direction, edits), underlying)
            names = tuple(edit.name for edit in made)
            assert (names, surface) in [(path[1], path[2]) for path in paths]


def test_quotes_are_transposed_only_from_right_to_left():
    def transposed(direction: str) -> int:
        edits = itertools.chain.from_iterable(e for item in drawn(direction) for e in item.edits)
        return sum(edit.name == "transpose" for edit in edits)

    assert transposed("none") == 0
    assert transposed("r2l") > 50
    assert any(
        slot[-2:] == (".", "”") for item in drawn("r2l") for slot in item.sentence.slots[-1:]
    )


def test_the_seed_decides():
    planted = planted_english()
    first = list(generate(planted, 20, seed=1))
    assert first == list(generate(planted, 20, seed=1))
    assert first[:5] == list(generate(planted, 5, seed=1))
    assert first != list(generate(planted, 20, seed=2))
    assert list(generate(planted, 0, seed=1)) == []


def read_back(sentence: Sentence) -> Sentence:
    (record,) = records(to_conllu(sentence))
    back = to_sentence(record)
    assert isinstance(back, Sentence)
    assert back.lifted == 0
    return back


def same(one: Sentence, other: Sentence) -> bool:
    return one == replace(other, path=one.path, line=one.line, record=one.record)


def test_written_and_read_back():
    for item in drawn()[:300]:
        assert same(item.sentence, read_back(item.sentence))


def test_punctuation_hangs_without_crossing_arcs():
    for item in drawn()[:100]:
        (record,) = records(to_conllu(item.sentence))
        arcs = [sorted((t.word_id, t.head)) for t in record.tokens if t.head]
        for (a, b), (c, d) in itertools.combinations(arcs, 2):
            assert not a < c < b < d
            assert not c < a < d < b
        heads = {token.head for token in record.tokens}
        assert not any(t.upos == "PUNCT" and t.word_id in heads for t in record.tokens)


def test_the_dot_of_an_abbreviation_returns_to_its_word():
    sentence = scaling_sentence("flat", 5, every=2)
    slots = list(sentence.slots)
    slots[1], slots[5] = (marks.ABBREVIATION, ","), (marks.ABBREVIATION, ".")
    dotted = replace(sentence, slots=tuple(slots))
    assert f"\t{sentence.forms[0]}.\t" in to_conllu(dotted)
    back = read_back(dotted)
    assert (back.slots, back.forms) == (dotted.slots, dotted.forms)
    for place, slot in ((0, (marks.INITIAL, marks.ABBREVIATION)), (1, (",", marks.ABBREVIATION))):
        wrong = replace(sentence, slots=(*slots[:place], slot, *slots[place + 1 :]))
        with pytest.raises(UsageError, match=f"flat-5: slot {place} has an abbreviation's dot"):
            to_conllu(wrong)


@pytest.mark.parametrize("shape", ["chain", "chain_left", "flat"])
@pytest.mark.parametrize("words", [1, 2, 10, 20_000])
def test_shapes_of_any_size(shape: str, words: int):
    depth = sys.getrecursionlimit()
    sentence = scaling_sentence(shape, words)
    assert len(sentence.forms) == words
    assert sentence.slots[-1][-1] == "."
    assert sum(len(slot) for slot in sentence.slots) >= 1 + words // 8
    assert max(len(slot) for slot in sentence.slots) <= 3
    assert same(sentence, read_back(sentence))
    assert sys.getrecursionlimit() == depth


def test_one_long_random_sentence():
    (item,) = generate(replace(planted_english(), lengths={50_000: 1.0}), 1, seed=0)
    assert len(item.sentence.forms) == 50_000
    left, right = constituents(item.sentence.heads)
    assert max(r - lo for lo, r in zip(left, right, strict=True)) == 50_000


@pytest.mark.parametrize(
    "change, message",
    [
        ({"lengths": {3: 0.5}}, "lengths: the probabilities sum to 0.5"),
        ({"lengths": {}}, "lengths: the probabilities sum to 0"),
        ({"lengths": {0: 1.0}}, "at least one word"),
        ({"word_relations": {"a": 1.5, "b": -0.5}}, "word_relations: a probability is negative"),
        ({"upos": {"conj": {"X": math.nan}}}, "not a number"),
        ({"direction": "left"}, "give l2r, r2l or none"),
        ({"another_kid": 1.0}, "another_kid"),
        ({"pairs": {"conj": {(("^",), ()): 1.0}}}, "'\\^' belongs to no puncteme"),
        ({"edits": {(",", ","): {"absorb_left": 1.0}}}, "'absorb_left' is impossible"),
        ({"edits": {("^", ","): {"transpose": 1.0}}}, "'transpose' is impossible"),
        ({"edits": {(".", "$"): {"absorb_right": 1.0}}}, "'absorb_right' is impossible"),
    ],
)
def test_what_is_no_distribution_is_refused(change: dict[str, object], message: str):
    with pytest.raises(UsageError, match=message):
        replace(planted_english(), **change)


def test_impossible_sizes_are_refused():
    with pytest.raises(UsageError, match="-1 sentences"):
        next(generate(planted_english(), -1, seed=0))
    with pytest.raises(UsageError, match="0 words"):
        scaling_sentence("flat", 0)
    with pytest.raises(UsageError, match="shape 'star'"):
        scaling_sentence("star", 3)  # type: ignore[arg-type]


def test_marks_stay_where_they_are():
    assert allowed(("^", "$")) == {"keep"}
    assert allowed(("^", ",")) == {"keep", "absorb_right"}
    assert allowed((",", ".")) == {"keep", "absorb_left", "absorb_right", "transpose"}
    assert isinstance(planted_english(), Planted)
