"""Mutations of CoNLL-U: of fields, of lines, of text and of bytes."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from random import Random

Line = list[str]
"""The columns of a line; a comment or a blank line has one."""

NUMBERS = (
    "", "_", "0", "-1", "+1", "01", "1_0", " 1", "1 ", "1.5", "1.0", "0.1", "1-2", "2-1", "1-1",
    "1-99", "0-1", "1-", "-", ".", "1.", "1e3", "0x1", "x", "1,000", "１", "²", "١", "1\u200b",
    "2147483648", "9223372036854775808", "1" * 400, "1" * 5000, "nan", "None",
)  # fmt: skip
"""Texts in place of a word ID."""

CHARACTERS = (
    "\x01", "\x0b", "\x0c", "\x1c", "\x1f", "\x7f", "\x85", "\xa0", "\xad", "\u0301", "\u200b",
    "\u200d", "\u200f", "\u2028", "\u2029", "\u202e", "\u3000", "\ufeff", "\ufffd", "\uffff",
    "\U0001f469\u200d\U0001f469", "\U0010ffff", "İ", "ß", "ﬁ", "Å", "한", "ا",
)  # fmt: skip
"""Characters that programs may treat as spaces, as line ends, as nothing, or as two characters."""

FORMS = (
    "", " ", "_", ".", "..", "...", ",", '"', '""', "''", "``", "'", "`", "“", "”", "«", "(", ")",
    "<unk>", "<abbr>", "<open>", "<start>", "^", "$", "a.", ".a", "a b", "#", "# a", "%", "%20",
    "%FF", "|", "a=b", "\\", "{", "}", "[", "]", "<b>", "&amp;", "\x1b[31m",
)  # fmt: skip
"""Forms of words and of punctuation."""

ATTRIBUTES = (
    "", "_", "=", "|", "||", "a", "a=", "=a", "a=b=c", "a=b|a=c", "SpaceAfter=No",
    "SpaceAfter=No|SpaceAfter=No", "SpaceAfter=Yes", "_|SpaceAfter=No", "SpaceAfter=No|_",
    "SemipunctLeft=%2C", "SemipunctLeft=%FF", "SemipunctLeft=%", "semipunct=1|SemipunctRight=",
    "a=%", "a=%ZZ", "a=%E2%80", "a= b", "1:nsubj", "1:nsubj|0:root", "99:x", "1.1:x", ":", "0:",
)  # fmt: skip
"""Columns of features, of enhanced dependencies and of MISC."""

COMMENTS = (
    "#", "# ", "##", "#sent_id=x", "# sent_id", "# sent_id =", "# sent_id = ", "# sent_id = a b",
    "# sent_id x", "# text =", "# text = wrong", "#text=x", "# newdoc", "# newpar id = p",
    "# semipunct_omitted = x", "# semipunct_log_joint = nan", "\ufeff# text = x", "# a\tb\tc",
)  # fmt: skip
"""Comments."""

ODD_BLANKS = (" ", "\t", "\t\t\t\t\t\t\t\t\t", "\u3000", "\x0b", "\x1c", "\x85", "\u2028", "\ufeff")
"""Lines that may or may not count as blank."""

ENDS = ("\r\n", "\r", "\n\r", "\r\r\n", "\x85", "\u2028", "\x0b", "")
"""Line ends."""

_ID, _FORM, _UPOS, _FEATS, _HEAD, _DEPREL, _DEPS, _MISC = 0, 1, 3, 5, 6, 7, 8, 9

Lines = list[Line]


def _words(lines: Lines) -> list[int]:
    return [i for i, line in enumerate(lines) if len(line) > _MISC]


def _set(column: int, values: Sequence[str]) -> Callable[[Random, Lines], None]:
    def mutate(random: Random, lines: Lines) -> None:
        if words := _words(lines):
            lines[random.choice(words)][column] = random.choice(values)

    return mutate


def _any_column(random: Random, lines: Lines) -> None:
    line = random.choice(lines)
    line[random.randrange(len(line))] = random.choice(FORMS + ATTRIBUTES + NUMBERS)


def _character(random: Random, lines: Lines) -> None:
    line = random.choice(lines)
    column = random.randrange(len(line))
    place = random.randint(0, len(line[column]))
    line[column] = line[column][:place] + random.choice(CHARACTERS) + line[column][place:]


def _drop_line(random: Random, lines: Lines) -> None:
    del lines[random.randrange(len(lines))]


def _repeat_line(random: Random, lines: Lines) -> None:
    lines.insert(random.randint(0, len(lines)), list(random.choice(lines)))


def _swap_lines(random: Random, lines: Lines) -> None:
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def _drop_column(random: Random, lines: Lines) -> None:
    line = random.choice(lines)
    del line[random.randrange(len(line))]


def _repeat_column(random: Random, lines: Lines) -> None:
    line = random.choice(lines)
    line.insert(random.randint(0, len(line)), random.choice(line) if line else "")


def _swap_columns(random: Random, lines: Lines) -> None:
    if words := _words(lines):
        line = lines[random.choice(words)]
        a, b = random.randrange(len(line)), random.randrange(len(line))
        line[a], line[b] = line[b], line[a]


def _other_head(random: Random, lines: Lines) -> None:
    if words := _words(lines):
        lines[random.choice(words)][_HEAD] = str(random.randint(0, len(words) + 1))


def _punctuation(random: Random, lines: Lines) -> None:
    if words := _words(lines):
        line = lines[random.choice(words)]
        line[_UPOS] = "X" if line[_UPOS] == "PUNCT" else "PUNCT"


def _other_tag(random: Random, lines: Lines) -> None:
    if words := _words(lines):
        column = random.choice((_UPOS, _UPOS + 1, _DEPREL))
        lines[random.choice(words)][column] = random.choice(("", "_", "punct", "PUNCT", "A B", "Ω"))


def _range(random: Random, lines: Lines) -> None:
    words = _words(lines)
    place = random.choice(words) if words else 0
    first = random.randint(0, len(words) + 1)
    last = first + random.choice((-1, 0, 1, 1, 1, 2, 5, 10**6, 10**30))
    columns = ["_"] * 7 + [random.choice(ATTRIBUTES)]
    lines.insert(place, [f"{first}-{last}", random.choice(("ab", "a.", *FORMS)), *columns])


def _empty_node(random: Random, lines: Lines) -> None:
    place = random.choice(_words(lines) or [0])
    name = f"{random.randint(0, 4)}.{random.choice((0, 1, 1, 2, '01', 10**20))}"
    lines.insert(place, [name, "e", *["_"] * 6, random.choice(("1:dep", *ATTRIBUTES)), "_"])


def _comment(random: Random, lines: Lines) -> None:
    lines.insert(random.randint(0, len(lines)), [random.choice(COMMENTS)])


def _blank(random: Random, lines: Lines) -> None:
    lines.insert(random.randint(0, len(lines)), [random.choice(("", "", *ODD_BLANKS))])


def _no_blanks(random: Random, lines: Lines) -> None:
    lines[:] = [line for line in lines if line != [""]]


def _marks(random: Random, lines: Lines) -> None:
    """Put punctuation after the last word, as in some treebanks: many tokens in one slot."""
    words = _words(lines)
    if not words:
        return
    last = words[-1]
    number = sum(1 for i in words if lines[i][_ID].isdecimal() and i <= last)
    for offset in range(random.choice((1, 2, 3, 6))):
        form = random.choice(FORMS)
        tail = ["PUNCT", "_", "_", "1", "punct", "_", "_"]
        lines.insert(last + 1 + offset, [str(number + 1 + offset), form, form, *tail])


COLUMNS: dict[str, Callable[[Random, Lines], None]] = {
    "id": _set(_ID, NUMBERS),
    "form": _set(_FORM, FORMS),
    "head": _set(_HEAD, NUMBERS),
    "other head": _other_head,
    "features": _set(_FEATS, ATTRIBUTES),
    "enhanced": _set(_DEPS, ATTRIBUTES),
    "misc": _set(_MISC, ATTRIBUTES),
    "tag": _other_tag,
    "punctuation": _punctuation,
    "field": _any_column,
    "character": _character,
    "drop line": _drop_line,
    "repeat line": _repeat_line,
    "swap lines": _swap_lines,
    "drop column": _drop_column,
    "repeat column": _repeat_column,
    "swap columns": _swap_columns,
    "range": _range,
    "empty node": _empty_node,
    "comment": _comment,
    "blank": _blank,
    "no blanks": _no_blanks,
    "marks": _marks,
}
"""Mutations of lines, in place, by name."""


def _flip(random: Random, content: bytes) -> bytes:
    flipped = bytearray(content)
    for _ in range(random.choice((1, 1, 3))):
        flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
    return bytes(flipped)


def _cut(random: Random, content: bytes) -> bytes:
    return content[: random.randrange(len(content))]


def _without(random: Random, content: bytes) -> bytes:
    start = random.randrange(len(content))
    return content[:start] + content[start + random.randint(1, 40) :]


def _repeat(random: Random, content: bytes) -> bytes:
    start = random.randrange(len(content))
    return content[:start] + content[max(0, start - random.randint(1, 200)) :]


def _insert(random: Random, content: bytes) -> bytes:
    place = random.randint(0, len(content))
    inserted = random.choice(
        (b"\0", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80",
         b"\r", b"\n", b"\n\n", b"\t", b"\x1a", b"\xe2\x80", random.randbytes(4))
    )  # fmt: skip
    return content[:place] + inserted + content[place:]


def _encoded(random: Random, content: bytes) -> bytes:
    name = random.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252", "cp500"))
    return content.decode("utf-8", "replace").encode(name, "replace")


def _other_ends(random: Random, content: bytes) -> bytes:
    every, end = random.random() < 0.5, random.choice(ENDS).encode()
    return content.replace(b"\n", end) if every else content.replace(b"\n", end, 2)


def _no_final_end(random: Random, content: bytes) -> bytes:
    return content.rstrip(b"\n") + random.choice((b"", b"\n", b"\r", b" "))


BYTES: dict[str, Callable[[Random, bytes], bytes]] = {
    "flip bits": _flip,
    "cut off": _cut,
    "drop bytes": _without,
    "repeat bytes": _repeat,
    "insert bytes": _insert,
    "encoding": _encoded,
    "line ends": _other_ends,
    "no final line end": _no_final_end,
}
"""Mutations of whole files by name."""


def _whole_gzip(random: Random, content: bytes) -> bytes:
    return gzip.compress(content, 1)


def _cut_gzip(random: Random, content: bytes) -> bytes:
    return _cut(random, gzip.compress(content, 1))


def _flipped_gzip(random: Random, content: bytes) -> bytes:
    return _flip(random, gzip.compress(content, 1))


def _followed_gzip(random: Random, content: bytes) -> bytes:
    packed = gzip.compress(content, 1)
    return packed + random.choice((b"\0" * 9, b"garbage", packed, packed[:5]))


PACKED: dict[str, Callable[[Random, bytes], bytes]] = {
    "gzip": _whole_gzip,
    "gzip, cut off": _cut_gzip,
    "gzip, bits flipped": _flipped_gzip,
    "gzip, followed by something": _followed_gzip,
}
"""Mutations by compression."""


def chain(random: Random, words: int) -> str:
    """Generate a sentence of words and commas whose tree is a chain.

    Args:
        random: random number generator for the direction of the arcs, and the commas.
        words: number of words.
    """
    left = random.random() < 0.5
    lines: list[str] = []
    for i in range(1, words + 1):
        head = (i + 1) % (words + 1) if left else i - 1
        relation = "dep" if head else "root"
        lines.append(f"{i}\tw\tw\tNOUN\t_\t_\t{head}\t{relation}\t_\t_\n")
    return "".join(lines) + "\n"


def flat(random: Random, words: int) -> str:
    """Generate a sentence whose words all depend on the first, some of them punctuation.

    Args:
        random: random number generator for the choice of punctuation.
        words: number of words.
    """
    lines = ["1\tw\tw\tNOUN\t_\t_\t0\troot\t_\t_\n"]
    for i in range(2, words + 1):
        form, tag = random.choice(((",", "PUNCT"), ("w", "NOUN"), ('"', "PUNCT")))
        lines.append(f"{i}\t{form}\t{form}\t{tag}\t_\t_\t1\tdep\t_\t_\n")
    return "".join(lines) + "\n"


def crossing(random: Random, words: int) -> str:
    """Generate a sentence with random heads, whose tree is far from projective.

    Args:
        random: random number generator for the heads.
        words: number of words.
    """
    order = random.sample(range(1, words + 1), words)
    head = {order[0]: 0}
    for i, word in enumerate(order[1:], 1):
        head[word] = order[random.randrange(i)]
    return (
        "".join(f"{i}\tw{i}\tw\tX\t_\t_\t{head[i]}\tx\t_\t_\n" for i in range(1, words + 1)) + "\n"
    )


def mutated(random: Random, text: str, times: int) -> tuple[str, bytes]:
    """Damage a treebank.

    Args:
        random: random number generator.
        text: sentences in CoNLL-U.
        times: maximum number of mutations.

    Returns:
        The names of the mutations, and the content of the file.
    """
    names: list[str] = []
    lines: Lines = [line.split("\t") for line in text.split("\n")]
    for _ in range(random.randint(0, times)):
        name = random.choice(tuple(COLUMNS))
        if any(lines):
            lines = [line or [""] for line in lines]
            COLUMNS[name](random, lines)
            names.append(name)
    content = "\n".join("\t".join(line) for line in lines).encode("utf-8", "surrogatepass")
    if random.random() < 0.3 and content:
        name = random.choice(tuple(BYTES))
        content = BYTES[name](random, content)
        names.append(name)
    return ", ".join(names) or "nothing", content
