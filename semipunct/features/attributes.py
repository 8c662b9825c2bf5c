"""Attributes of nodes: columns of small integers over all words of a list of sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np

from semipunct.arrays.unique_rows import Ints
from semipunct.corpus import Sentence
from semipunct.features.history import CLOSING, OPENING, history_codes, history_columns
from semipunct.features.vocabulary import Vocabulary, morphology
from semipunct.features.words import (
    SHAPES,
    SPANS,
    STYLES,
    WRITINGS,
    Words,
    length_class,
    shape_class,
    span_class,
    style_class,
    writing_class,
)


class Entries(NamedTuple):
    """A sparse column, ordered by node; ``value`` counts the code at the node."""

    node: Ints
    code: Ints
    value: Ints


class At(NamedTuple):
    """A property of a word near a node.

    Attributes:
        code: a key of ``WORD_CODES``, or ``shape``.
        place: a key of ``Words.places``.
        extra: number of codes for a missing word, one of which is ``outside``.
    """

    code: str
    place: str
    extra: int = 0
    outside: int = 0


# The kind of value encoded by each word code, and a function that returns a sentence's values.
WORD_CODES: dict[str, tuple[str, Callable[[Sentence], Sequence[str]]]] = {
    "upos": ("upos", lambda s: s.upos),
    "xpos": ("xpos", lambda s: s.xpos),
    "relation": ("relation", lambda s: s.tree.relations),
    "form": ("form", lambda s: [form.lower() for form in s.forms]),
    "begins": ("character", lambda s: [form[:1] for form in s.forms]),
    "ends": ("character", lambda s: [form[-1:] for form in s.forms]),
}


class Attributes:
    """The attributes of all words of a list of sentences, each computed on first use."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        vocabulary: Vocabulary,
        table: Mapping[str, Attribute] | None = None,
    ) -> None:
        self.words = Words.of(sentences)
        self.vocabulary = vocabulary
        self._table = ATTRIBUTES if table is None else table
        self.codes = code_sizes(vocabulary, self._table)
        self._of_words: dict[str, Ints] = {}
        self._single: dict[str, Ints] = {}
        self._multiple: dict[str, Entries] = {}

    def single(self, name: str) -> Ints:
        """Return an attribute with one value per node, ``[words]``."""
        if name not in self._single:
            match self._table.get(name):
                case At() as spec:
                    self._single[name] = self._at(spec)
                case Single(compute=compute):
                    self._single |= compute(self)
                case _ if name in (*OPENING, *CLOSING):
                    self._single |= history_columns(self.words, self.vocabulary)
                case _:
                    raise KeyError(name)
        return self._single[name]

    def multiple(self, name: str) -> Entries:
        """Return an attribute with any number of values per node."""
        if name not in self._multiple:
            spec = self._table[name]
            if not isinstance(spec, Multiple):
                raise KeyError(name)
            self._multiple[name] = spec.compute(self)
        return self._multiple[name]

    def _at(self, spec: At) -> Ints:
        codes = self.of_words(spec.code)
        outside = _word_codes(self.vocabulary, spec.code) + spec.outside
        return np.append(codes, outside)[self.words.places[spec.place]]

    def of_words(self, code: str) -> Ints:
        if code not in self._of_words:
            sentences = self.words.sentences
            if code == "shape":
                shapes = (shape_class(form) for s in sentences for form in s.forms)
                self._of_words[code] = np.fromiter(shapes, np.int64, self.words.count)
            else:
                kind, values = WORD_CODES[code]
                strings_of_words = chain.from_iterable(values(s) for s in sentences)
                self._of_words[code] = self.vocabulary.code(kind, strings_of_words)
        return self._of_words[code]


def _word_codes(vocabulary: Vocabulary, code: str) -> int:
    return SHAPES if code == "shape" else vocabulary.size(WORD_CODES[code][0])


class Single(NamedTuple):
    """An attribute with one value per node; ``compute`` may return several columns by name."""

    codes: Callable[[Vocabulary], int]
    compute: Callable[[Attributes], dict[str, Ints]]


