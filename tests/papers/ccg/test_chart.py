"""Grammars and charts compared with all derivations found without a chart."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.papers.ccg.chart import build, gold_edges
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.grammar import Grammar
from semipunct.papers.ccg.task import Weighed, best_derivations

# the cat , a hunter , slept
CAT = Derivation(
    (0, 1, 2, 3, 3, 2, 3, 3, 4, 4, 1),
    ("S", "NP", "NP", "NP", ",", "NP[conj]", ",", "NP", "NP", ",", "S\\NP"),
    (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0),
)
# today , cats sleep
TODAY = Derivation(
    (0, 1, 1, 2, 2, 3, 4, 3),
    ("S", "S/S", "S", ",", "S", "NP", "N", "S\\NP"),
    (1, 0, 1, 0, 1, 0, 0, 0),
)


def rules(tree: Derivation) -> set[tuple[str, ...]]:
    return {
        (tree.categories[node], *(tree.categories[child] for child in children))
        for node, children in enumerate(tree.children)
        if children
    }


def derived(
    rule_set: set[tuple[str, ...]], words: tuple[str, ...]
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Return all categories of some words with their parts, without a chart."""
    plain: list[tuple[str, tuple[object, ...]]] = [(words[0], ())] if len(words) == 1 else []
    for split in range(1, len(words)):
        for a, b in itertools.product(
            derived(rule_set, words[:split]), derived(rule_set, words[split:])
        ):
            plain += [(rule[0], (a, b)) for rule in rule_set if rule[1:] == (a[0], b[0])]
    for item in plain:
        yield item
        yield from changed(rule_set, item)


def changed(
    rule_set: set[tuple[str, ...]], item: tuple[str, tuple[object, ...]]
) -> Iterator[tuple[str, tuple[object, ...]]]:
    for rule in rule_set:
        if rule[1:] == (item[0],):
            changed_item = (rule[0], (item,))
            yield changed_item
            yield from changed(rule_set, changed_item)


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar.of([CAT, TODAY])


WORDS = ("NP", ",", "N", "S/S", "S\\NP", "S")


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.booleans())
def test_charts_have_all_derivations(words: list[str], headed: bool):
    grammar = Grammar.of([CAT, TODAY])
    rule_set = rules(CAT) | rules(TODAY)
    expected = sum(category == "S" for category, _ in derived(rule_set, tuple(words)))
    chart = build(grammar, [[grammar.number[word]] for word in words], 10**6, headed=headed)
    assert chart.complete
    if chart.forest is None:
        assert expected == 0
        return
    ways = [0] * chart.forest.nodes
    ways[0] = 1
    for head, (left, right) in zip(chart.forest.heads, chart.forest.tails, strict=True):
        ways[head] += ways[left] * ways[right]
    assert ways[-1] == expected


@pytest.mark.parametrize("headed", [False, True], ids=["plain", "headed"])
@pytest.mark.parametrize("tree", [CAT, TODAY])
def test_the_derivation_is_in_its_chart(grammar: Grammar, tree: Derivation, headed: bool):
    words = [[grammar.number[tag]] for tag in tree.tags]
    chart = build(grammar, words, 10**6, headed=headed)
    assert chart.forest is not None
    gold = gold_edges(grammar, chart.forest, tree)
    assert gold is not None
    assert gold.sum() == len(tree.depths) + 1
    weights = np.where(gold, 1.0, 0.0).astype(np.float32)
    assert best_derivations(grammar, {7: Weighed(chart.forest, weights)}) == {7: tree}


def test_items_know_their_heads(grammar: Grammar):
    """*today* modifies *sleep*, whose subject is *cats*; the comma attaches to *sleep*."""
    words = [[grammar.number[tag]] for tag in TODAY.tags]
    forest = build(grammar, words, 10**6, headed=True).forest
    assert forest is not None
    gold = gold_edges(grammar, forest, TODAY)
    assert gold is not None
    pairs = {tuple(row) for row in forest.words[gold].tolist() if row[1] >= 0}
    assert pairs == {(3, 0), (3, 1), (3, 2)}
    counts = build(grammar, words, 10**6).counts
    # One use of a unary rule.
    assert counts.conjunctive == counts.binary + 1


def test_commas_on_the_left_may_be_barred(grammar: Grammar):
    barred = Grammar.of([CAT, TODAY], "none")
    with_both = Grammar.of([CAT, TODAY], "all")
    assert len(grammar.rules) - len(barred.rules) == 1
    # NP accepts commas only on its right, S on its left; with "both" each accepts both sides.
    assert len(with_both.rules) - len(grammar.rules) == 1
    every = Grammar.of([CAT, TODAY], "both")
    assert len(every.rules) - len(grammar.rules) == 2
    assert {rule.head for rule in every.rules if every.categories[rule.left] == ","} == {1}
    words = [[barred.number[tag]] for tag in TODAY.tags]
    assert build(barred, words, 10**6).forest is None
    assert (
        build(with_both, [[with_both.number[tag]] for tag in TODAY.tags], 10**6).forest is not None
    )


def test_large_charts_are_given_up(grammar: Grammar):
    words = [[grammar.number["NP"]], *[[grammar.number[","]], [grammar.number["NP"]]] * 30]
    chart = build(grammar, words, 500)
    assert (chart.forest, chart.complete) == (None, False)
    assert chart.counts.conjunctive < 2_000
    pair = [[grammar.number[tag]] for tag in ("NP", "S\\NP")]
    # Two words and their sentence.
    assert [build(grammar, pair, most).complete for most in (2, 3)] == [False, True]
