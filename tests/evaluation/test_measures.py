import json
import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.evaluation.figures import PairingErrors, Score
from semipunct.evaluation.measures import (
    PerplexityStatistics,
    edit_distance,
    occurring_pairs,
    pairing_errors,
    restoration_statistics,
)
from semipunct.marks import PAIRS, Puncteme
from tests.evaluation.cases import GOLD, PREDICTED, with_changes

tokens = st.sampled_from([",", ".", "“", "”", "''", "<abbr>"])
punctemes = st.lists(tokens, max_size=5).map(tuple)
sentences = st.lists(punctemes, min_size=2, max_size=6)
pairs_of_sentences = st.lists(
    st.lists(st.tuples(punctemes, punctemes), min_size=1, max_size=5), max_size=4
)


def test_every_number_of_a_tiny_case():
    figures = restoration_statistics(GOLD, PREDICTED).figures()
    assert figures.sentences == 4
    assert figures.slots == 4 + 4 + 3 + 2
    assert figures.edit_distance == 1 + (1 + 2 + 1) + (1 + 1 + 1) + 0
    assert figures.average_edit_distance == 8 / 13
    assert figures.exact_slots == 3 + 1 + 0 + 2
    assert figures.slot_accuracy == 6 / 13
    assert (figures.exact_sentences, figures.sentence_accuracy) == (1, 1 / 4)
    assert figures.marks == {  # true positives, predicted, gold
        "!": Score(0, 1, 0),
        "(": Score(0, 1, 1),
        ")": Score(1, 2, 1),
        ",": Score(0 + 1, 0 + 2, 1 + 1),
        ".": Score(1 + 0 + 1, 1 + 0 + 1, 1 + 1 + 1),
        "“": Score(1, 1, 1),
        "”": Score(1, 1, 1),
    }
    assert figures.micro == Score(6, 10, 9)
    assert figures.micro.precision == 6 / 10
    assert figures.micro.recall == 6 / 9
    assert figures.micro.f1 == pytest.approx(2 * (6 / 10) * (6 / 9) / (6 / 10 + 6 / 9))
    assert figures.macro("precision") == pytest.approx((0 + 0 + 1 / 2 + 1 / 2 + 1 + 1 + 1) / 7)
    # ! has no recall: it is not in the truth.
    assert figures.macro("recall") == pytest.approx((0 + 1 + 1 / 2 + 2 / 3 + 1 + 1) / 6)
    assert figures.macro("f1") == pytest.approx((0 + 0 + 2 / 3 + 1 / 2 + 4 / 5 + 1 + 1) / 7)
    assert figures.predicted_pairing == PairingErrors(openings=0, closings=1)
    assert figures.gold_pairing == PairingErrors(openings=0, closings=0)


def test_the_tiny_case_sentence_by_sentence():
    found = restoration_statistics(GOLD, PREDICTED)
    assert found.slots.tolist() == [4, 4, 3, 2]
    assert found.edit_distance.tolist() == [1, 4, 3, 0]
    assert found.exact_slots.tolist() == [3, 1, 0, 2]
    assert found.marks == ("!", "(", ")", ",", ".", "“", "”")
    assert found.true_positives.tolist() == [
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0, 1, 1],
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0],
    ]
    assert found.predicted_pairing.tolist() == [[0, 0], [0, 0], [0, 1], [0, 0]]


def test_json_has_null_where_a_ratio_is_undefined():
    figures = restoration_statistics(GOLD, PREDICTED).figures()
    value = json.loads(json.dumps(figures.as_dict(), allow_nan=False))
    assert value["average_edit_distance"] == 8 / 13
    assert value["marks"]["!"] == {
        "true_positives": 0,
        "predicted": 1,
        "gold": 0,
        "precision": 0.0,
        "recall": None,
        "f1": 0.0,
    }
    assert value["pairing_errors"]["predicted"] == {"openings": 0, "closings": 1}


@pytest.mark.parametrize("gold", [[], [[(), ()]]], ids=["no sentence", "no mark"])
def test_what_is_undefined_is_nan_and_not_zero(gold: list[list[Puncteme]]):
    figures = restoration_statistics(gold, gold).figures()
    for value in (
        figures.micro.precision,
        figures.micro.recall,
        figures.micro.f1,
        figures.macro("precision"),
        figures.macro("f1"),
    ):
        assert math.isnan(value)
    assert math.isnan(figures.average_edit_distance) == (not gold)
    json.dumps(figures.as_dict(), allow_nan=False)


@pytest.mark.parametrize("score", [Score(0, 0, 3), Score(0, 3, 0)])
def test_one_empty_side_has_f1_zero(score: Score):
    assert score.f1 == 0
    assert [math.isnan(score.precision), math.isnan(score.recall)].count(True) == 1


