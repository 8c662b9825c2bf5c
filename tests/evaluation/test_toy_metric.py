"""Demonstrates that a new metric requires one class and one line in the registry.

The toy metric evaluates a tagger. It has a column and a setting of every kind, and is used for
writing, reading, aggregating runs, comparing, and with the command that compares.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import pytest
from msgspec import Meta

from semipunct.errors import ResultError
from semipunct.evaluation.comparison import aggregate, compare
from semipunct.evaluation.figures import Figures, Number, Ratio
from semipunct.evaluation.metric import (
    Column,
    Count,
    CountByMark,
    CountRow,
    Counts,
    Floats,
    LogLikelihood,
    Measure,
    Setting,
    Statistics,
)
from semipunct.evaluation.registry import METRICS
from semipunct.evaluation.results import Result, join_signature, read_result, write_result
from tests.commands import run as command


class TaggingFigures(Figures, frozen=True):
    """Accuracy over words."""

    accuracy: Annotated[Ratio, Meta(title="accuracy")]
    words: Number


@dataclass(frozen=True, slots=True, eq=False)
class TaggingStatistics(Statistics):
    """Words, correctly tagged words, those before marks, first and last words, log p."""

    task: ClassVar[str] = "tagging"
    columns: ClassVar[Mapping[str, Column]] = {
        "words": Count(given=True),
        "right": Count(),
        "before": CountByMark(),
        "outer": CountRow(2),
        "log_p": LogLikelihood(),
    }
    settings: ClassVar[Mapping[str, Setting]] = {
        "tags": Setting(list[str], "list of tags", "right words", frozenset, sorted)
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("accuracy", "right words", ("right",), "words"),
        Measure("right_before_marks", "right words before marks", ("before",)),
        Measure("log_p", "log p", ("log_p",), of_finite=True),
    )
    conditions: ClassVar[tuple[str, ...]] = ("tagset",)

    tags: frozenset[str]
    words: Counts
    right: Counts
    before: Counts
    outer: Counts
    log_p: Floats

    def figures(self) -> TaggingFigures:
        return TaggingFigures(
            accuracy=self.evaluate_measures()["accuracy"], words=int(self.words.sum())
        )

    def check(self) -> None:
        if (self.right > self.words).any():
            raise ValueError("more right words than words")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "tagging", TaggingStatistics)


def tagged(right: Sequence[int], marks: str, *before: Sequence[int], **parts: str) -> Result:
    """Return a result on three sentences of 4, 3 and 3 words."""
    parts = {"task": "tagging", "treebank": "t", "tagset": "upos"} | parts
    statistics = TaggingStatistics(
        marks=tuple(marks),
        tags=frozenset({"NOUN", "VERB"}),
        words=np.array([4, 3, 3]),
        right=np.array(right),
        before=np.array(before),
        outer=np.array([[1, 0], [1, 1], [0, 0]]),
        log_p=np.array([-1.0, -2.5, -math.inf]),
    )
    return Result("tagger", join_signature(parts), statistics)


A = tagged([4, 3, 1], ",.", [1, 0], [0, 1], [0, 0], seed="0")
B = tagged([2, 3, 1], ".", [0], [1], [0], seed="1")


def test_it_is_written_and_read(tmp_path: Path):
    write_result(tmp_path / "a.json", A)
    data = json.loads((tmp_path / "a.json").read_bytes())
    assert data["corpus"] == {"words": 10, "accuracy": 0.8}
    assert data["statistics"] == {
        "tags": ["NOUN", "VERB"],
        "words": [4, 3, 3],
        "right": [4, 3, 1],
        "before": [{",": 1}, {".": 1}, {}],
        "outer": [[1, 0], [1, 1], [0, 0]],
        "log_p": [-1.0, -2.5, None],
    }
    found = read_result(tmp_path / "a.json")
    assert isinstance(found.statistics, TaggingStatistics)
    assert found.statistics.tags == {"NOUN", "VERB"}
    assert found.as_dict() == A.as_dict()


@pytest.mark.parametrize(
    "name, value, complaint",
    [
        ("tags", [1], "tags is not a list of tags"),
        ("right", [4, 3, 9], "more right words than words"),
        ("right", [4, 3], "words has 3 sentences and right has 2"),
        ("outer", [[1, 0], [1], [0, 0]], r"sentence 2: outer is \[1\], not 2 counts"),
        ("log_p", [-1.0, "x", None], "sentence 2: log_p is 'x', not a number"),
    ],
)
def test_damage_is_found(tmp_path: Path, name: str, value: object, complaint: str):
    data = A.as_dict()
    data["statistics"][name] = value
    (tmp_path / "a.json").write_text(json.dumps(data))
    with pytest.raises(ResultError, match=complaint):
        read_result(tmp_path / "a.json")


def test_runs_are_added_up():
    both = aggregate([A, B])
    assert both.signature == "task:tagging|treebank:t|tagset:upos|seed:0+1"
    assert both.figures == TaggingFigures(accuracy=0.7, words=20)
    statistics = both.statistics
    assert isinstance(statistics, TaggingStatistics)
    assert statistics.marks == (",", ".")
    assert statistics.before.tolist() == [[1, 0], [0, 2], [0, 0]]
    assert statistics.log_p.tolist() == [-2.0, -5.0, -math.inf]
    others = replace(B, statistics=replace(B.statistics, tags=frozenset({"NOUN"})))
    with pytest.raises(ResultError, match=r"right words of the runs .* different tags"):
        aggregate([A, others])


def test_systems_are_compared():
    accuracy, before, finite = compare(A, B).differences
    assert (accuracy.measure, accuracy.a, accuracy.b) == ("accuracy", 0.8, 0.6)
    assert accuracy.p == 1  # only one sentence differs, so that a swap only changes the sign
    assert (before.a, before.b) == (2 / 3, 1 / 3)
    assert (finite.measure, finite.a, finite.b) == ("log_p", -1.75, -1.75)
    assert A.statistics.score == 0.8


def test_other_sentences_and_conditions_are_refused():
    longer = replace(B, statistics=replace(B.statistics, words=np.array([4, 3, 5])))
    with pytest.raises(ResultError, match="sentence 3 has 3 words in A and 5 in B"):
        compare(A, longer)
    with pytest.raises(ResultError, match="the tagset of their signatures is upos for A and xpos"):
        compare(A, replace(B, signature=B.signature.replace("upos", "xpos")))


def test_the_command_compares_it(tmp_path: Path):
    paths = [tmp_path / name for name in ("a.json.gz", "b.json")]
    for path, result in zip(paths, (A, B), strict=True):
        write_result(path, result)
    done = command("compare", *paths, "--json", "--resamples", 9)
    assert (done.status, done.err) == (0, "")
    expected = compare(A, B, resamples=9).as_dict()
    named = {"schema": "semipunct.compare/1", "files": [str(path) for path in paths]}
    assert json.loads(done.out) == {**named, **expected}
    shown = command("compare", *paths)
    assert shown.status == 0
    row = next(line.split() for line in shown.out.splitlines() if "right words  " in line)
    assert row[:5] == ["right", "words", "0.8000", "0.6000", "+0.2000"]
    assert A.signature in shown.out
