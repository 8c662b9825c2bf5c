"""Codes of the string values of attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from semipunct.corpus.sentences import MISSING, Sentence
from semipunct.features.words import Ints
from semipunct.marks import UNK

KINDS = ("character", "upos", "xpos", "feature", "relation", "form", "token")
_FREQUENT = 5  # rarer word forms share the code of unseen ones
_UNSEEN = 0  # code of all attribute values that did not occur in training


def morphology(feats: str) -> tuple[str, ...]:
    """Split a FEATS column of CoNLL-U into features."""
    return () if feats == MISSING else tuple(feats.split("|"))


class Vocabulary:
    """Codes of the string values of attributes, by kind of value; code 0 is unseen in training.

    Attributes:
        values: for each kind, the strings; string i has code i + 1.
    """

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self.values = {kind: tuple(v) for kind, v in values.items()}
        self._code = {
            kind: {value: i + 1 for i, value in enumerate(v)} for kind, v in self.values.items()
        }

    @classmethod
    def of(cls, sentences: Sequence[Sentence], tokens: Sequence[str]) -> Vocabulary:
        seen = Counter(form.lower() for s in sentences for form in s.forms)
        ends = Counter(c for s in sentences for f in s.forms for c in (f[:1], f[-1:]))
        features = {f for s in sentences for feats in s.feats for f in morphology(feats)}
        values = {
            "character": sorted(c for c, count in ends.items() if count >= _FREQUENT),
            "upos": sorted({u for s in sentences for u in s.upos}),
            "xpos": sorted({x for s in sentences for x in s.xpos}),
            "feature": sorted(features),
            "relation": sorted({r for s in sentences for r in s.tree.relations}),
            "form": sorted(form for form, count in seen.items() if count >= _FREQUENT),
        }
        return cls({**values, "token": tuple(tokens)})

    def code(self, kind: str, values: Iterable[str]) -> Ints:
        """Return the codes of strings."""
        table = self._code[kind]
        # Unseen tokens become UNK, as everywhere in the model.
        otherwise = table.get(UNK, _UNSEEN) if kind == "token" else _UNSEEN
        return np.array([table.get(v, otherwise) for v in values], np.int64)

    def replace_unknown(self, kind: str, values: Iterable[str]) -> list[str]:
        """Replace strings without a code by ``UNK``."""
        return [v if v in self._code[kind] else UNK for v in values]

    def size(self, kind: str) -> int:
        """Return the number of codes of a kind, including the code for unseen values."""
        return len(self.values[kind]) + 1

    def unseen(self, sentences: Sequence[Sentence]) -> dict[str, Counter[str]]:
        """Count the words with an unseen relation or tag, by kind and value.

        Missing tags do not count, nor language-specific tags if training had none.
        """
        values = {
            "relation": (r for s in sentences for r in s.tree.relations),
            "upos": (u for s in sentences for u in s.upos),
            "xpos": (x for s in sentences for x in s.xpos),
        }
        if self.values["xpos"] == (MISSING,):
            del values["xpos"]
        return {
            kind: Counter(v for v in values_of_kind if v not in self._code[kind] and v != MISSING)
            for kind, values_of_kind in values.items()
        }
