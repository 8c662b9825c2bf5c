"""Damaged input: cases of the fuzz driver, and tests that it detects failures."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
import typer
from hypothesis import settings

from semipunct.cli.app import app

SEED = 21
CASES, LEAST = (2000, 5) if settings().max_examples > 100 else (400, 1)
"""Number of cases, and minimum number for each kind and outcome."""


@pytest.fixture(scope="module")
def fuzzing() -> Iterator[Callable[[str], ModuleType]]:
    """Return a module of the driver by name, as the driver imports it."""
    import importlib

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "experiments"))
        yield lambda name: importlib.import_module(name)


@pytest.fixture(scope="module")
def attempt(fuzzing, tmp_path_factory: pytest.TempPathFactory):
    """Run a case by number."""
    cases, material = fuzzing("fuzzing.cases"), fuzzing("fuzzing.material")
    folder = tmp_path_factory.mktemp("fuzz")
    with material.shared():
        made = material.Material.made(folder)
        material.warm(made)

        def run(number: int, seed: int = SEED):
            return cases.attempt(seed, number, made, folder / "case")

        yield run


@pytest.mark.exhaustive
def test_damaged_input_gets_a_message_or_a_result(attempt, fuzzing):
    reports = [attempt(number) for number in range(CASES)]
    failed = [f"{r.number}: {r.kind}: {r.failure} ({r.told})" for r in reports if r.failure]
    assert failed == []
    outcomes = defaultdict(Counter)
    for report in reports:
        outcomes[report.kind][report.outcome] += 1
    # Damage that is always or never detected would indicate that nothing was tested.
    assert outcomes.keys() == fuzzing("fuzzing.cases").KINDS.keys()
    for kind, counts in outcomes.items():
        assert counts["done"] >= LEAST, kind
        assert counts["bad input"] >= LEAST, kind


@pytest.mark.exhaustive
def test_a_case_is_fixed_by_its_seed_and_number(attempt):
    def told(seed: int) -> list[tuple[str, str, str]]:
        return [(r.kind, r.told, r.outcome) for r in (attempt(n, seed) for n in range(20))]

    first = told(3)
    assert told(3) == first
    assert told(4) != first


@pytest.fixture
def case(fuzzing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run a case with an action chosen by the test; return its failure."""
    cases = fuzzing("fuzzing.cases")

    def run(body: Callable[[object], str]) -> str:
        monkeypatch.setattr(cases, "KINDS", {"planted": (1.0, body)})
        return cases.attempt(1, 0, None, tmp_path / "case").failure

    return run


def test_exceptions_are_seen(case, monkeypatch):
    import semipunct.formats.reading as reading

    assert case(lambda case: case.command("stats", "nowhere.conllu")) == ""
    monkeypatch.setattr(reading, "statistics", lambda _: {}["x"])
    # A command fails with an exception other than a message, or fails silently.
    assert "KeyError" in case(lambda case: case.command("stats", "nowhere.conllu"))


def test_warnings_are_seen(case, monkeypatch):
    import warnings

    import semipunct.formats.reading as reading

    monkeypatch.setattr(reading, "statistics", lambda _: warnings.warn("odd", stacklevel=1))
    assert "UserWarning" in case(lambda case: case.command("stats", "nowhere.conllu"))


@pytest.mark.parametrize(
    "message, seen",
    [
        ("", "without a message"),
        ("Traceback (most recent call last)", "says 'Traceback'"),
        ("x: <class 'int'> is wrong", 'says "<class \'"'),
        ("nowhere.conllu: there is no such file", None),
    ],
)
def test_messages_are_judged(case, monkeypatch, message, seen):
    import semipunct.formats.reading as reading
    from semipunct.errors import TreebankError

    def fail(_):
        raise TreebankError(message)

    monkeypatch.setattr(reading, "statistics", fail)
    found = case(lambda case: case.command("stats", "nowhere.conllu"))
    assert (seen or "") in found
    assert bool(found) == (seen is not None)


