"""``semipunct parse``, and ``semipunct restore --parser``."""

import json
from pathlib import Path

import pytest

from semipunct.formats import read_treebank
from tests.commands import Cli

TEXT = "where is the station\n\n  anna\tlost her map \n"


@pytest.fixture(scope="module")
def short(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of few lengths, since each length is compiled."""
    path = tmp_path_factory.mktemp("parse") / "short.conllu"
    blocks = treebanks["train"].read_text("utf-8").split("\n\n")
    path.write_text("\n\n".join(b for b in blocks if b.count("\n") < 10) + "\n\n", "utf-8")
    return path


def columns(text: str, *numbers: int) -> list[list[str]]:
    rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
    return [[row[n] for n in numbers] for row in rows]


def test_a_parsed_treebank_keeps_all_but_tags_and_trees(cli: Cli, parser: Path, short: Path):
    result = cli("parse", parser, short)
    assert result.status == 0, result.err
    given = short.read_text("utf-8")
    kept = (0, 1, 2, 9)
    assert columns(result.out, *kept) == columns(given, *kept)
    marks = [row[0] for row in columns(given, 3)]
    assert [row[0] == "PUNCT" for row in columns(result.out, 3)] == [m == "PUNCT" for m in marks]
    out = short.with_name("parsed.conllu")
    out.write_text(result.out, "utf-8")
    again = read_treebank([out])
    assert len(again.sentences) == len(read_treebank([short]).sentences)


def test_the_comparison_is_with_the_input(cli: Cli, parser: Path, short: Path, tmp_path: Path):
    stored = tmp_path / "result.json"
    value = json.loads(cli("parse", parser, short, "--gold", "--json", "--result", stored).out)
    assert next(iter(value.items())) == ("schema", "semipunct.parse-gold/1")
    # Parser output compared with itself is entirely correct.
    own = tmp_path / "own.conllu"
    assert cli("parse", parser, short, "-o", own).status == 0
    same = json.loads(cli("parse", parser, own, "--gold", "--json").out)
    # Standard input is compared and parsed, though it can be read only once.
    both = tmp_path / "both.conllu"
    result = cli("parse", parser, "-", "--gold", "-o", both, stdin=short.read_bytes())
    assert "heads (UAS)" in result.out
    assert both.read_text("utf-8") == own.read_text("utf-8")
    assert same["las"] == same["upos"] == same["feats"] == same["complete"] == 1
    assert 0 < value["las"] <= value["uas"] < 1
    assert cli("compare", stored, stored).status == 0


def test_text_becomes_conllu_and_comes_back_punctuated(
    cli: Cli, parser: Path, model: Path, tmp_path: Path
):
    file = tmp_path / "text.txt"
    file.write_text(TEXT, "utf-8")
    parsed = cli("parse", parser, file, "--probabilities")
    assert [row[0] for row in columns(parsed.out, 1)] == TEXT.split()
    assert all("SemipunctHead=" in row[0] for row in columns(parsed.out, 9))
    assert parsed.err == ""  # an empty line is no sentence
    assert (
        "1 sentence not parsed: nothing but punctuation"
        in cli("parse", parser, "-", stdin=b"...").err
    )
    code = cli("parse", parser, "-", stdin=b"so\n```\nx = 1\n```\n\nba\n")
    assert [row[0] for row in columns(code.out, 1)] == ["so", "ba"]
    assert code.err == "3 lines not parsed: not text\n"
    for source, stdin in ((file, b""), ("-", TEXT.encode())):
        result = cli(
            "restore", model, source, "--parser", parser, "--format", "text", "--samples", 50,
            stdin=stdin,
        )  # fmt: skip
        assert result.status == 0, result.err
        # Line breaks, runs of blanks and tabs are kept from the text.
        assert result.out.count("\n") == 3
        assert result.out.splitlines()[1] == ""
        words = "".join(c for c in result.out if c.isalpha() or c.isspace())
        assert words.split() == TEXT.split()


def test_trees_and_tags_of_the_input_decide_nothing(
    cli: Cli, parser: Path, model: Path, short: Path, tmp_path: Path
):
    wrong = tmp_path / "wrong.conllu"
    lines = [line.split("\t") for line in short.read_text("utf-8").split("\n")]
    for row in lines:
        if row[0].isdecimal():
            upos = row[3] if row[3] == "PUNCT" else "X"
            row[3:8] = [upos, "?", "Case=Odd", str(int(row[0]) - 1), "odd"]
    wrong.write_text("\n".join("\t".join(row) for row in lines), "utf-8")
    arguments = ("--parser", parser, "--format", "json", "--samples", 20)
    given, found = (cli("restore", model, path, *arguments) for path in (short, wrong))
    assert given.out
    assert (found.out, found.err) == (given.out, given.err)


def test_what_does_not_go_together_is_said(cli: Cli, parser: Path, model: Path, short: Path):
    message = cli("restore", model, short, "--trees", 2).message
    assert "--trees needs --parser" in message
    assert "kind punctuation" in cli("parse", model, short).message
    assert "kind parser" in cli("restore", parser, short).message
    assert "kind punctuation" in cli("restore", model, short, "--parser", model).message
    assert "--json needs --gold" in cli("parse", parser, short, "--json").message
    assert "give one of the two" in cli("parse", parser, short, "--trees", 2, "--nbest", 2).message
    bad = cli("parse", parser, "-", stdin=b"caf\xe9 au lait\n")
    assert "<stdin>:1: byte 0xe9" in bad.message


@pytest.mark.parametrize(
    "line",
    ["x" * 10_000, "שלום עולם", "...", "a\x0bb\x85c", "\u200b \u202e", "𝔘𝔫𝔦 😀"],
    ids=["long word", "right to left", "marks", "controls", "formatting", "planes"],
)
def test_text_is_never_lost(cli: Cli, parser: Path, model: Path, line: str):
    given = line + "\n"
    result = cli(
        "restore", model, "-", "--parser", parser, "--format", "text", "--samples", 5,
        "--min-confidence", 1, stdin=given.encode(),
    )  # fmt: skip
    assert result.status == 0, result.err
    rest = iter(result.out)
    assert all(char in rest for char in given if char != ".")
