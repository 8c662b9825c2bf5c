"""Attachment of the marks of treebanks by the guidelines of Universal Dependencies."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

from semipunct.errors import UsageError, nearest
from semipunct.formats import format_of
from semipunct.formats.base import DerivationFormat
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.mark_heads import MarkedSentence, read_marked
from semipunct.formats.conllu.records import write_texts
from semipunct.pages.page import Anchors, figure, link, listing, page, section
from semipunct.pages.pictures import treebank_drawing
from semipunct.trees.conventions import CONVENTIONS, Context, Convention, Conventions
from semipunct.trees.guideline import HeadChange
from semipunct.trees.principles import RULES, Rule
from semipunct.wording import quantity


@dataclass(frozen=True, slots=True, repr=False)
class NormalisedTreebank:
    """Treebanks with new heads of marks.

    Attributes:
        convention: the requested convention; None if it was learnt.
    """

    sentences: tuple[MarkedSentence, ...]
    conventions: Conventions
    convention: Convention | None

    @property
    def changes(self) -> list[tuple[MarkedSentence, HeadChange]]:
        return [(each, change) for each in self.sentences for change in each.changes]

    @property
    def faults(self) -> list[str]:
        return [each.fault for each in self.sentences if each.fault]

    @property
    def governing(self) -> list[tuple[MarkedSentence, int]]:
        return [(each, mark) for each in self.sentences for mark in each.governing]

    @property
    def marks(self) -> int:
        return sum(sum(each.is_mark) for each in self.sentences)

    @property
    def rules(self) -> Counter[Rule]:
        return Counter(change.rule for each in self.sentences for change in each.changes)

    @property
    def text(self) -> str:
        stream = StringIO(newline="")
        write_texts((each.text for each in self.sentences), stream)
        return stream.getvalue()

    def __repr__(self) -> str:
        return (
            f"<NormalisedTreebank: {quantity(len(self.sentences), 'sentence')}, "
            f"{quantity(len(self.changes), 'change')}>"
        )


def normalise(
    *files: str | Path,
    only: Collection[str] = (),
    convention: Convention | None = None,
    strict: bool = False,
) -> NormalisedTreebank:
    """Attach the marks of treebanks by the guidelines of Universal Dependencies.

    Only heads of tokens with the tag PUNCT and the relation ``punct`` change, and DEPS where it has
    the same arc.

    Args:
        only: the principles to apply, of ``conjunct``, ``unit``, ``highest`` and ``pair``; all if
            empty.
        convention: attaches marks between units to the ``unit`` that a mark sets off (the
            guidelines) or to its ``governor`` (UD 1); None to learn it from the files.

    Raises:
        UsageError: if the format of the files, a principle or the convention is unknown.
        TreebankError: if a file is missing or not CoNLL-U.
    """
    form = format_of(*files)
    if form.name == "ptb" or isinstance(form, DerivationFormat):
        raise UsageError("there is nothing to do; give --to ccg, --commas ccg or both")
    if form.name != Conllu.name:
        raise UsageError(
            f"{files[0]}: marks are attached in dependency trees of CoNLL-U, and this is a "
            f"file of the format {form.name}; give CoNLL-U"
        )
    rules: list[Rule] = [_rule(name) for name in only or RULES]
    if convention is not None and convention not in CONVENTIONS:
        raise UsageError(
            f"there is no convention {convention!r}; choose one of: {', '.join(CONVENTIONS)}"
        )
    with _without_collections():
        sentences = [sentence for path in files for sentence in read_marked(path)]
        changes, conventions = _settle(sentences, convention, rules, strict=strict)
        normalised = tuple(
            replace(sentence, changes=tuple(sorted(of_sentence.values())))
            for sentence, of_sentence in zip(sentences, changes, strict=True)
        )
    return NormalisedTreebank(normalised, conventions, convention)


# A sentence whose heads still change after so many rounds keeps its original heads.
_ROUNDS = 10


# A context that never occurs, since no mark has an empty form.
_UNSEEN: Context = ("", False, "")


def _settle(
    sentences: Sequence[MarkedSentence],
    convention: Convention | None,
    rules: Collection[Rule],
    *,
    strict: bool,
) -> tuple[list[dict[int, HeadChange]], Conventions]:
    """Iterate to a fixed point, so that a second run changes nothing.

    New heads vote for conventions and determine pairs of quotation marks, so they may cause further
    changes. Returns the changes of each sentence by mark, and the conventions of the last round.
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
    """Suspend the garbage collector, which takes a quarter of the time and finds no cycles."""
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


