"""The words of multiword tokens: a table learned in training, and suffix rules for other tokens.

A rule replaces a suffix of a token by suffixes of its words: *-rlo* becomes *-r lo*.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import msgspec

from semipunct.corpus.passages import Passage

LEAST, PRECISION = 2, 0.9
"""Minimum support of a rule in distinct tokens, and minimum precision."""

LONGEST = 8
"""The maximum length of a suffix."""


class Ending(NamedTuple):
    """A rule: the suffix of a token, its replacement in the first word, and the other words."""

    ending: str
    instead: str
    others: tuple[str, ...]


class Expansions(msgspec.Struct, frozen=True, dict=True):
    """Multiword tokens and their words."""

    tokens: dict[str, tuple[str, ...]]  # lower-cased
    plain: tuple[str, ...]  # single words that match a rule
    endings: tuple[Ending, ...]

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Expansions:
        """Learn table and rules from the tokens of training passages."""
        counts: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for passage in passages:
            for form, words in zip(passage.forms(), passage.words, strict=True):
                expansion = tuple(word.lower() for word in words) if len(words) > 1 else ()
                counts[form.lower()][expansion] += 1
        usual = {form: expansions.most_common(1)[0][0] for form, expansions in counts.items()}
        tokens = {form: words for form, words in sorted(usual.items()) if words}
        endings = _endings(usual) if tokens else ()
        rules = {rule.ending: rule for rule in endings}
        plain = (f for f, words in usual.items() if not words and _rule(f, rules))
        return cls(tokens, tuple(sorted(plain)), endings)

    @cached_property
    def _single(self) -> frozenset[str]:
        return frozenset(self.plain)

    @cached_property
    def _rules(self) -> dict[str, Ending]:
        return {rule.ending: rule for rule in self.endings}

    def words(self, form: str) -> tuple[str, ...]:
        """Return the words of a token with its capitals; empty if the token is a single word."""
        low = form.lower()
        expansion = self.tokens.get(low)
        if expansion is None and low not in self._single and (rule := _rule(low, self._rules)):
            expansion = (low.removesuffix(rule.ending) + rule.instead, *rule.others)
        if not expansion or not all(expansion):
            return ()
        if form == low:
            return expansion
        if form.isupper() and len(form) > 1:
            return tuple(word.upper() for word in expansion)
        # The common prefix of the token and its first word is spelt as in the token.
        common = _common(low, expansion[0]) if len(form) == len(low) else 0
        return (form[:common] + expansion[0][common:], *expansion[1:])


def _common(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _rule(form: str, rules: dict[str, Ending]) -> Ending | None:
    """Return the rule with the longest proper suffix of a token."""
    for length in range(min(LONGEST, len(form) - 1), 0, -1):
        if rule := rules.get(form[-length:]):
            return rule
    return None


def _endings(usual: dict[str, tuple[str, ...]]) -> tuple[Ending, ...]:
    rules_of: defaultdict[str, Counter[Ending]] = defaultdict(Counter)
    for form, words in usual.items():
        if not words:
            continue
        common = _common(form, words[0])
        for start in range(max(1, len(form) - LONGEST), common + 1):
            if start < len(form):
                rule = Ending(form[start:], words[0][start:], words[1:])
                rules_of[rule.ending][rule] += 1
    ended = Counter(
        form[-length:]
        for form in usual
        for length in range(1, min(LONGEST, len(form) - 1) + 1)
        if form[-length:] in rules_of
    )
    best = (rules.most_common(1)[0] for rules in rules_of.values())
    reliable = (rule for rule, n in best if n >= max(LEAST, PRECISION * ended[rule.ending]))
    return tuple(sorted(reliable))
