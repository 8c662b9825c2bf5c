"""A parser of trees of any shape, against the list of all trees, and on a planted rule."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipunct.corpus import Sentence, Words
from semipunct.formats.conllu.heads import mark_heads
from semipunct.formats.reading import read_examples
from semipunct.formats.registry import read_treebank
from semipunct.models.parsing.decoding import decode_trees, sample_trees, top
from semipunct.models.parsing.options import ParserOptions
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.functions import assess
from semipunct.pipelines.parses import parse, parses
from semipunct.pipelines.trained import InPlace
from semipunct.store.checkpoint import load
from semipunct.training.config import load_config
from semipunct.training.train import train
from semipunct.trees import DependencyTree, tree_fault
from semipunct.trees.crossing import is_sound
from tests.models.parsing.treebank import STEMS, sentence

ANY_SHAPE = "sentences with crossing arcs"
FORMS = ["ba", "ce", "di"]
SETTINGS = (
    "model.trees=nonprojective", "model.word=16", "model.ngram=16", "model.hidden=32",
    "model.layers=2", "model.tag_layers=1", "model.arc=16", "model.relation=16", "model.slot=8",
    "train.batch_size=4", "train.learning_rate=0.01", "train.dropout=0.1",
    "train.average=0.9",
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


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("crossed")
    for name, content in (("train", crossed(240, 0)), ("dev", crossed(40, 1, ["zy", "wo"]))):
        (folder / f"{name}.conllu").write_text(lines(content), "utf-8")
    return folder / "train.conllu", folder / "dev.conllu"


def trained(treebank: tuple[Path, Path], out: Path, visits: int) -> Any:
    learnt, held_out = (read_examples(ANY_SHAPE, [path]) for path in treebank)
    settings = (*SETTINGS, f"train.visits={visits}", f"train.evaluate_every={visits}")
    train(learnt, held_out, out, config=load_config(None, settings, kind="parser"))
    return load(out, Parser)


@pytest.mark.exhaustive
def test_a_rule_of_crossing_arcs_is_learned(treebank: tuple[Path, Path], tmp_path: Path):
    parser = trained(treebank, tmp_path / "model", 5000)
    assert parser.config.examples == ANY_SHAPE
    gold = read_examples(ANY_SHAPE, [treebank[1]])
    lifted = read_treebank([treebank[1]])
    assert 5 < lifted.projectivised < 35
    assert assess(parser, gold, system="parser").figures.uas > 0.95
    parsed = parse(parser, gold)
    right = [p for p, s in zip(parsed, gold, strict=True) if p.predicted.tree.heads == s.tree.heads]
    crossing = [p for p in right if p.crossing is not None]
    assert len(crossing) > 5
    # Other models get trees whose arcs do not cross.
    by_id = {s.sentence_id: s for s in lifted}
    for p in right:
        assert p.sentence.tree.heads == by_id[p.sentence.sentence_id].tree.heads
    for of in (parses(parser, gold[:8], 3), parses(parser, gold[:8], 3, draw=False)):
        found = [p.predicted.tree.heads for p in itertools.chain.from_iterable(of)]
        assert not any(map(tree_fault, found))
        assert any(p.crossing is not None for p in itertools.chain.from_iterable(of))


@pytest.mark.exhaustive
def test_parse_writes_crossing_arcs(treebank: tuple[Path, Path], tmp_path: Path):
    from semipunct.__main__ import main

    parser = trained(treebank, tmp_path / "model", 400)
    out = tmp_path / "parsed.conllu"
    with pytest.raises(SystemExit, match="0"):
        main(["parse", str(parser.path), str(treebank[1]), "-o", str(out)])
    written = read_examples(ANY_SHAPE, [out])
    expected = [p.predicted.tree for p in parse(parser, read_treebank([treebank[1]]))]
    assert [s.tree for s in written] == expected
    assert read_treebank([out]).projectivised > 5


@pytest.fixture(scope="module")
def random() -> InPlace[Parser]:
    """Return a parser with weights large enough for trees to differ in probability."""
    options = ParserOptions(8, 8, 8, 2, 1, 8, 8, 8, False, 1, 1, "nonprojective")
    known = sentence(FORMS, ["A", "B", "A"], [2, 0, 2], ["x", "root", "x"])
    model = Parser.fit([known], options)
    weights = model.initial_parameters(0, 0.0)
    weights["arc.weight"] = np.random.default_rng(1).normal(0, 3, (8, 8)).astype(np.float32)
    return InPlace.of(InPlace(model, weights))


@pytest.mark.exhaustive
def test_trees_of_any_shape_have_their_probabilities(random: InPlace[Parser]):
    forms = [*FORMS, "zz"]
    trees = [h for h in itertools.product(range(5), repeat=4) if not tree_fault(h)]
    assert len(trees) == 64  # 4 roots, and 16 trees over 4 words
    model = random.model
    analyses = [sentence(forms, ["A"] * 4, list(h), ["x"] * 4) for h in trees]
    # Relations depend on heads: their factor is that of a model without relations.
    plain = {**random.parameters}
    plain["relation.weight"] = jax.numpy.zeros_like(plain["relation.weight"])
    batch = model.batch(model.encode(analyses), range(64))
    log_p = jax.jit(lambda w, b: model._parts(w, b, None)[0])(plain, batch)
    weights = np.exp(np.asarray(log_p, np.float64))
    expected = dict(zip(trees, weights / weights.sum(), strict=True))

    words = Words("s", "made", 1, tuple(forms), ((),) * 5)
    inputs = model.batch(model.encode_words([words]), [0]).inputs
    ranked = sorted(expected.items(), key=lambda item: -item[1])
    first, *_ = top(model, 5, random.parameters, inputs)
    for k, (heads, probability) in enumerate(ranked[:5]):
        assert tuple(np.asarray(first.heads)[k, 0, :4].tolist()) == heads
        assert np.exp(first.log_probability[k, 0]) == pytest.approx(probability, rel=1e-3)
    best, _, certainty, *_ = decode_trees(model, "best", random.parameters, inputs)
    assert tuple(np.asarray(best.heads)[0, :4].tolist()) == ranked[0][0]
    for word, head in enumerate(ranked[0][0]):
        marginal = sum(p for heads, p in expected.items() if heads[word] == head)
        assert certainty.head[0, word] == pytest.approx(marginal, abs=1e-4)

    def right(heads: tuple[int, ...]) -> float:
        return sum(p * sum(map(int.__eq__, heads, tree)) for tree, p in expected.items())

    risk, *_ = decode_trees(model, "risk", random.parameters, inputs)
    chosen = tuple(np.asarray(risk.heads)[0, :4].tolist())
    assert right(chosen) == pytest.approx(max(map(right, trees)), abs=1e-4)
    drawn, *_ = sample_trees(
        model, 400, random.parameters, inputs, jax.random.key(3), np.zeros((1, 2), np.uint32)
    )
    heads = [tuple(h) for h in np.asarray(drawn.heads)[:, 0, :4].tolist()]
    for tree, log_probability in zip(heads, np.asarray(drawn.log_probability)[:, 0], strict=True):
        assert np.exp(log_probability) == pytest.approx(expected[tree], rel=1e-3)
    assert heads.count(ranked[0][0]) / 400 == pytest.approx(ranked[0][1], abs=0.13)


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
        assert is_sound(whole, mark) or not any(is_sound(other, mark) for other in others)
