"""Rules for marks other than commas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semipunct.marks import Puncteme
from semipunct.render.reasons.cues import Rule, Told
from semipunct.render.reasons.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    EXCLAMATIONS,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    REPORTING,
    TITLES,
    bare,
)
from semipunct.render.reasons.place import Place, excerpt


def _question(place: Place, tokens: Puncteme, index: int) -> Told:
    last_part = place.before if place.slots[place.before] == (",",) else None
    if last_part is not None and place.is_tag(last_part, place.slot):
        yield "question.tag", " ".join(place.forms[last_part : place.slot])
        return
    begins = [place.first, place.before]
    for slot in sorted({*begins}):
        if slot >= place.slot:
            continue
        word, following = place.low[slot], place.low[slot + 1 : place.slot]
        if bare(word) in QUESTION_WORDS:
            yield "question.opened", place.forms[slot]
            return
        if word in PREPOSITIONS | {"to", "of"} and following and following[0] in QUESTION_WORDS:
            yield "question.opened", " ".join(place.forms[slot : slot + 2])
            return
        if slot == place.first and bare(word) in AUXILIARIES and following:
            subject = following[1] if following[0] == "n't" and len(following) > 1 else following[0]
            if bare(subject) in PRONOUNS | DETERMINERS and subject == place.low[slot + 1]:
                yield "question.inverted", place.forms[slot]
                return


def _period(place: Place, tokens: Puncteme, index: int) -> Told:
    if place.word(-1) in TITLES and place.right:
        yield "period.abbreviation", ""
    elif not place.right:
        yield "period.end", ""
    elif place.right[:1].isupper() and place.slot - place.start > 1:
        yield "period.next", ""


def _exclamation(place: Place, tokens: Puncteme, index: int) -> Told:
    words = place.low[place.first : place.slot]
    if len(words) > 1 and words[0] == "what" and words[1] in ("a", "an"):
        yield "exclamation.what", " ".join(place.forms[place.first : place.first + 2])
    elif len(words) > 2 and words[0] == "how" and bare(words[1]) not in AUXILIARIES | {"much"}:
        yield "exclamation.what", place.forms[place.first]
    elif words and len(words) <= 3 and words[0] in EXCLAMATIONS:
        yield "exclamation.word", place.forms[place.first]


def _quote(place: Place, tokens: Puncteme, index: int) -> Told:
    partner = place.partner(index) if tokens == place.slots[place.slot] else None
    if partner is None:
        return
    start, end = sorted((place.slot, partner))
    around = [*place.low[max(0, start - 1) : start], *place.low[end : end + 3]]
    said = next((word for word in around if word in REPORTING), None)
    is_speech = said is not None and end - start > 1
    side = "opens" if place.slot == start else "ends"
    if is_speech and said:
        yield f"quote.speech_{side}", said
    else:
        yield f"quote.{side}", excerpt(place.forms[start:end])


def _bracket(place: Place, tokens: Puncteme, index: int) -> Told:
    partner = place.partner(index) if tokens == place.slots[place.slot] else None
    if partner is not None:
        start, end = sorted((place.slot, partner))
        is_opening = place.slot == start
        shown = excerpt(place.forms[start:end])
        yield ("bracket.opens" if is_opening else "bracket.ends"), shown


def _colon(place: Place, tokens: Puncteme, index: int) -> Told:
    if any(token in ("“", "‘", "«") for token in tokens[index + 1 :]):
        yield "colon.speech", ""
    elif not place.right:
        yield "colon.line", ""
    elif place.left.isdigit() and place.right.isdigit():
        return
    elif "," in place.slots[place.after] and any(
        word in ("and", "or") for word in place.low[place.slot : place.end]
    ) and not place.is_clause(place.slot, place.after):  # fmt: skip
        yield "colon.list", ""
    elif place.slot - place.start > 1:
        yield "colon.follows", ""


def _semicolon(place: Place, tokens: Puncteme, index: int) -> Told:
    marks = [place.slots[slot] for slot in range(place.start + 1, place.end) if slot != place.slot]
    if place.is_clause(place.slot, place.end) and place.has_verb(place.start, place.slot):
        yield "semicolon.clauses", place.right
    elif (";",) in marks and (",",) in marks:
        yield "semicolon.list", ""


def _dash(place: Place, tokens: Puncteme, index: int) -> Told:
    dashes = [s for s in range(place.start + 1, place.end + 1)
              if s == place.slot or set(place.slots[s]) & _DASHES]  # fmt: skip
    if len(dashes) == 2 and dashes[1] < place.end:
        yield "dash.pair", excerpt(place.forms[dashes[0] : dashes[1]])
    elif len(dashes) == 1 and place.slot < len(place.forms):
        yield "dash.single", ""


def _ellipsis(place: Place, tokens: Puncteme, index: int) -> Told:
    yield "ellipsis", ""


_DASHES = frozenset(("-", "--", "–", "—"))


OTHER_RULES: Mapping[str, Sequence[Rule]] = {
    ".": (_period,),
    "?": (_question,),
    "!": (_exclamation,),
    ":": (_colon,),
    ";": (_semicolon,),
    **dict.fromkeys(_DASHES, (_dash,)),
    **dict.fromkeys(("…", "..."), (_ellipsis,)),
    **dict.fromkeys("“”‘’«»\"'", (_quote,)),
    **dict.fromkeys("()[]{}", (_bracket,)),
}
"""The rules of each mark."""
