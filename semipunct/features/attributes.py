"""Attributes of nodes that templates may name: columns of small integers over all nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from semipunct.corpus.sentences import Sentence
from semipunct.features.classes import (
    SHAPES,
    SPANS,
    STYLES,
    WRITINGS,
    Ints,
    length_class,
    shape_class,
    span_class,
    style_class,
    writing_class,
)
from semipunct.features.history import history_codes, history_columns
from semipunct.features.vocabulary import Symbols, features
from semipunct.marks import FINAL, INITIAL
from semipunct.trees.tree import constituents

Entries = tuple[Ints, Ints, Ints]
"""Sparse columns: node, code (or feature number) and count (or value), equally many of each."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """Columns over all nodes of some sentences.

    Attributes:
        single: attribute to ``[nodes]`` codes.
        multiple: attribute to (node, code, count), ordered by node.
        codes: attribute to number of codes.
    """

    single: Mapping[str, Ints]
    multiple: Mapping[str, Entries]
    codes: Mapping[str, int]


def attributes(sentences: Sequence[Sentence], symbols: Symbols) -> Attributes:
    """Compute all attributes that templates may name, for all nodes of ``sentences``."""
    single: dict[str, list[Ints]] = {}
    multiple: dict[str, list[Entries]] = {}
    base = 0
    for sentence in sentences:
        for name, column in _single(sentence, symbols).items():
            single.setdefault(name, []).append(column)
        for name, (node, code, count) in _multiple(sentence, symbols).items():
            multiple.setdefault(name, []).append((node + base, code, count))
        base += len(sentence.forms)
    return Attributes(
        {name: np.concatenate(columns) for name, columns in single.items()},
        {name: _joined(parts) for name, parts in multiple.items()},
        code_sizes(symbols),
    )


def code_sizes(symbols: Symbols) -> dict[str, int]:
    """The number of codes of each attribute: features of one number of codes are not another's."""
    upos, xpos, feature, relation, token, form, character = (
        symbols.size(k)
        for k in ("upos", "xpos", "feature", "relation", "token", "form", "character")
    )
    return {
        "upos": upos, "relation": relation, "arc": 2 * relation, "length": 4,
        "before_left": upos + 2, "after_left": upos + 2,
        "before_right": upos + 2, "after_right": upos + 2,
        "xpos": xpos, "head_xpos": xpos + 1, "first_xpos": xpos, "last_xpos": xpos,
        "xpos_before": xpos + 1, "xpos_before_that": xpos + 1,
        "xpos_after": xpos + 1, "xpos_after_that": xpos + 1,
        "ancestor": relation, "child": relation, "inside": token,
        "sentence_form": form, "sentence_tags": xpos * xpos, "feature": feature,
        "ends": character, "first_begins": character, "last_ends": character,
        "before_ends": character + 1, "after_begins": character + 1,
        "shape": SHAPES, "first_shape": SHAPES, "last_shape": SHAPES, "writing": WRITINGS,
        "span": SPANS, "sentence_span": SPANS, "style": STYLES, "place": 4, "order": 16,
        "head_upos": upos + 1, "head_relation": relation + 1, "grandparent": relation + 1,
        "sibling_before": relation + 2, "sibling_after": relation + 2,
        "form": form, "first_form": form, "second_form": form + 1, "last_form": form,
        "last_but_one_form": form + 1, "head_form": form + 1,
        "form_before": form + 1, "form_after": form + 1,
        "relation_before": relation + 1, "relation_after": relation + 1,
        **history_codes(symbols),
    }  # fmt: skip


def _joined(parts: Sequence[Entries]) -> Entries:
    node, code, count = (np.concatenate(column) for column in zip(*parts, strict=True))
    return node, code, count


def _single(sentence: Sentence, symbols: Symbols) -> dict[str, Ints]:
    upos = symbols.code("upos", sentence.upos)
    xpos = symbols.code("xpos", sentence.xpos)
    relation = symbols.code("relation", sentence.relations)
    heads = np.array(sentence.heads, np.int64)
    words = np.arange(1, len(heads) + 1)
    left, right = (np.array(edge, np.int64) for edge in constituents(sentence.heads))
    # Around slot i stand words i and i + 1; the sentence's edges have codes of their own.
    before = np.concatenate([[symbols.size("upos")], upos])
    after = np.concatenate([upos, [symbols.size("upos") + 1]])
    form = symbols.code("form", (f.lower() for f in sentence.forms))
    shape = np.array([shape_class(f) for f in sentence.forms])
    begins = symbols.code("character", (f[:1] for f in sentence.forms))
    ends = symbols.code("character", (f[-1:] for f in sentence.forms))
    beyond = symbols.size("character")
    outside = np.concatenate([form, [symbols.size("form")]])  # index -1 and n: the edges
    xpos_outside = np.concatenate([xpos, [symbols.size("xpos")]])
    relation_outside = np.concatenate([relation, [symbols.size("relation")]])
    return {
        "span": span_class(right - left),
        "sentence_span": span_class(np.full(len(heads), len(heads))),
        "style": np.full(len(heads), style_class(sentence.forms)),
        "place": 2 * (left == 0) + (right == len(heads)),
        "head_upos": np.append(upos, symbols.size("upos"))[heads - 1],
        "head_relation": np.append(relation, symbols.size("relation"))[heads - 1],
        "grandparent": relation_outside[np.append(heads, 0)[heads - 1] - 1],
        "order": sibling_order(heads),
        **siblings(heads, relation, symbols.size("relation")),
        "xpos": xpos,
        "head_xpos": xpos_outside[heads - 1],
        "first_xpos": xpos[left],
        "last_xpos": xpos[right - 1],
        "xpos_before": xpos_outside[left - 1],
        "xpos_before_that": np.where(left > 1, xpos_outside[left - 2], symbols.size("xpos")),
        "xpos_after": xpos_outside[right],
        "xpos_after_that": np.append(xpos_outside, symbols.size("xpos"))[right + 1],
        "form": form,
        "first_form": form[left],
        "second_form": np.where(right - left > 1, outside[left + 1], symbols.size("form")),
        "last_form": form[right - 1],
        "last_but_one_form": np.where(right - left > 1, outside[right - 2], symbols.size("form")),
        "head_form": outside[heads - 1],
        "form_before": outside[left - 1],
        "form_after": outside[right],
        "relation_before": relation_outside[left - 1],
        "relation_after": relation_outside[right],
        "ends": ends,
        "first_begins": begins[left],
        "last_ends": ends[right - 1],
        "before_ends": np.append(ends, beyond)[left - 1],
        "after_begins": np.append(begins, beyond)[right],
        "shape": shape,
        "first_shape": shape[left],
        "last_shape": shape[right - 1],
        "writing": writing_class(sentence.forms, left, right),
        "upos": upos,
        "relation": relation,
        "arc": 2 * relation + (words < heads),
        "length": length_class(right - left),
        "before_left": before[left],
        "after_left": after[left],
        "before_right": before[right],
        "after_right": after[right],
        **history_columns(sentence.slots, left, right, symbols),
    }