class Multiple(NamedTuple):
    """An attribute with any number of values per node."""

    codes: Callable[[Vocabulary], int]
    compute: Callable[[Attributes], Entries]


Attribute: TypeAlias = At | Single | Multiple


def _arcs(table: Attributes) -> dict[str, Ints]:
    leftwards = np.arange(table.words.count) - table.words.first_word + 1 < table.words.heads
    return {"arc": 2 * table.single("relation") + leftwards}


def _spans(table: Attributes) -> dict[str, Ints]:
    w = table.words
    return {
        "length": length_class(w.right - w.left),
        "span": span_class(w.right - w.left),
        "sentence_span": span_class(w.length),
        "place": 2 * (w.left == 0) + (w.right == w.length),
    }


def _styles(table: Attributes) -> dict[str, Ints]:
    styles = np.array([style_class(s.forms) for s in table.words.sentences], np.int64)
    return {"style": styles[table.words.sentence]}


def _writings(table: Attributes) -> dict[str, Ints]:
    forms = [form for s in table.words.sentences for form in s.forms]
    places = table.words.places
    return {"writing": writing_class(forms, places["first"], places["last"])}


def _siblings(table: Attributes) -> dict[str, Ints]:
    codes = table.vocabulary.size("relation")
    before, after = table.words.neighbours_in_family(table.single("relation"), codes, codes + 1)
    return {"sibling_before": before, "sibling_after": after}


def _children(table: Attributes) -> Entries:
    relation, head = table.single("relation"), table.words.places["head"]
    is_dependent = head < table.words.count
    return _counted(head[is_dependent], relation[is_dependent], table.codes["child"])


def _ancestors(table: Attributes) -> Entries:
    relation, head = table.single("relation"), table.words.places["head"]
    counts = np.zeros((table.words.count, table.codes["ancestor"]), np.int64)
    # Level by level, so that the row of a head is complete before its dependents read it.
    by_depth = np.argsort(table.words.depth, kind="stable")
    levels = np.split(by_depth, np.bincount(table.words.depth).cumsum()[:-1])
    for level in levels[1:]:
        counts[level] = counts[head[level]]
        counts[level, relation[head[level]]] += 1
    node, code = np.nonzero(counts)
    return Entries(node, code, counts[node, code])


def _inside(table: Attributes) -> Entries:
    w, tokens = table.words, table.codes["inside"]
    slots = [slot for s in w.sentences for slot in s.slots]
    marks = table.vocabulary.code("token", chain.from_iterable(slots))
    seen = np.zeros((len(slots) + 1, tokens), np.int64)
    place = np.arange(len(slots)).repeat([len(slot) for slot in slots])
    np.add.at(seen[1:], (place, marks), 1)
    seen = seen.cumsum(0)
    base = w.first_word + w.sentence  # each preceding sentence has one slot more than words
    within = seen[base + w.right] - seen[base + w.left + 1] > 0
    node, code = np.nonzero(within)
    return Entries(node, code, np.ones_like(node))


def _forms_of_sentence(table: Attributes) -> Entries:
    form = table.of_words("form")
    is_known = form > 0
    return _at_roots(table, table.words.sentence[is_known], form[is_known], "sentence_form")


def _tags_of_sentence(table: Attributes) -> Entries:
    xpos, sentence = table.of_words("xpos"), table.words.sentence
    inner = np.flatnonzero(sentence[1:] == sentence[:-1])
    pairs = xpos[inner] * table.vocabulary.size("xpos") + xpos[inner + 1]
    return _at_roots(table, sentence[inner], pairs, "sentence_tags")


def _at_roots(table: Attributes, sentence: Ints, code: Ints, name: str) -> Entries:
    roots = np.flatnonzero(table.words.heads == 0)
    sentence, code = np.divmod(np.unique(sentence * table.codes[name] + code), table.codes[name])
    return Entries(roots[sentence], code, np.ones_like(code))


