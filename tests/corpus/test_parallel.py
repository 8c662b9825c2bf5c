"""Parallel sentences: slots are aligned where words agree."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Sentence, Words
from semipunct.corpus.parallel import align_versions, shared_slots
from semipunct.errors import TreebankError
from semipunct.trees import DependencyTree

WORDS = st.lists(st.sampled_from(["a", "B", "b", "c"]), min_size=1, max_size=6)


def words(text: str, name: str = "s") -> Words:
    forms: list[str] = []
    slots: list[list[str]] = [[]]
    for token in text.split():
        if token in ",.;!":
            slots[-1].append(token)
        else:
            forms.append(token)
            slots.append([])
    return Words(name, "f.txt", 3, tuple(forms), tuple(map(tuple, slots)))


def sentence(heads: tuple[int, ...], slots: str = "") -> Sentence:
    n = len(heads)
    strings = ((),) * n + (tuple(slots),)
    tree = DependencyTree(heads, ("dep",) * n)
    return Sentence("t", "f.conllu", 1, *(("x",) * n,) * 5, tree, strings)


def test_the_same_words():
    pair = align_versions(words("well I know"), [words("Well , I know ."), words("well I know !")])
    assert pair.references[0] == ((), (",",), (), (".",))
    assert pair.target() == replace(pair.source, slots=((), (",",), (), (".",)))
    assert len(pair.corrected) == 2


def test_a_dot_of_an_abbreviation_is_part_of_its_word():
    source = replace(words("Mr Bean ,"), slots=((), ("<abbr>",), (",",)))
    pair = align_versions(source, [words("Mr Bean .")])
    assert pair.references == (((), (), (".",)),)
    assert pair.target().slots == ((), ("<abbr>",), (".",))


@pytest.mark.parametrize(
    "corrected, problem",
    [
        ("we know .", "word 1 is 'I', and 'we' in the corrected sentence"),
        ("I know it .", "2 words, and 3 in the corrected sentence; word 3 .* is 'it'"),
        ("I .", "2 words, and 1 in the corrected sentence; word 2 .* is 'know'"),
    ],
)
def test_other_words_are_refused_by_name(corrected, problem):
    with pytest.raises(TreebankError, match=r"f.txt:3: sentence s: " + problem) as caught:
        align_versions(words("I know"), [words(corrected, "other")])
    assert "sentence other" in str(caught.value)


def test_trees_of_one_shape_may_have_other_words():
    pair = align_versions(
        sentence((2, 0)), [replace(sentence((2, 0), "."), forms=("y", "y"))], "trees"
    )
    assert pair.references == (((), (), (".",)),)
    with pytest.raises(TreebankError, match="the head of word 1 is 2, and 0"):
        align_versions(sentence((2, 0)), [sentence((0, 1))], "trees")
    with pytest.raises(TreebankError, match="without a tree"):
        align_versions(words("a"), [words("a")], "trees")


def test_only_slots_between_shared_words_are_judged():
    source = words("if you goes home we are happy")
    pair = align_versions(source, [words("If you go home , we are very happy .")], "shared")
    assert pair.references == (((), (), None, None, (",",), (), None, (".",)),)
    assert pair.target().slots == ((), (), (), (), (",",), (), (), (".",))


@given(WORDS, st.integers(0, 99))
def test_a_sentence_with_all_its_words_is_judged_everywhere(forms, seed):
    draw = random.Random(seed)
    slots = [tuple(draw.choices(",.", k=draw.randrange(3))) for _ in range(len(forms) + 1)]
    assert shared_slots([form.swapcase() for form in forms], forms, slots) == tuple(slots)


@given(WORDS, WORDS)
def test_judged_slots_are_between_words_that_agree(one, other):
    numbered = [(str(i),) for i in range(len(other) + 1)]
    found = shared_slots(one, other, numbered)
    source, target = ["<", *map(str.lower, one), ">"], ["<", *map(str.lower, other), ">"]
    places = [(i, int(s[0])) for i, s in enumerate(found) if s is not None]
    for i, j in places:
        assert source[i : i + 2] == target[j : j + 2]
    assert places == sorted(places, key=lambda pair: pair[1])
    assert len({j for _, j in places}) == len(places)


def test_long_sentences_are_aligned():
    forms = [str(i) for i in range(5000)]
    slots = shared_slots(forms, [*forms[:2000], "x", *forms[2000:]], [()] * 5002)
    assert slots.count(None) == 1