def token_name(sentence: MarkedSentence, token: int) -> str:
    """Format a token with its number: ``5 (came)``."""
    return f"{token} ({sentence.forms[token]})" if token else "0 (root)"


def line(sentence: MarkedSentence, change: HeadChange) -> str:
    """Format a change with its place, rule, heads and reason."""
    heads = f"{token_name(sentence, change.before)} → {token_name(sentence, change.after)}"
    return (
        f"{sentence.where(change.mark)}: mark {token_name(sentence, change.mark)}: head {heads}, "
        f"{change.rule}: {change.problem}"
    )


def governing_line(sentence: MarkedSentence, mark: int) -> str:
    """Format the place of a mark with dependents."""
    word = sentence.heads.index(mark)
    return (
        f"{sentence.where(mark)}: mark {token_name(sentence, mark)}: "
        f"{token_name(sentence, word)} depends on it, so it is left as it is; "
        "correct the HEAD of the word"
    )


def summary(treebank: NormalisedTreebank) -> str:
    """Summarise the changed marks by rule."""
    changed = sum(bool(each.changes) for each in treebank.sentences)
    rules = ", ".join(f"{rule} {count:,}" for rule, count in treebank.rules.most_common())
    marks = quantity(treebank.marks, "mark")
    return (
        f"{len(treebank.changes):,} of {marks} in {changed:,} of "
        f"{quantity(len(treebank.sentences), 'sentence')}{f' ({rules})' if rules else ''}"
    )


def habit(treebank: NormalisedTreebank) -> str | None:
    """Describe the attachment of marks between units, if it differs from the guidelines."""
    total = treebank.conventions.total
    count, marks = total.get("governor", 0), sum(total.values())
    if treebank.convention is not None or treebank.conventions.usual == "unit":
        return None
    return (
        f"{count:,} of {quantity(marks, 'mark')} between units are attached to the governor of "
        "the unit, as in UD 1, so such heads are left; to attach them to the unit, as the "
        "guidelines say, give --convention unit"
    )


def json_object(treebank: NormalisedTreebank, files: Iterable[str]) -> dict[str, Any]:
    """Return the changes as JSON values."""
    return {
        "schema": "semipunct.normalise/1",
        "files": list(files),
        "sentences": len(treebank.sentences),
        "marks": treebank.marks,
        "usual_convention": treebank.convention or treebank.conventions.usual,
        "rules": dict(treebank.rules),
        "changes": [
            _placed(sentence, change.mark) | change._asdict()
            for sentence, change in treebank.changes
        ],
        "governing": [_placed(sentence, mark) for sentence, mark in treebank.governing],
        "faults": treebank.faults,
    }


def _placed(sentence: MarkedSentence, mark: int) -> dict[str, Any]:
    return {
        "path": sentence.record.path,
        "line": sentence.line_of(mark),
        "sent_id": sentence.record.sentence_id,
        "mark": mark,
        "form": sentence.forms[mark],
    }


def changes_page(treebank: NormalisedTreebank, title: str) -> Iterator[str]:
    """Yield the parts of a page of new heads, linked to their trees."""
    anchors = Anchors()
    changed = [each for each in treebank.sentences if each.changes]
    names = [anchors.add(each.record.sentence_id) for each in changed]
    rows = [
        (
            link(name, each.record.sentence_id),
            escape(f"{each.record.path}:{each.line_of(change.mark)}"),
            escape(token_name(each, change.mark)),
            escape(token_name(each, change.before)),
            escape(token_name(each, change.after)),
            change.rule,
            escape(change.problem),
        )
        for name, each in zip(names, changed, strict=True)
        for change in each.changes
    ]
    headings = ("sentence", "place", "mark", "old head", "new head", "rule", "problem")
    by_hand = [governing_line(*each) for each in treebank.governing]
    start = [f"<p>{escape(summary(treebank))}.</p>\n"]
    if rows:
        start += [
            '<p class="key">Old arcs are dashed, new ones bold.</p>\n',
            listing(headings, rows, wide=(6,)),
        ]
    if left := [*by_hand, *treebank.faults]:
        items = "".join(f"<li>{escape(each)}</li>" for each in left)
        start.append(f"<h2>To correct by hand</h2>\n<ul>{items}</ul>\n")
    sections = (
        section(
            name,
            each.record.sentence_id,
            [figure(treebank_drawing(each, each.changes))],
        )
        for name, each in zip(names, changed, strict=True)
    )
    yield from page(title, chain(start, sections), "trees")
