"""Synthetic treebanks of any size, drawn from given parameters (section 2 of the paper).

Linear in the words and never recursive, so that one sentence may hold 100,000 words.
"""

import random
from bisect import bisect
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Generic, Literal, TypeVar

from semipunct.corpus.generator import ROOT, GeneratorParameters, Window
from semipunct.corpus.sentences import Sentence
from semipunct.errors import UsageError
from semipunct.marks import (
    Edit,
    EditName,
    Pair,
    Puncteme,
    with_boundaries,
    without_boundaries,
)
from semipunct.marks.edits import move
from semipunct.trees import DependencyTree, Tree

Item = TypeVar("Item", bound=Hashable)
Shape = Literal["chain", "chain_left", "flat"]

PATH = "<synthetic>"
_FORMS = 50  # different words per universal tag
_KEEP: Mapping[EditName, float] = {"keep": 1.0}
_NO_PUNCTUATION: Mapping[Pair, float] = {((), ()): 1.0}


@dataclass(frozen=True, slots=True)
class Synthetic:
    """A drawn sentence with everything that was drawn on the way.

    Attributes:
        sentence: words, tree and surface punctuation.
        pairs: ``[n]`` the punctemes of each word.
        underlying: ``[n + 1]`` the underlying tokens of each slot, marks included.
        edits: ``[n + 1]`` the channel's edits in each slot, in the order made.
    """

    sentence: Sentence
    pairs: tuple[Pair, ...]
    underlying: tuple[Puncteme, ...]
    edits: tuple[tuple[Edit, ...], ...]


class _Table(Generic[Item]):
    """A distribution ready to be drawn from."""

    def __init__(self, distribution: Mapping[Item, float]) -> None:
        self._items = list(distribution)
        self._bounds = list(accumulate(distribution.values()))

    def draw(self, source: random.Random) -> Item:
        # Rounding may leave the last bound below the number drawn.
        place = bisect(self._bounds, source.random() * self._bounds[-1])
        return self._items[min(place, len(self._items) - 1)]


def generate(parameters: GeneratorParameters, sentences: int, seed: int) -> Iterator[Synthetic]:
    """Draw sentences one by one; the same seed gives the same ones on every machine.

    Raises `UsageError` for a negative number of sentences.
    """
    if sentences < 0:
        raise UsageError(f"{sentences} sentences cannot be generated; give 0 or more")
    # Only random() of this generator is promised never to change, so nothing else is called.
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
        forms = [f"{tag.lower()}{_below(_FORMS, source)}" for tag in tags]
        drawn = [pairs.get(relation, bare).draw(source) for relation in relations]
        tree = DependencyTree(tuple(heads), tuple(relations))
        slots = underlying_slots(
            tree, drawn, initial=parameters.initial_mark, final=parameters.final_mark
        )
        rewritten = [_rewrite(slot, edits, parameters, source) for slot in slots]
        sentence = _sentence(
            f"synthetic-{seed}-{number}", forms, tags, tree,
            [without_boundaries(surface) for surface, _ in rewritten],
        )  # fmt: skip
        yield Synthetic(sentence, tuple(drawn), tuple(slots), tuple(made for _, made in rewritten))


def scaling_sentence(shape: Shape, words: int, every: int = 8) -> Sentence:
    """Give a tree of an extreme shape and any size, with a comma at every `every`-th word.

    A `chain` hangs every word from the one before, a `chain_left` from the one after, and `flat`
    hangs all from the middle one. A period ends the sentence. Nothing is random and nothing
    rewritten. Raises `UsageError` for fewer than one word or an unknown shape.
    """
    if words < 1 or every < 1:
        raise UsageError(f"{words} words, a comma every {every}: give 1 or more")
    middle = (words + 1) // 2
    # Where many constituents end together, only a comma at their other side keeps slots short.
    left, right, both = ((",",), ()), ((), (",",)), ((",",), (",",))
    if shape == "chain":
        heads, pair = list(range(words)), left
    elif shape == "chain_left":
        heads, pair = [*range(2, words + 1), 0], right
    elif shape == "flat":
        heads, pair = [0 if w == middle else middle for w in range(1, words + 1)], both
    else:
        raise UsageError(f"shape {shape!r}: give chain, chain_left or flat")
    pairs: list[Pair] = [pair if w % every == 0 else ((), ()) for w in range(1, words + 1)]
    pairs[heads.index(0)] = ((), (".",))
    relations = ["appos" if comma[0] or comma[1] else "nmod" for comma in pairs]
    relations[heads.index(0)] = ROOT
    tree = DependencyTree(tuple(heads), tuple(relations))
    slots = [tuple(slot) for slot in tree.gather(pairs)]
    forms = [f"noun{w % _FORMS}" for w in range(words)]
    return _sentence(f"{shape}-{words}", forms, ["NOUN"] * words, tree, slots)


def underlying_slots(
    tree: Tree, pairs: Sequence[Pair], *, initial: bool, final: bool
) -> list[Puncteme]:
    """Give the underlying string of every slot (section 2.1), boundary marks included."""
    strings = [tuple(slot) for slot in tree.gather(pairs)]
    return with_boundaries(strings, initial=initial, final=final)


def _below(bound: int, source: random.Random) -> int:
    return min(int(source.random() * bound), bound - 1)


def _tree(words: int, another_kid: float, source: random.Random) -> tuple[list[int], list[bool]]:
    """A random projective tree: heads, and which words have dependents."""
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
    """Send one slot's tokens through the channel (section 2.2)."""
    if len(underlying) < 2:
        return underlying, ()
    mirrored = parameters.direction == "r2l"
    keep = _Table(_KEEP)
    pending, *rest = underlying[::-1] if mirrored else underlying
    written: list[str] = []
    made: list[Edit] = []
    for token in rest:
        window = (token, pending) if mirrored else (pending, token)
        table = keep if parameters.direction == "none" else edits.get(window, keep)
        edit = Edit(table.draw(source), *window)
        made.append(edit)
        stays, leaves = move(edit.name, mirrored=mirrored)
        if leaves is not None:
            written.append((pending, token)[leaves])
        pending = (pending, token)[stays]
    written.append(pending)
    return tuple(reversed(written) if mirrored else written), tuple(made)


def _sentence(
    sentence_id: str,
    forms: Sequence[str],
    upos: Sequence[str],
    tree: DependencyTree,
    slots: Sequence[Puncteme],
) -> Sentence:
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
