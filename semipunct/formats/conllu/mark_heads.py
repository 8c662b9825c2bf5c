"""Evaluation and correction of the heads of marks in CoNLL-U, without any other change."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from semipunct.corpus.treebank import PUNCTUATION, RELATION
from semipunct.formats.conllu.records import NO_HEAD, Record, read_records
from semipunct.marks.matching import TYPOGRAPHIC, matched_pairs
from semipunct.marks.quotes import Mark, directional
from semipunct.marks.tokens import STRAIGHT
from semipunct.trees import tree_fault
from semipunct.trees.conventions import Conventions
from semipunct.trees.guideline import HeadChange, Judgement
from semipunct.trees.mark_places import MarkedTree
from semipunct.trees.principles import Rule

_HEAD, _DEPS = 6, 8
_PAIRED = frozenset((*TYPOGRAPHIC.openings, *TYPOGRAPHIC.partners, '""', "`"))


@dataclass(frozen=True, eq=False, repr=False)
class MarkedSentence:
    """A sentence of CoNLL-U with the heads of its marks.

    Attributes:
        heads: ``[n + 1]`` the head of each token, from 1.
        fault: why the heads are no tree; empty if they are one.
        changes: new heads of marks, which ``text`` includes.
    """

    record: Record
    heads: Sequence[int]
    fault: str = ""
    changes: tuple[HeadChange, ...] = ()

    @classmethod
    def of(cls, record: Record) -> "MarkedSentence":
        sentence = cls(record, [0, *(token.head for token in record.tokens)])
        if (fault := tree_fault(sentence.heads[1:])) is None:
            return sentence
        token, problem = fault
        if sentence.heads[token] == NO_HEAD:
            problem = "it has no HEAD"
        place = f"{sentence.where(token)}: word {token} ({sentence.forms[token]})"
        return replace(sentence, fault=f"{place}: {problem}")

    @cached_property
    def forms(self) -> list[str]:
        return ["", *(token.form for token in self.record.tokens)]

    @cached_property
    def relations(self) -> list[str]:
        return ["", *(token.relation for token in self.record.tokens)]

    @cached_property
    def is_mark(self) -> list[bool]:
        """``[n + 1]`` whether a token has the tag PUNCT and the relation ``punct``."""
        tags = ((token.upos, token.relation.partition(":")[0]) for token in self.record.tokens)
        return [False, *(tag == (PUNCTUATION, RELATION) for tag in tags)]

    @cached_property
    def judgement(self) -> Judgement:
        """The heads of the marks, and the words to which each may be attached."""
        tree = MarkedTree(self.heads, self.is_mark)
        return Judgement(tree, self.relations, self.forms, self._pairs())

    @cached_property
    def _pairable(self) -> list[int]:
        return [
            token
            for token, (form, is_mark) in enumerate(zip(self.forms, self.is_mark, strict=True))
            if is_mark and form in _PAIRED
        ]

    @cached_property
    def heads_tell_pairs(self) -> bool:
        """Whether straight quotation marks are odd in number, so that only heads show pairs."""
        counts = Counter(self.forms[token] for token in self._pairable)
        return any(counts[form] > 1 and counts[form] % 2 for form in STRAIGHT)

    def _pairs(self) -> list[tuple[int, int]]:
        if len(self._pairable) <= 1:
            return []
        marks: list[Mark | None] = [None] * len(self.forms)
        for token in self._pairable:
            group = self.heads[token] if self.heads_tell_pairs else 0
            marks[token] = Mark(self.forms[token], self.record.tokens[token - 1].xpos, group)
        quotes, _, _ = directional(marks)
        if self.heads_tell_pairs:  # quotation marks without a partner
            quotes = [None if form in STRAIGHT else form for form in quotes]
        tokens = [() if form is None else (form,) for form in quotes]
        return [(opening[0], closing[0]) for opening, closing in matched_pairs(tokens)]

    def head_changes(
        self, conventions: Conventions, rules: Collection[Rule], *, strict: bool
    ) -> tuple[HeadChange, ...]:
        """Return new heads for marks with wrong ones; see ``Judgement.changes``."""
        if self.fault:
            return ()
        return tuple(self.judgement.changes(conventions, rules, strict=strict))

    def with_heads(self, changes: Sequence[HeadChange]) -> "MarkedSentence":
        """Return the sentence with new heads, but the lines as before."""
        heads = list(self.heads)
        for change in changes:
            heads[change.mark] = change.after
        return replace(self, heads=heads)

    def where(self, token: int) -> str:
        return self.record.where(self.record.tokens[token - 1].position)

    def line_of(self, token: int) -> int:
        return self.record.line + self.record.tokens[token - 1].position

    @property
    def governing(self) -> tuple[int, ...]:
        """The marks that cannot be attached, because words depend on them."""
        if self.fault:
            return ()
        tree = self.judgement.tree
        return tuple(sorted(mark for mark in tree.governing if tree.heads[mark]))

    @property
    def text(self) -> str:
        """The lines of the sentence with the changed heads."""
        lines = list(self.record.lines)
        for change in self.changes:
            position = self.record.tokens[change.mark - 1].position
            columns = lines[position].split("\t")
            columns[_HEAD] = str(change.after)
            columns[_DEPS] = with_governor(columns[_DEPS], change.before, change.after)
            lines[position] = "\t".join(columns)
        return "".join(line + end for line, end in zip(lines, self.record.ends, strict=True))


def with_governor(column: str, before: int, after: int) -> str:
    """Replace the basic head of a mark in DEPS."""
    arcs = column.split("|")
    basic = [str(before), RELATION]
    changed = [
        f"{after}:{arc.partition(':')[2]}" if arc.split(":")[:2] == basic else arc for arc in arcs
    ]
    if changed == arcs:
        return column
    return "|".join(sorted(dict.fromkeys(changed), key=_order))


def _order(arc: str) -> tuple[int, int]:
    word, _, node = arc.partition(":")[0].partition(".")
    return (int(word), int(node or 0)) if word.isdecimal() else (0, 0)


def read_marked(path: str | Path) -> Iterator[MarkedSentence]:
    """Yield the sentences of a CoNLL-U file, with a ``fault`` if the heads are no tree."""
    return map(MarkedSentence.of, read_records(path, trees=False))
