"""Heads of marks, judged by the guidelines of Universal Dependencies.

Only heads that the principles do not allow are replaced (docs/decisions/treebank-tools.md).
"""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple

from semipunct.marks import Puncteme
from semipunct.marks.matching import TYPOGRAPHIC, Place, matched_pairs
from semipunct.trees.conventions import Context, Convention, Conventions
from semipunct.trees.mark_places import Around, MarkedTree
from semipunct.trees.principles import RULES, Choice, Rule, Side, choose_single
from semipunct.trees.tree import DependencyTree

# Reasons why a head is replaced.
Problem = Literal[
    "a mark has no dependents",
    "its arc spans words that its head does not dominate",
    "it makes another arc non-projective",
    "its partner is attached to another word",
    "it is not attached to what it encloses",
    "it separates conjuncts",
    "it is attached to the governor of the unit",
    "the guidelines prefer another head",
]

_GUIDELINES = Conventions()
_NOTHING: Mapping[Place, int] = {}

# The head of a mark that has none yet.
_UNKNOWN = -1


class HeadChange(NamedTuple):
    """A new head of a mark, the deciding principle, and the reason for replacing the old one."""

    mark: int
    before: int
    after: int
    rule: Rule
    problem: Problem


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """The heads of the marks of a sentence, and the words to which each can be attached.

    Attributes:
        relations: ``[n + 1]``.
        forms: ``[n + 1]``.
        pairs: opening and closing marks.
        fixed: marks that existed before; None if all did.
    """

    tree: MarkedTree
    relations: Sequence[str]
    forms: Sequence[str]
    pairs: Sequence[tuple[int, int]] = ()
    fixed: Set[int] | None = None

    @cached_property
    def around(self) -> Mapping[int, Around]:
        """The words to which each mark can be attached, if there are any."""
        places = ((mark, self.tree.around(mark)) for mark in self.tree.marks)
        return {mark: around for mark, around in places if around.words}

    @cached_property
    def enclosing(self) -> Sequence[tuple[int, int]]:
        """The pairs with words between their marks."""
        before, around = self.tree.neighbours[0], self.around
        return [(a, b) for a, b in self.pairs if a in around and b in around and before[b] > a]

    @cached_property
    def _paired(self) -> frozenset[int]:
        return frozenset(mark for pair in self.enclosing for mark in pair)

    def votes(self) -> list[tuple[Context, Convention]]:
        """Return context and convention of the marks between units not governed by the root."""
        # Programs attach marks to the root; this must not look like the convention ``governor``.
        heads = self.tree.heads
        votes: list[tuple[Context, Convention]] = []
        for mark, (ending, above, starting) in self.around.items():
            if above and heads[above] and mark not in self._paired and (ending or starting):
                if heads[mark] == above:
                    votes.append((self.context(mark), "governor"))
                elif heads[mark] in ending or heads[mark] in starting:
                    votes.append((self.context(mark), "unit"))
        return votes

    def context(self, mark: int) -> Context:
        ending, above, starting = self.around[mark]
        follows = above < mark
        unit = starting[:1] if follows else ending[-1:]
        return self.forms[mark], follows, self.relations[unit[0]] if unit else ""

    def changes(
        self,
        conventions: Conventions = _GUIDELINES,
        rules: Collection[Rule] = RULES,
        *,
        strict: bool = False,
    ) -> list[HeadChange]:
        """Return the new heads of marks whose heads are wrong, in order.

        Args:
            rules: the principles that give new heads.
            strict: whether to replace heads that are allowed but not preferred.
        """
        changes = self.changes_around(conventions, frozenset(), strict=strict)
        others = frozenset(change.mark for change in changes if change.rule not in rules)
        if others:
            # Arcs of marks that stay and arcs of marks that move must not cross.
            changes = self.changes_around(conventions, others, strict=strict)
        return [change for change in changes if change.rule in rules]

    def changes_around(
        self, conventions: Conventions, staying: Set[int], *, strict: bool
    ) -> list[HeadChange]:
        """Return the new heads by all principles, without changing the marks ``staying``."""
        heads = self.tree.heads
        choices = self._pair_choices(strict)
        problems: dict[int, Problem] = {}
        for mark in self.around:
            convention = conventions.at(self.context(mark))
            choice = choices.get(mark) or self._single_choice(mark, convention)
            stays = mark in staying
            problem = None if stays else self._problem(mark, choice, convention, strict)
            choices[mark] = Choice(heads[mark], choice.rule) if problem is None else choice
            if problem is not None:
                problems[mark] = problem
        for opening, closing in self.pairs:
            if closing in problems and opening in choices and closing not in self._paired:
                choices[closing] = Choice(choices[opening].head, "pair")  # as in ()
        self._uncross(choices, problems, staying)
        return [
            HeadChange(mark, heads[mark], choice.head, choice.rule, problems[mark])
            for mark, choice in sorted(choices.items())
            if choice.head != heads[mark]
        ]

    def _single_choice(self, mark: int, convention: Convention) -> Choice:
        around, form = self.around[mark], self.forms[mark]
        return choose_single(
            around, around.above < mark, self.context(mark)[2], form,
            lambda word: self._is_set_off(word, form), convention, self._side(mark),
        )  # fmt: skip

    def _side(self, mark: int) -> Side | None:
        form = self.forms[mark]
        if self.fixed is not None or any(mark in pair for pair in self.pairs):
            return None
        opens, closes = form in TYPOGRAPHIC.openings, form in TYPOGRAPHIC.partners
        return None if opens == closes or form in "?!" else "opens" if opens else "closes"

    def _is_set_off(self, word: int, form: str) -> bool:
        first, last = self.tree.edges
        return (first[word], 0, form) in self._beside and (last[word], 1, form) in self._beside

    @cached_property
    def _beside(self) -> frozenset[tuple[int, int, str]]:
        """The forms of the marks before (0) and after (1) words."""
        before, after = self.tree.neighbours
        marks = self.around
        return frozenset(
            place
            for mark in marks
            for place in ((after[mark], 0, self.forms[mark]), (before[mark], 1, self.forms[mark]))
        )

    def _problem(
        self, mark: int, choice: Choice, convention: Convention, strict: bool
    ) -> Problem | None:
        head, around = self.tree.heads[mark], self.around[mark]
        if head == choice.head:
            return None
        if self.tree.is_mark[head]:
            return "a mark has no dependents"
        if head not in around.words:
            return self._crossing(mark)
        if mark in self._paired:
            partner = next(b if a == mark else a for a, b in self.enclosing if mark in (a, b))
            if self.tree.heads[partner] != head:
                return "its partner is attached to another word"
            return "it is not attached to what it encloses"
        if head == around.above and convention == "unit":
            if choice.rule == "conjunct":
                return "it separates conjuncts"
            return "it is attached to the governor of the unit"
        return "the guidelines prefer another head" if strict else None

    def _crossing(self, mark: int) -> Problem:
        if self.tree.spans_others(mark):
            return "its arc spans words that its head does not dominate"
        return "it makes another arc non-projective"

    def _pair_choices(self, strict: bool) -> dict[int, Choice]:
        choices: dict[int, Choice] = {}
        heads, (first, last) = self.tree.heads, self.tree.edges

        def width(word: int) -> int:
            return last[word] - first[word]

        for opening, closing in self.enclosing:
            before, after = self.around[opening].words, self.around[closing].words
            common = set(before).intersection(after)
            enclosed = [word for word in common if opening < word < closing]
            kept = [heads[m] for m in (opening, closing) if m in (self.fixed or ())]
            head = heads[opening]
            if kept := common.intersection(kept):
                pair = (min(kept),) * 2
            elif head == heads[closing] and head in (enclosed or common) and not strict:
                pair = head, head
            elif enclosed:
                pair = (max(enclosed, key=width),) * 2
            elif common:
                pair = (min(common, key=width),) * 2
            else:
                # No head is possible for both: the highest enclosed word for each.
                sides = [[w for w in side if opening < w < closing] for side in (before, after)]
                if not all(sides):
                    continue
                pair = max(sides[0], key=width), max(sides[1], key=width)
            choices[opening], choices[closing] = (Choice(head, "pair") for head in pair)
        return choices

    def _uncross(
        self, choices: dict[int, Choice], problems: dict[int, Problem], staying: Set[int]
    ) -> None:
        """Change heads of the marks in one slot until they follow the order of ``Around.words``.

        Of two heads in the wrong order, the first of these moves: a mark with a new head, a mark in
        no pair, the right mark.
        """
        rows: dict[int, list[int]] = {}
        for mark in choices:
            rows.setdefault(self.tree.neighbours[0][mark], []).append(mark)
        for row in rows.values():
            if len(row) == 1:
                continue
            words = self.around[row[0]].words
            place = {word: i for i, word in enumerate(words)}
            settled: dict[int, int] = {}
            order = sorted(row, key=lambda m: (m in problems, m not in self._paired, m))
            for mark in order:
                wanted = place.get(choices[mark].head)
                if wanted is None:
                    continue
                low = max((p for m, p in settled.items() if m < mark), default=0)
                high = min((p for m, p in settled.items() if m > mark), default=len(words) - 1)
                settled[mark] = min(max(wanted, low), max(low, high))
                if settled[mark] != wanted and mark not in staying:
                    choices[mark] = Choice(words[settled[mark]], "highest")
                    problems.setdefault(mark, self._crossing(mark))


