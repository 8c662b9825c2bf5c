"""Plain text with ``semipunct parse`` and ``semipunct restore``: segmentation, marks, capitals.

The tokeniser treats *so* as the beginning of a sentence and *al* as *a el*.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from semipunct.pipelines.options import Keep
from tests.commands import Cli, Result

TEXT = "so gu ke\r\n https://x.org/a?b=c 1.000\t<b>ba</b>\r\n\r\n\n so al ke, so do 𝔘😀 שלום\n"
FEW = ("--samples", 10)


@pytest.fixture
def restored(cli: Cli, model: Path, parser: Path, tokeniser: Path):
    """Restore a text from standard input."""

    def run(text: str | bytes, *options: object) -> Result:
        content = text.encode("utf-8") if isinstance(text, str) else text
        return cli(
            "restore", model, "-", "--parser", parser, "--tokeniser", tokeniser, *FEW, *options,
            stdin=content,
        )  # fmt: skip

    return run


def columns(text: str, *numbers: int) -> list[list[str]]:
    rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
    return [[row[n] for n in numbers] for row in rows]


def test_a_text_is_parsed(cli: Cli, parser: Path, tokeniser: Path):
    text = "so gu ke\r\nso gu\tmo\n\n\n So, do al ke.\n"
    result = cli("parse", parser, "-", "--tokeniser", tokeniser, stdin=text.encode())
    assert result.status == 0, result.err
    texts = [line for line in result.out.splitlines() if line.startswith("# text = ")]
    assert texts == ["# text = so gu ke", "# text = so gu mo", "# text = So, do al ke."]
    # Multiword tokens are ranges, marks are single tokens, and spaces are kept from the text.
    last = result.out.split("\n\n")[2]
    assert columns(last, 0, 1, 9) == [
        ["1", "So", "SpaceAfter=No"], ["2", ",", "_"], ["3", "do", "_"], ["4-5", "al", "_"],
        ["4", "a", "_"], ["5", "el", "_"], ["6", "ke", "SpaceAfter=No"], ["7", ".", "_"],
    ]  # fmt: skip
    assert [row[1] for row in columns(last, 0, 3) if row[0] in "27"] == ["PUNCT"] * 2
    assert "# sent_id = #5.1" in last
    again = cli("parse", parser, "-", stdin=result.out.encode())
    assert columns(again.out, 1, 3, 6) == columns(result.out, 1, 3, 6)


@pytest.mark.parametrize("keep", [(), *(("--keep", keep) for keep in get_args(Keep))])
def test_what_is_no_sentence_stays_in_all_formats(restored, keep: tuple[object, ...]):
    text = "[10:02] al: so gu & ke\n\n- so **gu** (see §4.2) `f(a, b)` mo, :)\n"
    fixed = ["[10:02] al: ", "&", "- so", "**gu**", "(see §4.2)", "`f(a, b)`", ":)"]
    as_text = restored(text, *keep, "--format", "text").out
    in_conllu, in_json = (restored(text, *keep, "--format", f) for f in ("conllu", "json"))
    assert (in_conllu.status, in_json.status) == (0, 0), in_conllu.err + in_json.err
    texts = [line[9:] for line in in_conllu.out.splitlines() if line.startswith("# text = ")]
    lines = [json.loads(line)["text"] for line in in_json.out.splitlines()]
    place = 0
    for part in fixed:
        assert part in as_text[place:], as_text
        place = as_text.index(part, place) + len(part)
    for rows in (texts, lines):
        # A mark at the end of a sentence is inside of its emphasis.
        plain = ("".join("".join(text).split()).replace("**", "") for text in (rows, as_text))
        assert len({*plain}) == 1


def test_all_formats_tell_the_same(restored):
    texts = restored(TEXT, "--format", "text", "--keep", "keep").out
    values = [
        json.loads(line)
        for line in restored(TEXT, "--format", "json", "--keep", "keep").out.splitlines()
    ]
    # Only blanks mark the ends of sentences, and the tokeniser may not need them.
    assert "".join("".join(v["text"] for v in values).split()) == "".join(texts.split())
    words = [word for value in values for word in value["words"]]
    assert words[words.index("a") :][:3] == ["a", "el", "ke"]
    assert {"https://x.org/a?b=c", "1.000"} <= set(words)
    assert "<b>" not in words
    trees = restored(TEXT, "--keep", "keep").out
    # Markup is no word, and has no place in the text of a tree.
    shown = [re.sub("</?b>", "", value["text"]).strip() for value in values]
    in_trees = [line[9:] for line in trees.splitlines() if line.startswith("# text = ")]
    assert [re.sub("</?b>", "", text).strip() for text in in_trees] == shown


def test_a_mark_within_a_token_goes_behind_it(restored, monkeypatch: pytest.MonkeyPatch):
    from semipunct.pipelines import tree_restoration as task

    chosen = task.restore_from_draws

    def with_comma(*arguments, **options):
        found = chosen(*arguments, **options)
        return replace(found, slots=((), (), (",",), (), *found.slots[4:]))

    monkeypatch.setattr(task, "restore_from_draws", with_comma)
    text = "so al ke\n"
    assert restored(text, "--format", "text").out.startswith("so al, ke")
    assert "# text = so al, ke" in restored(text).out


ODD = {
    "a long word": "w" * 10_000,
    "one word": "ba",
    "only marks": "... !?",
    "right to left": "שלום עולם مرحبا",
    "never seen": "𐍈𐍉 ٪ \ufffd 漢字",
    "controls": "\x01\tso\x0bba\x85c\x7f \u200bd\ufffe",
    "a long line": " ".join(["ba"] * 40),
}


def test_odd_text_is_still_there(restored, monkeypatch: pytest.MonkeyPatch):
    # Pieces of the usual length would be compiled for 512 words.
    monkeypatch.setattr("semipunct.pipelines.limits.PARSED", 8)
    text = "\ufeff" + "\n\n".join(ODD.values()) + "\n \n"
    result = restored(text, "--format", "text", "--keep", "keep", "--marks", " ")
    assert result.status == 0, result.err
    assert result.out == text


@pytest.mark.parametrize("text", ["", "\n", " \n\n"])
def test_text_without_words(restored, text: str):
    for options in ((), ("--format", "text")):
        result = restored(text, *options)
        assert result.status == 1
        assert "<stdin>: no text was found (the file is empty or blank)" in result.message
    assert restored(f"{text}...\n", "--format", "text").out == f"{text}...\n"


def test_what_is_no_text(restored):
    assert "<stdin>:2: byte 0xe9" in restored(b"so ba\ncaf\xe9 au lait\n").err
    assert "a NUL byte" in restored(b"so\0ba\n").err


def test_the_command_that_parses_tells_of_pieces(
    cli: Cli, parser: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("semipunct.pipelines.limits.PARSED", 8)
    text = "ba " * 9 + "\n" + "ba " * 8 + "\n" + "ba " * 10 + "\n"
    result = cli("parse", parser, "-", stdin=text.encode())
    assert result.err == (
        "2 sentences of more than 8 words parsed in pieces, "
        "attached to the root of the first piece\n"
    )


def test_a_folder_of_another_kind(cli: Cli, restored, parser: Path, tokeniser: Path):
    def kind(result: Result) -> str:
        assert result.status == 1
        return result.message

    assert "kind tokeniser" in kind(cli("parse", tokeniser, "-", stdin=b"a\n"))
    for option, folder, wrong in (
        ("--tokeniser", parser, "parser"),
        ("--parser", tokeniser, "tokeniser"),
    ):
        assert f"kind {wrong}" in kind(restored("a\n", option, folder))
    told = kind(cli("parse", parser, "-", "--tokeniser", parser, stdin=b"a\n"))
    assert "kind parser" in told
