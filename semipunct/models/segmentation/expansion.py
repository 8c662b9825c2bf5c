"""The words of multiword tokens: a table learned from training, and rules for the ends of others.

A rule takes an ending off a token and puts others on: *-rlo* becomes *-r lo*. Of the rules that
hold for an ending the longest is taken, so a rare token is split as those that end alike.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import msgspec

from semipunct.corpus.passages import Passage

LEAST, PRECISION = 2, 0.9
"""A rule has held for so many different tokens, and for this share of those that end so."""

LONGEST = 8
"""Characters of an ending, at most."""

T = TypeVar("T")


class Ending(NamedTuple):
    """A rule: the ending of a token, the one that its first word has instead, the other words."""

    ending: str
    instead: str
    others: tuple[str, ...]


class Expansions(msgspec.Struct, frozen=True):
    """Multiword tokens and their words.

    Attributes:
        tokens: in lower case, with their words.
        plain: tokens that endings would split and that are one word.
        endings: the rules.
    """

    tokens: dict[str, tuple[str, ...]]
    plain: tuple[str, ...]
    endings: tuple[tuple[str, str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Expansions:
        """Learn from the tokens of training passages."""
        counts: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for passage in passages:
            for form, words in zip(passage.forms(), passage.words, strict=True):
                found = tuple(word.lower() for word in words) if len(words) > 1 else ()
                counts[form.lower()][found] += 1
        usual = {form: found.most_common(1)[0][0] for form, found in counts.items()}
        tokens = {form: words for form, words in sorted(usual.items()) if words}
        endings = _endings(usual) if tokens else ()
        rules = {rule[0]: rule for rule in endings}
        plain = (f for f, words in usual.items() if not words and _rule(f, rules))
        return cls(tokens, tuple(sorted(plain)), endings)

    def table(self) -> ExpansionTable:
        """Return what looks tokens up."""
        return ExpansionTable(self)


class ExpansionTable:
    """Splits tokens into words."""

    def __init__(self, expansions: Expansions) -> None:
        """Index the rules.

        Args:
            expansions: learned from training.
        """
        self._tokens = expansions.tokens
        self._plain = {*expansions.plain}
        self._rules = {rule[0]: Ending(*rule) for rule in expansions.endings}

    def words(self, form: str) -> tuple[str, ...]:
        """Return the words of a token, capitals where it has them; empty for a token that is one.

        Args:
            form: as it is spelt.
        """
        low = form.lower()
        found = self._tokens.get(low)
        if found is None and low not in self._plain and (rule := _rule(low, self._rules)):
            found = (low.removesuffix(rule[0]) + rule[1], *rule[2])
        if not found or not all(found):
            return ()
        if form == low:
            return found
        if form.isupper() and len(form) > 1:
            return tuple(word.upper() for word in found)
        # What the token and its first word have in common is spelt as in the token.
        same = _common(low, found[0]) if len(form) == len(low) else 0
        return (form[:same] + found[0][same:], *found[1:])


def _common(one: str, other: str) -> int:
    """Return how many characters two strings begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _rule(form: str, rules: dict[str, T]) -> T | None:
    """Return the rule with the longest ending that a token has beside one more character."""
    for length in range(min(LONGEST, len(form) - 1), 0, -1):
        if found := rules.get(form[-length:]):
            return found
    return None


def _endings(usual: dict[str, tuple[str, ...]]) -> tuple[Ending, ...]:
    """Find the rules that hold, by the different tokens that end alike."""
    found: defaultdict[str, Counter[Ending]] = defaultdict(Counter)
    for form, words in usual.items():
        if not words:
            continue
        same = _common(form, words[0])
        for start in range(max(1, len(form) - LONGEST), same + 1):
            if start < len(form):
                rule = Ending(form[start:], words[0][start:], words[1:])
                found[rule.ending][rule] += 1
    ended = Counter(
        form[-length:]
        for form in usual
        for length in range(1, min(LONGEST, len(form) - 1) + 1)
        if form[-length:] in found
    )
    best = (rules.most_common(1)[0] for rules in found.values())
    kept = (rule for rule, n in best if n >= max(LEAST, PRECISION * ended[rule.ending]))
    return tuple(sorted(kept))
