"""The four principles of Universal Dependencies for the heads of punctuation.

https://universaldependencies.org/u/dep/punct.html: a mark between coordinated units is attached to
the following conjunct; a mark at a dependent unit to that unit; within a unit, to the highest node
that keeps the tree projective; paired marks to the same word.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from semipunct.trees.conventions import Convention
from semipunct.trees.mark_places import Around

# The principles, in their order.
Rule = Literal["conjunct", "unit", "highest", "pair"]

RULES: tuple[Rule, ...] = get_args(Rule)

# The side of a unit at which a mark without its partner occurs.
Side = Literal["opens", "closes"]

_FIRST_OF_TERMINALS = frozenset(".?!…。？！؟।")


class Choice(NamedTuple):
    """The preferred head, and the principle that decides."""

    head: int
    rule: Rule


def choose_single(
    around: Around,
    follows: bool,
    relation: str,
    form: str,
    is_set_off: Callable[[int], bool],
    convention: Convention,
    side: Side | None = None,
) -> Choice:
    """Choose the head of a mark without a partner.

    Args:
        follows: whether the word above both sides is to the left of the mark.
        relation: of the highest word whose constituent starts at the mark.
        is_set_off: whether equal marks are at both edges of a word's constituent.
    """
    ending, above, starting = around
    if not above:
        # At the edges of a sentence the unit is the sentence.
        return Choice((*ending[-1:], *starting[:1])[0], "highest")
    if convention == "governor" or not (ending or starting):
        return Choice(above, "highest")
    if side == "opens" and starting:
        return Choice(starting[0], "unit")
    if side == "closes" and ending:
        return Choice(ending[-1], "unit")
    kind = relation.partition(":")[0]
    if follows and kind == "conj":
        return Choice(starting[0], "conjunct")
    for word in ending:
        if is_set_off(word):
            return Choice(word, "pair")
    if not follows:
        for word in starting:
            if is_set_off(word):
                return Choice(word, "pair")
        return Choice(ending[-1] if ending else above, "unit" if ending else "highest")
    # A conjunction attached to the first conjunct (UD 1) prevents attachment to the second.
    if not starting or kind == "cc" or form[:1] in _FIRST_OF_TERMINALS:
        return Choice(above, "highest")
    return Choice(starting[0], "unit")
