"""Reasons from the words around a mark, without a tree.

Rules match closed classes of words (``lexicon``), neighbouring marks, and the edges of the
sentence. Each yields the key of a reason or nothing. A clause is a pronoun or noun phrase followed
by a finite verb of the lists, so the rules favour precision over recall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from semipunct.marks import Puncteme, display_form
from semipunct.pipelines.reasons.catalogue import WORDS, name_marks
from semipunct.pipelines.reasons.lexicon import (
    AUXILIARIES,
    CLAUSAL,
    COORDINATORS,
    DETERMINERS,
    EXAMPLES,
    EXCLAMATIONS,
    FINAL_COMMENTS,
    GREETINGS,
    INTERJECTIONS,
    INTRODUCTORY,
    MONTHS,
    NOT_BEFORE_BUT,
    PHRASES,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    RELATIVES,
    REPORTING,
    SUBORDINATORS,
    TITLES,
    VERBS,
    WEEKDAYS,
    bare,
    is_participle,
)
from semipunct.pipelines.reasons.place import Place, excerpt


class Cue(NamedTuple):
    """A reason from words."""

    key: str
    values: Mapping[str, str]

    def __str__(self) -> str:
        return WORDS[self.key].format_map(self.values)


# The key of a reason, and the word or phrase in its template.
Told = Iterator[tuple[str, str]]

# Yields the reason for a mark of a slot, given by its index, or nothing.
Rule = Callable[[Place, Puncteme, int], Told]


def _speech(place: Place, tokens: Puncteme, index: int) -> Told:
    """Match commas beside quotation marks."""
    following, preceding = tokens[index + 1 : index + 2], tokens[index - 1 : index] if index else ()
    if following and following[0] in ("“", "‘", "«"):
        yield ("comma.speech_follows" if bare(place.word(-1)) in REPORTING else
               "comma.quotation_follows"), ""  # fmt: skip
    elif following and following[0] in ("”", "’", "»") and place.right:
        yield "comma.speech_ends", ""
    elif preceding and preceding[0] in ("”", "’", "»") and place.right:
        yield "comma.speech_ends_outside", ""


def _tag(place: Place, tokens: Puncteme, index: int) -> Told:
    if place.is_tag(place.slot, place.end):
        yield "comma.tag_question", " ".join(place.forms[place.slot : place.end])


def _relative(place: Place, tokens: Puncteme, index: int) -> Told:
    asks = "?" in place.slots[place.end]
    number = 1
    if place.word(1) in PREPOSITIONS | {"of", "to", "some", "most", "all", "one", "many", "none"}:
        number = 3 if place.word(2) == "of" else 2
    word = place.word(number)
    is_after_noun = bare(place.word(-1)) not in REPORTING | AUXILIARIES | PREPOSITIONS
    if word in RELATIVES and is_after_noun and not asks:
        yield "comma.relative", " ".join(place.forms[place.slot : place.slot + number])
    elif place.word(1) == "where" and place.left[:1].isupper() and place.slot > place.first + 1:
        yield "comma.relative", place.right


def _series(place: Place, tokens: Puncteme, index: int) -> Told:
    """Match runs of short items, the last of which follows *and* or *or*."""
    low, start = place.low, place.slot
    short = place.slot - place.before <= 4 or not place.slots[place.before]
    if place.word(1) in ("and", "or") and place.slots[place.before] == (",",) and short:
        item = start + 1
        if not place.is_clause(item, place.after) and not place.has_verb(place.before, start):
            yield "comma.serial", place.right
        return
    words = low[start : place.after]
    others = COORDINATORS | SUBORDINATORS | RELATIVES | PREPOSITIONS
    if not 0 < len(words) <= 6 or words[0] in others or _opens_examples(words):
        return
    is_last = any(word in ("and", "or") for word in words[1:4])
    # Or another comma follows, and the conjunction of the last item.
    is_followed = len(words) <= 4 and place.slots[place.after] == (",",)
    is_followed = is_followed and low[place.after : place.after + 1] in (["and"], ["or"])
    is_item = not any(bare(word) in ("i", "he", "she", "we", "they") for word in words)
    if (is_last or is_followed) and is_item and not _introduces(place):
        yield "comma.series", ""


def _opens_examples(words: Sequence[str]) -> bool:
    return tuple(words[:1]) in EXAMPLES or tuple(words[:2]) in EXAMPLES


def _introduces(place: Place) -> bool:
    words = place.low[place.first : place.slot]
    return bool(words) and (
        tuple(words) in PHRASES or (len(words) == 1 and words[0] in INTRODUCTORY | INTERJECTIONS)
    )


def _joined(place: Place, tokens: Puncteme, index: int) -> Told:
    word = place.word(1)
    if word not in COORDINATORS:
        return
    left = place.before if place.slots[place.before] == (",",) else place.first
    two = place.has_verb(place.first, place.slot) and place.is_clause(place.slot + 1, place.after)
    if two and (left == place.first or place.has_verb(left, place.slot)):
        opened = place.low[place.first] in SUBORDINATORS and left == place.first
        if not opened:
            yield "comma.clauses_joined", place.right
            return
    if word in ("but", "yet") and place.word(-1) not in NOT_BEFORE_BUT:
        yield "comma.but", place.right


def _opening(place: Place, tokens: Puncteme, index: int) -> Told:
    """Match words, phrases and clauses before the main clause."""
    greeting = place.low[place.start : place.slot]
    is_greeting = len(greeting) in (2, 3, 4) and greeting[0] in GREETINGS and place.right
    if is_greeting and not place.has_verb(place.start, place.slot):
        yield "comma.greeting", " ".join(place.forms[place.start : place.slot])
        return
    if place.before > place.first and not _is_introduced(place):
        return
    first = max(place.first, place.before)
    words, shown = place.low[first : place.slot], excerpt(place.forms[first : place.slot])
    if not words or not place.right:
        return
    if len(words) == 1 and words[0] in INTERJECTIONS:
        yield "comma.interjection", shown
    elif _introduces(place) or tuple(words) in PHRASES:
        yield "comma.introductory", shown
    elif (
        words[0] in SUBORDINATORS and len(words) > 2
        and not (bare(words[1]) in AUXILIARIES and words[0] in ("when", "whether"))
        and (words[0] in CLAUSAL or place.has_verb(first, place.slot)) and words[1] != "of"
        and place.word(1) not in COORDINATORS | RELATIVES
        and (bare(place.word(1)) in PRONOUNS or place.is_clause(place.slot, place.end)
             or place.end - place.slot > 2)
    ):  # fmt: skip
        yield "comma.introductory_clause", place.forms[first]
    elif (
        words[0] in PREPOSITIONS and 2 <= len(words) <= 9 and not place.has_verb(first, place.slot)
        and (bare(place.word(1)) in PRONOUNS or place.word(1) in DETERMINERS)
        and place.is_clause(place.slot, place.end)
    ):  # fmt: skip
        yield "comma.introductory_phrase", shown


def _is_introduced(place: Place) -> bool:
    return place.slots[place.before] == (",",) and place.before - place.first <= 1


def _interruption(place: Place, tokens: Puncteme, index: int) -> Told:
    """Match a word or phrase between commas."""
    for start, end in ((place.before, place.slot), (place.slot, place.after)):
        words = place.low[start:end]
        both = start > place.start and end < place.end
        is_known = len(words) == 1 and words[0] in INTRODUCTORY | {"too", "though"}
        commas = "," in (place.slots[start], ",")[start == place.slot]
        commas = commas and "," in (place.slots[end], ",")[end == place.slot]
        if both and commas and (is_known or tuple(words) in PHRASES):
            yield "comma.interruption", " ".join(place.forms[start:end])


def _comment(place: Place, tokens: Puncteme, index: int) -> Told:
    words = place.low[place.slot : place.end]
    if len(words) == 1 and words[0] in FINAL_COMMENTS and place.slot - place.start > 1:
        yield "comma.final_comment", place.right


def _added(place: Place, tokens: Puncteme, index: int) -> Told:
    """Match clauses and phrases after the main clause, by their first word."""
    word, two = place.word(1), (place.word(1), place.word(2))
    if word in ("although", "though", "whereas", "while") and place.after - place.slot > 2:
        yield "comma.contrast_clause", place.right
    elif word in ("because", "since", "unless", "if", "when") and place.is_clause(
        place.slot + 1, place.after
    ) and place.slot - place.first > 1 and "?" not in place.slots[place.end]:  # fmt: skip
        yield "comma.reason_clause", place.right
    elif two in EXAMPLES or (word,) in EXAMPLES:
        size = 2 if two in EXAMPLES else 1
        yield "comma.examples", " ".join(place.forms[place.slot : place.slot + size])
    elif two == ("rather", "than") or (word == "not" and bare(place.word(2)) not in AUXILIARIES):
        yield "comma.contrast", place.right
    elif is_participle(word) and place.has_verb(place.first, place.slot):
        yield "comma.participle", place.right


def _date(place: Place, tokens: Puncteme, index: int) -> Told:
    around = [place.word(number) for number in (-2, -1, 1)]
    is_year = around[2].isdigit() and len(around[2]) == 4
    is_date = around[1] in WEEKDAYS and around[2] in MONTHS
    if is_date or (is_year and not MONTHS.isdisjoint(around[:2])):
        yield "comma.date", ""


def _apposition(place: Place, tokens: Puncteme, index: int) -> Told:
    end = place.after
    is_name = place.left[:1].isupper() and bare(place.word(-1)) not in PRONOUNS | DETERMINERS
    closed = (end < place.end and "," in place.slots[end]) or end == place.end
    if (
        is_name and place.slot - place.before > 0 and place.word(1) in DETERMINERS - {"these", "no"}
        and 2 <= end - place.slot <= 9 and closed and not place.has_verb(place.slot, end)
        and not any(word in ("and", "or") for word in place.low[place.slot : end + 1])
        and place.slot > place.first + (place.left.lower() in INTRODUCTORY | INTERJECTIONS)
        and place.low[place.first] not in SUBORDINATORS | PREPOSITIONS
    ):  # fmt: skip
        yield "comma.apposition", excerpt(place.forms[place.slot : end])


def _relative_ends(place: Place, tokens: Puncteme, index: int) -> Told:
    start = place.before
    if (
        place.slots[start] == (",",) and start < place.slot and place.right
        and place.low[start] in RELATIVES and place.slot - start > 2
        and place.word(1) not in COORDINATORS | RELATIVES | SUBORDINATORS
        and not is_participle(place.word(1))
        and "?" not in place.slots[place.end]
    ):  # fmt: skip
        yield "comma.relative_ends", place.forms[start]


def _clause_follows(place: Place, tokens: Puncteme, index: int) -> Told:
    word = bare(place.word(1))
    if (
        place.word(-1) not in SUBORDINATORS | COORDINATORS | {"that"}
        and word in PRONOUNS - {"there"} and place.is_clause(place.slot, place.end)
        and place.has_verb(place.slot, place.end)
    ):  # fmt: skip
        yield "comma.clause_follows", place.right


# From the most specific to the most general; the first match wins.
COMMA_RULES: Sequence[Rule] = (
    _speech, _tag, _relative, _date, _series, _joined, _opening, _interruption, _comment, _added,
    _apposition, _relative_ends, _clause_follows,
)  # fmt: skip


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

_RULES: Mapping[str, Sequence[Rule]] = {",": COMMA_RULES, **OTHER_RULES}


def reasons_by_words(place: Place, tokens: Puncteme) -> list[Cue]:
    """Return a reason for each mark of a slot that a rule matches."""
    if not place.line.is_english:
        return []
    cues = (_reason(place, tokens, index) for index in range(len(tokens)))
    return list({cue.key: cue for cue in cues if cue is not None}.values())


def reason_of_removal(place: Place, before: Puncteme, after: Puncteme) -> Cue | None:
    """Return the reason for deleting marks of a slot; None if no rule matches."""
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
