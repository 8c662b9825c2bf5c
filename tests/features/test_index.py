"""Feature vectors compared with a slow, literal version of appendix A, and the resulting scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import jax
import numpy as np

from semipunct.corpus import Sentence
from semipunct.corpus.statistics import with_unknown
from semipunct.features.attributes import Attributes
from semipunct.features.index import FeatureIndex
from semipunct.features.templates import APPENDIX_A
from semipunct.features.vocabulary import Vocabulary
from semipunct.marks import is_symmetric
from semipunct.models.punctuation.attach import attach_parameters, log_attach
from tests.models.punctuation.cases import SENTENCES, TRAINING, batch_of, model, sentence

BUSY = sentence(
    [3, 1, 0, 7, 4, 7, 3, 7],
    ["", ",", "", "“", ", .", "", "", ", ,", "."],
    ["nsubj", "amod", "root", "dobj", "amod", "cc", "conj", "dobj"],
    ["NOUN", "ADJ", "VERB", "NOUN", "ADJ", "CONJ", "VERB", "NOUN"],
)
SOME = (BUSY, *SENTENCES)

Named = dict[tuple[str, ...], float]
BACK_OFFS = (("g", "->d"), ("g", "d"), ("g",), ("->d",), ("d",))


def words_of(s: Sentence, node: int) -> set[int]:
    """Return the words that a node dominates."""
    below = {node}
    while True:
        more = {w for w in range(1, len(s.tree.heads) + 1) if s.tree.heads[w - 1] in below} | below
        if more == below:
            return below
        below = more


def literal(s: Sentence, node: int) -> dict[str, Named]:
    """Return the features of a node by family, named as in the appendix without l and r."""
    relation, head = s.tree.relations[node - 1], s.tree.heads[node - 1]
    direction = "<-" if node < head else "->"
    attribute = {"g": s.upos[node - 1], "d": relation, "->d": direction + relation}
    words = words_of(s, node)
    first_slot, last_slot = min(words) - 1, max(words)

    def backed_off(template: str, *prefix: str, value: float = 1.0) -> dict[str, Named]:
        return {
            ".".join((template, *names)): {(*prefix, *(attribute[n] for n in names)): value}
            for names in BACK_OFFS
        }

    features: defaultdict[str, Named] = defaultdict(dict)

    def add(families: dict[str, Named]) -> None:
        for family, features_of_family in families.items():
            features[family].update(features_of_family)

    def tags_around(slot: int) -> tuple[str, str]:
        before = s.upos[slot - 1] if slot > 0 else "BOS"
        after = s.upos[slot] if slot < len(s.upos) else "EOS"
        return before, after

    add(backed_off("N"))
    add(backed_off("W", "1" if len(words) <= 2 else "2" if len(words) <= 5 else "3"))
    path: Counter[str] = Counter()
    ancestor = head
    while ancestor:
        path[s.tree.relations[ancestor - 1]] += 1
        ancestor = s.tree.heads[ancestor - 1]
    for ancestor_relation, count in path.items():
        add(backed_off("A", ancestor_relation, value=count))
    children = Counter(d for d, h in zip(s.tree.relations, s.tree.heads, strict=True) if h == node)
    for ancestor_relation, count in children.items():
        add(backed_off("C", ancestor_relation, value=count))
    add({"L": {tags_around(first_slot): 1.0}, "R": {tags_around(last_slot): 1.0}})
    add(backed_off("S"))
    inside = {t for slot in range(first_slot + 1, last_slot) for t in s.slots[slot]}
    for token in inside:
        add(backed_off("c", token))
    return features


def family_name(template: str, parts: Sequence[str]) -> str:
    """Return the library's name of a family of `literal`."""
    short = {"upos": "g", "arc": "->d", "relation": "d"}
    letters = [short[p] for p in parts if p in short]
    return ".".join((template, *letters))


def signatures(entries: dict[object, dict[int, float]]) -> Counter[tuple[tuple[int, float], ...]]:
    """Return the nodes and values for which each feature fires, independently of names."""
    return Counter(tuple(sorted(fires.items())) for fires in entries.values())


