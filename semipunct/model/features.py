"""Extracting feature vectors of nodes by reading the template table.

Everything is computed for many sentences at once in numpy: attributes are columns of small
integers over all nodes, a conjunction is a mixed-radix number, and the contexts kept at training
time are looked up by binary search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.marks import FINAL, INITIAL
from semipunct.model.classes import SPANS, Ints, length_class, span_class
from semipunct.model.history import history_codes, history_columns
from semipunct.model.symbols import Symbols
from semipunct.model.templates import TARGETS, Target, Template
from semipunct.treebank.sentences import Sentence
from semipunct.treebank.trees import constituents

Entries = tuple[Ints, Ints, Ints]
"""Sparse columns: node, code (or feature number) and count (or value), equally many of each."""

_TOGETHER = 1024  # sentences whose features are extracted at a time, to bound the memory


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse feature vectors of nodes for one target, ordered by node.

    Attributes:
        start: ``[nodes + 1]`` where each node's entries begin.
        context: ``[entries]`` feature numbers.
        value: ``[entries]`` feature values.
    """

    start: Ints
    context: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]


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
    upos, relation, token, form = (symbols.size(k) for k in ("upos", "relation", "token", "form"))
    codes = {
        "upos": upos, "relation": relation, "arc": 2 * relation, "length": 4,
        "before_left": upos + 2, "after_left": upos + 2,
        "before_right": upos + 2, "after_right": upos + 2,
        "ancestor": relation, "child": relation, "inside": token,
        "sentence_form": form,
        "span": SPANS, "head_upos": upos + 1, "head_relation": relation + 1, "order": 16,
        "form": form, "first_form": form, "second_form": form + 1, "last_form": form,
        "form_before": form + 1, "form_after": form + 1,
        "relation_before": relation + 1, "relation_after": relation + 1,
        **history_codes(symbols),
    }  # fmt: skip
    return Attributes(
        {name: np.concatenate(columns) for name, columns in single.items()},
        {name: _joined(parts) for name, parts in multiple.items()},
        codes,
    )


def _joined(parts: Sequence[Entries]) -> Entries:
    node, code, count = (np.concatenate(column) for column in zip(*parts, strict=True))
    return node, code, count


def _single(sentence: Sentence, symbols: Symbols) -> dict[str, Ints]:
    upos = symbols.code("upos", sentence.upos)
    relation = symbols.code("relation", sentence.relations)
    heads = np.array(sentence.heads, np.int64)
    words = np.arange(1, len(heads) + 1)
    left, right = (np.array(edge, np.int64) for edge in constituents(sentence.heads))
    # Around slot i stand words i and i + 1; the sentence's edges have codes of their own.
    before = np.concatenate([[symbols.size("upos")], upos])
    after = np.concatenate([upos, [symbols.size("upos") + 1]])
    form = symbols.code("form", (f.lower() for f in sentence.forms))
    outside = np.concatenate([form, [symbols.size("form")]])  # index -1 and n: the edges
    relation_outside = np.concatenate([relation, [symbols.size("relation")]])
    return {
        "span": span_class(right - left),
        "head_upos": np.append(upos, symbols.size("upos"))[heads - 1],
        "head_relation": np.append(relation, symbols.size("relation"))[heads - 1],
        "order": sibling_order(heads),
        "form": form,
        "first_form": form[left],
        "second_form": np.where(right - left > 1, outside[left + 1], symbols.size("form")),
        "last_form": form[right - 1],
        "form_before": outside[left - 1],
        "form_after": outside[right],
        "relation_before": relation_outside[left - 1],
        "relation_after": relation_outside[right],
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
    root = np.full(len(forms), sentence.heads.index(0))
    return {
        **{name: _sparse(table) for name, table in tables.items()},
        "sentence_form": (root, forms, np.ones_like(forms)),
    }


def _sparse(table: Ints) -> Entries:
    node, code = np.nonzero(table)
    return node, code, table[node, code]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """One feature family: a context of a template, and the value combinations kept for it."""

    template: str
    target: Target
    parts: tuple[str, ...]
    over: str | None
    kept: Ints
    offset: int


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """From nodes to feature numbers, fixed at training time.

    Attributes:
        symbols: codes of attribute values.
        conjunctions: the feature families, with the combinations that training kept.
        sizes: number of features of each target.
    """

    symbols: Symbols
    conjunctions: tuple[Conjunction, ...]
    sizes: Mapping[Target, int]

    @classmethod
    def fit(
        cls,
        sentences: Sequence[Sentence],
        symbols: Symbols,
        templates: Sequence[Template],
        minimum: int = 1,
    ) -> FeatureMap:
        """Keep the contexts seen at least ``minimum`` times in training."""
        columns = attributes(sentences, symbols)
        sizes: dict[Target, int] = dict.fromkeys(TARGETS, 0)
        found: list[Conjunction] = []
        for template in templates:
            for context in template.contexts:
                key, _, _ = _keys(columns, context, template.over)
                values, counts = np.unique(key, return_counts=True)
                kept = values[counts >= minimum]
                offset = sizes[template.target]
                found.append(
                    Conjunction(
                        template.name, template.target, context, template.over, kept, offset
                    )
                )
                sizes[template.target] += len(kept)
        return cls(symbols, tuple(found), sizes)

    def extract(self, sentences: Sequence[Sentence]) -> dict[Target, Rows]:
        """The feature vectors of all nodes of ``sentences``, in order."""
        parts = [
            self._extract(sentences[i : i + _TOGETHER]) for i in range(0, len(sentences), _TOGETHER)
        ]
        return {target: _end_to_end([part[target] for part in parts]) for target in TARGETS}

    def rows_over(self, sentence: Sentence, attribute: str) -> Ints:
        """Feature numbers that values of a multi-valued attribute would have, -1 for none.

        Returns:
            ``[words, values, families]``, a value being its place among ``Symbols.values``.
        """
        columns = attributes([sentence], self.symbols)
        families = [c for c in self.conjunctions if c.over == attribute]
        values = np.arange(1, columns.codes[attribute])
        found = np.full((len(sentence.forms), len(values), len(families)), -1, np.int64)
        for i, family in enumerate(families):
            key, _, _ = _keys(columns, family.parts, None)
            code = key[:, None] * columns.codes[attribute] + values
            if len(family.kept):
                place = np.minimum(np.searchsorted(family.kept, code), len(family.kept) - 1)
                known = family.kept[place] == code
                found[:, :, i] = np.where(known, family.offset + place, -1)
        return found

    def finders(
        self, sentence: Sentence, given: Mapping[Target, Sequence[str]]
    ) -> dict[Target, Finder]:
        """Feature numbers of a sentence's nodes for values of attributes that are yet to come.

        Args:
            sentence: words and tree.
            given: for each target the attributes whose values will be handed in.
        """
        columns = attributes([sentence], self.symbols)
        return {
            target: Finder.of([c for c in self.conjunctions if c.target == target], columns, names)
            for target, names in given.items()
        }

    def _extract(self, sentences: Sequence[Sentence]) -> dict[Target, Rows]:
        columns = attributes(sentences, self.symbols)
        nodes = len(columns.single["upos"])
        result: dict[Target, Rows] = {}
        for target in TARGETS:
            parts = [self._entries(columns, c) for c in self.conjunctions if c.target == target]
            parts.append((np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)))
            node, context, value = (np.concatenate([p[i] for p in parts]) for i in range(3))
            order = np.argsort(node, kind="stable")
            start = np.searchsorted(node[order], np.arange(nodes + 1))
            result[target] = Rows(
                start, context[order].astype(np.int32), value[order].astype(np.float32)
            )
        return result

    def _entries(self, columns: Attributes, family: Conjunction) -> Entries:
        key, node, value = _keys(columns, family.parts, family.over)
        if not len(family.kept):
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
        place = np.minimum(np.searchsorted(family.kept, key), len(family.kept) - 1)
        known = family.kept[place] == key
        return node[known], family.offset + place[known], value[known]


