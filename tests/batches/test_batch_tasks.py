"""Tasks on batches: a row gets what it gets alone, and one that has no text harms no other."""

import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import semipunct
from semipunct.batches import Corrector, Parser, Restorer
from semipunct.batches.tasks import BatchTask
from semipunct.errors import ModelError, UsageError
from tests.commands import run, sample_lines
from tests.selection import thorough

WORDS = ("so", "ba", "but", "gu", "do", "So", "Ba", ",", ".", "https://a.b/c", "\n", "\t", "…")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
NO_TEXTS = (None, float("nan"), b"so ba", 3, "so \ud800 ba", "so\0ba", "so " * 400)

Alone = Callable[[str], str]


@pytest.fixture(scope="module")
def tasks(
    text_model: Path, model: Path, parser: Path, tokeniser: Path
) -> dict[str, tuple[BatchTask, Alone]]:
    """Tasks, and the functions of the package that do the same with one text."""
    text, trees, parses, tokens = map(semipunct.load, (text_model, model, parser, tokeniser))
    others: Any = {"parser": parses, "tokeniser": tokens, "samples": 20}
    return {
        "text": (
            Restorer(text_model, limit=1000),
            lambda t: semipunct.restore_text(text, t),
        ),
        "crossing lines": (
            Restorer(text_model, limit=1000, ends="none", keep="replace"),
            lambda t: semipunct.restore_text(text, t, ends="none", keep="replace"),
        ),
        "correction": (
            Corrector(text_model, limit=1000, minimum_confidence=0.1),
            lambda t: semipunct.correct_text(text, t, minimum_confidence=0.1),
        ),
        "trees": (
            Restorer(model, limit=1000, parser=parser, tokeniser=tokeniser, samples=20),
            lambda t: semipunct.restore_text(trees, t, **others),
        ),
    }


@pytest.mark.parametrize("name", ["text", "crossing lines", "correction", thorough("trees")])
def test_a_row_gets_what_it_gets_alone(name: str, tasks: dict[str, tuple[BatchTask, Alone]]):
    task, alone = tasks[name]
    answers: dict[str, str] = {}

    @settings(max_examples=12)
    @example(["so", "So"], 1, Random(0))
    @given(
        st.lists(TEXTS | st.sampled_from(NO_TEXTS), max_size=6),
        st.integers(0, 6),
        st.randoms(use_true_random=False),
    )
    def check(rows: list[Any], cut: int, random: Any) -> None:
        random.shuffle(rows)
        together, first, second = (task({"text": part}) for part in (rows, rows[:cut], rows[cut:]))
        output = task.output
        assert together[output] == first[output] + second[output]
        assert together["error"] == first["error"] + second["error"]
        assert together["text"] is rows
        for row, answer, error in zip(rows, together[output], together["error"], strict=True):
            if any(row is value for value in NO_TEXTS):
                assert answer is None
                assert error
                continue
            if row not in answers:
                answers[row] = str(alone(row))
            assert (answer, error) == (answers[row], None)

    check()
    if name != "trees":
        assert any(row != answer for row, answer in answers.items())


def test_rows_of_treebanks_get_what_the_command_writes(
    model: Path, corrector: Path, parser: Path, tmp_path: Path
):
    rows = ["".join(sample_lines()[:2]), sample_lines()[5]]
    damaged = rows[1].replace("\t0\t", "\t99\t", 1)
    for task, command in (
        (Restorer(model, rows="conllu", samples=20), ("restore", model)),
        (
            Restorer(model, rows="conllu", parser=parser, samples=20, keep="replace"),
            ("restore", model, "--parser", parser, "--keep", "replace"),
        ),
        (Corrector(corrector, rows="conllu", samples=20), ("correct", corrector)),
        (Parser(parser, rows="conllu"), ("parse", parser)),
    ):
        expected: list[str] = []
        for row in rows:
            file = tmp_path / "row.conllu"
            file.write_text(row, "utf-8")
            options = () if command[0] == "parse" else ("--samples", 20)
            expected.append(run(*command, file, *options).out)
        table = task({"conllu": [rows[0], "", "1\tso", rows[1]]})
        answers, errors = table[task.output], table["error"]
        assert [answers[0], answers[3]] == expected
        assert answers[1:3] == [None, None]
        assert "no sentence was found" in errors[1]
        assert "2 columns instead of 10" in errors[2]
    reading_trees = Corrector(corrector, rows="conllu", samples=20)
    (record,) = reading_trees([{"conllu": damaged}])
    assert "HEAD 99" in record["error"]


