"""Tasks on parts as workers of an engine get them: pickled, and loaded there."""

import pickle
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import semipunct
from semipunct.batches import crew
from semipunct.batches.commands.correct import CorrectTask
from semipunct.batches.commands.decode import DecodeTask
from semipunct.batches.commands.parse import ParseTask
from semipunct.batches.commands.restore import RestoreTask
from semipunct.batches.faults import Fault, answer_apart
from semipunct.batches.part_tasks import Job, PartTask, answer_on_worker, versions
from semipunct.errors import EngineError, ModelError, UsageError
from semipunct.files import Section
from semipunct.formats import FORMATS
from semipunct.formats.conllu import Conllu
from semipunct.tasks.options import CorrectOptions, ParseOptions, RestoreOptions
from semipunct.tasks.run import in_groups
from tests.commands import run, sample_lines


def test_a_worker_answers_as_the_command_does(
    model: Path, parser: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "a.conllu"
    file.write_text("".join(sample_lines()[:4]), "utf-8")
    options = ("--parser", parser, "--keep", "replace", "--samples", 4)
    expected = run("restore", model, file, *options).out
    monkeypatch.chdir(model.parent)  # workers have another working folder
    task = RestoreTask(
        model=model.name, settings=RestoreOptions(keep="replace", samples=4), parsers=(str(parser),)
    ).pin()
    monkeypatch.chdir(tmp_path)
    job = Job(0, [Section(str(file), file.read_bytes())], "sentence", 0)
    sent = pickle.dumps((task, job, Conllu().writer()))
    assert len(sent) < 2_000 + 2 * file.stat().st_size  # without weights
    assert answer_on_worker(versions(), *pickle.loads(sent)).output.decode() == expected  # noqa: S301
    with pytest.raises(UsageError, match=r"has jax .*, but the command 0\.0"):
        answer_on_worker({**versions(), "jax": "0.0"}, task, job, None)
    digest = semipunct.load(parser).digest
    assert dict(task.digests)[str(parser)] == digest
    other = replace(task, digests=((str(parser), "0" * 64),))
    with pytest.raises(ModelError, match=rf"has the digest {digest[:12]}, not 000000000000"):
        answer_on_worker(versions(), other, job, None)


@pytest.mark.parametrize(
    "task",
    [
        RestoreTask(model="a", settings=RestoreOptions(marks=frozenset(",.")), parsers=("a", "b")),
        CorrectTask(model="a", settings=CorrectOptions()),
        ParseTask(model="a", settings=ParseOptions()),
        DecodeTask(model="a", semiring="kbest", nbest=3),
    ],
    ids=lambda task: task.command,
)
def test_tasks_and_writers_can_be_sent(task: PartTask):
    # An example of the documentation adds a format of its main module to those of this process.
    for form in (form for form in FORMATS.values() if type(form).__module__ != "__main__"):
        sent, _ = pickle.loads(pickle.dumps((task, form.writer())))  # noqa: S301
        assert (sent, hash(sent)) == (task, hash(task))  # so that a worker loads its models once


def test_rows_with_faults_are_found():
    lines = b"".join(b"%d\n" % n for n in range(20))
    sections = [
        Section("a", lines, first_line=3, first_byte=7),
        Section("b", b"bad\nx"),
        Section("b", b"y\n"),  # a file may be given twice
    ]
    calls: list[list[tuple[str, int, bytes]]] = []

    def answer(some: list[Section]) -> bytes:
        calls.append([(str(s), s.first_line, s.content) for s in some])
        content = b"".join(s.content for s in some)
        if b"\n13\n" in b"\n" + content or b"bad" in content:
            raise ZeroDivisionError("a\nreason")
        return content

    answers = list(answer_apart(sections, "line", answer))
    faults = [a for a in answers if isinstance(a, Fault)]
    assert [(str(f.row), f.row.first_line, f.row.content) for f in faults] == [
        ("a", 16, b"13\n"), ("b", 1, b"bad\n"),
    ]  # fmt: skip
    assert {f.reason for f in faults} == {"ZeroDivisionError: a reason"}
    together = b"".join(a.row.content if isinstance(a, Fault) else a for a in answers)
    assert together == lines + b"bad\nxy\n"
    assert len(calls) < 20
    assert all(s[1] == 3 + int(s[2].split()[0]) for c in calls for s in c if s[0] == "a")
    assert [c for c in calls if [s[0] for s in c] == ["b", "b"]]


def test_errors_of_workers_and_models_are_none_of_rows():
    for error in (MemoryError(), ModelError("no model")):

        def fail(some: object, error: Exception = error) -> bytes:
            raise error

        with pytest.raises(type(error)):
            list(answer_apart([Section("a", b"so\nba\n")], "line", fail))


def test_workers_that_die_are_replaced_but_not_for_ever(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(crew, "STARTS", 2)
    monkeypatch.setattr(crew.Crew, "_start", lambda self: _sleeping())
    with crew.Crew.start("tcp://nowhere:1", 2) as workers:
        first = list(workers._workers)
        first[1].kill()
        first[1].wait()
        workers.replace_the_dead()
        now = list(workers._workers)
        assert now[0] is first[0]
        assert now[1].poll() is None
        assert workers.deaths == 1
        for deaths in range(2, 6):
            now[0].kill()
            now[0].wait()
            if deaths < 5:
                workers.replace_the_dead()
                now = list(workers._workers)
        with pytest.raises(EngineError, match=r"status -9.*Give fewer --workers"):
            workers.replace_the_dead()
    assert all(worker.poll() is not None for worker in now)


def _sleeping() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"])


def test_groups_have_room():
    assert list(in_groups([3, 1, 4, 1, 1, 9, 1], int, 5)) == [[3, 1], [4, 1], [1], [9], [1]]
    assert list(in_groups([1, 1, 1], int, 5, 2)) == [[1, 1], [1]]
    assert list(in_groups([], int, 5)) == []
