"""Reasons that the words around a mark support, without a tree.

Rules look at closed classes of words (``lexicon``), at the marks before and after, and at where the
sentence begins and ends, and answer with the key of a reason, or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semipunct.marks import Puncteme, display_form
from semipunct.render.reasons.commas import COMMA_RULES
from semipunct.render.reasons.cues import Cue, Rule
from semipunct.render.reasons.lexicon import (
    AUXILIARIES,
    COORDINATORS,
    DETERMINERS,
    PREPOSITIONS,
    VERBS,
)
from semipunct.render.reasons.names import name_marks
from semipunct.render.reasons.other_marks import OTHER_RULES
from semipunct.render.reasons.place import Place

_RULES: Mapping[str, Sequence[Rule]] = {",": COMMA_RULES, **OTHER_RULES}


def reasons_by_words(place: Place, tokens: Puncteme) -> list[Cue]:
    """Return the reasons for the marks of a slot, one for each mark that has one.

    Args:
        place: the slot.
        tokens: its visible marks; they need not be those of the slot as written.
    """
    if not place.line.is_english:
        return []
    cues = (_reason(place, tokens, index) for index in range(len(tokens)))
    return list({cue.key: cue for cue in cues if cue is not None}.values())


def reason_of_removal(place: Place, before: Puncteme, after: Puncteme) -> Cue | None:
    """Return the reason why marks of a slot are removed, if words support one.

    Args:
        place: the slot.
        before: its marks as they were written.
        after: the marks that are left.
    """
    if not place.line.is_english or len(after) >= len(before):
        return None
    values = {"mark": name_marks(before[:1]), "word": place.right, "left": place.left}
    if after and set(before) == set(after):
        return Cue("removed.doubled", values)
    if after or before not in ((",",), (";",), (":",)):
        return None
    if place.word(-1) in COORDINATORS:
        return Cue("removed.after_conjunction", values)
    if place.word(1) == "that" and place.word(-1) in VERBS | {"so", "is", "was"}:
        return Cue("removed.that", values)
    if place.word(1) in ("of", "to") and place.word(-1) not in PREPOSITIONS:
        return Cue("removed.before_preposition", values)
    if place.word(-1) in AUXILIARIES | DETERMINERS - {"that", "this", "all", "some", "one"}:
        return Cue("removed.verb", values)
    return None


def _reason(place: Place, tokens: Puncteme, index: int) -> Cue | None:
    token = display_form(tokens[index])
    for rule in _RULES.get(token, ()):
        for key, word in rule(place, tokens, index):
            second = place.forms[place.first + 1 : place.first + 2]
            values = {"word": word, "excerpt": word, "left": place.left, "right": place.right}
            return Cue(key, {**values, "other": "".join(second)})
    return None
