"""Phrase-structure trees: shapes, spans, counts, pruning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.papers.commas.trees import (
    LabelParts,
    PhraseTree,
    Span,
    category,
    constituent_counts,
    label_parts,
    prune_words,
    spans,
    without_wrapper,
    words_with_tags,
)
from tests.papers.commas.nested import (
    Nested,
    constituents,
    leaves,
    nested,
    nested_trees,
    without,
)

# An apposition between commas.
BIRD = nested(
    "( (S (NP-SBJ (NP (DT the) (NN bird)) (, ,) (ADJP (JJ small)) (, ,)) (VP (VBD sang)) (. .)))"
)


def flat(tree: Nested) -> PhraseTree:
    """Return the same tree in arrays."""
    rows: list[tuple[int, str]] = []
    stack = [(0, tree)]
    while stack:
        depth, node = stack.pop()
        rows.append((depth, node[0]))
        stack += [(depth + 1, child) for child in reversed(node[1:]) if not isinstance(child, str)]
    depths, labels = zip(*rows, strict=True)
    return PhraseTree(depths, labels)


def test_a_tree_written_out():
    tree = PhraseTree((0, 1, 2, 2, 1, 2), ("S", "NP", "D", "N", "VP", "V"))
    assert tree == flat(nested("(S (NP (D the) (N dog)) (VP (V barks)))"))
    assert tree.words == 3
    assert tree.parents == (-1, 0, 1, 1, 0, 4)
    assert tree.children == ((1, 4), (2, 3), (), (), (5,), ())
    assert tree.anchors == (0, 0, 1, 2, 0, 3)
    assert (tree.leaves, tree.tags) == ((2, 3, 5), ("D", "N", "V"))
    assert (tree.left, tree.right) == ((0, 0, 0, 1, 2, 2), (3, 2, 1, 2, 3, 3))
    assert spans(tree) == (Span(0, 3, ("S",)), Span(0, 2, ("NP",)), Span(2, 3, ("VP",)))
    assert constituent_counts(tree) == ((3, 1, 2, 0), (0, 1, 2, 3))
    assert repr(tree) == "<PhraseTree of 3 words: (S (NP (D) (N)) (VP (V)))>"


@given(nested_trees)
def test_the_arrays_are_the_tree(tree: Nested):
    phrases = flat(tree)
    assert phrases.tags == tuple(tag for tag, _ in leaves(tree))
    nodes = zip(phrases.labels, phrases.left, phrases.right, strict=True)
    assert list(nodes) == constituents(tree)


@given(nested_trees)
def test_counts_are_those_of_the_definition(tree: Nested):
    nodes, n = constituents(tree), len(leaves(tree))
    starts, ends = constituent_counts(flat(tree))
    for slot in range(n + 1):
        assert starts[slot] == sum(start == slot for _, start, _ in nodes)
        assert ends[slot] == sum(end == slot for _, _, end in nodes)


@given(nested_trees, st.sets(st.sampled_from(["NN", ",", ".", "-NONE-", "CC"])))
def test_pruning_is_that_of_nested_lists(tree: Nested, tags: set[str]):
    pruned = without(tree, tags)
    phrases = flat(tree)
    if pruned is None:
        with pytest.raises(UsageError, match="keep at least one"):
            prune_words(phrases, words_with_tags(phrases, tags))
    else:
        assert prune_words(phrases, words_with_tags(phrases, tags)) == flat(pruned)


def test_brackets_without_a_label_go():
    tree = flat(BIRD)
    assert without_wrapper(tree) == flat(BIRD[1])
    two = PhraseTree((0, 1, 1), ("", "NN", "."))
    assert without_wrapper(two) == two
    assert constituent_counts(two) == ((1, 1, 0), (0, 1, 1))


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("NP", LabelParts("NP")),
        ("NP-SBJ-1", LabelParts("NP", ("SBJ",), "1")),
        ("PP-LOC-PRD-TPC-12=3", LabelParts("PP", ("LOC", "PRD", "TPC"), "12", "3")),
        ("NP=2", LabelParts("NP", (), "", "2")),
        ("PRT|ADVP", LabelParts("PRT|ADVP")),
        ("-NONE-", LabelParts("-NONE-")),
        ("-LRB-", LabelParts("-LRB-")),
        ("", LabelParts("")),
    ],
)
def test_parts_of_labels(label: str, parts: LabelParts):
    assert label_parts(label) == parts
    assert category(label) == parts.category
