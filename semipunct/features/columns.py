"""What a network sees of each word: codes of the word and of its place in the tree.

The columns are small integers, which the network embeds; the log-linear model's sparse features
(``semipunct.features.index``) are not among them, but for the codes of tags and relations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence
from semipunct.features.attributes import sibling_order
from semipunct.features.classes import SHAPES, shape_class, span_class
from semipunct.features.history import CLOSING, OPENING, history_columns
from semipunct.features.vocabulary import Symbols
from semipunct.trees.tree import constituents

Ints = npt.NDArray[np.int32]

KINDS = ("form", "suffix", "prefix", "upos", "xpos", "feats", "relation")
"""What is coded as training saw it; code 0 is for what it did not see."""

_CLASSES = {
    "shape": SHAPES,
    "side": 4,
    "span": 16,
    "left_dependents": 6,
    "right_dependents": 6,
    "depth": 8,
    "starting": 6,
    "ending": 6,
    "order": 16,
}

CODES = (*KINDS, *_CLASSES)
"""The names of the coded columns, in order."""

PLACES = ("head", "first", "last")
"""The names of the columns after them: how far from a word its head and its edges are."""

_MINIMUM = 2
"""A form, prefix or suffix of fewer occurrences is coded as one not seen."""


def seen_symbols(sentences: Sequence[Sentence]) -> Symbols:
    """The codes that training sentences call for."""
    return Symbols({kind: _frequent(kind, sentences) for kind in KINDS})


def _frequent(kind: str, sentences: Sequence[Sentence]) -> list[str]:
    least = _MINIMUM if kind in _CUT else 1
    counts = Counter(value for s in sentences for value in _values(kind, s))
    return sorted(value for value, count in counts.items() if count >= least)


def _values(kind: str, sentence: Sentence) -> Iterable[str]:
    if kind in _CUT:
        return [form.lower()[_CUT[kind]] for form in sentence.forms]
    columns = {"upos": sentence.upos, "xpos": sentence.xpos, "feats": sentence.feats}
    return columns.get(kind, sentence.relations)


_CUT = {"form": slice(None), "suffix": slice(-3, None), "prefix": slice(2)}


def sizes(symbols: Symbols) -> dict[str, int]:
    """How many codes each coded column has."""
    return {**{kind: symbols.size(kind) for kind in KINDS}, **_CLASSES}


def columns(sentences: Sequence[Sentence], symbols: Symbols, tokens: Symbols) -> Ints:
    """``[words, columns]`` of all words, in order.

    Args:
        sentences: words, trees and surface punctuation.
        symbols: codes of words.
        tokens: codes of marks.

    Returns:
        The columns ``CODES``, ``PLACES``, ``OPENING`` and ``CLOSING``.
    """
    found = [_columns(sentence, symbols, tokens) for sentence in sentences]
    count = len(CODES) + len(PLACES) + len(OPENING) + len(CLOSING)
    return np.concatenate([np.zeros((0, count), np.int32), *found])


def _columns(sentence: Sentence, symbols: Symbols, tokens: Symbols) -> Ints:
    heads = np.array(sentence.heads)
    words = np.arange(len(heads))
    left, right = (np.array(edge) for edge in constituents(sentence.heads))
    on_left, on_right = (words + 1 < heads), (heads > 0) & (words + 1 > heads)
    dependents = [
        np.bincount(heads[side] - 1, minlength=len(heads)) for side in (on_left, on_right)
    ]
    depth = np.zeros(len(heads), np.int64)
    # Wider constituents first: a head's depth is known before its dependents'.
    for w in np.argsort(left - right, kind="stable").tolist():
        if heads[w]:
            depth[w] = depth[heads[w] - 1] + 1
    classes = {
        "shape": np.array([shape_class(form) for form in sentence.forms]),
        "side": on_left + 2 * (heads == 0),
        "span": span_class(right - left),
        "left_dependents": dependents[0],
        "right_dependents": dependents[1],
        "depth": depth,
        "starting": np.bincount(left, minlength=len(heads)),
        "ending": np.bincount(right - 1, minlength=len(heads)),
        "order": sibling_order(heads),
    }
    coded = [symbols.code(kind, _values(kind, sentence)) for kind in KINDS]
    limited = [np.minimum(classes[name], most - 1) for name, most in _CLASSES.items()]
    places = [np.where(heads > 0, heads - 1, words), left, right - 1]
    away = [place - words for place in places]
    marks = history_columns(sentence.slots, left, right, tokens)
    seen = [marks[name] for name in (*OPENING, *CLOSING)]
    return np.stack([*coded, *limited, *away, *seen], 1).astype(np.int32)
