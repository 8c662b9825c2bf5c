"""Attachment of the marks of treebanks as the guidelines of Universal Dependencies say."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from semipunct.errors import UsageError, nearest
from semipunct.formats.conllu.mark_heads import MarkedSentence, read_marked
from semipunct.formats.conllu.records import write_texts
from semipunct.trees.conventions import CONVENTIONS, Context, Convention, Conventions
from semipunct.trees.guideline import HeadChange
from semipunct.trees.principles import RULES, Rule
from semipunct.wording import quantity


@dataclass(frozen=True, slots=True)
class NormalisedSentence:
    """A sentence whose marks are attached as the guidelines say.

    Attributes:
        source: the sentence as read.
        changes: the new heads of marks.
    """

    source: MarkedSentence
    changes: tuple[HeadChange, ...] = ()

    @property
    def text(self) -> str:
        """The lines of the sentence, as in the file but for the heads that changed."""
        return self.source.text(self.changes)

    @property
    def governing(self) -> tuple[int, ...]:
        """The marks that cannot be attached, because words depend on them."""
        if self.source.fault:
            return ()
        tree = self.source.judgement.tree
        return tuple(sorted(mark for mark in tree.governing if tree.heads[mark]))


@dataclass(frozen=True, slots=True, repr=False)
class NormalisedTreebank:
    """Treebanks whose marks are attached as the guidelines say.

    Attributes:
        sentences: in order.
        conventions: those by which the marks between units were attached.
        convention: the one that was to be followed everywhere; None if it was learnt.
    """

    sentences: tuple[NormalisedSentence, ...]
    conventions: Conventions
    convention: Convention | None

    @property
    def changes(self) -> list[tuple[MarkedSentence, HeadChange]]:
        """The new heads of marks, with their sentences."""
        return [(each.source, change) for each in self.sentences for change in each.changes]

    @property
    def faults(self) -> list[str]:
        """The reasons why sentences were left as they are, with their places."""
        return [each.source.fault for each in self.sentences if each.source.fault]

    @property
    def governing(self) -> list[tuple[MarkedSentence, int]]:
        """The marks on which words depend, with their sentences."""
        return [(each.source, mark) for each in self.sentences for mark in each.governing]

    @property
    def marks(self) -> int:
        """The number of marks."""
        return sum(sum(each.source.is_mark) for each in self.sentences)

    @property
    def rules(self) -> Counter[Rule]:
        """The number of changes by principle."""
        return Counter(change.rule for each in self.sentences for change in each.changes)

    @property
    def text(self) -> str:
        """The content of a file with all sentences."""
        stream = StringIO(newline="")
        write_texts((each.text for each in self.sentences), stream)
        return stream.getvalue()

    def __repr__(self) -> str:
        return (
            f"<NormalisedTreebank: {quantity(len(self.sentences), 'sentence')}, "
            f"{quantity(len(self.changes), 'change')}>"
        )


def normalise_marks(
    files: Iterable[str | Path],
    *,
    rules: Collection[str] = RULES,
    convention: Convention | None = None,
    strict: bool = False,
) -> NormalisedTreebank:
    """Attach the marks of treebanks as the guidelines of Universal Dependencies say.

    Marks are tokens with the tag PUNCT and the relation ``punct``. Only their heads change, and
    DEPS where it has the same arc. Sentences whose heads are no tree are left as they are.

    Args:
        files: names of files in CoNLL-U; ``.gz`` is decompressed, ``-`` is standard input.
        rules: the principles by which heads are changed.
        convention: the attachment of marks between units: to the unit that a mark sets off, or to
            the governor of that unit; None to learn it from the files, by form and relation.
        strict: whether heads that the guidelines allow are replaced by those that they prefer.

    Raises:
        TreebankError: with file, line and sentence, if a file is missing or not CoNLL-U.
        UsageError: if a principle or the convention is unknown.
    """
    _check_options(rules, convention)
    with _without_collections():
        sentences = [sentence for path in files for sentence in read_marked(path)]
        return normalise_sentences(sentences, rules=rules, convention=convention, strict=strict)


def normalise_sentences(
    sentences: Sequence[MarkedSentence],
    *,
    rules: Collection[str] = RULES,
    convention: Convention | None = None,
    strict: bool = False,
) -> NormalisedTreebank:
    """Attach the marks of sentences as the guidelines of Universal Dependencies say.

    Args:
        sentences: the treebank, from which conventions are learnt.
        rules: as of ``normalise_marks``, and so are the others.
        convention: of marks between units.
        strict: whether heads that the guidelines allow are replaced.

    Raises:
        UsageError: if a principle or the convention is unknown.
    """
    chosen = _check_options(rules, convention)
    changes, conventions = _settle(sentences, convention, chosen, strict=strict)
    return NormalisedTreebank(
        tuple(
            NormalisedSentence(sentence, tuple(sorted(of_sentence.values())))
            for sentence, of_sentence in zip(sentences, changes, strict=True)
        ),
        conventions,
        convention,
    )


def _check_options(rules: Collection[str], convention: Convention | None) -> list[Rule]:
    """Return the principles, if they and the convention are known."""
    chosen: list[Rule] = [_rule(name) for name in rules]
    if convention is not None and convention not in CONVENTIONS:
        raise UsageError(
            f"there is no convention {convention!r}; choose one of: {', '.join(CONVENTIONS)}"
        )
    return chosen


_ROUNDS = 10
"""Sentences whose heads still change after as many rounds are left as they were."""


_UNSEEN: Context = ("", False, "")
"""A context in which no mark was counted, as no mark has an empty form."""


def _settle(
    sentences: Sequence[MarkedSentence],
    convention: Convention | None,
    rules: Collection[Rule],
    *,
    strict: bool,
) -> tuple[list[dict[int, HeadChange]], Conventions]:
    """Change heads until nothing changes any more, so that a second run changes nothing.

    New heads are votes for conventions, and tell which of an odd number of quotation marks are
    pairs, so they may have further changes as a consequence.

    Returns:
        The changes of each sentence by mark, and the conventions of the last round.
    """
    changes: list[dict[int, HeadChange]] = [{} for _ in sentences]
    current = list(sentences)
    votes = [_votes(sentence) for sentence in sentences]
    conventions = Conventions()
    followed: dict[Context, Convention] = {}
    affected: Iterable[int] = range(len(sentences))
    for last in [False] * (_ROUNDS - 1) + [True]:
        if convention is None:
            conventions = Conventions.of(vote for row in votes for vote in row)
            contexts = {context for context, _ in conventions.counts} | {_UNSEEN}
            now: dict[Context, Convention] = {each: conventions.at(each) for each in contexts}
            if now != followed:
                affected, followed = range(len(sentences)), now
        else:
            conventions = Conventions(convention)
        changing = [
            (number, more)
            for number in affected
            if (more := current[number].head_changes(conventions, rules, strict=strict))
        ]
        if not changing:
            break
        for number, more in changing:
            if last:
                changes[number] = {}
                continue
            heads = sentences[number].heads
            for change in more:
                changes[number][change.mark] = change._replace(before=heads[change.mark])
            current[number] = current[number].with_heads(more)
            votes[number] = _votes(current[number])
        affected = [number for number, _ in changing]
    for of_sentence in changes:
        for mark in [m for m, change in of_sentence.items() if change.after == change.before]:
            del of_sentence[mark]
    return changes, conventions


@contextmanager
def _without_collections() -> Generator[None, None, None]:
    """Suspend the search for cycles of objects: there are none, and it takes a quarter of the time.

    The collector visits all sentences again and again while the lines of a treebank are stored.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _votes(sentence: MarkedSentence) -> list[tuple[Context, Convention]]:
    return [] if sentence.fault else sentence.judgement.votes()


def _rule(name: str) -> Rule:
    for rule in RULES:
        if name == rule:
            return rule
    meant = nearest(name, RULES)
    hint = f" (did you mean {meant!r}?)" if meant else ""
    raise UsageError(f"there is no rule {name!r}{hint}; choose from: {', '.join(RULES)}")
