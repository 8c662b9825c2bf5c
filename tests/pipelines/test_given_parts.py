"""What is no prose comes back byte for byte, and marks beside markup follow the word before."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semipunct
from semipunct.corpus import Words
from semipunct.formats.running_text import line_of_text
from semipunct.web.languagetool import read_document, read_settings, response
from tests.commands import run

ITEMS = [
    *("https://x.org/a_b?c=D", "www.foo.org", "github.com/user/repo", "anna.b@x.org", "t.co/Ab"),
    *("~/.bashrc", "/usr/lib/x", "./a/b.sh", r"c:\temp\x.txt", "../up", "readme.md", "node.js"),
    *("os.path.join", "foo_bar", "__init__", "fooBar", "iPhone", "McDonald", "HTMLParser", "x.py"),
    *("--all", "-v", "--size=10kB", "$HOME", "${VAR}", "%s", "{0}", "{{name}}", "{{ user.id }}"),
    *("&lt;", "&nbsp;", "caf&eacute;", "&#38;", r"\emph{word}", r"\LaTeX{}", r"\cite[3]{foo}"),
    *("10kg", "2.5km", "1st", "22nd", "3rd", "5pm", "10:30am", "$5m", "100ml", "1990s", "24-bit"),
    *("#tag", "#fooBar", "@anna", "@user/name", "`ls -l`", "`so, i go`", "``", "std::map", "a=b"),
    *("<code>foo bar</code>", "<kbd>ctrl c</kbd>", "[now]", "[laughs]", "[door opens]", "[ ]"),
    *("<!-- so -->", "<br/>", '<a href="x y">', r"{\i1}", r"{\an8}", "<00:00:02.720>", ".net"),
]
"""Parts that are given as they are."""

FRAMES = [
    "we saw {} there and then we left because it was late",
    "{} is what he told me about when we met in london",
    "so i think that you need {}",
    "and then she said yes {} and {} again you know how it is",
]


@pytest.fixture(scope="module")
def english() -> Any:
    return semipunct.load("en")


def without_changes(text: str) -> str:
    """Return the letters of a text, without case."""
    return "".join(filter(str.isalnum, text)).lower()


def contains(text: str, items: list[str]) -> bool:
    """Return whether a text has items in order."""
    place = 0
    for item in items:
        place = text.find(item, place)
        if place < 0:
            return False
        place += len(item)
    return True


@pytest.mark.parametrize("options", [{}, {"case": "restore", "keep": "replace"}])
def test_probes(english: Any, options: dict[str, Any]):
    probes = [(item, frame.replace("{}", item)) for item, frame in product(ITEMS, FRAMES)]
    texts = [probe for _, probe in probes]
    found = [str(text) for text in english.pipe(texts, "restore", **options)]
    wrong = [
        text
        for (item, probe), text in zip(probes, found, strict=True)
        if text.count(item) != probe.count(item) or without_changes(text) != without_changes(probe)
    ]
    assert wrong == []


MARKUP = [
    *(("<b>", "</b>"), ("<i>", "</i>"), ('<a href="x.html">', "</a>"), ("<c>", "</c>")),
    *(("<c.yellow>", "</c>"), ('<font color="#fff">', "</font>"), (r"{\i1}", r"{\i0}")),
    *(("**", "**"), ("*", "*"), ("_", "_"), ("***", "***"), ("~~", "~~"), ("[", "](x.html)")),
    *(("![", "](a_b.png)"), ("<span class='a'>", "</span>"), ("</c><00:00:02.720><c>", "</c>")),
]
MARKED = [
    "hello {0}my friend{1} how are you today i am fine",
    "so {0}i think{1} your idea is good but i do not know",
    "when we came home {0}she was there{1} and then they left",
    "do you know {0}what he said{1} i do not",
    "{0}yes{1} {0}we can{1} do it if you want to",
    "well {0} i know {1} it is true",
    "we met anna{0} and{1} ben{0} and{1} clara in rome",
]


def test_marks_follow_the_word_before_markup(english: Any):
    texts = [frame.format(*pair) for pair, frame in product(MARKUP, MARKED)]
    found = [str(text) for text in english.pipe(texts, "restore")]
    opening = re.compile(
        r"(?:<[a-z0-9][^<>]*>|\{\\i1\}|(?<![\w*~])(?:[*_]+|~~)|(?<!\w)!?\[)[.,;:!?]"
    )
    assert [text for text in found if opening.search(text)] == []
    for given_text, text in zip(texts, found, strict=True):
        assert without_changes(text) == without_changes(given_text)
    assert sum(bool(re.search("[.,?]", text)) for text in found) > len(found) / 2


def test_examples_of_markup(english: Any):
    part = line_of_text("#1", "a.vtt", 1, "<c>i think</c><00:00:02.720><c> your</c> house")
    assert part.punctuate([(), (), (".",), (), ()]).startswith(
        "<c>i think.</c><00:00:02.720><c> your</c>"
    )
    (text,) = english.pipe(["hello <b>my friend</b> how are you today"])
    assert text.startswith("Hello, <b>my friend</b>")


def test_places_beside_markup(english: Any):
    text = english.restore("hello <b>my friend</b><!-- a, b. so long a note, that --> how are you")
    for mark in text.marks:
        assert text[mark.start : mark.end] == mark.after.replace(" ", "")
    assert any(mark.is_changed for mark in text.marks)


WORDS = [
    *("so", "we", "met", "anna", "in", "rome", "and", "then", "they", "left", "because", "it"),
    *("was", "late", "but", "i", "know", "you"),
]
PROSE = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), st.sampled_from(ITEMS)), min_size=3
)


@settings(max_examples=15, deadline=None)
@given(PROSE, PROSE, st.booleans())
def test_insertions_in_all_readers(
    english: Any, tmp_path_factory: pytest.TempPathFactory, first: list[str], last: list[str],
    lower: bool,
):  # fmt: skip
    folder = tmp_path_factory.getbasetemp()
    items = [piece for piece in (*first, *last) if piece in ITEMS]
    lines = [" ".join(first), " ".join(last)]
    times = [f"00:00:0{n}.000 --> 00:00:0{n + 1}.000" for n in (1, 2)]
    cues = "".join(f"{time}\n{line}\n\n" for time, line in zip(times, lines, strict=True))
    flags = ["--case", "restore"] if lower else []
    for name, text in {
        "a.txt": "\n".join(lines) + "\n",
        "a.md": f"---\ntitle: so we\n---\n# {lines[0]}\n\n* {lines[1]}\n| a | so we |\n",
        "a.vtt": f"WEBVTT\n\n{cues}",
        "a.srt": cues.replace(".000", ",000"),
    }.items():
        path = Path(folder / name)
        path.write_text(text, "utf-8")
        result = run("restore", "en", path, *flags)
        assert contains(result.out, items), result.out
        assert without_changes(result.out) == without_changes(text)


@settings(max_examples=15, deadline=None)
@given(PROSE)
def test_corrections_of_the_server(english: Any, pieces: list[str]):
    parts = [{"markup": piece} if "<" in piece else {"text": piece} for piece in pieces]
    blank = {"text": " "}
    data = {"annotation": [part for each in parts for part in (each, blank)]}
    document = read_document({"data": data}, 10_000)
    text = document.text
    corrected = english.correct(text)
    request = read_settings({"language": "en-US"}, ["en"])
    found = response(document, corrected, request)["matches"]
    assert all(match["length"] for match in found)
    items = [piece for piece in pieces if piece in ITEMS and "<" not in piece]
    assert contains(corrected, items), corrected


def test_words_of_treebanks(english: Any):
    words = [item for item in ITEMS if " " not in item]
    slots = ((),) * (len(words) + 4)
    sentence = Words("s", "a.conllu", 1, ("so", "we", "met", *words), slots)
    (restored,) = english.restore([sentence], case="restore")
    assert restored.sentence.forms[3:] == tuple(words)
