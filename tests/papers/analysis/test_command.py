"""``semipunct analyse``: tables, JSON and plots agree; errors are reported."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from xml.etree import ElementTree

import numpy as np
import pytest

from semipunct.errors import SemipunctError
from semipunct.formats import read_treebank
from semipunct.models.punctuation.decode import best
from semipunct.models.punctuation.rewriting import Rewriter
from semipunct.papers.analysis import agreement, command, nunberg
from semipunct.papers.analysis.task import PunctuationGrammar, count
from semipunct.store import checkpoint
from semipunct.store.checkpoint import SavedModel
from tests.commands import Cli, Result, run

PUNCTUATION_ONLY = "1\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"


@dataclass(frozen=True)
class Runs:
    """Three runs of the command on a treebank: as JSON, as tables, and with a plot."""

    loaded: SavedModel
    treebank: Path
    json: Result
    tables: Result
    picture: Path

    @property
    def value(self) -> dict:
        return json.loads(self.json.out)


@pytest.fixture(scope="module")
def runs(model: Path, treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Run it on 25 copies of the short sentences with most marks, and on one to omit.

    The copies make some bigrams frequent.
    """
    folder = tmp_path_factory.mktemp("analyse")
    treebank, picture, loaded = folder / "some.conllu", folder / "rules.svg", checkpoint.load(model)
    sentences = treebanks["train"].read_text("utf-8").split("\n\n")
    short = [sentence for sentence in sentences if sentence.count("\n") < 14]
    most = sorted(short, key=lambda s: -s.count("PUNCT"))[:4]
    repeated = "".join(f"{sentence}\n\n" for sentence in most * 25)
    treebank.write_text(repeated + PUNCTUATION_ONLY, encoding="utf-8")
    tables = run("analyse", model, treebank, "--plot", picture)
    return Runs(loaded, treebank, run("analyse", model, treebank, "--json"), tables, picture)