def _morphology(table: Attributes) -> Entries:
    codes_of: dict[str, Ints] = {}
    codes_of_words: list[Ints] = []
    for column in (s.feats for s in table.words.sentences):
        for feats in column:
            if feats not in codes_of:
                codes_of[feats] = table.vocabulary.code("feature", morphology(feats))
            codes_of_words.append(codes_of[feats])
    node = np.arange(len(codes_of_words)).repeat([len(codes) for codes in codes_of_words])
    code = np.concatenate([np.zeros(0, np.int64), *codes_of_words])
    return Entries(node, code, np.ones_like(code))


def _counted(node: Ints, code: Ints, codes: int) -> Entries:
    key, count = np.unique(node * codes + code, return_counts=True)
    return Entries(*np.divmod(key, codes), count)


def _relations(s: Vocabulary) -> int:
    return s.size("relation")


def _beside(s: Vocabulary) -> int:
    return s.size("relation") + 2


# All attributes except the mark history (``history``) and attributes that templates define. Append
# new ones at the end: the digest of a model depends on the order.
ATTRIBUTES: dict[str, Attribute] = {
    "upos": At("upos", "self"),
    "relation": At("relation", "self"),
    "arc": Single(lambda s: 2 * _relations(s), _arcs),
    "length": Single(lambda s: 4, _spans),
    # The two edges of the sentence have separate codes (templates L and R of appendix A).
    "before_left": At("upos", "before", 2, 0),
    "after_left": At("upos", "first", 2),
    "before_right": At("upos", "last", 2),
    "after_right": At("upos", "after", 2, 1),
    "xpos": At("xpos", "self"),
    "head_xpos": At("xpos", "head", 1),
    "first_xpos": At("xpos", "first"),
    "last_xpos": At("xpos", "last"),
    "xpos_before": At("xpos", "before", 1),
    "xpos_before_that": At("xpos", "before_that", 1),
    "xpos_after": At("xpos", "after", 1),
    "xpos_after_that": At("xpos", "after_that", 1),
    "ancestor": Multiple(_relations, _ancestors),
    "child": Multiple(_relations, _children),
    "inside": Multiple(lambda s: s.size("token"), _inside),
    "sentence_form": Multiple(lambda s: s.size("form"), _forms_of_sentence),
    "sentence_tags": Multiple(lambda s: s.size("xpos") ** 2, _tags_of_sentence),
    "feature": Multiple(lambda s: s.size("feature"), _morphology),
    "ends": At("ends", "self"),
    "first_begins": At("begins", "first"),
    "last_ends": At("ends", "last"),
    "before_ends": At("ends", "before", 1),
    "after_begins": At("begins", "after", 1),
    "shape": At("shape", "self"),
    "first_shape": At("shape", "first"),
    "last_shape": At("shape", "last"),
    "writing": Single(lambda s: WRITINGS, _writings),
    "span": Single(lambda s: SPANS, _spans),
    "sentence_span": Single(lambda s: SPANS, _spans),
    "style": Single(lambda s: STYLES, _styles),
    "place": Single(lambda s: 4, _spans),
    "order": Single(lambda s: 16, lambda t: {"order": t.words.sibling_order()}),
    "head_upos": At("upos", "head", 1),
    "head_relation": At("relation", "head", 1),
    "grandparent": At("relation", "grandparent", 1),
    "sibling_before": Single(_beside, _siblings),
    "sibling_after": Single(_beside, _siblings),
    "form": At("form", "self"),
    "first_form": At("form", "first"),
    "second_form": At("form", "second", 1),
    "last_form": At("form", "last"),
    "last_but_one_form": At("form", "last_but_one", 1),
    "head_form": At("form", "head", 1),
    "form_before": At("form", "before", 1),
    "form_after": At("form", "after", 1),
    "relation_before": At("relation", "before", 1),
    "relation_after": At("relation", "after", 1),
}


def code_sizes(vocabulary: Vocabulary, table: Mapping[str, Attribute]) -> dict[str, int]:
    """Return the number of codes of each attribute, on which feature numbers depend."""
    sizes = {
        name: _word_codes(vocabulary, spec.code) + spec.extra
        if isinstance(spec, At)
        else spec.codes(vocabulary)
        for name, spec in table.items()
    }
    return sizes | history_codes(vocabulary)
