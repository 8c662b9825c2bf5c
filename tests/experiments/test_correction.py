"""The drivers of correction: tables of what was counted, treebanks with errors, stored results."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from semipunct.corpus.synthetic.learners import LearnerErrors
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.results import read_result
from semipunct.formats import read_treebank
from semipunct.formats.parallel import read_parallel_treebanks

SAMPLE = Path(__file__).resolve().parents[2] / "semipunct" / "data" / "sample.conllu"

JFLEG = {
    "dev.src": "Well I know\nBut he came late .\n",
    "dev.ref0": "Well , I know .\nBut he came , late .\n",
    "dev.ref1": "Well I know .\nBut he came late .\n",
    "dev.ref2": "Well , I knew .\nBut he came late .\n",
    "dev.ref3": "Oh I know .\nBut he came late .\n",
}


@pytest.fixture
def run(driver, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run a driver; what it printed."""

    def command(name: str, *options: object) -> str:
        monkeypatch.setattr("sys.argv", [name, *map(str, options)])
        driver(name).main()
        return capsys.readouterr().out

    return command


@pytest.fixture
def jfleg(tmp_path: Path) -> Path:
    for name, text in JFLEG.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_errors_are_counted(run, jfleg: Path):
    table = jfleg / "table.json"
    printed = run("learner_errors", "count", jfleg, "--output", table).splitlines()
    # Of 4 x 4 and 4 x 5 slots two beside "Oh" and two beside "knew" are nobody's.
    assert printed[0].startswith("2 sentences, 4 references: 6 errors in 32 slots; 0 of a mark")
    assert sorted(printed[1:3]) == ["     3  missing ,", "     3  missing ."]
    # Each error was made in one slot alone: a slip, which rates leave out.
    (told,) = (line for line in printed if line.startswith("without an error"))
    assert told == "without an error: 0.375 of the sentences, 1.000 of independent slots"
    written = json.loads(table.read_text("utf-8"))
    errors = LearnerErrors.from_dict(written["counts"])
    assert sum(errors.occurrences.values()) == written["slots"] == 32
    assert sum(e.times for row in errors.errors.values() for e in row.values()) == written["errors"]


def test_a_treebank_is_written_twice(run, tmp_path: Path):
    files = [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    printed = run(
        "learner_errors", "make", SAMPLE, "--seed", 3, "--source", files[0], "--corrected", files[1]
    )
    found = read_parallel_treebanks(*([file] for file in files)).sentences
    assert printed.startswith(f"{len(found)} sentences, ")


def test_systems_are_measured_side_by_side(run, driver, tmp_path: Path, monkeypatch):
    """A system that knows all, one that does nothing, one that takes all away."""
    correction = driver("correction")
    clean = {s.sentence_id: s.slots for s in read_treebank([SAMPLE])}
    monkeypatch.setattr(correction, "load", lambda path, *_: path)

    def taken(given, some):
        """The runs of a system are of one model each."""
        assert given.model in (Path("one"), Path("two"))
        return [replace(s, slots=((),) * len(s.slots)).slots for s in some]

    systems = {
        "restoration": (lambda _, some: [clean[s.sentence_id] for s in some], "model"),
        "repair": (taken, "tagger"),
    }
    for name, system in systems.items():
        monkeypatch.setitem(correction.SYSTEMS, name, system)
    printed = run(
        "correction", "model", "--tagger", "one", "two", "--dev", SAMPLE, "--first", 100,
        "--output", tmp_path, "--against", "nothing", "--speed",
        "--systems", "nothing", "restoration", "repair",
    ).splitlines()  # fmt: skip
    rows = {cells[1]: cells[2:-1] for cells in (
        [cell.strip() for cell in line.split("|")] for line in printed if line.startswith("| ")
    )}  # fmt: skip
    precision, recall, f05, distance, harm, edits, p, bare = rows["restoration"]
    assert (precision, recall, f05, distance, harm, bare) == (
        "1.0000", "1.0000", "1.0000", "0.0000", "0.00", "1.0000"
    )  # fmt: skip
    assert rows["nothing"][:3] == ["nan", "0.0000", "0.0000"]
    assert float(p) < 0.01
    assert int(edits) > 20
    assert rows["nothing"][6] == ""
    assert float(rows["nothing"][7]) > 0.8
    assert rows["repair"][7] == "0.0000"
    assert float(rows["repair"][4]) > 100
    times, nothing, restored, _ = rows["`missing ,`"]
    assert (nothing, restored) == ("0, 0", f"{times}, 0")
    assert "restoration: F0.5 of each run 1.0000; " in "\n".join(printed)
    assert (tmp_path / "repair-1.json.gz").exists()
    stored = [read_result(tmp_path / f"{name}-0.json.gz") for name in ("restoration", "nothing")]
    assert compare(*stored, resamples=100).differences[0].difference == 1


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--dev", "a", "--jfleg", "b"],
        ["--source", "a"],
        ["--jfleg", "a"],
        ["--dev", "a", "--paper", "b"],
    ],
)
def test_what_to_correct_is_said_in_one_way(run, options, capsys):
    with pytest.raises(SystemExit):
        run("correction", "model", *options)
    assert "give one of" in (said := capsys.readouterr().err) or "belong together" in said


def test_a_system_needs_its_models(run, capsys):
    with pytest.raises(SystemExit):
        run("correction", "--dev", SAMPLE, "--systems", "correction")
    assert "correction needs models: give --corrector" in capsys.readouterr().err