def sibling_order(heads: Ints) -> Ints:
    """Place among the dependents on the same side, counted from inside and outside to 3 each."""
    chains: dict[tuple[int, bool], list[int]] = {}
    for w, head in enumerate(heads.tolist()):
        chains.setdefault((head, w + 1 < head), []).append(w)
    order = np.zeros(len(heads), np.int64)
    for (_, on_left), chain in chains.items():
        inside_out = chain[::-1] if on_left else chain
        for i, w in enumerate(inside_out):
            order[w] = 4 * min(i, 3) + min(len(chain) - 1 - i, 3)
    return order


def siblings(heads: Ints, relation: Ints, codes: int) -> dict[str, Ints]:
    """What stands next to each word among its head and the head's dependents.

    Args:
        heads: ``[words]``.
        relation: ``[words]`` codes.
        codes: how many codes there are; the first two beyond are for nothing and for the head.

    Returns:
        two columns, ``[words]`` each: the relation of the next dependent on either side.
    """
    nothing, the_head = codes, codes + 1
    families: dict[int, list[int]] = {}
    for w, head in enumerate(heads.tolist()):
        families.setdefault(head - 1, []).append(w)
    before, after = np.full((2, len(heads)), nothing)
    for head, dependents in families.items():
        line = sorted([*dependents, head])
        for a, b in pairwise(line):
            if b != head and a >= 0:
                before[b] = the_head if a == head else relation[a]
            if a != head:
                after[a] = the_head if b == head else relation[b]
    return {"sibling_before": before, "sibling_after": after}


def _multiple(sentence: Sentence, symbols: Symbols) -> dict[str, Entries]:
    relation = symbols.code("relation", sentence.relations)
    heads = np.array(sentence.heads, np.int64) - 1
    words, relations = len(heads), symbols.size("relation")
    left, right = (np.array(edge, np.int64) for edge in constituents(sentence.heads))
    child = np.zeros((words, relations), np.int64)
    np.add.at(child, (heads[heads >= 0], relation[heads >= 0]), 1)
    ancestor = np.zeros((words, relations), np.int64)
    # Wider constituents first, so that a parent's row is ready before its dependents'.
    for w in np.argsort(left - right, kind="stable").tolist():
        if heads[w] >= 0:
            ancestor[w] = ancestor[heads[w]]
            ancestor[w, relation[heads[w]]] += 1
    marks = [t for slot in sentence.slots for t in slot if t not in (INITIAL, FINAL)]
    if marks:
        seen = np.zeros((words + 2, symbols.size("token")), np.int64)
        for slot, tokens in enumerate(sentence.slots):
            inner = [t for t in tokens if t not in (INITIAL, FINAL)]
            np.add.at(seen[slot + 1], symbols.code("token", inner), 1)
        seen = seen.cumsum(0)
        inside = ((seen[right] - seen[left + 1]) > 0).astype(np.int64)
    else:
        inside = np.zeros((words, 1), np.int64)
    tables = {"ancestor": ancestor, "child": child, "inside": inside}
    forms = np.unique(symbols.code("form", (form.lower() for form in sentence.forms)))
    forms = forms[forms > 0]
    root = sentence.heads.index(0)
    xpos = symbols.code("xpos", sentence.xpos)
    tags = np.unique(xpos[:-1] * symbols.size("xpos") + xpos[1:])
    morphology = [symbols.code("feature", features(feats)) for feats in sentence.feats]
    marked = np.repeat(np.arange(words), [len(found) for found in morphology])
    feature = np.concatenate(morphology)
    return {
        **{name: _sparse(table) for name, table in tables.items()},
        "sentence_form": (np.full_like(forms, root), forms, np.ones_like(forms)),
        "sentence_tags": (np.full_like(tags, root), tags, np.ones_like(tags)),
        "feature": (marked, feature, np.ones_like(feature)),
    }


def _sparse(table: Ints) -> Entries:
    node, code = np.nonzero(table)
    return node, code, table[node, code]
