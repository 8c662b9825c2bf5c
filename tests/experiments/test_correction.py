"""The correction drivers: tables of counts, treebanks with errors, stored results."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from semipunct.corpus.learners import LearnerErrors
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
        texts.append(" ".join(lines[0].forms))
        return [SimpleNamespace(slots=((),) * len(line.slots)) for line in lines]

    monkeypatch.setattr(checkers, "harper", checker)
    monkeypatch.setattr(systems, "correct_running_text", corrected)
    monkeypatch.setattr(driver("correcting.experiment"), "load", lambda path: path)
    output = jfleg / "table.json"
    run(
        "correction", "--name", "x", "--train", SAMPLE, "--dev", SAMPLE, "--first", 2,
        "--jfleg", jfleg, "--text", "model", "--systems", "nothing", "harper", "text",
        "--seeds", 0, "--against", "text", "--models", jfleg / "models", "--output", output,
    )  # fmt: skip
    assert texts[-3:] == ["Well I don't know...", "But he came late.", "Well I don't know"]
    table = json.loads(output.read_text("utf-8"))["learners"]["F0.5"]
    rows = {row["system"]: row for row in table}
    assert (rows["harper"]["precision"], rows["harper"]["edits"]) == (1, 1)
    assert rows["nothing"]["precision"] is None
    # The reference with *knew* does not judge the slot after it.
    assert rows["text"]["edits"] == 1


def test_a_text_model_has_to_be_named(run, capsys):
    options = ["--name", "x", "--split", SAMPLE, "--models", "m", "--systems", "text"]
    with pytest.raises(SystemExit):
        run("correction", *options)
    assert "give --text" in capsys.readouterr().err


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


TRAINED = (
    "nothing", "restoration", "repair", "bilstm-restoration", "bilstm-correction",
    "paper-restoration", "paper", "correction-gold", "least-risk", "correction",
)  # fmt: skip


def test_correctors_of_text_learn_from_trees_that_parsers_have_not_seen(
    run, driver, untrained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    options = (
        "correction", "--name", "x", "--train", SAMPLE, "--dev", SAMPLE, "--first", 40,
        "--seeds", 0, "--models", tmp_path / "models", "--output", tmp_path / "table.json",
        "--systems", *TRAINED,
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
    table = json.loads((tmp_path / "table.json").read_text("utf-8"))["drawn"]["F0.5"]
    rows = {row["system"]: row for row in table}
    assert (rows["nothing"]["score"], rows["nothing"]["recall"]) == (0, 0)
    assert rows["correction"]["score"] == rows["correction"]["from bare words"] == 1
    assert rows["nothing"]["p"] < 0.05
    # Stored results are not computed again, nor are their inputs.
    untrained.clear()
    monkeypatch.delattr(driver("correcting.experiment"), "parsed_treebank")
    assert run(*options) == printed
    assert untrained == {}
