"""Batches of rows: a row gets what it gets alone, in any batch and in another process."""

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semipunct
from semipunct.errors import ModelError, UsageError
from semipunct.pipelines import BatchMapper

WORDS = ("so", "ba", "but", "gu", "do", "So", "Ba", ",", ".", "https://a.b/c", "\n", "\t", "…")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    "name, options", [("restore", {"lines": "none", "keep": "replace"}), ("correct", {})]
)
def test_a_row_gets_what_it_gets_alone(name: Any, options: Any, text_model: Path):
    mapper, model = BatchMapper(str(text_model), name, **options), semipunct.load(text_model)
    alone = getattr(model, name)

    @settings(max_examples=12)
    @given(st.lists(TEXTS | st.none(), max_size=6), st.integers(0, 6))
    def check(rows: list[str | None], cut: int) -> None:
        together, first, second = (
            mapper({"text": part}) for part in (rows, rows[:cut], rows[cut:])
        )
        assert together["text"] is rows
        answers = together["punctuated"]
        assert answers == first["punctuated"] + second["punctuated"]
        for row, answer in zip(rows, answers, strict=True):
            assert answer == (None if row is None else alone(row, **options))

    check()


def test_texts_with_trees_get_what_they_get_alone(model: Path, parser: Path):
    helpers = {"parser": str(parser)}
    mapper = BatchMapper(str(model), helpers=helpers, samples=20, output="marked", column="said")
    texts = ["so ba do so gu", "so ba", "so ba do so gu\nso ba"]
    trees = semipunct.load(model, parser=parser)
    alone = [trees.restore(text, samples=20) for text in texts]
    assert mapper({"said": texts, "id": [1, 2, 3]})["marked"] == alone


def test_data_frames(text_model: Path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["so ba so gu", None]}, index=[7, 8])
    answered = BatchMapper(str(text_model))(frame)
    assert list(answered.index) == [7, 8]
    assert [*answered["punctuated"].isna()] == [False, True]


def test_mistakes_are_errors(text_model: Path, parser: Path):
    with pytest.raises(UsageError, match="no column text"):
        BatchMapper(str(text_model))({"words": ["so"]})
    with pytest.raises(UsageError, match="restore has no option toy"):
        BatchMapper(str(text_model), toy=1)
    for name, words in ((parser, "cannot restore"), ("nothing/here", "nothing/here")):
        with pytest.raises(ModelError, match=words):
            BatchMapper(str(name))({"text": ["so"]})


def test_it_works_in_another_process(text_model: Path):
    task = BatchMapper(str(text_model), lines="none")
    batch = {"text": ["so ba so gu", None]}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(task, [batch]) == [task(batch)]