def mark_heads(
    tree: DependencyTree,
    slots: Sequence[Puncteme],
    convention: Convention = "unit",
    fixed: Mapping[Place, int] = _NOTHING,
) -> list[list[int]]:
    """Choose the head, a word 1 to n, of every mark in the slots of a tree.

    Marks are attached as in ``trees.principles``, except that the convention ``governor`` attaches
    marks between units to the lowest word above both. Marks at the edges of the sentence are
    attached to its root.

    Args:
        tree: may be non-projective.
        slots: ``[n + 1]`` strings without ``marks.SILENT``.
        fixed: heads of marks that must not change.

    Returns:
        ``[n + 1]`` heads of the marks; projective if words and fixed marks are.
    """
    # Positions of words, and of the root, among words and marks.
    at = [0, *(word + before for word, before in enumerate(accumulate(map(len, slots[:-1])), 1))]
    size = at[-1] + len(slots[-1]) + 1
    word_at = {position: word for word, position in enumerate(at)}
    heads, relations, forms = [_UNKNOWN] * size, [""] * size, [""] * size
    for position, head, relation in zip(at, (0, *tree.heads), ("", *tree.relations), strict=True):
        heads[position], relations[position] = at[head], relation
    for slot, tokens in enumerate(slots):
        forms[at[slot] + 1 : at[slot] + 1 + len(tokens)] = tokens
    staying = {at[slot] + index + 1: at[head] for (slot, index), head in fixed.items()}
    for position, head in staying.items():
        heads[position] = head
    pairs = [(at[a[0]] + a[1] + 1, at[b[0]] + b[1] + 1) for a, b in matched_pairs(slots)]
    is_mark = [position not in word_at for position in range(size)]
    judgement = Judgement(MarkedTree(heads, is_mark), relations, forms, pairs, staying.keys())
    for change in judgement.changes_around(Conventions(convention), staying.keys(), strict=True):
        heads[change.mark] = change.after
    return [
        [word_at.get(heads[at[slot] + index + 1], tree.root) for index in range(len(tokens))]
        for slot, tokens in enumerate(slots)
    ]
