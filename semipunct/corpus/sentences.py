"""Sentences: words, tags, a tree, and the punctuation in the slots between the words."""

from dataclasses import dataclass, replace
from typing import Any, Generic

from typing_extensions import TypeVar

from semipunct.marks import ABBREVIATION, INITIAL, Pair, Puncteme, shown
from semipunct.trees import DependencyTree, Tree
from semipunct.wording import counted

MISSING = "_"
"""The value of a column that says nothing of a word."""

T = TypeVar("T", bound=Tree, default=DependencyTree, covariant=True)


@dataclass(frozen=True, slots=True)
class Expected:
    """Beside tags and a tree, the beliefs of the parser that made them.

    Attributes:
        heads: ``[n]`` the probability of each word's head, in whatever tree.
        strings: ``[n + 1]`` the most probable string of each slot that is not empty; an empty one
            where nothing is known.
        probabilities: ``[n + 1]`` of these.
    """

    heads: tuple[float, ...]
    strings: tuple[Puncteme, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """Beside correct punctuation, what somebody wrote.

    Attributes:
        slots: ``[n + 1]`` the strings that were written.
        pairs: ``[n]`` the left and the right puncteme of each word in an underlying tree of what
            was written (section 6.2 of Li, Wang and Eisner 2019); None where none was looked for.
    """

    slots: tuple[Puncteme, ...]
    pairs: tuple[Pair, ...] | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """The n >= 1 words of a sentence of which neither tags nor a tree are known.

    Attributes:
        sentence_id: its name.
        path: the file, or where else it comes from.
        line: its first line there, from 1.
        forms: ``[n]`` words as they are spelt, without the dot of an abbreviation.
        slots: ``[n + 1]`` the punctemes that readers see, slot i right of word i.

    Raises:
        ValueError: if there is no word, or not one slot more than words.
    """

    sentence_id: str
    path: str
    line: int
    forms: tuple[str, ...]
    slots: tuple[Puncteme, ...]

    def __post_init__(self) -> None:
        if not self.forms or len(self.slots) != len(self.forms) + 1:
            raise ValueError(
                f"{self.where}: {counted(len(self.forms), 'word')} and "
                f"{counted(len(self.slots), 'slot')}; a sentence has one or more words, and one "
                "more slot"
            )

    @property
    def where(self) -> str:
        """The place of the sentence for messages: file, line, name."""
        return f"{self.path}:{self.line}: sentence {self.sentence_id}"


@dataclass(frozen=True, slots=True, repr=False)
class Sentence(Generic[T]):
    """A sentence of n >= 1 words.

    Attributes:
        sentence_id: its name in the file.
        path: the file, or where else it comes from.
        line: its first line there, from 1.
        forms: ``[n]`` words as they are spelt, without the dot of an abbreviation.
        lemmas: ``[n]``.
        upos: ``[n]`` universal tags.
        xpos: ``[n]`` language-specific tags.
        feats: ``[n]`` morphological features, as CoNLL-U writes them.
        tree: over the words; a dependency tree unless said otherwise.
        slots: ``[n + 1]`` the punctemes that readers see, slot i right of word i; an
            abbreviation's dot is ``marks.ABBREVIATION``. Boundary marks are the channel's.
        expected: by the parser that made tags and tree; None if they are a treebank's.
        written: by the one whose punctuation is corrected; None where ``slots`` is all there is.
        underlying: ``[n]`` the left and the right puncteme of each word in an underlying tree of
            ``slots``; None where none was looked for.

    Raises:
        ValueError: if the columns are not of one length, or there is no word.
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

    def __post_init__(self) -> None:
        columns = (self.forms, self.lemmas, self.upos, self.xpos, self.feats, self.slots[1:])
        lengths = {self.tree.words, *map(len, columns)}
        if self.expected is not None:
            known = self.expected
            lengths |= {len(known.heads), len(known.strings) - 1, len(known.probabilities) - 1}
        if self.written is not None:
            pairs = self.forms if self.written.pairs is None else self.written.pairs
            lengths |= {len(self.written.slots) - 1, len(pairs)}
        if self.underlying is not None:
            lengths.add(len(self.underlying))
        if len(lengths) > 1 or not self.forms:
            raise ValueError(
                f"{self.where}: a sentence has one or more words, as many entries in every column "
                f"and nodes for them in its tree, and one more slot; its lengths are {lengths}"
            )

    @property
    def where(self) -> str:
        """The place of the sentence for messages: file, line, name."""
        return f"{self.path}:{self.line}: sentence {self.sentence_id}"

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.forms)

    @property
    def choices(self) -> int:
        """The number of slots."""
        return len(self.slots)

    @property
    def seen(self) -> tuple[Any, ...]:
        """All that a model sees of the sentence, whatever file it is in."""
        # The initial mark was part of the slots once, and stored results name treebanks so.
        slots = ((INITIAL, *self.slots[0]), *self.slots[1:])
        seen = (self.forms, self.upos, self.xpos, self.feats, *self.tree.data, slots)
        if self.expected is not None:
            known = self.expected
            seen = (*seen, known.heads, known.strings, known.probabilities)
        if self.written is not None:
            seen = (*seen, self.written.slots, self.written.pairs)
        return seen

    def __str__(self) -> str:
        pieces: list[str] = []
        for form, slot in zip(("", *self.forms), self.slots, strict=True):
            # A reader sees an abbreviation's dot as a part of its word.
            dots = slot.count(ABBREVIATION)
            pieces += [form + "." * dots] if form else []
            pieces += (shown(token) for token in slot if token != ABBREVIATION)
        return " ".join(pieces)

    def __repr__(self) -> str:
        return f"<Sentence {self.sentence_id}: {excerpt(str(self))}>"


def excerpt(text: str, width: int = 200) -> str:
    """Return the beginning of a text, for a ``repr`` that people read.

    Args:
        text: of any length.
        width: characters at most.
    """
    return text if len(text) <= width else f"{text[: width - 4]} ..."


def without_punctuation(sentence: Sentence) -> Sentence:
    """Return a sentence with the same words and tree but empty slots."""
    return replace(sentence, slots=((),) * len(sentence.slots))


def dotted_forms(sentence: Sentence[Any] | Words) -> tuple[str, ...]:
    """Return words as readers see them, ``[n]``: with the dots of abbreviations.

    Args:
        sentence: any.
    """
    return tuple(
        form + "." * slot.count(ABBREVIATION)
        for form, slot in zip(sentence.forms, sentence.slots[1:], strict=True)
    )
