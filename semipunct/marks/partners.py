"""Partners of brackets and quotation marks in the typography of one language.

``marks.balance`` lets *”* close *”*, as in Swedish. In a language that opens with *“*, this would
make a pair of two closing marks.
"""

from collections.abc import Collection, Sequence

from semipunct.marks.balance import ENCLOSING
from semipunct.marks.matching import Matcher, OpenMarks, Place
from semipunct.marks.tokens import Puncteme


def matcher_of(tokens: Collection[str]) -> Matcher:
    """Return the matcher of the brackets and quotation marks of a language.

    A mark that closes another one of them does not open.

    Args:
        tokens: the marks of the language.
    """
    pairs = {pair for pair in ENCLOSING.pairs if pair[0] in tokens and pair[1] in tokens}
    closed_otherwise = {closing for opening, closing in pairs if opening != closing}
    return Matcher(frozenset((a, b) for a, b in pairs if a != b or b not in closed_otherwise))


def without_lone_marks(
    slots: Sequence[Puncteme], existing: Sequence[Puncteme], matcher: Matcher
) -> list[Puncteme]:
    """Remove inserted brackets and quotation marks that have no partner.

    Args:
        slots: ``[n + 1]`` strings of tokens.
        existing: ``[n + 1]`` the strings of slots that are not changed; empty for the others.
        matcher: of the language.
    """
    waiting = OpenMarks[Place](matcher)
    lone: set[Place] = set()
    for slot, string in enumerate(slots):
        for number, token in enumerate(string):
            if closed := waiting.close(token):
                lone.update(place for _, place in closed[1:])
            elif token in matcher.openings:
                waiting.open(token, (slot, number))
            elif token in ENCLOSING.partners:
                lone.add((slot, number))
    lone.update(place for _, place in waiting.marks)
    removed = {place for place in lone if not existing[place[0]]}
    if not removed:
        return list(slots)
    return [
        tuple(token for number, token in enumerate(string) if (slot, number) not in removed)
        for slot, string in enumerate(slots)
    ]
