"""Distributions of a text model for sentences with known ends, by Bayes' rule."""

from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import semipunct
from semipunct.corpus import Words
from semipunct.models.running_text.reader import Query, Reading, TextReader
from semipunct.tasks.restoration import RestoreOptions
from semipunct.tasks.text_views import ENDS_WITHOUT_MARK, opening_marks, text_views
from tests.models.running_text.texts import text

PLANTED = [f"{part.strip().lower()}" for part in text(40, 7).split(".") if part.strip()]


def words(sentence: str, path: str = "a.conllu", **columns: Any) -> Words:
    forms = tuple(sentence.replace(",", "").split(" "))
    return Words("1", path, 1, forms, ((),) * (len(forms) + 1), **columns)


@pytest.fixture(scope="module")
def trained(text_model: Path) -> Any:
    return semipunct.load(text_model)


def test_planted_marks_are_certain_where_sentences_end(trained: Any):
    sentences = [words(sentence) for sentence in PLANTED]
    views = text_views(trained, sentences, RestoreOptions())
    for sentence, written, view in zip(sentences, PLANTED, views, strict=True):
        assert len(view) == len(sentence.slots)
        assert view[-1].of((".",)) > 0.9
        for slot in range(1, len(sentence.forms)):
            assert view[slot].of((".",)) == 0
            comma = written.split(" ")[slot - 1].endswith(",")
            assert (view[slot].of((",",)) > 0.5) == comma


def test_the_ends_of_sentences_are_shown_to_the_second_reading(
    trained: Any, monkeypatch: pytest.MonkeyPatch
):
    asked: list[list[Query]] = []
    read = TextReader.read

    def noted(self: Any, queries: Any) -> Any:
        asked.append(list(queries))
        return read(self, queries)

    monkeypatch.setattr(TextReader, "read", noted)
    kept = replace(words("so ba but do"), slots=((), (), (",",), (), ()))
    some = [words("so ba"), kept, words("so gu", "b.conllu")]
    text_views(trained, some, RestoreOptions(keep="keep"))
    first, second = asked
    assert [q.forms for q in first] == [["so", "ba", "so", "ba", "but", "do"], ["so", "gu"]]
    assert [q.slots for q in first] == [[(), (), (), (), (",",), (), ()], [(), (), ()]]
    end = (".",)
    assert [q.slots for q in second] == [
        [end, (), end, (), (",",), (), end], [end, (), end],
    ]  # fmt: skip


def test_probabilities_given_an_end_follow_from_those_of_text(
    trained: Any, monkeypatch: pytest.MonkeyPatch
):
    model = trained.model
    strings = ((), (",",), (".",), (".", "“"), ("“",), ("?",))
    table = {
        "end": (0.4, 0.1, 0.2, 0.1, 0.15, 0.05),
        "within": (0.5, 0.3, 0.1, 0.02, 0.05, 0.03),
    }
    many = replace(model.strings, strings=strings)
    fitted = replace(model, strings=many)
    rows = cycle(("end", "within"))

    def read(self: Any, queries: Any) -> list[Reading]:
        row = np.array((*table[next(rows)], 0.0), np.float32)
        sizes = [len(q.forms) for q in queries]
        shapes = np.zeros((9, 9), np.float32)
        return [Reading(np.tile(row, (n + 1, 1)), shapes, shapes) for n in sizes]

    monkeypatch.setattr(TextReader, "read", read)
    both = [words("so ba"), words("so gu")]
    first, second = text_views(replace(trained, model=fitted), both, RestoreOptions())
    e = ENDS_WITHOUT_MARK
    total = 0.4 * e + 0.1 * e + 0.2 + 0.1 + 0.15 * e + 0.05
    # Opening marks belong to the second sentence, all others to the first.
    closing = {(): 0.55 * e / total, (",",): 0.1 * e / total, (".",): 0.3 / total}
    opening = {(): (0.5 * e + 0.25) / total, ("“",): (0.1 + 0.15 * e) / total}
    for view, known in ((first[-1], closing), (second[0], opening)):
        for string, probability in known.items():
            assert view.of(string) == pytest.approx(probability, rel=1e-5)
    text = [replace(sentence, source="text") for sentence in both]
    (last, _) = text_views(replace(trained, model=fitted), text, RestoreOptions())
    assert last[-1].of((".",)) == pytest.approx(0.3 / 0.35, rel=1e-5)
    for view in (first[1], second[1]):
        assert view.of((",",)) == pytest.approx(0.3 / 0.85, rel=1e-5)
        assert view.of((".",)) == view.of(("?",)) == 0


def test_sentences_of_other_files_are_no_context(trained: Any):
    some = [words(sentence) for sentence in PLANTED[:3]]
    others = [words(sentence, "b.conllu") for sentence in PLANTED[3:6]]
    both = text_views(trained, [*some, *others], RestoreOptions())
    alone = [
        *text_views(trained, some, RestoreOptions()),
        *text_views(trained, others, RestoreOptions()),
    ]
    for one, other in zip(both, alone, strict=True):
        for a, b in zip(one, other, strict=True):
            assert a.strings[0] == b.strings[0]
            assert a.probability[0] == pytest.approx(b.probability[0], abs=1e-5)
    assert text_views(trained, [], RestoreOptions()) == []


def test_closed_slots_are_empty(trained: Any):
    sentence = words("so ba but do", closed=frozenset({2}))
    (view,) = text_views(trained, [sentence], RestoreOptions())
    assert view[2].strings == ((),)


@pytest.mark.parametrize(
    ("string", "opening"),
    [((), ()), ((".", "“"), ("“",)), (("”", ",", "("), ("(",)), ((".",), ()), (("¿",), ("¿",))],
)
def test_opening_marks(string: tuple[str, ...], opening: tuple[str, ...]):
    assert opening_marks(string) == opening
