"""Jackknifing: every fold is analysed by a model that was not trained on it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.pipelines import jackknife
from semipunct.pipelines.jackknife import folds, train_jackknife
from tests.models.parsing.treebank import planted


@given(st.integers(2, 60), st.integers(2, 12))
def test_folds_are_all_sentences_in_order(sentences: int, count: int):
    if count > sentences:
        with pytest.raises(UsageError, match="folds"):
            folds(sentences, count)
        return
    parts = folds(sentences, count)
    assert [i for part in parts for i in part] == list(range(sentences))
    assert len(parts) == count
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_part_is_unseen_and_what_is_there_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sentences, dev = planted(10, 0), planted(2, 1)
    seen: list[tuple[Any, ...]] = []

    def train(examples: Any, dev: Any, place: Path, **options: Any) -> Any:
        seen.append((examples, place, options["resume"]))
        return SimpleNamespace()

    monkeypatch.setattr(jackknife, "train", train)
    parts = [part for part, _ in train_jackknife(None, sentences, dev, tmp_path, 3)]  # type: ignore[arg-type]
    assert parts == [range(3), range(3, 6), range(6, 10)]
    for part, (examples, place, resume) in zip(parts, seen, strict=True):
        assert examples == [s for i, s in enumerate(sentences) if i not in part]
        assert not resume
        place.mkdir()
        (place / "config.json").write_text('{"format": "semipunct model"}', "utf-8")
    assert len({place for _, place, _ in seen}) == 3
    # Models of other sentences are separate.
    list(train_jackknife(None, sentences, dev, tmp_path, 3))  # type: ignore[arg-type]
    assert all(resume for _, _, resume in seen[3:])
    list(train_jackknife(None, sentences[1:], dev, tmp_path, 3))  # type: ignore[arg-type]
    assert not any(resume for _, _, resume in seen[6:])
