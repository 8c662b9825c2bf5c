"""Synthetic treebanks: parameters, generated sentences and extreme trees."""

import random
from bisect import bisect
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Generic, TypeVar

from semipunct import marks
from semipunct.corpus.sentences import Sentence
from semipunct.marks import (
    Edit,
    EditName,
    Pair,
    Puncteme,
    with_boundaries,
    without_boundaries,
)
from semipunct.marks.edits import Direction, move
from semipunct.trees import DependencyTree

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


Item = TypeVar("Item", bound=Hashable)

PATH = "<synthetic>"
FORMS = 50
"""The number of different words of a universal tag."""

_KEEP: Mapping[EditName, float] = {"keep": 1.0}
_NO_PUNCTUATION: Mapping[Pair, float] = {((), ()): 1.0}


@dataclass(frozen=True, slots=True)
class SyntheticSentence:
    """A generated sentence with all latent variables.

    Attributes:
        sentence: words, tree and surface punctuation.
        pairs: ``[n]`` the punctemes of each word.
        underlying: ``[n + 1]`` the underlying tokens of each slot, marks included.
        edits: ``[n + 1]`` the edits of the channel in each slot, in order.
    """

    sentence: Sentence
    pairs: tuple[Pair, ...]
    underlying: tuple[Puncteme, ...]
    edits: tuple[tuple[Edit, ...], ...]


class _Table(Generic[Item]):
    """A distribution prepared for sampling."""

    def __init__(self, distribution: Mapping[Item, float]) -> None:
        self._items = list(distribution)
        self._bounds = list(accumulate(distribution.values()))

    def draw(self, source: random.Random) -> Item:
        # Because of rounding, the last bound may be below the number drawn.
        place = bisect(self._bounds, source.random() * self._bounds[-1])
        return self._items[min(place, len(self._items) - 1)]


def generate(
    parameters: GeneratorParameters, sentences: int, seed: int
) -> Iterator[SyntheticSentence]:
    """Generate sentences; the same seed gives the same sentences on every machine.

    Args:
        parameters: the distributions to draw from.
        sentences: how many sentences to draw.
        seed: the seed of the random numbers.
    """
    # Only random() is guaranteed to be stable across Python versions, so nothing else is called.
    source = random.Random(seed)
    lengths = _Table(parameters.lengths)
    word_relations, phrase_relations = (
        _Table(parameters.word_relations), _Table(parameters.phrase_relations)
    )  # fmt: skip
    upos = {relation: _Table(table) for relation, table in parameters.upos.items()}
    pairs = {relation: _Table(table) for relation, table in parameters.pairs.items()}
    edits = {window: _Table(table) for window, table in parameters.edits.items()}
    unknown, bare = _Table({"X": 1.0}), _Table(_NO_PUNCTUATION)
    for number in range(1, sentences + 1):
        heads, phrases = _tree(lengths.draw(source), parameters.another_kid, source)
        relations = [
            ROOT if not head else (phrase_relations if phrase else word_relations).draw(source)
            for head, phrase in zip(heads, phrases, strict=True)
        ]
        tags = [upos.get(relation, unknown).draw(source) for relation in relations]
        forms = [f"{tag.lower()}{_below(FORMS, source)}" for tag in tags]
        drawn = [pairs.get(relation, bare).draw(source) for relation in relations]
        tree = DependencyTree(tuple(heads), tuple(relations))
        slots = with_boundaries(
            [tuple(slot) for slot in tree.gather(drawn)],
            initial=parameters.initial_mark,
            final=parameters.final_mark,
        )
        rewritten = [_rewrite(slot, edits, parameters, source) for slot in slots]
        sentence = synthetic_sentence(
            f"synthetic-{seed}-{number}", forms, tags, tree,
            [without_boundaries(surface) for surface, _ in rewritten],
        )  # fmt: skip
        yield SyntheticSentence(
            sentence,
            tuple(drawn),
            tuple(slots),
            tuple(edits_of_slot for _, edits_of_slot in rewritten),
        )


def _below(bound: int, source: random.Random) -> int:
    return min(int(source.random() * bound), bound - 1)


def _tree(words: int, another_kid: float, source: random.Random) -> tuple[list[int], list[bool]]:
    """Sample a projective tree; return its heads, and which words have dependents."""
    heads, phrases = [0] * words, [False] * words
    spans = [(1, words, 0)]  # first word, last word, head
    while spans:
        first, last, head = spans.pop()
        word = first + _below(last - first + 1, source)
        heads[word - 1], phrases[word - 1] = head, last > first
        for start, end in ((first, word - 1), (word + 1, last)):
            if start > end:
                continue
            kids = 1
            while kids <= end - start and source.random() < another_kid:
                kids += 1
            starts = {start}
            while len(starts) < kids:
                starts.add(start + 1 + _below(end - start, source))
            bounds = [*sorted(starts), end + 1]
            spans.extend((a, b - 1, word) for a, b in pairwise(bounds))
    return heads, phrases


def _rewrite(
    underlying: Puncteme,
    edits: Mapping[Window, _Table[EditName]],
    parameters: GeneratorParameters,
    source: random.Random,
) -> tuple[Puncteme, tuple[Edit, ...]]:
    """Pass the tokens of one slot through the channel (section 2.2)."""
    if len(underlying) < 2:
        return underlying, ()
    mirrored = parameters.direction == "r2l"
    keep = _Table(_KEEP)
    pending, *following = underlying[::-1] if mirrored else underlying
    written: list[str] = []
    edits_made: list[Edit] = []
    for token in following:
        window = (token, pending) if mirrored else (pending, token)
        table = keep if parameters.direction == "none" else edits.get(window, keep)
        edit = Edit(table.draw(source), *window)
        edits_made.append(edit)
        stays, leaves = move(edit.name, mirrored=mirrored)
        if leaves is not None:
            written.append((pending, token)[leaves])
        pending = (pending, token)[stays]
    written.append(pending)
    return tuple(reversed(written) if mirrored else written), tuple(edits_made)


def synthetic_sentence(
    sentence_id: str,
    forms: Sequence[str],
    upos: Sequence[str],
    tree: DependencyTree,
    slots: Sequence[Puncteme],
) -> Sentence:
    """Make a sentence whose lemmas are its forms and whose other columns are empty.

    Args:
        sentence_id: its name.
        forms: ``[n]`` words.
        upos: ``[n]`` universal tags.
        tree: the tree over the words.
        slots: ``[n + 1]`` the punctemes that readers see.
    """
    return Sentence(
        sentence_id=sentence_id,
        path=PATH,
        line=0,
        forms=tuple(forms),
        lemmas=tuple(forms),
        upos=tuple(upos),
        xpos=("_",) * len(upos),
        feats=("_",) * len(upos),
        tree=tree,
        slots=tuple(slots),
    )