@lru_cache(None)
def levenshtein(a: Puncteme, b: Puncteme) -> int:
    """The definition, without a table."""
    if not a or not b:
        return len(a) + len(b)
    return min(
        levenshtein(a[1:], b) + 1,
        levenshtein(a, b[1:]) + 1,
        levenshtein(a[1:], b[1:]) + (a[0] != b[0]),
    )


@given(punctemes, punctemes)
def test_edit_distance_is_a_distance(a: Puncteme, b: Puncteme):
    found = edit_distance(a, b)
    assert found == edit_distance(b, a) == levenshtein(a, b)
    assert (found == 0) == (a == b)
    assert abs(len(a) - len(b)) <= found <= max(len(a), len(b))


@given(punctemes, punctemes, punctemes)
def test_edit_distance_has_no_way_round_that_is_shorter(a: Puncteme, b: Puncteme, c: Puncteme):
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)


def test_a_token_of_several_characters_is_one():
    assert edit_distance(("<abbr>",), ("''",)) == 1


@given(pairs_of_sentences)
def test_corpus_figures_are_sums_over_sentences(data: list[list[tuple[Puncteme, Puncteme]]]):
    gold, predicted = ([[pair[side] for pair in s] for s in data] for side in (0, 1))
    whole = restoration_statistics(gold, predicted, PAIRS).figures()
    alone = [
        restoration_statistics([g], [p], PAIRS).figures()
        for g, p in zip(gold, predicted, strict=True)
    ]
    for name in ("sentences", "slots", "edit_distance", "exact_slots", "exact_sentences"):
        assert getattr(whole, name) == sum(getattr(f, name) for f in alone)
    for mark, score in whole.marks.items():
        of_mark = [f.marks[mark] for f in alone if mark in f.marks]
        assert score.true_positives == sum(s.true_positives for s in of_mark)
        assert score.predicted == sum(s.predicted for s in of_mark)
        assert score.gold == sum(s.gold for s in of_mark)
    for kind in ("gold_pairing", "predicted_pairing"):
        for place in (0, 1):
            assert getattr(whole, kind)[place] == sum(getattr(f, kind)[place] for f in alone)


@given(pairs_of_sentences)
def test_exchanging_truth_and_prediction(data: list[list[tuple[Puncteme, Puncteme]]]):
    gold, predicted = ([[pair[side] for pair in s] for s in data] for side in (0, 1))
    one = restoration_statistics(gold, predicted, PAIRS).figures()
    other = restoration_statistics(predicted, gold, PAIRS).figures()
    assert one.edit_distance == other.edit_distance
    assert one.predicted_pairing == other.gold_pairing
    assert one.micro == Score(other.micro.true_positives, other.micro.gold, other.micro.predicted)


@given(st.lists(sentences, min_size=1, max_size=4))
def test_the_truth_is_perfect(gold: list[list[Puncteme]]):
    figures = restoration_statistics(gold, gold).figures()
    assert (figures.edit_distance, figures.slot_accuracy, figures.sentence_accuracy) == (0, 1, 1)
    assert all(score.f1 == 1 for score in figures.marks.values())
    assert figures.predicted_pairing == figures.gold_pairing


PAIRING: Mapping[str, tuple[int, int]] = {
    "": (0, 0),
    ", .": (0, 0),
    "( )": (0, 0),
    "( [ ] ) ( )": (0, 0),
    "(": (1, 0),
    ")": (0, 1),
    ") (": (1, 1),
    "( ( )": (1, 0),
    "( ) )": (0, 1),
    "( [ )": (1, 0),  # the square bracket can no longer be closed
    "( [ ) ]": (1, 1),
    "[ ( ) ( ) )": (1, 1),
    "( [ ( [ )": (3, 0),
    "( ( [ ) )": (1, 0),
    "“ ‘ . ’ ”": (0, 0),
    "« »": (0, 0),
    "» «": (0, 0),  # German
    "« « » »": (0, 0),
    "« » «": (1, 0),
    "¿ ?": (0, 0),
    "!": (0, 1),
}


@pytest.mark.parametrize("text, errors", PAIRING.items())
def test_pairing_errors(text: str, errors: tuple[int, int]):
    tokens = text.split()
    for slots in ([tuple(tokens)], [(token,) for token in tokens], [(), *zip(tokens), ()]):
        assert pairing_errors(slots) == errors


