"""Generation of sentences from given parameters (section 2 of the paper).

Linear in the number of words and without recursion, so a sentence may have 100,000 words.
"""

import random
from bisect import bisect
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Generic, TypeVar

from semipunct.corpus.sentences import Sentence
from semipunct.corpus.synthetic.parameters import ROOT, GeneratorParameters, Window
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
from semipunct.trees import DependencyTree
from semipunct.wording import quantity

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

    Raises:
        UsageError: for a negative number of sentences.
    """
    if sentences < 0:
        raise UsageError(f"{quantity(sentences, 'sentence')} cannot be generated; give 0 or more")
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
