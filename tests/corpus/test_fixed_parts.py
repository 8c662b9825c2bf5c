"""Parts of a text whose marks never change."""

import time

import pytest

from semipunct.corpus.fixed_parts import fixed_parts, starts_of_speech


def texts(text: str, kind: str) -> list[str]:
    return [text[start:end] for start, end in getattr(fixed_parts(text), kind)]


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
    ("text", "words", "marks"),
    [
        ("call `f(a, b)` now", ["`f(a, b)`"], ["`", "`"]),
        ("so\n```\nf(a, b).\n```\nok", ["```\nf(a, b).\n```"], ["```", "```"]),
        ("x &amp; y &#38; z", ["&amp;", "&#38;"], ["&", "&#"]),
        ("a **b c** _d_, e", [], ["**", "**", "_", "_"]),
        ("R&D & 5 % of §4", [], ["&", "&", "%", "§"]),
        (r"\emph{a, b} and {{name}} {0}", [r"\emph{a, b}", "{{name}}", "{0}"], None),
        ("run --keep -o ./a/b.sh, .NET ~/x", ["--keep", "-o", "./a/b.sh", ".NET", "~/x"], None),
        ("-5 to +3.5 a-b", ["-5", "+3.5"], None),
        ("rock 'n' roll of the '90s, 'tis", ["'n'", "'90s", "'tis"], []),
        ("ok :) no :-(, yes :)) 3:)", [], [":)", ":-(", ":))"]),
        ("a (see §4.2) (no) [1] [sic] (10:02)", [], ["(", "§", ")", "[", "]", "[", "]", "(", ")"]),
        ("see [the page](x_(y) now", [], None),
        ("see [the page](x.html) now", [], ["[", "](x.html)"]),
        ("- a - b\n* c\n1. d\n(a) e\n# f\n> g\n— h", [], ["-", "*", "1.", "(a)", "#", ">", "—"]),
        ("RT @ben: won 3 - 2, 5 : 4 - so", [], ["@ben:", "-", ":"]),
        ("well, it's (a) test; isn't it? “yes”!", [], []),
    ],
)
def test_words_and_marks(text: str, words: list[str], marks: list[str] | None):
    assert texts(text, "words") == words
    assert marks is None or texts(text, "marks") == marks


@pytest.mark.parametrize(
    "piece",
    ["w", "`", "[", "(", "*", "<!--", "[10:02] ", "a: ", "a:\n", " :)", "\\a{", "/a", "A B "],
)
def test_long_texts_take_linear_time(piece: str):
    def seconds(count: int) -> float:
        start = time.process_time()
        fixed_parts(piece * count)
        return time.process_time() - start

    seconds(100)
    # Quadratic time would be 64 times as long; a constant covers the clock's resolution.
    assert (
        min(seconds(16_000) for _ in range(3)) < 30 * min(seconds(2_000) for _ in range(3)) + 0.05
    )
