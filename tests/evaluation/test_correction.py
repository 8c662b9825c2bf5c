"""Correction: edit counts compared with an independent scorer, with cases by hand, and JFLEG."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.correction import CorrectionStatistics, correction_statistics
from semipunct.evaluation.results import read_result, write_result
from semipunct.formats.parallel import read_m2
from tests.evaluation.cases import corrected

MADE_BY_HAND = """\
S Well I know . .
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 4 5|||U:PUNCT||||||REQUIRED|||-NONE-|||0

S He came , and left ; alone
A 2 3|||U:PUNCT|||-NONE-|||REQUIRED|||-NONE-|||0
A 5 6|||R:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||!|||REQUIRED|||-NONE-|||1

S Nothing is wrong .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
"""


def slots(text: str) -> list[tuple[str, ...]]:
    found: list[list[str]] = [[]]
    for token in text.split():
        if all(unicodedata.category(char)[0] == "P" for char in token):
            found[-1].append(token)
        else:
            found.append([])
    return list(map(tuple, found))


def of_m2(tmp_path: Path, *proposed: str) -> CorrectionStatistics:
    path = tmp_path / "gold.m2"
    path.write_text(MADE_BY_HAND, "utf-8")
    pairs = list(read_m2(path))
    source, references = [p.source.slots for p in pairs], [p.references for p in pairs]
    return correction_statistics(source, list(map(slots, proposed)), references)


def test_made_by_hand(tmp_path):
    found = of_m2(
        tmp_path,
        "Well , I know .",  # both edits
        "He came and left : alone .",  # two of three edits, one wrong; none of annotator 1
        "Nothing is wrong .",  # no edit, as in annotator 0
    )
    figures = found.figures()
    assert figures.as_dict().items() >= {
        "correct": 4, "proposed": 5, "needed": 5, "precision": 0.8, "recall": 0.8, "f05": 0.8
    }.items()  # fmt: skip
    assert found.score == pytest.approx(0.8)
    assert (figures.judged, figures.right_before, figures.harmed) == (14, 9, 0)
    assert figures.average_edit_distance == 1 / 14
    assert {error: (s.correct, s.proposed, s.needed) for error, s in figures.errors.items()} == {
        "doubled .": (1, 1, 1),
        "missing ,": (1, 1, 1),
        "missing .": (1, 1, 1),
        "replaced ; by ,": (0, 0, 1),
        "replaced ; by :": (0, 1, 0),
        "superfluous ,": (1, 1, 1),
    }


def test_harm_and_edits_that_do_not_help(tmp_path):
    figures = of_m2(
        tmp_path, "Well ; I , know .", "He came , and left ; alone", "Nothing is wrong !"
    ).figures()
    # For the second sentence annotator 1 is selected, who has one edit; against both, doing nothing
    # scores equally. Annotator 0 has no edit in the third.
    assert (figures.correct, figures.proposed, figures.needed) == (1, 4, 3)
    assert (figures.harmed, figures.right_before) == (2, 11)
    assert figures.harm == pytest.approx(2000 / 11)


def test_references_are_chosen_by_sentence():
    bare, full = [()] * 20, [(",",)] * 20
    right, lucky = full[:10] + bare[10:], full[:1] + bare[1:]
    rows = ([bare, bare], [right, lucky], [[right], [bare, full]])
    # Against no edits F0.5 is 0, against all 20 commas 1.25 / (1 + 5).
    found = correction_statistics(*rows).figures()
    assert (found.correct, found.proposed, found.needed) == (11, 11, 30)


def test_nothing_done_and_nothing_to_do():
    nothing = correction_statistics([[(",",)]], [[(",",)]], [[[(",",)]]]).figures()
    assert nothing.as_dict()["f05"] is None
    missed = correction_statistics([[()]], [[()]], [[[(",",)]]]).figures()
    assert (missed.f05, missed.recall) == (0, 0)
    assert missed.as_dict()["precision"] is None
    assert missed.as_dict()["harm"] is None
    assert correction_statistics([], [], []).figures().as_dict()["f05"] is None


STRING = st.lists(st.sampled_from([",", ".", "”"]), max_size=2).map(tuple)
JUDGED = st.one_of(st.none(), STRING)
SENTENCE = st.lists(st.tuples(STRING, STRING, JUDGED, JUDGED), min_size=1, max_size=4)


@given(st.lists(SENTENCE, min_size=1, max_size=3))
def test_counts_slot_by_slot(sentences):
    columns = [list(zip(*rows, strict=True)) for rows in sentences]
    source, proposed = ([c[k] for c in columns] for k in (0, 1))
    found = correction_statistics(source, proposed, [c[2:] for c in columns])
    for number, rows in enumerate(sentences):
        scores = []
        for k in (2, 3):
            known = [
                (old, new, row[k]) for row in rows for old, new in [row[:2]] if row[k] is not None
            ]
            shared = sum(old != new == gold for old, new, gold in known)
            made = sum(old != new for old, new, _ in known)
            needed = sum(old != gold for old, _, gold in known)
            score = 1.25 * shared / (made + 0.25 * needed) if made + needed else 1.0
            harmed = sum(old == gold != new for old, new, gold in known)
            scores.append((-score, made - shared, needed - shared, k, made, needed, harmed, known))
        _, wrong, _, _, made, needed, harmed, known = min(scores, key=lambda row: row[:4])
        assert found.proposed[number].sum() == made
        assert found.needed[number].sum() == needed
        assert found.correct[number].sum() == made - wrong
        assert found.harmed[number] == harmed
        assert found.judged[number] == len(known) == found.right_before[number] + needed


def test_dots_of_abbreviations_are_no_edits():
    found = correction_statistics(
        [[(), ("<abbr>",)]], [[(), ("<abbr>", ",")]], [[[(), (",",)]]]
    ).figures()
    assert found.as_dict()["f05"] == 1


@pytest.mark.parametrize(
    "source, proposed, references, problem",
    [
        ([[()]], [], [], "1 sentence, 0 corrected ones and references of 0"),
        ([[()]], [[()]], [[]], "sentence 1: there is no reference"),
        ([[()]], [[(), ()]], [[[()]]], "sentence 1: 1 slot and 2 corrected"),
        ([[()]], [[()]], [[[()], []]], "sentence 1: 1 slot and 0 corrected"),
    ],
)
def test_what_does_not_fit_is_refused(source, proposed, references, problem):
    with pytest.raises(UsageError, match=problem):
        correction_statistics(source, proposed, references)


BEFORE = [[(), (), ()], [(",",), (), (".",)], [(), (",",)]]
AFTER = [[(), (",",), (".",)], [(), (), (".",)], [(), (",",)]]


def test_results_are_stored_and_compared(tmp_path):
    good, bad = corrected(BEFORE, AFTER, AFTER), corrected(BEFORE, BEFORE, AFTER)
    write_result(tmp_path / "good.json", good)
    again = read_result(tmp_path / "good.json")
    assert again.figures == good.figures
    difference, *_ = compare(again, bad, resamples=100).differences
    assert (difference.measure, difference.a, difference.b) == ("f05", 1, 0)
    # Two sentences differ: of eight permutations, four yield a difference as large.
    assert difference.p == 0.5


def test_a_contradiction_is_found():
    statistics = corrected(BEFORE, AFTER, AFTER).statistics
    columns = {name: statistics.column(name) for name in statistics.columns}
    for name in columns.keys() - {"slots", "edit_distance"}:
        wrong = columns | {name: columns[name] + 1}
        with pytest.raises(ValueError, match="sentence 1"):
            CorrectionStatistics(marks=statistics.marks, choice="sentence", **wrong)
    assert np.array_equal(columns["slots"], [3, 3, 2])
