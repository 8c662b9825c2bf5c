"""Learner errors: counted by situation, sampled at these rates; words and trees stay."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from semipunct.corpus import Words
from semipunct.corpus.learners import (
    LearnerErrors,
    Made,
    Situation,
    contexts,
    count_errors,
    english_learner_errors,
    erroneous,
)
from semipunct.corpus.parallel import align_versions
from semipunct.errors import UsageError
from semipunct.formats import read_entries
from semipunct.formats.parallel import (
    read_parallel_texts,
    read_parallel_treebanks,
    write_erroneous,
)
from tests.synthetic import english_parameters, generate

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "semipunct" / "data" / "sample.conllu"
JFLEG = ROOT.parent / "shared" / "data" / "jfleg"

COMMA, NOTHING = (",",), ()


@pytest.fixture(scope="module")
def drawn():
    """2,000 sentences with many commas, none from learners."""
    return list(generate(english_parameters(), 2000, 1))


def words(*tokens: str) -> Words:
    forms: list[str] = []
    slots: list[list[str]] = [[]]
    for token in tokens:
        if token in {",", ".", ";"}:
            slots[-1].append(token)
        else:
            forms.append(token)
            slots.append([])
    return Words("s", "f", 1, tuple(forms), tuple(map(tuple, slots)))


def test_contexts():
    forms = ["In", "the", "old", "town", "he", "lives", "with", "Ann"]
    forms += ["who", "sings", "and", "because", "he"]
    slots = [()] * 5 + [(",",)] + [()] * 8
    assert contexts(forms, slots) == [
        "initial", "opening word", "opening phrase", "opening phrase", "opening phrase",
        "opening clause", "medial", "medial", "relative", "medial", "coordinator", "subordinator",
        "medial", "final",
    ]  # fmt: skip
    assert contexts(["But"], [(), ()]) == ["initial", "final"]
    unmarked = contexts(["x"] * 9, [()] * 10)
    assert unmarked[5:] == ["opening clause"] * 3 + ["medial", "final"]


def test_errors_are_counted_once_for_each_reference():
    source = words("Well", "I", "goes", "home", "and", "sleep", ",")
    first_version = words("Well", ",", "I", "go", "home", ",", "and", "sleep", ".")
    second_version = words("Well", ",", "I", "went", "home", "and", "sleep", ".")
    errors = count_errors([align_versions(source, [first_version, second_version], "shared")])
    # The slots next to "goes" are not annotated.
    assert errors.occurrences == {
        Situation((), "initial"): 2,
        Situation((",",), "opening word"): 2,
        Situation((",",), "coordinator"): 1,
        Situation((), "coordinator"): 1,
        Situation((), "medial"): 2,
        Situation((".",), "final"): 2,
    }
    assert errors.errors == {
        Situation((",",), "opening word"): {(): Made(2, 1)},
        Situation((",",), "coordinator"): {(): Made(1, 1)},
        Situation((".",), "final"): {(",",): Made(2, 1)},
    }


def test_rates_are_those_of_the_context_where_it_is_frequent():
    often, seldom = Situation(COMMA, "medial"), Situation(COMMA, "relative")
    errors = LearnerErrors(
        {often: 90, seldom: 10, Situation(COMMA, "final"): 7, Situation((";",), "final"): 8},
        {
            often: {NOTHING: Made(18, 9), (".",): Made(4, 1)},
            seldom: {NOTHING: Made(2, 2), (";",): Made(3, 2)},
            Situation(COMMA, "final"): {NOTHING: Made(7, 7)},
            Situation((";",), "final"): {NOTHING: Made(2, 2)},
        },
    )
    rates = errors.rates()
    assert rates[often] == {NOTHING: 0.2}
    assert rates[seldom] == {NOTHING: 0.2, (";",): 0.03}
    assert rates[Situation((";",), "final")] == {NOTHING: 0.25}
    # Seven are too few, and edges do not use the rates of inner slots.
    assert Situation(COMMA, "final") not in rates
    assert Situation(COMMA, "initial") not in rates
    assert Situation(COMMA, "coordinator") in rates


def test_the_same_seed_gives_the_same_errors(drawn):
    errors = english_learner_errors()
    some = drawn[:50]
    drawn_first, drawn_again, drawn_otherwise = (
        list(erroneous(some, errors, seed)) for seed in (1, 1, 2)
    )
    assert drawn_first == drawn_again != drawn_otherwise
    assert list(erroneous(some[:20], errors, 1)) == drawn_first[:20]
    assert list(erroneous([], errors, 1)) == []


def test_rates_come_out(drawn):
    """Rates are counted without contexts: a comma is lost or becomes a semicolon, one is added."""
    places = ("coordinator", "relative", "subordinator", "medial",
              "opening word", "opening phrase", "opening clause")  # fmt: skip
    errors = LearnerErrors(
        {Situation(s, c): 1000 for s in (COMMA, NOTHING) for c in places},
        {Situation(COMMA, c): {NOTHING: Made(300, 9), (";",): Made(50, 9)} for c in places}
        | {Situation(NOTHING, c): {COMMA: Made(20, 9)} for c in places},
    )
    pairs = Counter(
        (before, after)
        for sentence, erroneous_sentence in zip(drawn, erroneous(drawn, errors, 5), strict=True)
        for before, after in zip(sentence.slots[1:-1], erroneous_sentence.slots[1:-1], strict=True)
    )
    for right, wrong, rate in (
        (COMMA, NOTHING, 0.3),
        (COMMA, (";",), 0.05),
        (NOTHING, COMMA, 0.02),
    ):
        n = sum(count for (before, _), count in pairs.items() if before == right)
        assert n > 500
        assert abs(pairs[right, wrong] / n - rate) < 4 * math.sqrt(rate * (1 - rate) / n)
    assert all(before == after or before in (COMMA, NOTHING) for before, after in pairs)


def test_a_treebank_is_written_twice(tmp_path):
    source, corrected = tmp_path / "source.conllu", tmp_path / "corrected.conllu.gz"
    errors = english_learner_errors()
    write_erroneous([SAMPLE], errors, 4, source, corrected)
    pairs_read = read_parallel_treebanks([source], [corrected])
    assert pairs_read.omitted == ()
    sentences = [e.content for e in read_entries([SAMPLE]) if not hasattr(e.content, "reason")]
    expected_sentences = erroneous(sentences, errors, 4)
    changed = 0
    for pair, sentence, expected_sentence in zip(
        pairs_read.sentences, sentences, expected_sentences, strict=True
    ):
        assert pair.source.slots == expected_sentence.slots
        assert pair.corrected[0].slots == sentence.slots == pair.target().slots
        for side in (pair.source, pair.corrected[0]):
            assert replace(side, slots=sentence.slots) == replace(
                sentence, path=side.path, line=side.line
            )
        changed += sum(a != b for a, b in zip(expected_sentence.slots, sentence.slots, strict=True))
    assert changed > 50
    with pytest.raises(UsageError, match="named twice"):
        write_erroneous([SAMPLE], errors, 4, source, source)


def test_the_table_is_what_the_driver_counts():
    if not JFLEG.is_dir():
        pytest.skip("JFLEG is not at ../shared/data/jfleg beside the repository")
    pairs = read_parallel_texts(JFLEG / "dev.src", [JFLEG / f"dev.ref{i}" for i in range(4)])
    assert count_errors(pairs) == english_learner_errors()