@dataclass(frozen=True, slots=True)
class Finder:
    """Looks features up by node and by the values of some attributes.

    Attributes:
        fixed: ``[nodes, families]`` what is known of each family's code.
        radix: ``[attributes, families]`` what a value of each attribute adds to it.
        codes: the codes that are features, ascending; those of a family lie together.
        numbers: their feature numbers, and -1.
    """

    fixed: Ints
    radix: Ints
    codes: Ints
    numbers: Ints

    @classmethod
    def of(
        cls, families: Sequence[Conjunction], columns: Attributes, given: Sequence[str]
    ) -> Finder:
        """Compile families of features for the nodes of some sentences."""
        nodes = len(columns.single["upos"])
        fixed = np.zeros((nodes, len(families)), np.int64)
        radix = np.zeros((len(given), len(families)), np.int64)
        codes: list[Ints] = [np.zeros(0, np.int64)]
        numbers: list[Ints] = [np.zeros(0, np.int64)]
        first = 0
        for i, family in enumerate(families):
            unit = 1
            fixed[:, i] = first
            for part in reversed(family.parts):
                if part in given:
                    radix[given.index(part), i] += unit
                else:
                    fixed[:, i] += unit * columns.single[part]
                unit *= columns.codes[part]
            codes.append(first + family.kept)
            numbers.append(family.offset + np.arange(len(family.kept)))
            first += unit
        return cls(fixed, radix, np.concatenate(codes), np.concatenate([*numbers, [-1]]))

    def rows(self, node: int, values: Ints) -> Ints:
        """``[cases, families]`` feature numbers of a node, -1 for none.

        Args:
            node: its number.
            values: ``[cases, attributes]`` of the attributes handed in.
        """
        code = self.fixed[node] + values @ self.radix
        place = np.searchsorted(self.codes, code)
        known = np.append(self.codes, -1)[place] == code
        return np.where(known, self.numbers[place], -1)


def _end_to_end(parts: Sequence[Rows]) -> Rows:
    """Rows of consecutive sentences, joined."""
    nothing = Rows(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
    starts = [nothing.start]
    entries = 0
    for part in parts:
        starts.append(part.start[1:] + entries)
        entries += len(part.context)
    return Rows(
        np.concatenate(starts),
        np.concatenate([nothing.context, *(part.context for part in parts)]),
        np.concatenate([nothing.value, *(part.value for part in parts)]),
    )


def _keys(columns: Attributes, parts: Sequence[str], over: str | None) -> tuple[Any, Any, Any]:
    """Mixed-radix codes of a conjunction, with the node and value of each occurrence."""
    nodes = len(columns.single["upos"])
    key = np.zeros(nodes, np.int64)
    for part in parts:
        key = key * columns.codes[part] + columns.single[part]
    if over is None:
        return key, np.arange(nodes), np.ones(nodes, np.int64)
    node, code, count = columns.multiple[over]
    return key[node] * columns.codes[over] + code, node, count
