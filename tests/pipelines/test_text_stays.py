"""A text stays byte for byte what it was, except for the marks that a command decides on.

Draws are arbitrary, as of an arbitrary model. The marks that are inserted do not occur in the
texts, and are attached to words without a space, so that the text without them is the original.
"""

import re
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from semipunct.corpus import Sentence, Words
from semipunct.corpus.located import Located, RawText
from semipunct.formats.text import read_spaced_words
from semipunct.marks.spacing import JoiningMarks
from semipunct.models.punctuation.draws import Draws
from semipunct.pipelines.choice import beside_what_stands
from semipunct.pipelines.distributions import posteriors
from semipunct.pipelines.options import Keep, RestoreOptions
from semipunct.pipelines.segmentation import segment
from semipunct.pipelines.tree_restoration import restore_from_draws
from semipunct.trees import DependencyTree
from tests.pipelines.test_segment import model as tokeniser

__all__ = ["tokeniser"]

NEW = {False: ((), ("‽",), ("⦆", "‽"), ("⦅",), ("⦆",)), True: ((), ("⦅",))}
"""The strings that are drawn, by whether the slot is the first one."""

PIECES = [
    *("a", "al", "ba", "do", "é", "e\u0301", "שלום", "لا", "क्ष", "가", "我", "你", "ไทย", "ﬁ"),
    *("👩\u200d👩", "😀", " ", "  ", "\t", "\u00a0", "\u200b", "\u2003", "\x01", "\ufeff"),
    *("\r", "\u0085", "\u2028", ".", ",", "!", "?", "-", "—", "--", "...", '"', "'", "’", "“"),
    *("”", "(", ")", "[", "]", "/", "&", "%", "§", "،", "。", "，", ":)", "*", "_", "`", "$"),
    *("\\", "<", ">", "{", "}", "3.5", "10:02", "[10:02] ", "anna: ", "Yahoo! ", "a@b.org"),
    *("https://x.org/a?b=c", "`f(a, b)`", "- ", "<b>", "etc. ", "him/her"),
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=2)), max_size=25).map(
    lambda pieces: re.sub("[‽⦅⦆\ud800-\udfff]", "", "".join(pieces))
)
KEEPS: tuple[Keep | None, ...] = (None, "keep", "repair", "replace")


def restored_part(part: Located, keep: Keep | None, generator: np.random.Generator) -> str:
    words = part.content
    if not isinstance(words, Words):
        return part.punctuate()
    sentence = with_tree(words)
    drawn = draws(sentence, generator)
    options = RestoreOptions(keep=keep, minimise="slots" if generator.random() < 0.7 else "draws")
    found = restore_from_draws(
        sentence, drawn, options, None, JoiningMarks(frozenset({("‽", True)}))
    )
    return part.punctuate(found.written)


def corrected_part(part: Located, generator: np.random.Generator) -> str:
    words = part.content
    if not isinstance(words, Words):
        return part.punctuate()
    sentence = with_tree(words)
    known = posteriors(draws(sentence, generator))
    # Corrections that only insert.
    wanted = [old or each.strings[0] for old, each in zip(sentence.slots, known, strict=True)]
    return part.punctuate(beside_what_stands(sentence, wanted, known, JoiningMarks()))


def with_tree(words: Words) -> Sentence:
    size = len(words.forms)
    nothing = ("_",) * size
    tree = DependencyTree(tuple(range(size)), ("root", *("dep",) * (size - 1)))
    return Sentence(
        words.sentence_id, words.path, words.line, words.forms, nothing, nothing, nothing,
        nothing, tree, words.slots,
        closed=words.closed, source=words.source,
    )  # fmt: skip


def draws(sentence: Sentence, generator: np.random.Generator) -> Draws:
    strings = tuple(
        tuple(dict.fromkeys((*NEW[not slot], old))) for slot, old in enumerate(sentence.slots)
    )
    chosen = [generator.integers(len(known), size=3) for known in strings]
    return Draws(strings, np.stack(chosen, 1))


def without_new(text: str) -> str:
    return re.sub("[‽⦅⦆]", "", text)


def other_characters(text: str) -> str:
    """Return all but marks and spaces."""
    return "".join(c for c in text if unicodedata.category(c)[0] != "P" and c != " ")


def check(text: str, keep: Keep | None, found: str) -> None:
    if keep in (None, "keep"):
        assert without_new(found) == text
    else:
        assert other_characters(without_new(found)) == other_characters(text)


@pytest.mark.parametrize("keep", KEEPS)
@example("a\x1f،", 0)
@example("a 我", 0)
@example("a 。a", 0)
@given(TEXTS, st.integers(0, 2**32))
def test_lines(keep: Keep | None, text: str, seed: int):
    line = re.sub("[\r\n\u0085\u2028]", " ", text) + "\r\n"
    part = read_spaced_words("s", "x.txt", 1, line)
    check(line, keep, restored_part(part, keep, np.random.default_rng(seed)))


@given(TEXTS, st.integers(0, 2**32))
def test_corrected_lines(text: str, seed: int):
    part = read_spaced_words("s", "x.txt", 1, text)
    assert without_new(corrected_part(part, np.random.default_rng(seed))) == text


@example(["", "我aa", "", "我al"], 0)
@given(st.lists(TEXTS, min_size=4, max_size=4), st.integers(0, 2**32))
def test_running_text(tokeniser: Any, texts: list[str], seed: int):
    generator = np.random.default_rng(seed)
    found = segment(tokeniser, [RawText(text) for text in texts])
    for keep, text, parts in zip(KEEPS, texts, found, strict=True):
        check(text, keep, "".join(restored_part(part, keep, generator) for part in parts))
        assert without_new("".join(corrected_part(part, generator) for part in parts)) == text


FIXED = [
    "[10:02] anna: ",
    "Yahoo!",
    "https://x.org/a?b=c",
    "a@b.org",
    "`f(a, b)`",
    "<b>",
    ":)",
    "😀",
    "him/her",
    "3.5",
    "§",
    "4.2",
    "(10)",
    "**",
    "ba",
    "**",
    "--keep",
    "&",
    "don't",
    'ש"קיים',
    "twenty-year-old",
    "l'homme",
]


def test_fixed_parts_outlive_replacement(tokeniser: Any):
    text = (
        "[10:02] anna: on Yahoo! in al https://x.org/a?b=c a@b.org `f(a, b)` <b> :) 😀 him/her "
        "3.5 §4.2 (10) **ba** --keep & don't ש\"קיים twenty-year-old l'homme, do.\n"
    )
    generator = np.random.default_rng(0)
    for _ in range(5):
        (parts,) = segment(tokeniser, [text])
        found = "".join(restored_part(part, "replace", generator) for part in parts)
        place = 0
        for piece in FIXED:
            assert piece in found[place:], found
            place = found.index(piece, place) + len(piece)