@pytest.fixture
def without_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sentence has an analysis."""
    from semipunct.papers.analysis import task

    monkeypatch.setattr(task, "best", lambda _m, _p, sentences: [None] * len(sentences))
    monkeypatch.setattr(task, "expected_pairs", lambda *_: {})


def test_counts_and_probabilities_are_the_models(runs: Runs):
    value, loaded = runs.value, runs.loaded
    sentences = read_treebank([runs.treebank]).sentences
    counts = count(a for a in best(loaded.model, loaded.parameters, sentences) if a)
    signature = value["signature"].split("|")
    assert {"task:analyse", f"model:{loaded.digest[:12]}", "channel:r2l"} <= set(signature)
    assert value["signature"] in runs.tables.out
    assert value["sentences"] == value["analysed"] == len(sentences) == 100
    assert value["omitted"]["nothing but punctuation"] == 1
    times = {(row["a"], row["b"]): row["times"] for row in value["rewriting"]}
    assert times == {b: n for b, n in counts.bigrams.items() if "<open>" not in b}
    rewriter = Rewriter.of(loaded.model, loaded.parameters)
    number = {s: i for i, s in enumerate(loaded.model.inventory.symbols)}
    for row in value["rewriting"]:
        p = np.exp(rewriter.log_probability[:, number[row["a"]], number[row["b"]]])
        assert list(row["probabilities"].values()) == pytest.approx(p.tolist())
    rules = value["nunberg"]["changed"]
    assert rules["rules"] == 192
    assert rules["ranked"] + len(rules["missing"]) == 192
    assert rules["ranked"] == len(rules["list"]) == sum(rules["ranks"].values())
    mean = np.mean([rule["reciprocal_rank"] for rule in rules["list"]])
    assert rules["mean_reciprocal_rank"] == pytest.approx(mean)
    words = {row["relation"]: row["words"] for row in value["relations"]}
    assert words == {r: n for r, n in words_by_relation(sentences).items() if n}


def words_by_relation(sentences) -> dict[str, int]:
    names = [relation for s in sentences for relation in s.tree.relations]
    return {name: names.count(name) for name in names}


def cells(result: Result, first: str) -> list[list[str]]:
    """Return the cells of the table rows with a given start, split at column boundaries."""
    lines = [line.strip() for line in result.out.splitlines()]
    return [re.split(r"\s{2,}", line) for line in lines if line.startswith(first)]


def test_tables_and_json_agree(runs: Runs):
    result, value = runs.tables, runs.value
    for one in (result, runs.json):
        assert one.status == 0
        assert one.told == "1 sentence omitted: 1 with nothing but punctuation\n"
    assert "…" not in result.out
    row = value["rewriting"][0]
    shown = cells(result, f"{row['a']} {row['b']} ")[0]
    assert shown[1:6] == [f"{row['times']}", *(f"{p:.2f}" for p in row["probabilities"].values())]
    for name, first in (("changed", "192 that change"), ("kept", "64 that keep")):
        figures = value["nunberg"][name]
        shown = cells(result, first)[0]
        means = (figures["mean_reciprocal_rank"], figures["mean_reciprocal_rank_missing_last"])
        numbers = [f"{n}" for n in (figures["ranked"], *figures["ranks"].values())]
        assert shown[1:7] == [*numbers, *(f"{mean:.3f}" for mean in means)]
    scope = value["confident"]["nunberg_bigrams"]
    changing = scope["changing"]
    figures = (changing["confident"], changing["considered"], changing["agreeing"])
    shown = cells(result, "changes only")[0]
    assert shown[1:5] == [f"{scope['bigrams']}", *(f"{n}" for n in figures)]
    frequent = value["confident"]["frequent_bigrams"]
    assert frequent["bigrams"] == sum(row["times"] >= 25 for row in value["rewriting"]) > 0
    relation = next(row for row in value["relations"] if row["words"] >= 25)
    shown = cells(result, f"{relation['relation']} ")[0]
    assert shown[1:4] == [
        f"{relation['words']:,}",
        f"{100 * relation['symmetric']:.1f}%",
        f"{relation['entropy_nats']:.2f}",
    ]
    assert shown[4] == f"{100 * relation['pairs'][0]['probability']:.1f}%"


def test_the_model_alone(cli: Cli, model: Path):
    result = cli("analyse", model)
    assert result.status == 0
    assert "Table 4 need a treebank" in result.err
    assert "relations that" not in result.out.lower()
    alone = cli("analyse", model, "--json")
    assert alone.err == result.err
    value = json.loads(alone.out)
    assert "treebank:none" in value["signature"].split("|")
    for name in ("sentences", "omitted", "analysed", "relations", "inverted_marks"):
        assert value[name] is None
    assert value["confident"]["frequent_bigrams"] is None
    printed = [bigram for _, bigram, _ in nunberg.TABLE_1]
    assert all((row["a"], row["b"]) in printed for row in value["rewriting"])
    assert {row["times"] for row in value["rewriting"]} == {None}


def test_rules_are_said_to_be_of_english(
    cli: Cli, model: Path, runs: Runs, tmp_path: Path, without_analyses: None
):
    told = " ".join(runs.tables.out.split())
    first, second = re.findall(r"Nunberg's rules of English(, by the rank)?", told)
    assert (first, second) == ("", ", by the rank")
    assert told.index("Nunberg") == told.index("Nunberg's rules of English")
    assert "language here is different" not in runs.tables.err
    assert runs.value["language"] is None
    # The language follows from the name of the file.
    treebank = tmp_path / "id_gsd-ud-dev.conllu"
    treebank.write_text(runs.treebank.read_text("utf-8"), "utf-8")
    result = cli("analyse", model, treebank, "--json")
    assert (
        "Nunberg's rules are stated for English, and the language here is different (id)"
        in result.err
    )
    assert json.loads(result.out)["language"] == "id"
    treebank = treebank.rename(tmp_path / "en-ud-dev.conllu")
    assert "language here is different" not in cli("analyse", model, treebank).err


def grammar(tokens: str) -> PunctuationGrammar:
    """Return the result for a channel that always keeps both marks."""
    probability = np.zeros((4, len(tokens), len(tokens)))
    probability[0] = 1
    channel = agreement.Channel(tuple(tokens), probability)
    none = agreement.recall(channel, [])
    return PunctuationGrammar(
        channel, None, (), agreement.confidence(channel, []), None, none, none,
        agreement.recall(channel, nunberg.INVERTED), None, None,
    )  # fmt: skip


def test_spanish_marks_and_undefined_figures(capsys: pytest.CaptureFixture[str]):
    value = json.loads(json.dumps(grammar(",:¿").as_dict(), allow_nan=False))
    inverted = value["inverted_marks"]
    assert [(rule["rule"]["a"], rule["rank"]) for rule in inverted["list"]] == [
        (",", 1), (":", 1), ("¿", 4),
    ]  # fmt: skip
    assert value["nunberg"]["changed"]["mean_reciprocal_rank"] is None
    assert value["confident"]["nunberg_bigrams"]["all"]["precision"] is None
    command.print_tables(grammar(",:¿"))
    out = capsys.readouterr().out
    assert "Spanish inverted marks" in out
    assert "nan" not in out
    assert grammar(",:").as_dict()["inverted_marks"] is None


def test_a_picture_of_the_rules(runs: Runs):
    assert runs.picture.read_bytes().startswith(b"<?xml")
    texts = {text.strip() for text in ElementTree.parse(runs.picture).getroot().itertext()}
    assert {"keep", "absorb left", "absorb right", "transpose"} <= texts
    row = max(runs.value["rewriting"], key=lambda row: row["times"])
    assert f"{row['a']} {row['b']}   {row['times']} time{'s' * (row['times'] != 1)}" in texts


def test_the_same_model_gives_the_same_picture(cli: Cli, model: Path, tmp_path: Path):
    pictures = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for picture in pictures:
        assert cli("analyse", model, "--plot", picture).status == 0
    assert pictures[0].read_bytes() == pictures[1].read_bytes()


@pytest.mark.parametrize("form, start", [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_formats_of_pictures(cli: Cli, model: Path, tmp_path: Path, form: str, start: bytes):
    picture = tmp_path / f"rules.{form}"
    assert cli("analyse", model, "--plot", picture).status == 0
    assert picture.read_bytes().startswith(start)


class Figure:
    """Records plotting calls in place of matplotlib's figure."""

    def __init__(self) -> None:
        self.drawn: list[tuple[str, int, float, bool]] = []

    def subplots(self, rows: int, columns: int, **_: object) -> np.ndarray:
        panels = np.empty(rows * columns, object)
        for i in range(len(panels)):
            panels[i] = Panel(self, f"{i}")
        return panels.reshape(rows, columns)

    def legend(self, *_: object, **__: object) -> None: ...

    def supylabel(self, _: str) -> None: ...


