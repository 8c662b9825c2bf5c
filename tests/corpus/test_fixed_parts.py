"""Parts of a text whose marks never change."""

import time

import pytest

from semipunct.corpus.fixed_parts import fixed_parts, starts_of_speech, whole_parts


def texts(text: str, kind: str) -> list[str]:
    fixed = fixed_parts(text)
    return [
        text[start:end]
        for start, end in getattr(fixed if kind in ("labels", "marks") else fixed.whole, kind)
    ]


@pytest.mark.parametrize(
    "label",
    [
        "[10:02] anna:", "(10:02)", "10:02 - anna:", "[2024-01-02, 10:02:33 PM] <anna>", "anna:",
        "12/31/23, 10:02 - Anna Smith:", "Dr. Anna Smith-Jones:", "SPEAKER 1:", "Q.", "<anna>",
        "Anna (10:02):", "小明：", "أحمد:", "00:00:01,000 --> 00:00:03,000",
    ],
)  # fmt: skip
def test_labels_of_speech(label: str):
    text = f"so\n  {label} hey you 10:30\n"
    assert texts(text, "labels") == [label]
    assert label in texts(text, "marks")
    speech = starts_of_speech(text, fixed_parts(text).labels)
    # A name alone may continue a sentence, but not if there are several.
    assert speech == ([5] if "10:02" in label or "-->" in label else [])
    twice = text * 2
    assert len(starts_of_speech(twice, fixed_parts(twice).labels)) == 2


@pytest.mark.parametrize(
    "line",
    ["we met three men: a", "10:30 was it", "no: you", "a <b> c", "he Said: No", "https://x"],
)
def test_no_labels(line: str):
    assert texts(f"so {line}", "labels") == []
    assert texts(line, "labels") == (["no:"] if line.startswith("no") else [])


@pytest.mark.parametrize(
    ("text", "words", "markup"),
    [
        ("see https://x.org/a,b?c=(d)#e.", ["https://x.org/a,b?c=(d)#e"], []),
        ("(https://x.org/a_(b)), https://x.org/a) www.x.org/[c].",
         ["https://x.org/a_(b)", "https://x.org/a", "www.x.org/[c]"], []),
        ("(www.x.org), ftp://y.z/", ["www.x.org", "ftp://y.z/"], []),
        ("见https://x.org/好。", ["https://x.org/"], []),
        ("to a.b+c@d-e.org.", ["a.b+c@d-e.org"], []),
        ('<a href="http://x.y">', [], ['<a href="http://x.y">']),
        ('<a href="x y">now</a> a < b > c', [], ['<a href="x y">', "</a>"]),
        ("Anna <a.b@c.org>, <b>", ["a.b@c.org"], ["<b>"]),
        ('<a href="mailto:a@b.org"> <!--@-->', [], ['<a href="mailto:a@b.org">', "<!--@-->"]),
        ("1.000,50 10:30 1990-1995 3 kg. 3.", ["1.000,50", "10:30", "1990-1995"], []),
        ("@anna #dos # 1 a@ b#c", ["@anna", "#dos"], []),
        ("call `f(a, b)` now", ["`f(a, b)`"], []),
        ("so\n```\nf(a, b).\n```\nok", ["```\nf(a, b).\n```"], []),
        ("a <code>f, <b>g</b></code> <code>h", ["<code>f, <b>g</b></code>"], ["<code>"]),
        ("x &amp; y &#38; z", ["&amp;", "&#38;"], []),
        ("a **b c** _d_, *e * f", [], ["**", "**", "_", "_"]),
        ("2 * 3 * 4, *args, f***, __init__ a_b_c", [], []),
        (r"\emph{a, \b{c}} and {{name}} {0} \cite[3]{x}",
         [r"\emph{a, \b{c}}", "{{name}}", "{0}", r"\cite[3]{x}"], []),
        ("run --keep=a.b -o ./a/b.sh, .NET ~/.x", ["--keep=a.b", "-o", "./a/b.sh", ".NET", "~/.x"],
         []),
        (r"in c:\a\b.c, a:b", [r"c:\a\b.c"], []),
        ("-5 to +3.5 a-b", ["-5", "+3.5"], []),
        ("rock 'n' roll of the '90s, 'tis", ["'n'", "'90s", "'tis"], []),
        ("see [the page](x_(y) now", [], []),
        ('see [the page](x.html "so") ![a](b)', [], ["[", '](x.html "so")', "![", "](b)"]),
        ("<c>a</c><00:00:02.720><c> b", [], ["<c>", "</c>", "<00:00:02.720>", "<c>"]),
        (r"{\i1}a{\i0} b", [], [r"{\i1}", r"{\i0}"]),
        ("a [laughs] b [t]his [1] [see 3] [x]: [y](z", [], ["[laughs]"]),
        ("- a - b\n* c\n1. d\n(a) e\n# f\n> g\n- [ ] h", [], ["*", "1.", "#", ">", "[ ]"]),
        ("so, it is: over.", [], []),
    ],
)  # fmt: skip
def test_words_and_markup(text: str, words: list[str], markup: list[str]):
    parts = whole_parts(text)
    assert [text[a:b] for a, b, is_word in parts if is_word] == words
    assert [text[a:b] for a, b, is_word in parts if not is_word] == markup


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("R&D & 5 % of §4", ["&", "&", "%", "§"]),
        ("ok :) no :-(, yes :)) 3:)", [":)", ":-(", ":))"]),
        ("a (see §4.2) (no) [1] [sic] (10:02)", ["(", "§", ")", "[", "]", "[", "]", "(", ")"]),
        ("- a - b\n(a) e\n— h", ["-", "(a)", "—"]),
        ("RT @ben: won 3 - 2, 5 : 4 - so", ["@ben:", "-", ":"]),
        ("well, it's (a) test; isn't it? “yes”!", []),
    ],
)
def test_marks(text: str, marks: list[str]):
    assert texts(text, "marks") == marks


@pytest.mark.parametrize(
    "piece",
    [
        *("w", "`", "[", "(", "*", "*a ", "<!--", "<code>", "[10:02] ", "a: ", "a:\n", " :)"),
        *(
            "\\a{",
            "\\a{{",
            "/a",
            "A B ",
            "1",
            "<a",
            "a.",
            "1.",
            "@",
            "://",
            "x@",
            "<",
            "[a",
            "c:\\",
        ),
    ],
)
def test_long_texts_take_linear_time(piece: str):
    def seconds(count: int) -> float:
        start = time.process_time()
        fixed_parts(piece * count)
        whole_parts(piece * count)
        return time.process_time() - start

    seconds(100)
    # Quadratic time would be 64 times as long; a constant covers the clock's resolution.
    assert (
        min(seconds(16_000) for _ in range(3)) < 30 * min(seconds(2_000) for _ in range(3)) + 0.05
    )