def test_hangs_are_seen(case, fuzzing, monkeypatch):
    monkeypatch.setattr(fuzzing("fuzzing.cases"), "LIMIT", 0.05)
    monkeypatch.setattr(fuzzing("fuzzing.commands"), "GRACE", 0.05)
    began = time.monotonic()

    def hang(_) -> str:
        while time.monotonic() < began + 20:
            pass
        return "done"

    assert "nothing within" in case(hang)
    assert time.monotonic() < began + 5


@pytest.mark.parametrize("name", ["out.conllu", "out.json", "out.json.gz"])
def test_files_that_are_not_whole_are_seen(case, name):
    def half(case) -> str:
        case.random.seed(1)
        (case.folder / name).unlink(missing_ok=True)
        case.targets[case.folder / name] = None
        (case.folder / name).write_bytes(b'{"a":')
        case.check_targets(True)
        return "done"

    assert case(half)


def test_targets_that_a_failure_has_touched_are_seen(case):
    def touched(case) -> str:
        target = case.folder / "out.txt"
        case.targets[target] = b"mine"
        target.write_bytes(b"mine")
        case.check_targets(False)
        target.write_bytes(b"other")
        case.check_targets(True)
        case.check_targets(False)
        return "done"

    assert "changed its target" in case(touched)


@pytest.mark.parametrize("name", [".out.12.part", ".model.new-x", ".model.old"])
def test_left_overs_are_seen(case, name):
    def left(case) -> str:
        (case.folder / name).touch()
        return "done"

    assert "is left" in case(left)


def test_every_option_of_every_command_is_tried(fuzzing):
    options = fuzzing("fuzzing.options")
    known = {" ".join(c.words): c for c in options.COMMANDS}

    def commands(group, words=()):
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from commands(command, (*words, name))
            else:
                yield " ".join((*words, name)), command

    found = dict(commands(typer.main.get_command(app)))
    assert known.keys() == found.keys()
    for name, command in found.items():
        long = {max(p.opts, key=len) for p in command.params if p.opts[0].startswith("-")}
        assert long - {"--help"} == known[name].options.keys(), name


def test_every_mutation_changes_something(fuzzing):
    conllu, material = fuzzing("fuzzing.conllu"), fuzzing("fuzzing.material")
    for name, mutate in conllu.COLUMNS.items():
        changed = 0
        for seed in range(20):
            lines = [line.split("\t") for line in material.ODD.split("\n")]
            before = [list(line) for line in lines]
            mutate(Random(seed), lines)
            changed += lines != before
        assert changed >= 10, name
    content = material.ODD.encode()
    for name, mutate in {**conllu.BYTES, **conllu.PACKED}.items():
        assert any(mutate(Random(seed), content) != content for seed in range(5)), name


def test_every_mutation_of_brackets_changes_something(fuzzing):
    brackets = fuzzing("fuzzing.brackets")
    sound = brackets.cut(brackets.PHRASES)
    assert "".join(sound) == brackets.PHRASES
    for name, mutate in brackets.WAYS.items():
        changed = 0
        for seed in range(20):
            tokens = list(sound)
            mutate(Random(seed), tokens)
            changed += tokens != sound
        assert changed >= 10, name


def test_the_manifest_agrees_with_most_of_the_damage(fuzzing):
    """Damage that passes the checksums must be detected by loading."""
    folders = fuzzing("fuzzing.folders")
    files = {
        "vocabulary.json": b'{"a": [1, 2]}',
        "manifest.json": b'{"sha256": {"vocabulary.json": ""}}',
    }
    folders.reseal(files)
    assert b"f" in files["manifest.json"]
    told = [folders.damaged(Random(seed), dict(files)) for seed in range(200)]
    assert sum("resealed" in text for text in told) > 120


def test_the_driver_puts_failures_of_one_cause_together(fuzzing):
    driver, cases = fuzzing("fuzz"), fuzzing("fuzzing.cases")
    kind = next(iter(cases.KINDS))
    reports = [cases.Report(n, kind, 0.1, f"t{n}", "", "same") for n in range(9)]
    reports.append(cases.Report(9, kind, 0.1, "", "done"))
    found = driver.summary(reports)
    assert found["outcomes"][kind] == {"done": 1, "failure": 9}
    (failure,) = found["failures"]
    assert failure == {"what": "same", "times": 9, "cases": [0, 1, 2, 3, 4], "first": "t0"}
