"""The quickstart apart from its two trainings, and its plots."""

from io import StringIO
from pathlib import Path

import jax.numpy as jnp
import pytest
from rich.console import Console

from semipunct.cli import quickstart
from semipunct.cli.rules import ObservedRule, frequent_rules
from semipunct.corpus import Sentence
from semipunct.formats import read_treebank
from semipunct.marks import Edit
from semipunct.models.punctuation.decode import Analysis, SlotAnalysis
from semipunct.models.punctuation.rewriting import Rewriter
from semipunct.store import checkpoint as store
from semipunct.training.report import TrainingResult as Trained
from semipunct.trees import DependencyTree
from tests.commands import Cli


def test_the_sample_is_split_by_order():
    training, development = quickstart.sample()
    assert len(training) == 4 * len([*training, *development]) // 5
    numbers = [s.sentence_id for s in (*training, *development)]
    assert numbers == sorted(numbers)


def test_it_shows_figures_rules_and_trees(
    cli: Cli, model: Path, treebanks: dict[str, Path], monkeypatch: pytest.MonkeyPatch
):
    loaded = store.load(model)
    trained: list[tuple[str, int]] = []

    def fit(
        channel: str, training: object, development: object, folder: Path, seed: int, **_: bool
    ) -> Trained:
        trained.append((channel, seed))
        best = {"dev_perplexity_of_scorable": {"none": 1.75, "r2l": 1.25}[channel]}
        return Trained(loaded.model, loaded.parameters, (), best, 1, False, False, 1, 0.0, 0.0, 1.0)

    sentences = read_treebank([treebanks["test"]]).sentences
    monkeypatch.setattr(quickstart, "_fit", fit)
    monkeypatch.setattr(quickstart, "sample", lambda: (sentences[:10], sentences[10:]))
    result = cli("quickstart", "--seed", 3)
    assert result.status == 0, result.err
    assert trained == [("none", 3), ("r2l", 3)]
    for words in ("1.7500", "1.2500", "underlying", "becomes", "^"):
        assert words in result.out
    assert "morning,  " in result.out  # a mark and its reason
    assert "“Good morning” addresses the reader" in result.out


def analysis(*edits: tuple[str, str, str], words: int = 3) -> Analysis:
    sentence = Sentence(
        "s", "-", 1, ("w",) * words, ("w",) * words, ("X",) * words, ("_",) * words, ("_",) * words,
        DependencyTree(tuple(range(words)), ("dep",) * words), ((),) * (words + 1),
    )  # fmt: skip
    slot = SlotAnalysis((), tuple(Edit(*edit) for edit in edits), ())
    return Analysis(sentence, (((), (".",)),) * words, -1.0, -0.5, (slot, slot))


COMMA, SWAP, KEEP = ("absorb_left", ",", "."), ("transpose", "”", "."), ("keep", ")", ",")


def test_rules_come_with_their_probabilities(model: Path):
    loaded = store.load(model)
    parameters = {name: jnp.asarray(value) for name, value in loaded.parameters.items()}
    rewriter = Rewriter.of(loaded.model, parameters)
    rules = frequent_rules([analysis(COMMA, SWAP), analysis(COMMA)], rewriter, 2)
    assert [(r.a, r.b, r.times) for r in rules] == [(",", ".", 4), ("”", ".", 2)]
    for rule in rules:
        assert sum(rule.probabilities.values()) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "edit, left",
    [("keep", ", ”"), ("absorb_left", "”"), ("absorb_right", ","), ("transpose", "” ,")],
)
def test_outcomes(edit: str, left: str):
    assert ObservedRule(",", "”", 1, {}).outcome(edit) == left


@pytest.mark.parametrize("share", [0.0, 0.01, 0.33, 0.5, 1.0])
def test_a_bar_is_always_as_wide(share: float):
    parts = {"keep": share, "transpose": 1 - share}
    drawn = quickstart.bar(parts).plain
    assert len(drawn) == quickstart.WIDTH
    assert drawn.count("░") == pytest.approx(quickstart.WIDTH * share, abs=1)


def test_the_sentences_shown_differ_in_what_happens_in_them():
    plain, comma, both = analysis(KEEP), analysis(COMMA), analysis(COMMA, SWAP)
    long = analysis(COMMA, ("transpose", "a", "b"), SWAP, words=30)
    assert quickstart.telling([plain, comma, both, long], 5, 10) == [both]
    assert quickstart.telling([comma, both], 1, 10) == [both]
    assert quickstart.telling([plain], 5, 10) == [plain]
    assert quickstart.telling([], 5, 10) == []


def test_analyses_are_drawn_with_their_edits():
    stream = StringIO()
    drawn = quickstart.draw_analyses([analysis(SWAP, KEEP), analysis(KEEP)])
    Console(width=80, file=stream).print(drawn)
    text = stream.getvalue()
    assert "” . → . ”" in text
    assert "→ )" not in text
    assert "[ w ." in text
