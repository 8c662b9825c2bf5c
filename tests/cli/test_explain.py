"""``semipunct explain``: lines, JSON and a page, for text models and models with trees."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import semipunct
from semipunct.models.punctuation.attach import TREE_TABLES
from semipunct.models.punctuation.feature_weights import NodeFeatures
from semipunct.pipelines.reasons.catalogue import TREES, WORDS
from semipunct.pipelines.trained import InPlace
from tests.commands import Cli

TEXT = "where is the station asked anna\n\nHe <b>said</b> it was late & we left, but she stayed.\n"
EXPLAIN = "semipunct.explain/1"
RESTORE = ("explain", "en", "-", "--restore")
KEYS = {*WORDS, *(entry.key for entry in TREES), "tree.other", "model"}


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def test_lines_for_a_terminal(cli: Cli):
    lines = cli(*RESTORE, stdin=TEXT.encode()).out.splitlines()
    assert lines[0] == "- where is the station asked anna"
    assert lines[1].startswith("+ ")
    assert lines[2].startswith("    ? inserted after “station”, ")
    assert "A question opened by “Where”: a question mark at its end." in lines[2]
    assert any("kept after “left”" in line and "“but”" in line for line in lines)
    assert "\x1b" not in "".join(lines)


def test_marks_that_are_there_are_explained_and_corrected(cli: Cli):
    text = "It was late, but we stayed.\nDo you know him.\n"
    kept, wrong, _ = cli("explain", "en", "-", stdin=text.encode()).out.split("\n\n")
    assert kept.startswith("  It was late, but we stayed.\n    , kept after “late”")
    assert wrong.startswith("- Do you know him.\n+ Do you know him?\n    . → ? replaced")


def test_objects(cli: Cli):
    result = cli(*RESTORE, "--format", "json", "--left-out", 0.01, stdin=TEXT.encode())
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert [row["schema"] for row in rows] == [EXPLAIN, "semipunct.omitted/1", EXPLAIN]
    assert "".join(row.get("input", "\n") for row in rows) == TEXT
    decisions: set[str] = set()
    for row in rows:
        for mark in row.get("marks", ()):
            decisions.add(mark["decision"])
            shown = row["text"][mark["start"] : mark["end"]].replace(" ", "")
            assert shown == mark["after"].replace(" ", "")
            assert set(mark["key"].split("+")) <= KEYS
            assert mark["tree"] is None
            others = sum(one["probability"] for one in mark["alternatives"])
            assert 0 < mark["probability"] + others < 1.001
    assert {"inserted", "kept", "left out"} <= decisions
    few = cli(*RESTORE, "--format", "json", "--left-out", 1, stdin=TEXT.encode()).out
    assert '"left out"' not in few


def test_options_of_restoration(cli: Cli):
    """The text is that of ``restore`` with the same options."""
    text = "he said, it was late\nand we left , but\nshe stayed"
    for options in (
        ("--keep", "replace"),
        ("--lines", "none"),
        ("--keep", "replace", "--lines", "sentence", "--marks", ", ?"),
        ("--min-confidence", "0.9"),
    ):
        explained = cli(*RESTORE, "--format", "json", *options, stdin=text.encode())
        rows = [json.loads(line) for line in explained.out.splitlines()]
        restored = cli("restore", "en", "-", *options, stdin=text.encode())
        assert "".join(row["text"] for row in rows) == restored.out, options


@pytest.mark.parametrize(
    "options, message",
    [
        (["--keep", "keep"], "--keep is an option of restoration"),
        (["--case", "keep"], "--case is an option of restoration"),
        (["--text", "en"], "--text adds a text model"),
        (["--marks", ", xx"], "the model has never seen xx"),
    ],
)
def test_options_that_do_not_fit(cli: Cli, options: list[str], message: str):
    result = cli("explain", "en", "-", *options, stdin=b"so")
    assert (result.status, result.out) == (2, "")
    assert message in result.message


def test_a_page(cli: Cli, tmp_path: Path):
    out = tmp_path / "page.html"
    assert cli(*RESTORE, "--format", "html", "-o", out, stdin=TEXT.encode()).status == 0
    page = Page(out.read_text("utf-8"))
    assert page.open == []
    names = [name for name, _ in page.tags]
    assert "script" not in names
    assert "b" in names  # the names of marks, not those of the text
    assert not {"src", "onclick", "onload"} & {key for _, attrs in page.tags for key in attrs}
    assert all("href" not in attrs for _, attrs in page.tags)
    assert "<b>said</b>" in "".join(page.text)
    targets = {attrs["popovertarget"] for name, attrs in page.tags if "popovertarget" in attrs}
    cards = [attrs["id"] for _, attrs in page.tags if "popover" in attrs]
    assert targets == set(cards)
    assert len(cards) == len(set(cards)) > names.count("li") > 0  # only changes are listed
    assert "<h1>Marks explained: standard input</h1>" in out.read_text("utf-8")
    labels = [
        attrs["aria-label"]
        for name, attrs in page.tags
        if attrs.get("class", "").startswith("mark")
    ]
    assert any(label.startswith("comma, kept, ") for label in labels if label)
    (policy,) = [attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv")]
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def first_sentences(treebank: Path, number: int, folder: Path) -> Path:
    """Write the first sentences of a treebank to a file in a folder."""
    some = folder / "some.conllu"
    sentences = treebank.read_text("utf-8").split("\n\n")[:number]
    some.write_text("\n\n".join(sentences) + "\n\n", "utf-8")
    return some


def test_trees_name_constituents(cli: Cli, model: Path, treebanks: dict[str, Path], tmp_path: Path):
    command = ("explain", model, first_sentences(treebanks["test"], 2, tmp_path), "--samples", 20)
    rows = [json.loads(line) for line in cli(*command, "--format", "json").out.splitlines()]
    assert [row["schema"] for row in rows] == [EXPLAIN] * 2
    trees = [mark["tree"] for row in rows for mark in row["marks"] if mark["tree"]]
    assert trees
    assert any(tree["features"] for tree in trees)
    for row in rows:
        assert row["tree"].startswith("^ ")
        for mark in row["marks"]:
            if mark["tree"]:
                assert set(mark["tree"]["constituent"].split()) <= set(row["tree"].split())
                assert mark["tree"]["underlying"]
    page = cli(*command, "--format", "html").out
    assert page.count("<summary>Underlying tree</summary>") == 2
    assert "Features that weigh most" in page


def test_features_sum_to_the_difference_of_scores(model: Path, treebanks: dict[str, Path]):
    """All of them together distinguish the score of a pair from that of the pair without marks."""
    fitted = InPlace.of(semipunct.load(model))
    one = semipunct.read(treebanks["test"])[0]
    encoded = fitted.model.encode([one])
    batch = fitted.model.batch(encoded, [0])
    scores = np.asarray(
        fitted.model.tree_scores(fitted.model.read(fitted.parameters, batch), batch).pair
    )
    inventory = fitted.model.inventory
    number = next(p for p, (left, right) in enumerate(inventory.pairs) if right and not left)
    relations = np.asarray(fitted.parameters["attach.relation"])
    features = NodeFeatures(
        fitted.model, fitted.parameters, replace(one, slots=((),) * len(one.slots))
    )
    for word in range(len(one.forms)):
        name = inventory.pair_name(number)
        listed = features.weights(word + 1, "right", name, 10**6, TREE_TABLES)
        of_tree = sum(one.weight for one in listed)
        relation = relations[np.asarray(batch.relation)[word]]
        expected = scores[word, number] - scores[word, 0] - (relation[number] - relation[0])
        assert of_tree == pytest.approx(expected, abs=1e-3)
