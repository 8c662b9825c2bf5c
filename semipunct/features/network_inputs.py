"""Inputs of the network: codes of each word and of its position in the tree.

The columns are small integers that the network embeds. The codes of tags and relations are the same
as for the log-linear model's sparse features (``semipunct.features.index``); nothing else is
shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.features.attributes import Attributes
from semipunct.features.classes import SHAPES
from semipunct.features.history import CLOSING, OPENING
from semipunct.features.vocabulary import Vocabulary

KINDS = ("form", "suffix", "prefix", "upos", "xpos", "feats", "relation")
"""The columns of strings; code 0 is for strings that did not occur in training."""

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
"""The names of the columns that follow: distances from a word to its head and to its edges."""

_MINIMUM = 2
"""Rarer forms, prefixes and suffixes have the code of unseen ones."""


def network_vocabulary(sentences: Sequence[Sentence]) -> Vocabulary:
    """Collect the strings of training sentences that have codes of their own."""
    return Vocabulary({kind: _frequent(kind, sentences) for kind in KINDS})


def _frequent(kind: str, sentences: Sequence[Sentence]) -> list[str]:
    least = _MINIMUM if kind in _CUT else 1
    counts = Counter(value for s in sentences for value in _values(kind, s))
    return sorted(value for value, count in counts.items() if count >= least)


def _values(kind: str, sentence: Sentence) -> Iterable[str]:
    if kind in _CUT:
        return [form.lower()[_CUT[kind]] for form in sentence.forms]
    columns = {"upos": sentence.upos, "xpos": sentence.xpos, "feats": sentence.feats}
    return columns.get(kind, sentence.tree.relations)


_CUT = {"form": slice(None), "suffix": slice(-3, None), "prefix": slice(2)}


def input_sizes(vocabulary: Vocabulary) -> dict[str, int]:
    """Return the number of codes of each coded column."""
    return {**{kind: vocabulary.size(kind) for kind in KINDS}, **_CLASSES}


def network_inputs(table: Attributes, vocabulary: Vocabulary) -> npt.NDArray[np.int32]:
    """Return the inputs of the network for all words.

    Args:
        table: the attributes of the words.
        vocabulary: codes of words, from ``network_vocabulary``.

    Returns:
        ``[words, columns]``: ``CODES``, ``PLACES``, ``OPENING`` and ``CLOSING``.
    """
    w = table.words
    number, base = np.arange(w.count), w.first_word
    head = w.places["head"]
    is_dependent = head < w.count
    on_left, on_right = is_dependent & (number < head), is_dependent & (number > head)
    classes = {
        "shape": table.of_words("shape"),
        "side": on_left + 2 * ~is_dependent,
        "span": table.single("span"),
        "left_dependents": np.bincount(head[on_left], minlength=w.count),
        "right_dependents": np.bincount(head[on_right], minlength=w.count),
        "depth": w.depth,
        "starting": np.bincount(base + w.left, minlength=w.count),
        "ending": np.bincount(base + w.right - 1, minlength=w.count),
        "order": table.single("order"),
    }
    coded = [
        vocabulary.code(kind, chain.from_iterable(_values(kind, s) for s in w.sentences))
        for kind in KINDS
    ]
    limited = [np.minimum(classes[name], most - 1) for name, most in _CLASSES.items()]
    places = [np.where(is_dependent, head, number), w.places["first"], w.places["last"]]
    away = [place - number for place in places]
    seen = [table.single(name) for name in (*OPENING, *CLOSING)]
    return np.stack([*coded, *limited, *away, *seen], 1).astype(np.int32)
