"""A parser of trees of any shape, against the list of all trees, and on a planted rule."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.corpus import Sentence
from semipunct.formats.reading import read_examples
from semipunct.formats.registry import read_treebank
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.parses import parse
from semipunct.store.checkpoint import load
from semipunct.training.config import load_config
from semipunct.training.train import train
from semipunct.trees import DependencyTree
from semipunct.trees.guideline import mark_heads
from tests.commands import run
from tests.models.parsing.treebank import STEMS, sentence
from tests.trees.cases import crosses_nothing

ANY_SHAPE = "sentences with crossing arcs"
FORMS = ["ba", "ce", "di"]
SETTINGS = (
    "model.trees=nonprojective", "model.word=16", "model.ngram=16", "model.hidden=32",
    "model.layers=2", "model.tag_layers=1", "model.arc=16", "model.relation=16", "model.slot=8",
    "train.batch_size=8", "train.learning_rate=0.02", "train.dropout=0.1",
    "train.average=0.9", "train.visits=2400", "train.evaluate_every=2400",
)  # fmt: skip


def crossed(count: int, seed: int, stems: list[str] = STEMS) -> list[Sentence]:
    """Words with the same ending follow each other, the first of each ending the verb."""
    generator = np.random.default_rng(seed)
    sentences: list[Sentence] = []
    for number in range(count):
        endings = [*generator.permuted(["on", "on", "ish", "ish"]), "ate"]
        heads = [
            next((w for w in range(i - 1, 0, -1) if endings[w - 1] == ending), 5)
            for i, ending in enumerate(endings[:4], 1)
        ]
        forms = [str(generator.choice(stems)) + ending for ending in endings]
        relations = ["first" if head == 5 else "next" for head in heads]
        sentences.append(
            sentence(forms, ["A"] * 5, [*heads, 0], [*relations, "root"], f"s{number}", {5: "."})
        )
    return sentences


def lines(sentences: list[Sentence]) -> str:
    """Return the sentences as CoNLL-U."""
    records: list[str] = []
    for s in sentences:
        rows = zip(s.forms, s.tree.heads, s.tree.relations, strict=True)
        words = [f"{i}\t{f}\t_\tA\ta\tTag=A\t{h}\t{r}\t_\t_" for i, (f, h, r) in enumerate(rows, 1)]
        mark = f"{len(words) + 1}\t.\t_\tPUNCT\t.\t_\t5\tpunct\t_\t_"
        records.append("\n".join([f"# sent_id = {s.sentence_id}", *words, mark, ""]))
    return "\n".join([*records, ""])


def test_a_rule_of_crossing_arcs_is_learned_and_written(tmp_path: Path):
    paths = tmp_path / "train.conllu", tmp_path / "dev.conllu"
    for path, content in zip(paths, (crossed(240, 0), crossed(40, 1, ["zy", "wo"])), strict=True):
        path.write_text(lines(content), "utf-8")
    learnt, gold = (read_examples(ANY_SHAPE, [path]) for path in paths)
    train(learnt, gold, tmp_path / "m", config=load_config(None, SETTINGS, kind="parser"))
    parser = load(tmp_path / "m", Parser)
    assert parser.config.examples == ANY_SHAPE
    lifted = read_treebank([paths[1]])
    assert 5 < lifted.projectivised < 35
    parsed = parse(parser, gold)
    right = [p for p, s in zip(parsed, gold, strict=True) if p.predicted.tree.heads == s.tree.heads]
    assert len(right) > 36
    assert len([p for p in right if p.crossing is not None]) > 5
    # Other models get trees whose arcs do not cross.
    by_id = {s.sentence_id: s for s in lifted}
    for p in right:
        assert p.sentence.tree.heads == by_id[p.sentence.sentence_id].tree.heads
    out = tmp_path / "parsed.conllu"
    assert run("parse", parser.path, paths[1], "-o", out).status == 0
    assert [s.tree for s in read_examples(ANY_SHAPE, [out])] == [p.predicted.tree for p in parsed]
    assert read_treebank([out]).projectivised > 5


@st.composite
def marked_trees(draw: st.DrawFn) -> tuple[DependencyTree, list[tuple[str, ...]]]:
    size = draw(st.integers(1, 7))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    slots = [tuple(draw(st.lists(st.sampled_from(",()."), max_size=2))) for _ in range(size + 1)]
    return DependencyTree(tuple(heads), ("x",) * size), slots


@settings(max_examples=100)
@given(marked_trees())
def test_marks_make_no_further_arc_cross(example: tuple[DependencyTree, list[tuple[str, ...]]]):
    """Where some head of a mark makes no arc cross, the mark has such a head."""
    tree, slots = example
    rows = mark_heads(tree, slots, "unit")
    assert [len(row) for row in rows] == [len(slot) for slot in slots]
    position, heads, marks = {0: 0}, [], []
    for slot, row in enumerate(rows):
        if slot:
            heads.append(("word", tree.heads[slot - 1]))
            position[slot] = len(heads)
        for head in row:
            heads.append(("word", head))
            marks.append(len(heads))
    whole = [position[head] for _, head in heads]
    for mark in marks:
        others = [
            [*whole[: mark - 1], position[w], *whole[mark:]] for w in range(1, tree.words + 1)
        ]
        assert crosses_nothing(whole, mark) or not any(
            crosses_nothing(other, mark) for other in others
        )
