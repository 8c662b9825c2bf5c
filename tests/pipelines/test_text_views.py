"""Distributions of a text model for sentences with known ends."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import semipunct
from semipunct.corpus import Words
from semipunct.models.running_text.reader import Query, Reading, TextReader
from semipunct.pipelines.options import RestoreOptions
from semipunct.pipelines.text_choice import opening_marks
from semipunct.pipelines.text_restoration import text_views
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
        assert view[-1].of((".",)) > 0.5
        for slot in range(1, len(sentence.forms)):
            assert view[slot].of((".",)) == 0
            comma = written.split(" ")[slot - 1].endswith(",")
            assert (view[slot].of((",",)) > 0.5) == comma


def test_sentences_of_a_file_are_read_together_with_their_ends(
    trained: Any, monkeypatch: pytest.MonkeyPatch
):
    asked: list[Query] = []
    read = TextReader.read

    def noted(self: Any, queries: Any) -> Any:
        own = list(queries)
        asked.extend(own)
        return read(self, own)

    monkeypatch.setattr(TextReader, "read", noted)
    kept = replace(words("so ba but do"), slots=((), (), (",",), (), ()))
    text_views(
        trained, [words("so ba"), kept, words("so gu", "b.conllu")], RestoreOptions(keep="keep")
    )
    assert [" ".join(q.forms) for q in asked] == ["so ba", "so ba but do", "so gu"]
    assert [q.slots for q in asked] == [((),) * 3, ((), (), (",",), (), ()), ((),) * 3]
    assert [q.boundaries for q in asked] == [{0, 2}, {0, 4}, {0, 2}]
    assert [q.ends for q in asked] == [False, True, True]
    # In running text they are guesses.
    text_views(trained, [replace(kept, source="text")], RestoreOptions())
    assert not asked[-1].boundaries


def test_marks_between_sentences_belong_to_either(trained: Any, monkeypatch: pytest.MonkeyPatch):
    model = trained.model
    strings = ((), (",",), (".",), (".", "“"), ("“",), ("?",))
    fitted = replace(model, strings=replace(model.strings, strings=strings))

    def read(self: Any, queries: Any) -> Iterator[Reading]:
        row = np.array((0.4, 0.1, 0.2, 0.1, 0.15, 0.05, 0.0), np.float32)
        sizes = [len(q.forms) for q in queries]
        shapes = np.zeros((9, 9), np.float32)
        return (Reading(np.tile(row, (n + 1, 1)), shapes, shapes) for n in sizes)

    monkeypatch.setattr(TextReader, "read", read)
    both = [words("so ba"), words("so gu")]
    first, second = text_views(replace(trained.trained, model=fitted), both, RestoreOptions())
    closing = {(): 0.55, (",",): 0.1, (".",): 0.3, ("?",): 0.05}
    opening = {(): 0.75, ("“",): 0.25}
    within = {(): 0.4 / 0.65, (",",): 0.1 / 0.65, (".",): 0, ("“",): 0.15 / 0.65}
    for view, known in ((first[-1], closing), (second[0], opening), (first[1], within)):
        for string, probability in known.items():
            assert view.of(string) == pytest.approx(probability, rel=1e-5)
    # A sentence of a text ends where there is a mark that says so.
    text = [replace(sentence, source="text") for sentence in both]
    (last, after) = text_views(replace(trained.trained, model=fitted), text, RestoreOptions())
    assert last[-1].of((".",)) == pytest.approx(0.3 / 0.35, rel=1e-5)
    assert after[0].of(("“",)) == pytest.approx(0.1 / 0.35, rel=1e-5)


def test_closed_slots_are_empty(trained: Any):
    sentence = words("so ba but do", closed=frozenset({2}))
    (view,) = text_views(trained, [sentence], RestoreOptions())
    assert view[2].strings == ((),)


@pytest.mark.parametrize(
    ("string", "opening"),
    [
        ((), ()),
        ((".", "“"), ("“",)),
        (("”", ",", "("), ("(",)),
        ((".",), ()),
        (("¿",), ("¿",)),
        ((".", "”"), ()),
        ((".", "«"), ("«",)),
        (("»", "."), ()),
    ],
)
def test_opening_marks(string: tuple[str, ...], opening: tuple[str, ...]):
    assert opening_marks(string) == opening
