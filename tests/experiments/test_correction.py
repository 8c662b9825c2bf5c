"""The correction drivers: tables of counts, treebanks with errors, stored results."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from semipunct.corpus.learners import LearnerErrors
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.results import read_result
from semipunct.formats import read_treebank
from semipunct.formats.parallel import read_parallel_treebanks
from semipunct.training.config import load_config

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
    """Run a driver and return its output."""

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
    # Of 4 x 4 and 4 x 5 slots, two next to "Oh" and two next to "knew" are not annotated.
    assert printed[0].startswith("2 sentences, 4 references: 6 errors in 32 slots; 0 of a mark")
    assert sorted(printed[1:3]) == ["     3  missing ,", "     3  missing ."]
    # Each error occurs in one slot only: a slip, which is excluded from the rates.
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
    """Three systems: one is always right, one changes nothing, one deletes all marks."""
    clean = {s.sentence_id: s.slots for s in read_treebank([SAMPLE])}
    monkeypatch.setattr(driver("correctors"), "load", lambda path, *_: path)

    def known(model, some):
        assert model == Path("model")
        return [clean[s.sentence_id] for s in some]

    def taken(model, some):
        """Each run of a system uses a separate model."""
        assert model in (Path("one"), Path("two"))
        return [((),) * len(s.slots) for s in some]

    monkeypatch.setattr(driver("correcting.systems"), "restoration", known)
    monkeypatch.setattr(driver("correcting.systems"), "bilstm_correction", taken)
    printed = run(
        "correctors", "model", "--tagger", "one", "two", "--dev", SAMPLE, "--first", 100,
        "--output", tmp_path, "--against", "nothing", "--speed",
        "--systems", "nothing", "restoration", "bilstm-correction",
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
    assert rows["bilstm-correction"][7] == "0.0000"
    assert float(rows["bilstm-correction"][4]) > 100
    times, nothing, restored, _ = rows["`missing ,`"]
    assert (nothing, restored) == ("0, 0", f"{times}, 0")
    assert "restoration: F0.5 of each run 1.0000" in printed
    assert any(re.fullmatch(r"restoration: .* sentences a second", line) for line in printed)
    assert (tmp_path / "bilstm-correction-1.json.gz").exists()
    stored = [read_result(tmp_path / f"{name}-0.json.gz") for name in ("restoration", "nothing")]
    assert compare(*stored, resamples=100).differences[0].difference == 1


def test_systems_without_trees_read_clitics_with_their_words(
    run, driver, jfleg: Path, monkeypatch: pytest.MonkeyPatch
):
    """A checker that knows *Well,* and a spelling, and a text model that deletes all marks."""
    (jfleg / "dev.src").write_text("Well I do n't know ...\nBut he came late .\n", "utf-8")
    checkers, systems = driver("correcting.checkers"), driver("correcting.systems")
    texts: list[str] = []

    def checker():
        def check(text: str):
            texts.append(text)
            for wrong, right in (("Well", "Well,"), ("know", "knew"), ("...", "…")):
                if (place := text.find(wrong)) >= 0:
                    yield checkers.Suggestion(place, place + len(wrong), right)

        return check

    def corrected(model, lines, minimum_confidence):
        assert lines[0].forms == ("Well", "I", "don't", "know")
        return [SimpleNamespace(slots=((),) * len(line.slots)) for line in lines]

    monkeypatch.setattr(checkers, "harper", checker)
    monkeypatch.setattr(systems, "correct_running_text", corrected)
    monkeypatch.setattr(driver("correctors"), "load", lambda path: path)
    options = ("correctors", "--jfleg", jfleg, "--text", "model")
    printed = run(*options, "--systems", "nothing", "harper", "text")
    assert texts == ["Well I don't know...", "But he came late."]
    cells = {row[0]: row[1:] for row in (
        [cell.strip() for cell in line.strip("|").split("|")] for line in printed.splitlines()
    ) if len(row) > 3}  # fmt: skip
    assert cells["harper"][0] == "1.0000"
    assert cells["harper"][5] == "1"
    assert cells["`missing ,`"][2] == "1, 0"
    # The reference with *knew* does not judge the slot after it.
    assert cells["text"][5] == "1"


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
        run("correctors", "model", *options)
    assert "give one of" in (said := capsys.readouterr().err) or "belong together" in said


def test_a_system_needs_its_models(run, capsys):
    with pytest.raises(SystemExit):
        run("correctors", "--dev", SAMPLE, "--systems", "correction")
    assert "correction needs models: give --corrector" in capsys.readouterr().err


@pytest.fixture
def untrained(driver, monkeypatch: pytest.MonkeyPatch):
    """Replace training and parsing; record the training data of each model by its folder name.

    Parsers return the tag X for all words, and correction models return the correct text.
    """
    experiment, systems = driver("correcting.experiment"), driver("correcting.systems")
    asked: dict[str, SimpleNamespace] = {}

    def parsed(sentences):
        return [replace(s, upos=("X",) * s.size) for s in sentences]

    def parsed_treebank(arguments, training, dev, folder, first):
        return SimpleNamespace(
            committee=["parser"], training=parsed(training[:first]), dev=parsed(dev[:first])
        )

    def trained(config, training, dev, path, expected, near=None):
        asked[path.name] = SimpleNamespace(config=config, training=training, dev=dev, near=near)
        return path.name

    def analysed(model, sentences):
        assert model.endswith("written-0")
        return [
            [replace(s, written=replace(s.written, pairs=(((), ()),) * s.size))] for s in sentences
        ]

    def corrected(model, sentences):
        right = {s.forms: s.slots for s in asked[model].dev}
        return [right[s.forms] for s in sentences]

    for name, fake in (
        ("parsed_treebank", parsed_treebank), ("trained", trained), ("add_written_trees", analysed)
    ):  # fmt: skip
        monkeypatch.setattr(experiment, name, fake)
    for name in ("restoration", "repair", "bilstm_restoration", "bilstm_correction", "least_risk"):
        monkeypatch.setattr(systems, name, lambda _, some: systems.nothing(some))
    monkeypatch.setattr(systems, "paper", lambda *given, **_: systems.nothing(given[-1]))
    monkeypatch.setattr(systems, "correction", corrected)
    return asked


def test_correctors_of_text_learn_from_trees_that_parsers_have_not_seen(
    run, driver, untrained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    options = (
        "correction", "--name", "x", "--train", SAMPLE, "--dev", SAMPLE, "--first", 40,
        "--seeds", 0, "--models", tmp_path / "models", "--output", tmp_path / "results",
    )  # fmt: skip
    printed = run(*options)
    ours, gold = untrained["parsed-correction-0"], untrained["gold-correction-0"]
    assert ours.config.kind.name == "correction"
    assert {"written", "expected"} <= {*ours.config.model.templates}
    assert "expected" not in gold.config.model.templates
    # The treebank with its own tags, then with those of parsers; errors of the first half agree.
    assert len(ours.training) == 80
    assert ours.training[:40] == gold.training
    assert all({*s.upos} == {"X"} for s in (*ours.training[40:], *ours.dev))
    assert [s.slots for s in ours.training[40:]] == [s.slots for s in gold.training]
    assert [s.written for s in ours.training[40:]] != [s.written for s in gold.training]
    assert [s.written for s in ours.dev] == [s.written for s in gold.dev]
    assert any(s.written.slots != s.slots for s in gold.training)
    # The competitor is trained on the same data, with the same tags.
    tagger = untrained["parsed-bilstm-correction-0"]
    assert (tagger.training, tagger.dev) == (ours.training, ours.dev)
    assert tagger.config.train.visits == 12 * 40
    right = [replace(s, written=None) for s in ours.training]
    assert untrained["parsed-bilstm-crf-0"].training == right
    assert untrained["parsed-0"].training == untrained["parsed-paper-right-0"].training == right
    written = untrained["parsed-paper-written-0"].training
    assert [s.slots for s in written] == [s.written.slots for s in ours.training]
    paper = untrained["parsed-paper-correction-0"]
    assert paper.near == "parsed-paper-right-0"
    assert all(s.written.pairs is not None for s in (*paper.training, *paper.dev))
    assert re.search(r"(?m)^\| nothing \| nan \| 0.0000 \|", printed)
    assert re.search(r"(?m)^\| correction \| 1.0000 \| 1.0000 \|", printed)
    # Stored results are not computed again, nor are their inputs.
    untrained.clear()
    monkeypatch.delattr(driver("correcting.experiment"), "parsed_treebank")
    assert run(*options) == printed
    assert untrained == {}
    stored = tmp_path / "results" / "x-parsed-dev-correction-0.correction.json.gz"
    assert read_result(stored).system == "correction"


def test_correctors_on_trees_of_the_treebank(run, untrained, tmp_path: Path):
    printed = run(
        "correction", "--name", "x", "--train", SAMPLE, "--dev", SAMPLE, "--first", 40,
        "--seeds", 0, "--models", tmp_path, "--output", tmp_path, "--trees", "gold",
        "--systems", "nothing", "restoration", "correction-gold", "correction", "--visits", 7,
    )  # fmt: skip
    assert {*untrained} == {"gold-0", "gold-correction-0"}
    assert {asked.config.train.visits for asked in untrained.values()} == {7}
    assert "dev, gold trees: 40 sentences" in printed


def test_the_papers_restoration_needs_its_model_of_correct_text_alone(
    run, untrained, tmp_path: Path
):
    run(
        "correction", "--name", "x", "--train", SAMPLE, "--dev", SAMPLE, "--first", 40,
        "--seeds", 0, "--models", tmp_path, "--output", tmp_path, "--trees", "gold",
        "--systems", "paper-restoration", "--against", "paper-restoration",
    )  # fmt: skip
    assert {*untrained} == {"gold-paper-right-0"}
    asked = untrained["gold-paper-right-0"]
    assert all(s.written is None for s in asked.training)
    # The channel of the paper's correction model is regularised towards the channel of this model.
    correction = load_config(None, ["preset=paper-correction"], {}, "correction").model
    ours = asked.config.model
    assert [*ours.templates, "analysed"] == [*correction.templates]
    for name in ("channel", "passes", "tied", "hard_sets"):
        assert getattr(ours, name) == getattr(correction, name)


def test_learners_have_no_trees_of_their_own(run, capsys):
    with pytest.raises(SystemExit):
        run(
            "correction", "--name", "x", "--train", "a", "--dev", "b", "--trees", "gold",
            "--models", "m", "--output", "o", "--jfleg", "j",
        )  # fmt: skip
    assert "add parsed to --trees" in capsys.readouterr().err