class Panel:
    """A panel of the figure that records the relevant calls and ignores others."""

    def __init__(self, figure: Figure, name: str) -> None:
        self.figure, self.name = figure, name

    def bar(self, place: int, height: float, **style: object) -> None:
        outlined = style.get("fill") is False
        self.figure.drawn.append((self.name, place, height, outlined))

    def get_legend_handles_labels(self) -> tuple[list, list]:
        return [], []

    def set_xticks(self, *_: object, **__: object) -> None: ...

    def set_ylim(self, *_: object) -> None: ...

    def set_title(self, _: str) -> None: ...


def test_bars_are_probabilities_and_nunbergs_is_outlined():
    from semipunct.papers.analysis.task import rewriting

    table = np.zeros((4, 2, 2))
    table[:, 0, 1] = (0.1, 0.6, 0.2, 0.1)
    rows = rewriting(agreement.Channel((",", "."), table), None, [(",", ".")])
    figure = Figure()
    command.draw_bars(figure, rows)
    filled = [(place, height) for _, place, height, outlined in figure.drawn if not outlined]
    assert filled == [(0, 0.1), (1, 0.6), (2, 0.2), (3, 0.1)]
    assert [(p, h) for _, p, h, outlined in figure.drawn if outlined] == [(1, 0.6)]


@pytest.mark.parametrize(
    "arguments, pattern, status",
    [
        (("gone",), "gone: .*no such folder", 1),
        (("MODEL", "gone.conllu"), "gone.conllu: .*no such file", 1),
        (("MODEL", "--plot", "rules.gif"), "rules.gif: .*end in one of: .svg, .pdf, .png", 2),
        (("MODEL", "--plot", "-"), "end in one of", 2),
    ],
)
def test_errors(
    cli: Cli, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], pattern: str, status: int,
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    result = cli("analyse", *(model if a == "MODEL" else a for a in arguments))
    assert result.status == status
    assert re.search(pattern, result.message), result.message
    assert list(tmp_path.iterdir()) == []


def test_a_treebank_without_sentences(cli: Cli, model: Path, tmp_path: Path):
    path = tmp_path / "only.conllu"
    path.write_text(PUNCTUATION_ONLY, encoding="utf-8")
    picture = tmp_path / "rules.svg"
    result = cli("analyse", model, path, "--plot", picture)
    assert result.status == 1
    assert "no usable sentence" in result.message
    assert not picture.exists()


def test_without_matplotlib(cli: Cli, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = cli("analyse", model, "--plot", tmp_path / "rules.svg")
    assert result.status == 2
    assert "semipunct[plots]" in result.message
    assert cli("analyse", model).status == 0


def test_sentences_without_an_analysis_are_said(
    cli: Cli, model: Path, treebanks: dict[str, Path], without_analyses: None
):
    result = cli("analyse", model, treebanks["test"], "--json")
    assert result.told == "20 sentences without an analysis: not counted above\n"
    value = json.loads(result.out)
    assert (value["analysed"], value["rewriting"], value["relations"]) == (0, [], [])


def test_nothing_to_draw():
    unknown = agreement.Channel(("x", "y"), np.zeros((4, 2, 2)))
    found = cast(PunctuationGrammar, SimpleNamespace(channel=unknown, counts=None, rewriting=()))
    with pytest.raises(SemipunctError, match="nothing to plot"):
        command.rules_to_draw(found)