def test_features_are_those_of_the_appendix():
    tokens = ("^", "$", ",", ".", "“", "”", ";")
    features, fitted = FeatureIndex.fit(SOME, Vocabulary.of(SOME, tokens), APPENDIX_A)
    expected: defaultdict[str, defaultdict[object, dict[int, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    row = 0
    for s in SOME:
        for node in range(1, len(s.tree.heads) + 1):
            for family, features_of_family in literal(s, node).items():
                for name, value in features_of_family.items():
                    expected[family][name][row] = value
            row += 1
    computed_features: defaultdict[str, defaultdict[object, dict[int, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    rows = features.extract(SOME)
    for table, rows_of_table in rows.items():
        for part in rows_of_table.__slots__:
            np.testing.assert_array_equal(
                getattr(rows_of_table, part), getattr(fitted[table], part)
            )
    for family in features.conjunctions:
        of_table = rows[family.table]
        (template,) = family.templates
        name = family_name(template, family.parts)
        for node in range(row):
            span = slice(int(of_table.start[node]), int(of_table.start[node + 1]))
            entries = zip(of_table.context[span], of_table.value[span], strict=True)
            for context, value in entries:
                if 0 <= context - family.offset < len(family.kept):
                    computed_features[name][int(context)][node] = float(value)
    assert computed_features.keys() == expected.keys()
    assert len(expected) == 5 * 6 + 2  # six templates with their back-offs, L and R
    for family, entries in expected.items():
        assert signatures(computed_features[family]) == signatures(entries), family


def named(attributes: Attributes, name: str, kind: str) -> str:
    """The values of an attribute; ``-`` for codes beyond them, such as of no word."""
    values = ("?", *attributes.vocabulary.values[kind])
    codes = attributes.single(name).tolist()
    return " ".join(values[code] if code < len(values) else "-" for code in codes)


def test_what_is_around_a_constituent():
    words = {"forms": ("Do", "you", "see", "it"), "xpos": ("VBP", "PRP", "VB", "PRP")}
    s = replace(sentence([3, 3, 0, 3], [""] * 5), **words)
    symbols = Vocabulary.of([s] * 5, ())
    attributes = Attributes([s], symbols)
    for name, expected in {
        "xpos": "VBP PRP VB PRP", "head_xpos": "VB VB - VB",
        "first_xpos": "VBP PRP VBP PRP", "last_xpos": "VBP PRP PRP PRP",
        "xpos_before": "- VBP - VB", "xpos_after": "PRP VB - -",
        "xpos_before_that": "- - - PRP", "xpos_after_that": "VB PRP - -",
    }.items():  # fmt: skip
        assert named(attributes, name, "xpos") == expected, name
    assert named(attributes, "second_form", "form") == "- - you -"
    assert named(attributes, "last_but_one_form", "form") == "- - see -"
    assert named(attributes, "head_form", "form") == "see see - see"
    # Only the root reaches the edges of the sentence on both sides: 2 for the left edge, 1 for the
    # right edge.
    assert attributes.single("place").tolist() == [2, 0, 3, 1]
    node, code, count = attributes.multiple("sentence_form")
    assert (node.tolist(), code.tolist(), count.tolist()) == ([2] * 4, [1, 2, 3, 4], [1] * 4)
    node, code, count = attributes.multiple("sentence_tags")
    xpos = {v: i + 1 for i, v in enumerate(symbols.values["xpos"])}
    pairs = {symbols.size("xpos") * xpos[a] + xpos[b] for a, b in pairwise(words["xpos"])}
    assert (node.tolist(), code.tolist(), count.tolist()) == ([2] * 3, sorted(pairs), [1] * 3)


def test_what_stands_beside_a_word_in_its_family():
    relations = ["cc", "nsubj", "root", "case", "nmod", "advmod"]
    s = sentence([3, 3, 0, 5, 3, 3], [""] * 7, relations)
    attributes = Attributes([s], Vocabulary.of([s], ()))
    assert named(attributes, "sibling_before", "relation") == "- cc - - - nmod"
    assert named(attributes, "sibling_after", "relation") == "nsubj - - - advmod -"
    assert named(attributes, "grandparent", "relation") == "- - - root - -"
    # The head itself has a code of its own.
    head = attributes.vocabulary.size("relation") + 1
    assert np.flatnonzero(attributes.single("sibling_before") == head).tolist() == [4]
    assert np.flatnonzero(attributes.single("sibling_after") == head).tolist() == [1, 3]


def test_characters_shapes_and_morphology():
    s = replace(sentence([2, 0, 2], [""] * 4), forms=("ab", "cd", "e"))
    attributes = Attributes([s], Vocabulary.of([s] * 5, ()))
    for name, expected in {
        "ends": "b d e", "first_begins": "a a e", "last_ends": "b e e",
        "before_ends": "- - d", "after_begins": "c - -",
    }.items():  # fmt: skip
        assert named(attributes, name, "character") == expected, name
    words = {
        "forms": ("The", "End", "of", "NATO", "42"),
        "feats": ("_", "Case=Nom|Number=Sing", "_", "Number=Sing", "_"),
    }
    s = replace(sentence([2, 0, 2, 3, 4], [""] * 6), **words)
    attributes = Attributes([s], Vocabulary.of([s], ()))
    for name, codes in {
        # An initial capital counts 1, all capitals 2, a digit 4.
        "shape": [1, 1, 0, 3, 4], "first_shape": [1, 1, 0, 3, 4], "last_shape": [1, 4, 4, 4, 4],
        # "The"; all words, one in lower case and one without case; one of two; "NATO 42"; "42".
        "writing": [4, 3, 3, 4, 0],
    }.items():  # fmt: skip
        assert attributes.single(name).tolist() == codes, name
    node, code, count = attributes.multiple("feature")
    assert attributes.vocabulary.values["feature"] == ("Case=Nom", "Number=Sing")
    assert (node.tolist(), code.tolist(), count.tolist()) == ([1, 1, 3], [1, 2, 2], [1, 1, 1])


def test_rare_contexts_are_dropped_and_unseen_ones_have_no_features():
    every = model("l2r").features
    twice = model("l2r", minimum_context_count=4).features
    assert 0 < twice.sizes["pair"] < every.sizes["pair"]
    strange = sentence([0], ["", ""], ["orphan"], ["SYM"])
    rows = every.extract([strange])
    n = [c for c in every.conjunctions if "N" in c.templates]
    assert not set(rows["pair"].context) & {i for c in n for i in range(c.offset, c.offset + 1)}


def test_a_rare_token_has_the_features_of_unk():
    """Section 4 replaces rare tokens in the surface, so the `c` features are those of UNK."""
    m = model("l2r", minimum_token_count=12)
    s = SENTENCES[4]
    assert s.slots[3] == ("”", ".")
    tokens = frozenset(m.inventory.tokens)
    replaced = replace(s, slots=tuple(with_unknown(slot, tokens) for slot in s.slots))
    assert replaced.slots[3] == ("”", "<unk>")
    before, after = (m.features.extract([x])["pair"] for x in (s, replaced))
    np.testing.assert_array_equal(np.sort(before.context), np.sort(after.context))


def test_scores_are_sums_of_weights():
    m = model("l2r")
    generator = np.random.default_rng(0)
    parameters = attach_parameters(m.inventory, m.supports, generator, 0.7)
    batch = batch_of(m, SENTENCES)
    log_p = log_attach(m.read(parameters, batch), m.attach_tables, batch.features, batch.relation)
    rows = m.features.extract(SENTENCES)
    weights = {t: m.supports[t].table(parameters[f"attach.{t}"]) for t in rows}
    labels = len(m.inventory.labels)
    relations = [r for s in SENTENCES for r in s.tree.relations]
    for node, relation in enumerate(relations):
        scores = []
        for p, (left, right) in enumerate(m.inventory.pairs):
            number = m.inventory.relations.index(relation)
            score = float(parameters["attach.relation"][number, p])
            mirrored = [2 * labels] if is_symmetric(*m.inventory.pair_name(p)) else []
            columns = {"pair": [p], "side": [left, labels + right, *mirrored]}
            for table, span in columns.items():
                r = rows[table]
                for i in range(r.start[node], r.start[node + 1]):
                    weight = weights[table][r.context[i], span].sum()
                    score += float(weight * r.value[i])
            scores.append(score)
        expected = np.array(scores) - np.log(np.sum(np.exp(scores)))
        np.testing.assert_allclose(log_p[node], expected, atol=1e-4)
    np.testing.assert_allclose(np.exp(log_p).sum(1), 1.0, rtol=1e-5)


def test_the_weights_of_relations_start_at_log_counts():
    m = model("l2r")
    parameters = attach_parameters(m.inventory, m.supports, None, 0.0)
    assert all(not t.any() for name, t in parameters.items() if name != "attach.relation")
    probability = jax.nn.softmax(parameters["attach.relation"])
    overall = m.inventory.counts[:-1].sum(0) + 0.5
    smoothed = m.inventory.counts + 100 * overall / overall.sum()
    np.testing.assert_allclose(probability, smoothed / smoothed.sum(1, keepdims=True), rtol=1e-4)


def test_a_relation_never_seen_takes_the_row_of_all_relations():
    m = model("l2r", templates=("L",))
    parameters = attach_parameters(m.inventory, m.supports, None, 0.0)
    batch = batch_of(m, [sentence([0], ["", ""], ["orphan"])])
    log_p = log_attach(m.read(parameters, batch), m.attach_tables, batch.features, batch.relation)
    counts = m.inventory.counts[:-1].sum(0)
    total = counts + 100 * (counts + 0.5) / (counts + 0.5).sum()
    np.testing.assert_allclose(np.exp(log_p[0]), total / total.sum(), rtol=1e-4)


def test_hard_sets_forbid_what_the_relation_never_took():
    m = model("l2r", hard_sets=True)
    parameters = attach_parameters(m.inventory, m.supports, np.random.default_rng(1), 1.0)
    batch = batch_of(m, TRAINING[:9])

    def table(p: dict[str, np.ndarray]) -> jax.Array:
        return log_attach(m.read(p, batch), m.attach_tables, batch.features, batch.relation)

    log_p = np.asarray(table(parameters))
    assert m.inventory.allowed is not None
    np.testing.assert_array_equal(np.isfinite(log_p), m.inventory.allowed[batch.relation])
    possible = m.inventory.allowed[batch.relation].any(1)
    np.testing.assert_allclose(np.exp(log_p[possible]).sum(1), 1.0, rtol=1e-5)
    gradient = jax.grad(lambda p: jax.numpy.exp(table(p))[:, 0].sum())(parameters)
    assert all(np.isfinite(g).all() for g in gradient.values())
