import json
import math
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import ResultError
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.results import Result, read_result, write_result
from tests.evaluation.cases import GOLD, PARSED, PREDICTED, TREEBANK, parsed, restored, scored

SCORED = scored([-0.1, -math.inf, -1 / 3], [2, 5, 7])
RESTORED = restored(GOLD, PREDICTED)
RESULTS = {"parsing": parsed(TREEBANK, PARSED), "perplexity": SCORED, "restoration": RESTORED}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("name", ["r.json", "r.json.gz"])
def test_round_trip(tmp_path: Path, result: Result, name: str):
    path = tmp_path / name
    write_result(path, result)
    found = read_result(path)
    for column in fields(result.statistics):
        stored, back = (getattr(r.statistics, column.name) for r in (result, found))
        assert type(stored) is type(back)
        if isinstance(stored, np.ndarray):
            assert stored.dtype == back.dtype
        np.testing.assert_equal(back, stored)
    assert found.as_dict() == result.as_dict()
    first = path.read_bytes()
    write_result(path, found)
    assert path.read_bytes() == first
    assert [p.name for p in tmp_path.iterdir()] == [name]


@given(st.lists(st.tuples(st.floats(-1e6, 0), st.integers(1, 500)), max_size=8))
def test_no_digit_is_lost(rows: list[tuple[float, int]]):
    result = scored([row[0] for row in rows], [row[1] for row in rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.json"
        write_result(path, result)
        found = read_result(path).statistics
    assert isinstance(found, PerplexityStatistics)
    assert found.log_likelihood.tolist() == [row[0] for row in rows]
    assert found.slots.tolist() == [row[1] for row in rows]


def test_what_is_in_the_file(tmp_path: Path):
    write_result(tmp_path / "r.json", RESTORED)
    text = (tmp_path / "r.json").read_text("utf-8")
    data = json.loads(text)
    assert " ".join(data) == "format version task system signature corpus statistics"
    assert text.splitlines()[3] == '"task": "restoration",'
    assert data["corpus"]["average_edit_distance"] == 8 / 13
    assert data["statistics"]["gold"][2] == {"(": 1, ")": 1}
    assert data["statistics"]["edit_distance"] == [1, 4, 3, 0]
    assert data["statistics"]["pairs"] == [["(", ")"], ["“", "”"]]


def test_what_was_there_stays_if_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "r.json"
    path.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResultError, match=r"r\.json: .*No space left on device.*make room"):
        write_result(path, SCORED)
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


Damage = Callable[[dict[str, Any]], object]


def lose(*keys: str) -> Damage:
    return lambda data: inner(data, keys[:-1]).pop(keys[-1])


def put(value: object, *keys: Any) -> Damage:
    return lambda data: inner(data, keys[:-1]).__setitem__(keys[-1], value)


def inner(data: Any, keys: tuple[Any, ...]) -> Any:
    for key in keys:
        data = data[key]
    return data


S = "statistics"
DAMAGES: list[tuple[str, Damage, str]] = [
    ("perplexity", lose("format"), "is JSON, but not a stored result"),
    ("perplexity", put(2, "version"), "is version 2 .*reads version 1"),
    ("perplexity", lose("system"), "the key 'system' is missing; store"),
    ("perplexity", put("", "system"), "the system has no name"),
    ("perplexity", put("hello", "signature"), "signature 'hello' does not consist of key:value"),
    ("perplexity", put("task:perplexity", "signature"), "does not name the treebank"),
    ("perplexity", put("task:a|task:b", "signature"), "names a part twice"),
    ("perplexity", put("restoration", "task"), "the task is .*signature says task:perplexity"),
    (
        "perplexity",
        put("cooking", "task"),
        "'cooking' is not one of: brackets, correction, derivations, parsing, perplexity, "
        "restoration",
    ),
    ("perplexity", lose("corpus", "slots"), "the figure corpus.slots is missing"),
    ("perplexity", put(1.5, "corpus", "perplexity_of_scorable"), "is 1.5, but the statistics"),
    ("perplexity", put([], "corpus"), r"'corpus' is \[\], not an object"),
    ("perplexity", lose(S, "slots"), "the key 'slots' is missing"),
    ("perplexity", put({}, S, "slots"), "'slots' is {}, not a list"),
    ("perplexity", put(2.5, S, "slots", 1), "sentence 2: slots is 2.5, not a count"),
    ("perplexity", put(10**30, S, "slots", 1), "sentence 2: slots is 1000.*, not a count"),
    ("perplexity", put("x", S, "log_likelihood", 2), "sentence 3: log_likelihood is 'x'"),
    ("perplexity", put(10**400, S, "log_likelihood", 2), "too large"),
    ("restoration", put([["(", 1]], S, "pairs"), "pairs is not a list of pairs"),
    ("restoration", put([], S, "gold", 1), "sentence 2: gold is no object of counts"),
    ("restoration", put({",": -1}, S, "gold", 1), "sentence 2: gold is negative"),
    ("restoration", put({}, S, "gold", 1), "sentence 2: more true positives than tokens"),
    ("restoration", put([0], S, "gold_pairing", 0), "sentence 1: gold_pairing .*not 2 counts"),
    ("restoration", put([0, "a"], S, "gold_pairing", 0), "sentence 1: gold_pairing .*not a count"),
    ("restoration", put(2, S, "edit_distance", 0), "corpus.average_edit_distance is 0.61.*give"),
    ("restoration", put(0.7, "corpus", "marks", ",", "f1"), "marks.,.f1 is 0.7"),
]


@pytest.mark.parametrize("task, damage, complaint", DAMAGES)
def test_damaged_results(tmp_path: Path, task: str, damage: Damage, complaint: str):
    path = tmp_path / "r.json"
    data = RESULTS[task].as_dict()
    damage(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    check(path, complaint)


def check(path: Path, complaint: str) -> None:
    with pytest.raises(ResultError) as caught:
        read_result(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert re.search(complaint, message), message
    assert ";" in message  # a suggestion for the user


def test_truncated_anywhere(tmp_path: Path):
    path = tmp_path / "r.json"
    write_result(path, SCORED)
    content = path.read_bytes().rstrip()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        check(path, "is not complete JSON .*it is truncated")


def test_overflow_to_infinity_is_seen(tmp_path: Path):
    path = tmp_path / "r.json"
    write_result(path, SCORED)
    path.write_text(path.read_text("utf-8").replace("-0.1,", "-1e400,"), encoding="utf-8")
    check(path, "sentence 1: log_likelihood is -inf, not a number")


def test_a_signature_of_another_task_is_not_stored(tmp_path: Path):
    wrong = Result("s", RESTORED.signature, SCORED.statistics)
    with pytest.raises(ValueError, match="signature says task:restoration"):
        write_result(tmp_path / "r.json", wrong)
    assert list(tmp_path.iterdir()) == []
