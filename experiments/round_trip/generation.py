"""Generated treebanks and texts with what is rare in real ones; a seed determines them.

Multiword tokens with and without marks inside, empty nodes and enhanced graphs, recorded and
unrecorded spaces of all kinds, comments in odd places, many scripts, doubled and nested marks, and
in texts times, names of speakers, addresses, markup and joined words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

# Words of each script, separated by blanks.
SCRIPTS = {
    "latin": "Rain fell then snow über naïve façade x2 U.S. e-mail Nº € ½ don't",
    "cyrillic": "Дождь шёл потом снег и ветер",
    "hebrew": 'גשם ירד אז שלג ש"ס מאמר של',
    "arabic": "مَطَرٌ نَزَلَ ثم ثلج ـبيت ١٢٣",
    "devanagari": "वर्षा हुई फिर हिम राम क्ष",
    "thai": "ฝนตก แล้ว หิมะ น้ำ",
    "chinese": "下雨 了 然后 下雪 𠮷野 家",
    "emoji": "👩‍👩‍👧 ❤️ 🇫🇷 👍🏽 ok",
    "combining": "e\u0301te\u0301 n\u0303 a\u0308\u0323 Z\u0351 x",
}
MARKS = {
    "hebrew": list(',.?!"()־'),
    "arabic": list("،.؟!؛()«»"),
    "devanagari": list('।,?!॥"()'),
    "thai": list(",.?!()"),
    "chinese": list("，。？！：；、「」《》（）"),
}
MANY = [
    *",.;:?!\"'()[]",
    "...",
    "--",
    "–",
    "—",
    "“",
    "”",
    "‘",
    "’",
    "``",
    "''",
    "«",
    "»",
    "?!",
    "*",
]
BLANKS = ("\\s\\s", "\\n", "\\n\\n", "\\t", "\\s\\n", "\u00a0", "\\r\\n", "\u3000")
# Relations between words of any tags: the validator has no rule for these.
RELATIONS = ("nsubj", "obj", "obl", "conj", "appos", "acl:relcl", "ccomp", "parataxis", "dep")
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PRON", "PROPN", "DET", "ADP", "NUM", "SYM", "X")
_ESCAPED = {"\\s": " ", "\\n": "\n", "\\t": "\t", "\\r": "\r"}

SPECIAL_WORDS = (
    "https://example.org/a?b=c", "www.example.org/x.html", "[10:02]", "10:02:33", "anna:", "ANNA:",
    "self-awareness", "him/her", "and/or", "twenty-year-old", "U.S.", "e.g.", "Yahoo!", "Yum!",
    "<b>bold</b>", "&amp;", "`code`", "f(x)", "a[0]", "$3.50", "50%", "#tag", "@name", ":)", ":-(",
    "C++", "o'clock", "(see", "§4.2)", "3.14", "1,000", "2026-11-27", "x=y;", "word(s)", "...", "-",
    "john@example.org", "**bold**", "_under_", "AT&T", "*", "l'eau", "rock'n'roll", "“quoted”",
)  # fmt: skip


@dataclass
class _Sentence:
    """A sentence under construction; every unit is its lines before heads are known."""

    units: list[tuple[str, list[str], bool]] = field(default_factory=list)
    blanks: list[str] = field(default_factory=list)


def generated_treebank(seed: int, sentences: int) -> str:
    """Generate a treebank in CoNLL-U.

    Args:
        seed: determines everything.
        sentences: their number.
    """
    chance = Random(seed)
    blocks = [_block(chance, number) for number in range(1, sentences + 1)]
    return "".join(block + "\n" * chance.choice((1, 1, 1, 1, 2)) for block in blocks)


def _block(chance: Random, number: int) -> str:
    script = chance.choice(list(SCRIPTS))
    sentence = _Sentence()
    _fill(sentence, chance, script)
    spacing = chance.choice(("none", "after", "after", "escapes", "text only"))
    _space(sentence, chance, spacing)
    rows, text = _rows(sentence, chance, spacing)
    with_text = spacing == "text only" or chance.random() < 0.8
    head = [f"# sent_id = g{number}", *([f"# text = {text}"] if with_text else [])]
    if chance.random() < 0.3:
        head.insert(chance.randrange(len(head) + 1), "# note = a | b = c , d.")
    if chance.random() < 0.1:
        head.append("# newpar id = p1")
    if chance.random() < 0.1:
        rows.insert(chance.randrange(1, len(rows) + 1), "# a comment between tokens")
    return "\n".join([*head, *rows]) + "\n"


def _fill(sentence: _Sentence, chance: Random, script: str) -> None:
    words, marks = SCRIPTS[script].split(), MARKS.get(script, MANY)
    for place in range(chance.randrange(1, 9)):
        if chance.random() < (0.25 if place == 0 else 0.15):
            for _ in range(chance.choice((1, 1, 1, 2, 3))):
                mark = chance.choice(marks)
                sentence.units.append((mark, [mark], True))
        kind = chance.random()
        if kind < 0.1:
            parts = [chance.choice(words), chance.choice(words)]
            is_sum = chance.random() < 0.5
            form = "".join(parts) if is_sum else parts[0] + "'" + parts[1][-1:]
            sentence.units.append((form, parts, False))
        elif kind < 0.16:
            mark = chance.choice("/-'\"")
            parts = [chance.choice(words), mark, chance.choice(words)]
            sentence.units.append(("".join(parts), parts, False))
        else:
            word = chance.choice(words)
            sentence.units.append((word, [word], False))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        mark = chance.choice(marks)
        sentence.units.append((mark, [mark], True))


def _space(sentence: _Sentence, chance: Random, spacing: str) -> None:
    following = [mark for _, _, mark in sentence.units[1:]] + [False]
    for after_is_mark in following:
        close = chance.random() < (0.7 if after_is_mark else 0.1)
        blank = "" if spacing != "none" and close else " "
        if spacing == "escapes" and chance.random() < 0.3:
            blank = chance.choice(BLANKS)
        sentence.blanks.append(blank)


def _rows(sentence: _Sentence, chance: Random, spacing: str) -> tuple[list[str], str]:
    flat = [(u, part) for u, (_, parts, _) in enumerate(sentence.units) for part in parts]
    is_mark = [
        sentence.units[u][2] or (len(sentence.units[u][1]) == 3 and part in "/-'\"")
        for u, part in flat
    ]
    words = [i for i, mark in enumerate(is_mark, 1) if not mark]
    heads = _heads(chance, words)
    enhanced = chance.random() < 0.3
    rows, text, word = [], "", 0
    for (form, parts, _), blank in zip(sentence.units, sentence.blanks, strict=True):
        misc = _misc(chance, blank, spacing)
        text += form + _unescaped(blank)
        if len(parts) > 1:
            rows.append(_row(f"{word + 1}-{word + len(parts)}", form, misc=misc))
        for part in parts:
            word += 1
            mark = is_mark[word - 1]
            head = heads.get(word) or chance.choice(words)
            relation = "punct" if mark else "root" if head == 0 else chance.choice(RELATIONS)
            head = 0 if heads.get(word) == 0 else head
            relation = "root" if head == 0 else relation
            tag = "PUNCT" if mark else chance.choice(TAGS)
            deps = f"{head}:{relation}" if enhanced else "_"
            misc_of_part = misc if len(parts) == 1 else chance.choice(("_", "Gloss=a"))
            lemma = part if chance.random() < 0.7 else "_"
            rows.append(_row(str(word), part, lemma, tag, str(head), relation, deps, misc_of_part))
            if enhanced and chance.random() < 0.1 and len(parts) == 1:
                rows.append(_row(f"{word}.1", "gone", "go", "VERB", deps=f"{words[0]}:conj"))
    text = text.replace("\n", " ").replace("\r", "").replace("\t", " ")
    return rows, text.rstrip()


def _row(
    identifier: str,
    form: str,
    lemma: str = "_",
    tag: str = "_",
    head: str = "_",
    relation: str = "_",
    deps: str = "_",
    misc: str = "_",
) -> str:
    return "\t".join((identifier, form, lemma, tag, "_", "_", head, relation, deps, misc))


def _heads(chance: Random, words: list[int]) -> dict[int, int]:
    """Attach words to a root, each to its neighbour or, rarely, anywhere before it."""
    root = chance.choice(words)
    heads = {root: 0}
    place = words.index(root)
    for i in range(place - 1, -1, -1):
        heads[words[i]] = (
            words[i + 1] if chance.random() < 0.8 else chance.choice(words[i + 1 : place + 1])
        )
    for i in range(place + 1, len(words)):
        heads[words[i]] = words[i - 1] if chance.random() < 0.8 else chance.choice(words[place:i])
    return heads


def _misc(chance: Random, blank: str, spacing: str) -> str:
    items = [] if chance.random() < 0.7 else [chance.choice(("Translit=a", "Ref=GEN_1.1", "X"))]
    if blank == "" and spacing != "text only":
        items.append("SpaceAfter=No")
    elif blank not in ("", " "):
        items.append(f"SpacesAfter={blank}")
    return "|".join(items) or "_"


def _unescaped(blank: str) -> str:
    for escape, char in _ESCAPED.items():
        blank = blank.replace(escape, char)
    return blank


def generated_text(seed: int, lines: int, *, end: str = "\n", final: bool = True) -> str:
    """Generate running text.

    Args:
        seed: determines everything.
        lines: their number.
        end: the line end.
        final: whether the last line has one.
    """
    chance = Random(seed)
    written = [_line(chance) for _ in range(lines)]
    return end.join(written) + (end if final else "")


def _line(chance: Random) -> str:
    if chance.random() < 0.08:
        return chance.choice(("", "  ", "\t"))
    script = chance.choice(list(SCRIPTS))
    marks = MARKS.get(script, MANY)
    is_close = script in ("chinese", "thai") and chance.random() < 0.7
    text = chance.choice(("", "", "", "  ", "- ", "> ", "# ", "[10:02] anna: ", "Q: "))
    for place in range(chance.randrange(1, 12)):
        if place:
            text += "" if is_close else chance.choice((" ",) * 12 + ("  ", "\t", "\u00a0"))
        is_special = script == "latin" and chance.random() < 0.35
        word = chance.choice(SPECIAL_WORDS if is_special else SCRIPTS[script].split())
        if chance.random() < 0.08:
            word = chance.choice(("(", "“", '"', "«", "[")) + word
        if chance.random() < 0.2:
            word += "".join(chance.choice(marks) for _ in range(chance.choice((1, 1, 1, 2))))
        text += word
    return text + chance.choice(("", "", ".", "!", "?!", "...", "  "))