@given(sentences)
def test_every_token_of_a_pair_is_paired_or_an_error(slots: list[Puncteme]):
    errors = pairing_errors(slots)
    members = {token for pair in PAIRS for token in pair}
    number = sum(token in members for slot in slots for token in slot)
    assert 0 <= sum(errors) <= number
    assert (number - sum(errors)) % 2 == 0


def test_only_pairs_that_occur_in_the_truth_count():
    english = [[("(",), (")",), ("!",)]]
    spanish = [[("¡",), ("!",), ("?",)]]
    assert occurring_pairs(english) == {("(", ")")}
    assert occurring_pairs(spanish) == {("¡", "!")}
    assert pairing_errors(english[0], occurring_pairs(english)) == (0, 0)
    assert pairing_errors(spanish[0], occurring_pairs(spanish)) == (0, 0)
    # A system that writes ¡ does not change what is counted, in the truth or in its own text.
    statistics = restoration_statistics(english, [[("(",), (), ("¡",)]])
    assert statistics.pairs == {("(", ")")}
    assert statistics.figures().predicted_pairing == (1, 0)
    assert statistics.figures().gold_pairing == (0, 0)
    assert restoration_statistics(english, english, PAIRS).figures().gold_pairing == (0, 1)


def test_the_marks_of_the_ends_do_not_count():
    plain = restoration_statistics([[(), (".",)]], [[(), (",",)]]).figures()
    marked = restoration_statistics([[("^",), (".", "$")]], [[("^",), (",",)]]).figures()
    assert plain == marked
    assert set(marked.marks) == {",", "."}


def test_words_must_not_change():
    with pytest.raises(UsageError, match="1 gold sentences and 2 predicted"):
        restoration_statistics([[()]], [[()], [()]])
    with pytest.raises(UsageError, match="sentence 2: 2 gold slots and 3 predicted"):
        restoration_statistics([[()], [(), ()]], [[()], [(), (), ()]])


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"slots": np.array([4, 4, 3])}, "slots is there for 3 sentences and edit_distance for 4"),
        ({"slots": np.array([4, 4, 3, 0])}, "sentence 4: there is no slot"),
        ({"edit_distance": np.array([1, -4, 3, 0])}, "sentence 2: edit_distance is negative"),
        ({"edit_distance": np.array([1, 2, 3, 0])}, "sentence 2: fewer edits than wrong slots"),
        ({"edit_distance": np.array([1, 4, 3, 1])}, "sentence 4: exact slots against edit"),
        ({"exact_slots": np.array([5, 1, 0, 2])}, "sentence 1: more exact slots than slots"),
        ({"predicted": np.zeros((4, 7), int)}, "sentence 1: more true positives than tokens"),
        ({"gold": np.zeros((4, 6), int)}, r"gold has shape \(4, 6\)"),
        ({"gold_pairing": np.zeros((4, 3), int)}, "gold_pairing has shape"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, object], complaint: str):
    with pytest.raises(ValueError, match=complaint):
        with_changes(restoration_statistics(GOLD, PREDICTED), changes)


def test_perplexity_of_a_tiny_case():
    log_p = np.log([1 / 2, 1 / 8, 0.0], out=np.full(3, -np.inf), where=[True, True, False])
    figures = PerplexityStatistics(log_p, np.array([2, 2, 3])).figures()
    # 16 ** (1 / 4) over the 4 slots of the first two sentences
    assert figures.perplexity_of_scorable == pytest.approx(2)
    assert (figures.perplexity, figures.log_likelihood) == (math.inf, -math.inf)
    assert (figures.sentences, figures.slots, figures.unscorable) == (3, 7, 1)
    assert figures.as_dict()["perplexity"] is None
    figures = PerplexityStatistics(log_p[:2], np.array([2, 2])).figures()
    assert figures.perplexity == figures.perplexity_of_scorable == pytest.approx(2)
    assert math.isnan(PerplexityStatistics(np.zeros(0), np.zeros(0, np.int64)).figures().perplexity)


@pytest.mark.parametrize(
    "log_p, slots, complaint",
    [
        ([-1.0, math.nan], [1, 1], "sentence 2: log_likelihood is NaN"),
        ([-1.0, 0.5], [1, 1], "sentence 2: log_likelihood is positive"),
        ([-1.0, math.inf], [1, 1], "sentence 2: log_likelihood is positive"),
        ([-1.0, -1.0], [1, 0], "sentence 2: there is no slot"),
        ([-1.0], [1, 1], "log_likelihood is there for 1 sentences and slots for 2"),
    ],
)
def test_scores_that_cannot_be(log_p: list[float], slots: list[int], complaint: str):
    with pytest.raises(ValueError, match=complaint):
        PerplexityStatistics(np.array(log_p), np.array(slots))
