"""Parameters of synthetic treebanks: the distributions of generated sentences.

Training on generated sentences can be evaluated by how well it recovers them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from semipunct import marks
from semipunct.errors import UsageError
from semipunct.marks import EditName, Pair
from semipunct.marks.edits import Direction, possible

Window = tuple[str, str]
"""Two adjacent tokens in text order."""

ROOT = "root"
"""The relation of the root, used for no other node."""

_NEITHER: Pair = ((), ())


@dataclass(frozen=True, slots=True)
class GeneratorParameters:
    """The parameters of a synthetic treebank; every mapping to floats sums to 1.

    Attributes:
        lengths: numbers of words of a sentence.
        word_relations: relations of constituents of one word, except the root.
        phrase_relations: relations of longer constituents, except the root.
        upos: by relation, the universal tags of its words; ``X`` for a relation without an entry.
        pairs: by relation, its pairs of punctemes (p(l, r | w) of section 2.1, which here depends
            only on the relation); no punctuation for a relation without an entry.
        edits: by window, the edits (section 2.2); a window without an entry is kept.
        direction: the direction in which the window moves.
        initial_mark: begin slot 0 with ``marks.INITIAL``.
        final_mark: end slot n with ``marks.FINAL``.
        another_kid: probability that a side of a node with dependents gets one more of them.

    Raises:
        UsageError: if the parameters are not distributions, or give weight to an edit that the
            model excludes (absorbing or moving a boundary mark, distinguishing which of two equal
            tokens is absorbed).
    """

    lengths: Mapping[int, float]
    word_relations: Mapping[str, float]
    phrase_relations: Mapping[str, float]
    upos: Mapping[str, Mapping[str, float]]
    pairs: Mapping[str, Mapping[Pair, float]]
    edits: Mapping[Window, Mapping[EditName, float]]
    direction: Direction = "r2l"
    initial_mark: bool = True
    final_mark: bool = False
    another_kid: float = 0.4

    def __post_init__(self) -> None:
        if self.direction not in ("l2r", "r2l", "none"):
            raise UsageError(f"generator direction {self.direction!r}: give l2r, r2l or none")
        if not 0 <= self.another_kid < 1:
            raise UsageError(f"generator another_kid {self.another_kid}: give 0 or more, below 1")
        for name, distribution in self._distributions():
            _check(name, distribution)
        if min(self.lengths) < 1:
            raise UsageError("generator lengths: a sentence has no words; give lengths from 1")
        for relation, table in self.pairs.items():
            tokens = {token for pair in table for side in pair for token in side}
            for mark in sorted(tokens & {marks.INITIAL, marks.FINAL, marks.OPEN}):
                raise UsageError(f"generator pairs[{relation!r}]: {mark!r} cannot be in a puncteme")
        for window, table in self.edits.items():
            for edit in sorted(e for e, p in table.items() if p and e not in possible(*window)):
                raise UsageError(f"generator edits[{window!r}]: {edit!r} is impossible there")

    def _distributions(self) -> Iterator[tuple[str, Mapping[object, float]]]:
        yield "lengths", {**self.lengths}
        yield "word_relations", {**self.word_relations}
        yield "phrase_relations", {**self.phrase_relations}
        for relation, tags in self.upos.items():
            yield f"upos[{relation!r}]", {**tags}
        for relation, pairs in self.pairs.items():
            yield f"pairs[{relation!r}]", {**pairs}
        for window, edits in self.edits.items():
            yield f"edits[{window!r}]", {**edits}


def _check(name: str, distribution: Mapping[object, float]) -> None:
    if any(not p >= 0 for p in distribution.values()):
        raise UsageError(f"generator {name}: a probability is negative or not a number")
    total = math.fsum(distribution.values())
    if not abs(total - 1) <= 1e-6:
        raise UsageError(f"generator {name}: the probabilities sum to {total:g}; make that 1")


def english_parameters() -> GeneratorParameters:
    """Return invented parameters that reflect findings on English (section 6, Figure 3).

    Commas occur around appositives, relative and adverbial clauses and before conjuncts, quotation
    marks around clausal complements, parentheses around appositives and asides, and a period,
    question or exclamation mark ends the sentence. Moving from right to left, the channel merges
    commas, lets periods, dashes, brackets and the initial mark absorb them, and moves periods and
    commas inside quotation marks as in American style.

    The channel is identifiable from the surface, because every token that it may absorb has other
    evidence, such as its partner at the other edge of the constituent. This is not generally so: if
    some clausal complements began with the puncteme ``, “``, a comma before “ could equally be one
    that is always present and sometimes absorbed.
    """
    commas: Pair = ((",",), (",",))
    brackets: Pair = (("(",), (")",))
    dashes: Pair = (("—",), ("—",))
    lengths = dict.fromkeys(range(8, 24), 1 / 16)
    verbs, nouns = {"VERB": 0.8, "ADJ": 0.2}, {"NOUN": 0.7, "PROPN": 0.2, "PRON": 0.1}
    return GeneratorParameters(
        lengths=lengths,
        word_relations={
            "det": 0.2, "case": 0.16, "nsubj": 0.18, "amod": 0.14, "advmod": 0.12,
            "compound": 0.08, "conj": 0.05, "discourse": 0.04, "appos": 0.03,
        },
        phrase_relations={
            "nmod": 0.18, "nsubj": 0.18, "dobj": 0.18, "advcl": 0.12, "acl:relcl": 0.09,
            "conj": 0.09, "appos": 0.06, "ccomp": 0.1,
        },
        upos={
            ROOT: verbs, "advcl": verbs, "acl:relcl": verbs, "ccomp": verbs,
            "nsubj": nouns, "dobj": nouns, "nmod": nouns, "appos": nouns, "compound": nouns,
            "conj": {"NOUN": 0.5, "VERB": 0.4, "ADJ": 0.1},
            "det": {"DET": 1.0}, "case": {"ADP": 1.0}, "amod": {"ADJ": 1.0},
            "advmod": {"ADV": 1.0}, "discourse": {"INTJ": 1.0},
        },
        pairs={
            ROOT: {((), (".",)): 0.75, ((), ("?",)): 0.2, ((), ("!",)): 0.03, _NEITHER: 0.02},
            "appos": {commas: 0.6, brackets: 0.2, ((",", "("), (")", ",")): 0.1, _NEITHER: 0.1},
            "acl:relcl": {commas: 0.5, dashes: 0.05, _NEITHER: 0.45},
            "advcl": {commas: 0.6, _NEITHER: 0.4},
            "conj": {((",",), ()): 0.45, ((";",), ()): 0.05, _NEITHER: 0.5},
            "ccomp": {(("“",), ("”",)): 0.6, ((":",), ()): 0.05, _NEITHER: 0.35},
            "nmod": {commas: 0.06, brackets: 0.02, _NEITHER: 0.92},
            "discourse": {commas: 0.8, _NEITHER: 0.2},
        },
        edits={
            (",", ","): {"keep": 0.05, "absorb_right": 0.95},
            (",", "."): {"keep": 0.05, "absorb_left": 0.95},
            (",", "?"): {"keep": 0.1, "absorb_left": 0.9},
            (",", "!"): {"keep": 0.1, "absorb_left": 0.9},
            (",", ";"): {"keep": 0.1, "absorb_left": 0.9},
            (",", ")"): {"keep": 0.1, "absorb_left": 0.9},
            ("(", ","): {"keep": 0.1, "absorb_right": 0.9},
            ("“", ","): {"keep": 0.1, "absorb_right": 0.9},
            (marks.INITIAL, ","): {"keep": 0.05, "absorb_right": 0.95},
            ("—", ","): {"keep": 0.3, "absorb_right": 0.7},
            (",", "—"): {"keep": 0.3, "absorb_left": 0.7},
            ("—", "."): {"keep": 0.1, "absorb_left": 0.9},
            ("”", "."): {"keep": 0.1, "transpose": 0.9},
            ("”", ","): {"keep": 0.2, "transpose": 0.8},
        },
    )  # fmt: skip
