"""Synthetic treebanks: frequencies match the parameters, and writing them changes nothing."""

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.formats.conllu.from_text import bare_entry
from semipunct.formats.conllu.punctuate import punctuate_record
from semipunct.formats.conllu.reading import to_entry
from semipunct.formats.conllu.records import Record, format_record
from semipunct.marks import ABBREVIATION, without_boundaries
from semipunct.trees import DependencyTree
from tests import oracle
from tests.formats.conllu.builders import records
from tests.formats.conllu.punctuation import content
from tests.synthetic import (
    ROOT,
    SyntheticSentence,
    english_parameters,
    generate,
    synthetic_sentence,
)

SIZE = 3000


@cache
def drawn(direction: str = "r2l") -> tuple[SyntheticSentence, ...]:
    return tuple(generate(replace(english_parameters(), direction=direction), SIZE, seed=7))


def agree(counts: Counter, distribution: Mapping[Hashable, float]) -> None:
    """Assert that every frequency is within 4.5 standard deviations of its probability."""
    total = counts.total()
    assert set(counts) <= {item for item, p in distribution.items() if p}
    for item, p in distribution.items():
        deviation = math.sqrt(p * (1 - p) / total)
        assert abs(counts[item] / total - p) <= 4.5 * deviation + 1e-12, (item, counts[item], p)


def test_lengths_and_relations():
    parameters = english_parameters()
    lengths, words, phrases = Counter(), Counter(), Counter()
    for item in drawn():
        sentence = item.sentence
        lengths[len(sentence.forms)] += 1
        left, right = sentence.tree.edges
        for i, relation in enumerate(sentence.tree.relations):
            if sentence.tree.heads[i] == 0:
                assert relation == ROOT
            else:
                (words if right[i] - left[i] == 1 else phrases)[relation] += 1
    agree(lengths, parameters.lengths)
    agree(words, parameters.word_relations)
    agree(phrases, parameters.phrase_relations)


def test_upos_and_pairs_given_the_relation():
    parameters = english_parameters()
    upos, pairs = {}, {}
    for item in drawn():
        for relation, tag, pair in zip(
            item.sentence.tree.relations, item.sentence.upos, item.pairs, strict=True
        ):
            upos.setdefault(relation, Counter())[tag] += 1
            pairs.setdefault(relation, Counter())[pair] += 1
    for relation in upos:
        agree(upos[relation], parameters.upos.get(relation, {"X": 1.0}))
        agree(pairs[relation], parameters.pairs.get(relation, {((), ()): 1.0}))


@pytest.mark.parametrize("direction", ["l2r", "r2l"])
def test_edits_given_the_window(direction: str):
    parameters = english_parameters()
    edits = {}
    for item in drawn(direction):
        for edit in itertools.chain.from_iterable(item.edits):
            edits.setdefault((edit.a, edit.b), Counter())[edit.name] += 1
    for window, counts in edits.items():
        agree(counts, parameters.edits.get(window, {"keep": 1.0}))
    assert sum(edits[",", "."].values()) > 100


@pytest.mark.parametrize("direction", ["l2r", "r2l", "none"])
def test_underlying_and_surface_are_those_of_the_oracle(direction: str):
    marks = {"initial": direction != "l2r", "final": direction != "none"}
    parameters = replace(
        english_parameters(),
        initial_mark=marks["initial"],
        final_mark=marks["final"],
        direction=direction,
    )
    for item in generate(parameters, 150, seed=3):
        sentence = item.sentence
        assert list(item.underlying) == oracle.underlying_slots(
            sentence.tree.heads, item.pairs, marks["initial"], marks["final"]
        )
        for underlying, surface, rewriting in zip(
            item.underlying, sentence.slots, item.edits, strict=True
        ):
            paths = oracle.edit_paths(oracle.Channel(direction, parameters.edits), underlying)
            names = tuple(edit.name for edit in rewriting)
            assert (names, surface) in [(path[1], without_boundaries(path[2])) for path in paths]


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
    parameters = english_parameters()
    first = list(generate(parameters, 20, seed=1))
    assert first == list(generate(parameters, 20, seed=1))
    assert first[:5] == list(generate(parameters, 5, seed=1))
    assert first != list(generate(parameters, 20, seed=2))
    assert list(generate(parameters, 0, seed=1)) == []


def written(sentence: Sentence) -> Record:
    """Return the record of a sentence written as CoNLL-U and read again."""
    new_record = punctuate_record(bare_entry(sentence), sentence.slots)
    (record,) = records(format_record(new_record))
    return record


def read_back(sentence: Sentence) -> Sentence:
    back = to_entry(written(sentence))
    assert back.notes.lifts == 0
    return content(back)


def same(a: Sentence, b: Sentence) -> bool:
    return a == replace(b, path=a.path, line=a.line)


def test_written_and_read_back():
    for item in drawn()[:300]:
        assert same(item.sentence, read_back(item.sentence))


def test_punctuation_hangs_without_crossing_arcs():
    for item in drawn()[:100]:
        record = written(item.sentence)
        arcs = [sorted((t.word_id, t.head)) for t in record.tokens if t.head]
        for (a, b), (c, d) in itertools.combinations(arcs, 2):
            assert not a < c < b < d
            assert not c < a < d < b
        heads = {token.head for token in record.tokens}
        assert not any(t.upos == "PUNCT" and t.word_id in heads for t in record.tokens)


def test_the_dot_of_an_abbreviation_returns_to_its_word():
    sentence = synthetic_sentence(
        "flat-5", list("abcde"), ["NOUN"] * 5,
        DependencyTree((3, 3, 0, 3, 3), ("dep", "dep", ROOT, "dep", "dep")),
        ((), (), (",",), (), (), (".",)),
    )  # fmt: skip
    slots = list(sentence.slots)
    slots[1], slots[5] = (ABBREVIATION, ","), (ABBREVIATION, ".")
    dotted = replace(sentence, slots=tuple(slots))
    assert written(dotted).tokens[0].form == f"{sentence.forms[0]}."
    back = read_back(dotted)
    assert (back.slots, back.forms) == (dotted.slots, dotted.forms)
    for place, slot in ((0, (ABBREVIATION,)), (1, (",", ABBREVIATION))):
        wrong = replace(sentence, slots=(*slots[:place], slot, *slots[place + 1 :]))
        with pytest.raises(UsageError, match=f"flat-5: slot {place} has an abbreviation's dot"):
            written(wrong)


def test_one_long_random_sentence():
    (item,) = generate(replace(english_parameters(), lengths={50_000: 1.0}), 1, seed=0)
    assert len(item.sentence.forms) == 50_000
    left, right = item.sentence.tree.edges
    assert max(r - lo for lo, r in zip(left, right, strict=True)) == 50_000
