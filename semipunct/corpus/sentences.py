"""Sentences: words, tags, a tree, and the punctuation in the slots between the words."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal

from typing_extensions import TypeVar

from semipunct.errors import UsageError
from semipunct.marks import (
    ABBREVIATION,
    INITIAL,
    SPECIAL_TOKENS,
    Pair,
    Puncteme,
    display_form,
    spacing,
)
from semipunct.marks.quotes import kept_tokens
from semipunct.trees import DependencyTree, Tree
from semipunct.wording import quantity

MISSING = "_"

Source = Literal["treebank", "text"]

T = TypeVar("T", bound=Tree, default=DependencyTree, covariant=True)
V = TypeVar("V")


class Named:
    """A sentence with a name and a place in a file.

    Attributes:
        line: the first line, from 1.
    """

    __slots__ = ()

    sentence_id: str
    path: str
    line: int

    @property
    def where(self) -> str:
        """File, line and name, for messages."""
        return f"{self.path}:{self.line}: sentence {self.sentence_id}"


@dataclass(frozen=True, slots=True)
class Expected:
    """Probabilities of the parser that predicted the tags and the tree.

    Attributes:
        heads: ``[n]`` the marginal probability of the head of each word.
        strings: ``[n + 1]`` the most probable non-empty string of each slot.
        probabilities: ``[n + 1]`` the probabilities of these strings.
    """

    heads: tuple[float, ...]
    strings: tuple[Puncteme, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """The punctuation of a writer, to be corrected.

    Attributes:
        slots: ``[n + 1]`` the strings as written.
        pairs: ``[n]`` underlying punctemes of ``slots`` (Li, Wang and Eisner 2019, section 6.2).
    """

    slots: tuple[Puncteme, ...]
    pairs: tuple[Pair, ...] | None = None


@dataclass(frozen=True, slots=True)
class Words(Named):
    """The n >= 1 words of a sentence without tags or a tree; see ``Sentence`` for attributes."""

    sentence_id: str
    path: str
    line: int
    forms: tuple[str, ...]
    slots: tuple[Puncteme, ...]
    closed: frozenset[int] = frozenset()
    source: Source = "treebank"

    def __post_init__(self) -> None:
        if not self.forms or len(self.slots) != len(self.forms) + 1:
            raise ValueError(
                f"{self.where}: {quantity(len(self.forms), 'word')} and "
                f"{quantity(len(self.slots), 'slot')}; a sentence needs at least one word, and one "
                "slot more than words"
            )


@dataclass(frozen=True, slots=True, repr=False)
class Sentence(Named, Generic[T]):
    """A sentence of n >= 1 words.

    Attributes:
        line: the first line in its file, from 1.
        forms: ``[n]`` words as spelt, without abbreviation dots.
        slots: ``[n + 1]`` surface punctemes, slot i right of word i; an abbreviation dot is
            ``marks.ABBREVIATION``. Boundary marks are added by the channel.
        expected: the probabilities of the parser that predicted tags and tree.
        written: the punctuation to be corrected.
        underlying: ``[n]`` the left and right puncteme of each word in an underlying tree.
        closed: slots inside an orthographic word (such as French *du*, *de* and *le*), which never
            change. If empty, they have no probability.
        source: ``text`` is kept unless a change is requested.
        joined: slots with marks but no blanks between two words, as in *15-year*.
    """

    sentence_id: str
    path: str
    line: int
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    tree: T
    slots: tuple[Puncteme, ...]
    expected: Expected | None = None
    written: Written | None = None
    underlying: tuple[Pair, ...] | None = None
    closed: frozenset[int] = frozenset()
    source: Source = "treebank"
    joined: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        columns = (self.forms, self.lemmas, self.upos, self.xpos, self.feats, self.slots[1:])
        lengths = {self.tree.words, *map(len, columns)}
        if len(lengths) > 1 or not self.forms:
            raise ValueError(
                f"{self.where}: a sentence needs at least one word, one entry per word in every "
                f"column and in its tree, and one slot more than words; its lengths are {lengths}"
            )

    @property
    def size(self) -> int:
        return len(self.forms)

    @property
    def choices(self) -> int:
        """The number of slots that may contain marks."""
        return len(self.slots) - len(unfillable(self))

    @property
    def seen(self) -> tuple[Any, ...]:
        """All data of the sentence that a model uses, independent of its file."""
        # Digests in stored results include the initial mark, which used to be part of the slots.
        slots = ((INITIAL, *self.slots[0]), *self.slots[1:])
        seen = (self.forms, self.upos, self.xpos, self.feats, *self.tree.data, slots)
        if self.expected is not None:
            expected = self.expected
            seen = (*seen, expected.heads, expected.strings, expected.probabilities)
        if self.written is not None:
            seen = (*seen, self.written.slots, self.written.pairs)
        if self.closed:
            seen = (*seen, sorted(self.closed))
        return seen

    def __str__(self) -> str:
        pieces: list[str] = []
        for form, slot in zip(("", *self.forms), self.slots, strict=True):
            # The dot of an abbreviation is printed as part of its word.
            dots = slot.count(ABBREVIATION)
            pieces += [form + "." * dots] if form else []
            pieces += (display_form(token) for token in slot if token != ABBREVIATION)
        return " ".join(pieces)

    def __repr__(self) -> str:
        return f"<Sentence {self.sentence_id}: {excerpt(str(self))}>"


def unfillable(sentence: "Sentence[Any] | Words") -> frozenset[int]:
    """Return the closed slots that are empty, into which no mark can be put."""
    return frozenset(slot for slot in sentence.closed if not sentence.slots[slot])


def split_words(sentence: "Sentence[Any] | Words") -> frozenset[int]:
    """Return the empty slots within words that were written apart by mistake (*with out*)."""
    relations: Sequence[str] = getattr(getattr(sentence, "tree", None), "relations", None) or ()
    slots = (slot for slot, relation in enumerate(relations) if relation == "goeswith")
    return frozenset(slot for slot in slots if not sentence.slots[slot])


def check_slots(
    where: str,
    before: Sequence[Puncteme],
    after: Sequence[Puncteme],
    is_writable: Callable[[str], object],
    closed: Collection[int] = (),
) -> None:
    """Check that slots have the right number, and that all new marks can be written.

    Args:
        before: ``[n + 1]`` the visible marks.
        after: ``[n + 1]`` the requested slots.
        is_writable: a predicate of new marks.
        closed: slots that must stay empty.
    """
    if len(after) != len(before):
        raise UsageError(
            f"{where}: {quantity(len(after), 'slot')} for {quantity(len(before) - 1, 'word')}; "
            "give one more than there are words"
        )
    for slot, (old, string, new) in enumerate(
        zip(before, after, spacing.visible(after), strict=True)
    ):
        if string and slot in closed:
            raise UsageError(
                f"{where}: slot {slot} is within a multiword token, where nothing can be written; "
                "leave it empty"
            )
        if ABBREVIATION in string[min(slot, 1) :]:
            raise UsageError(
                f"{where}: slot {slot} has an abbreviation's dot that follows no word; give it "
                "once, first in a slot after a word"
            )
        for token, number in zip(new, kept_tokens(old, new), strict=True):
            if not number and (token in SPECIAL_TOKENS or not is_writable(token)):
                raise UsageError(
                    f"{where}: the token {token!r} of slot {slot} cannot be written; give a mark "
                    "of one or more visible characters"
                )


def open_slots(sentence: "Sentence[Any] | Words", slots: Sequence[V]) -> list[V]:
    """Return the values of the slots that may contain marks."""
    empty = unfillable(sentence)
    return [value for slot, value in enumerate(slots) if slot not in empty]


def select_words(
    s: "Sentence[Any]", words: Sequence[int], tree: DependencyTree
) -> "Sentence[DependencyTree]":
    """Return a sentence with a subset of its words in any order, without marks but with dots."""
    columns: dict[str, Any] = {
        name: tuple(getattr(s, name)[word - 1] for word in words)
        for name in ("forms", "lemmas", "upos", "xpos", "feats")
    }
    dots = (tuple(t for t in s.slots[word] if t == ABBREVIATION) for word in words)
    closed = closed_after(s, words)
    return replace(s, **columns, tree=tree, slots=((), *dots), expected=None, closed=closed)


def closed_after(sentence: Sentence[Any], words: Sequence[int]) -> frozenset[int]:
    """Return the closed slots of a sentence with a subset of the words, in any order."""
    place = {word: i for i, word in enumerate(words, start=1)}
    closed: set[int] = set()
    for first, last in orthographic_words(sentence.closed):
        start = place.get(first)
        if start is not None and list(words[start - 1 : start + last - first]) == [
            *range(first, last + 1)
        ]:
            closed.update(range(start, start + last - first))
    return frozenset(closed)


def orthographic_words(closed: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last word of each orthographic word of several syntactic words."""
    spans: list[tuple[int, int]] = []
    for slot in sorted(closed):
        if spans and spans[-1][1] == slot:
            spans[-1] = spans[-1][0], slot + 1
        else:
            spans.append((slot, slot + 1))
    return spans


def excerpt(text: str, width: int = 200) -> str:
    """Return the beginning of a text, at most ``width`` characters."""
    return text if len(text) <= width else f"{text[: width - 4]} ..."


def without_punctuation(sentence: Sentence) -> Sentence:
    """Return a sentence with empty slots; closed slots that had marks are opened."""
    return replace(sentence, slots=((),) * len(sentence.slots), closed=unfillable(sentence))


def dotted_forms(sentence: Sentence[Any] | Words) -> tuple[str, ...]:
    """Return the words with the dots of abbreviations, ``[n]``."""
    return tuple(
        form + "." * slot.count(ABBREVIATION)
        for form, slot in zip(sentence.forms, sentence.slots[1:], strict=True)
    )