def test_texts_are_parsed(parser: Path, tokeniser: Path, tmp_path: Path):
    file = tmp_path / "row.txt"
    texts = ["so ba do . so gu\n", "so ba"]
    expected: list[str] = []
    for text in texts:
        file.write_text(text, "utf-8")
        expected.append(run("parse", parser, file, "--tokeniser", tokeniser).out)
    records = Parser(parser, tokeniser=tokeniser)([{"text": text} for text in ["", *texts]])
    assert [record["parsed"] for record in records] == ["", *expected]
    assert expected[0]


def test_an_exception_of_a_row_is_its_error(monkeypatch: pytest.MonkeyPatch):
    calls: list[int] = []

    def answer(self: Restorer, texts: list[str]) -> list[str]:
        calls.append(len(texts))
        if "bad" in texts:
            raise ZeroDivisionError("a\nreason")
        return [text.upper() for text in texts]

    monkeypatch.setattr(Restorer, "answer", answer)
    table = Restorer("en")({"text": [*"abcde", "bad", *"fgh"]})
    assert table["restored"] == [*"ABCDE", None, *"FGH"]
    assert table["error"] == [None] * 5 + ["ZeroDivisionError: a reason"] + [None] * 3
    assert len(calls) < 9
    monkeypatch.undo()
    with pytest.raises(UsageError, match="does not repair"):  # an error of all rows
        Restorer("en", keep="repair")({"text": ["so"]})


def test_forms_of_batches(text_model: Path):
    task = Restorer(text_model, column="said", output="written", error="why")
    texts = ["so ba so gu", None, "so"]
    records = task([{"said": text, "id": i} for i, text in enumerate(texts)])
    written = [record["written"] for record in records]
    assert [list(record) for record in records] == [["said", "id", "written", "why"]] * 3
    assert written[0] != texts[0]
    assert task([]) == []
    assert task({"said": []}) == {"said": [], "written": [], "why": []}
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"id": [1, 2, 3], "said": texts}).replace_schema_metadata({"a": "b"})
    for batch in (table, table.to_batches()[0]):
        answered = task(batch)
        assert type(answered) is type(batch)
        assert answered.schema.names == ["id", "said", "written", "why"]
        assert answered.schema.metadata == {b"a": b"b"}
        assert answered.column("written").to_pylist() == written
    assert task(table.slice(0, 0)).schema == task(table).schema
    offsets = arrow.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0")
    content = arrow.py_buffer(b"\xff\xfeso")  # Arrow does not check that strings are UTF-8
    damaged = arrow.Array.from_buffers(arrow.string(), 2, [None, offsets, content])
    answered = task(arrow.table({"said": damaged})).column("written").to_pylist()
    assert answered == [None, written[2]]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"said": texts}, index=[7, 7, 8])
    answered = task(frame)
    assert list(answered.index) == [7, 7, 8]
    assert answered["written"].tolist() == written


def test_mistakes_in_the_description_are_errors(text_model: Path, parser: Path):
    for batch, words in (
        ({"words": ["so"]}, "no column text; its columns are words"),
        ([{"words": "so"}], "no column text"),
        ({"text": ["so"], "error": [1]}, "a column error already"),
        (["so"], "a mapping for each row"),
        ("so", "this is a str"),
    ):
        with pytest.raises(UsageError, match=words):
            Restorer(text_model)(batch)
    with pytest.raises(UsageError, match="different names"):
        Restorer(text_model, output="text")
    with pytest.raises(UsageError, match="at least 1"):
        Restorer(text_model, limit=0)
    with pytest.raises(UsageError, match="are for text"):
        Restorer(text_model, rows="conllu", ends="none", tokeniser=parser)
    with pytest.raises(UsageError, match="leave parser out"):
        Corrector(text_model, parser=parser)
    for name, words in ((parser, "cannot restore"), ("nothing/here", "nothing/here")):
        with pytest.raises(ModelError, match=words):
            Restorer(name)({"text": ["so"]})
    digest = semipunct.load(text_model).digest
    assert Restorer(text_model, digest=digest[:12])({"text": ["so"]})["error"] == [None]
    with pytest.raises(ModelError, match="not 0000"):
        Restorer(text_model, digest="0000")({"text": ["so"]})
    other = pickle.dumps(Restorer(text_model)).replace(
        semipunct.__version__.encode(), b"0" * len(semipunct.__version__)
    )
    with pytest.raises(UsageError, match="install the same version"):
        pickle.loads(other)  # noqa: S301


def test_it_works_in_another_process(text_model: Path):
    task = Restorer(text_model, ends="none")
    batch = {"text": ["so ba so gu", None]}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(task, [batch]) == [task(batch)]


def test_nothing_is_imported_before_it_is_needed():
    code = (
        "import sys, pickle; from semipunct.batches import Restorer, Corrector, Parser;"
        "pickle.loads(pickle.dumps([Restorer('en'), Corrector('en'), Parser('p')]));"
        "print({'jax', 'pyarrow', 'pandas'} & {*sys.modules})"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
