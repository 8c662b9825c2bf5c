"""Subtitles: only the text of cues is text, and everything else comes back byte for byte."""

import re
import time
from pathlib import Path

import pytest

from semipunct.corpus import Omitted
from semipunct.errors import TreebankError
from semipunct.formats.running_text import read_lines
from semipunct.formats.subtitles import cue_lines, text_of_cues
from tests.commands import run

SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\nso ba\r\n\r\n"
    "2\r\n00:00:02,600 --> 00:00:04,000\r\n<i>but do</i>\r\n{\\an8}so ba\r\n\r\n"
    "3\r\n00:01:04,100 --> 00:01:06,000 X1:40 Y1:20\r\n- so ba\r\n- ke\r\n"
)
VTT = (
    "WEBVTT - so ba\n\nNOTE so ba\nbut do\n\nSTYLE\n::cue { color: red }\n\nso ba\n"
    "00:01.000 --> 00:02.000 align:start\n<v So Ba>so ba\n\n1:00:03.000 --> 1:00:04.000\n"
    "but <00:03.500>do so ba\n"
)


def texts(content: str) -> list[str]:
    """Return the lines that are text, without blank ones."""
    return [
        line.strip()
        for line, is_text in text_of_cues(content.splitlines(keepends=True), "x.srt")
        if is_text and line.strip()
    ]


def test_the_text_of_cues_is_told_from_the_rest():
    assert texts(SRT) == ["so ba", "<i>but do</i>", "{\\an8}so ba", "- so ba", "- ke"]
    assert texts("\ufeff" + SRT) == texts(SRT)
    assert texts(VTT) == ["<v So Ba>so ba", "but <00:03.500>do so ba"]


def test_careless_files_are_read():
    times = "00:00:01,000 --> 00:00:02,500\n"
    # Without an empty line between cues, with one within a cue, with a number as text.
    assert texts(f"1\n{times}so\n2\n{times}ba\n\nke\n\n3\n{times}4\n") == ["so", "ba", "ke", "4"]
    assert texts(f"\n\n{times}so") == ["so"]
    # An empty line after every line; a number that is the only text of a cue.
    spaced = f"1\n{times}so\nba\n\n2\n{times}ke\n".replace("\n", "\n\n")
    assert texts(spaced) == ["so", "ba", "ke"]
    assert texts(f"{times}4\n\n{times}so\n") == ["4", "so"]


def test_other_files_are_refused():
    with pytest.raises(TreebankError, match=r"^x.srt:2: no times of a cue come before this line"):
        texts("\nso ba\n")
    with pytest.raises(TreebankError, match=r"^x.srt:1: no times"):
        texts("1\n2\n")
    with pytest.raises(TreebankError, match=r"^x.srt:1: lines end in CR alone.*tr '"):
        list(text_of_cues([SRT.replace("\r\n", "\r")], "x.srt"))


def test_blocks_begin_after_an_empty_line():
    times = "00:00:01.000 --> 00:00:02.500\n"
    vtt = f"WEBVTT\n\nNOTE so\nba\n\n{times}NOTE so\nSTYLE\n\nREGION\nid:so\n\n{times}ke\n"
    assert texts(vtt) == ["NOTE so", "STYLE", "ke"]


@pytest.mark.parametrize("name", ["REGION", "STYLE", "NOTE so", "WEBVTT"])
def test_the_name_of_a_cue_may_look_like_a_block(name: str):
    times = "00:00:01.000 --> 00:00:02.500\n"
    assert texts(f"WEBVTT\n\n{name}\n{times}so\n\nREGION\nid:so\n\n{times}ba\n") == ["so", "ba"]


@pytest.mark.parametrize(
    "lines, expected",
    [
        (["- so", "- ba"], ["so|", "ba|"]),
        (["-so", "\u2014 ba", "ke"], ["so|", "ba", "ke|"]),
        (["<i>- so</i>", "{\\an8}- <b>ba</b>"], ["so|", "ba|"]),
        # A dash after a dash continues what was said, and a number may have a sign.
        (["so \u2014", "\u2014 ba"], ["so \u2014", "\u2014 ba|"]),
        (["so", "-5 ba"], ["so", "-5 ba|"]),
        (["ANNA: so", "BOB SMITH: ba", "ke"], ["so|", "ba", "ke|"]),
        (["[ANNA] so", "(BOB) ba"], ["so|", "ba|"]),
        ([">> so", ">>> ANNA: ba"], ["so|", "ba|"]),
        (["<v Anna>so", "<v Anna>ba", "<v.loud Bob>ke</v>"], ["so", "ba|", "ke|"]),
        (["so", "[a door]", "ba [laughs]"], ["so", "ba|"]),
        (["\u266a so \u266a", "# ba #", "\u202bke\u202c"], ["so", "ba", "ke|"]),
    ],
)
def test_turns(lines: list[str], expected: list[str]):
    """The text of each line, and ``|`` where someone else speaks after it."""
    content = "".join(f"00:01.000 --> 00:02.000\n{line}\n\n" for line in lines)
    cues = list(cue_lines(content.splitlines(keepends=True), "x.vtt"))
    assert "".join(cue.line for cue in cues) == content
    turns = [c.line[c.start : c.end] + "|" * c.ends_turn for c in cues if c.start is not None]
    assert turns == expected


@pytest.mark.parametrize(("suffix", "content"), [("srt", SRT), ("vtt", VTT)])
def test_sentences_cross_cues(suffix: str, content: str, text_model: Path, tmp_path: Path):
    path, out = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    path.write_bytes(content.encode())
    done = run("restore", text_model, path, "-o", out)
    assert done.status == 0, done.err
    assert done.told == ""
    restored = out.read_bytes().decode()
    before, after = (x.splitlines(keepends=True) for x in (content, restored))
    assert len(before) == len(after)
    for (old, is_text), new in zip(text_of_cues(before, "x"), after, strict=True):
        bare = re.sub("[.,?]", "", new).casefold() if is_text else new
        assert bare == (re.sub("[.,?]", "", old).casefold() if is_text else old)
    if suffix == "srt":
        # The planted rules: a comma before "but", a capital and a full stop around "so".
        assert after[2] == "So ba,\r\n"
        assert after[6] == "<i>but do.</i>\r\n"
        assert after[7] == "{\\an8}So ba.\r\n"
        assert after[11] == "- So ba.\r\n"
        assert after[12] == "- ke.\r\n"
    else:
        assert "<v So Ba>So ba,\n" in after
        assert after[-1].startswith("but <00:03.500>do")


@pytest.mark.parametrize("part", ["A: ", "<i>", "- ", ">> ", "[so] ", "["])
def test_long_lines_take_linear_time(part: str):
    lines = ["00:01.000 --> 00:02.000\n", part * 20_000 + "so\n"]
    start = time.perf_counter()
    assert "".join(cue.line for cue in cue_lines(lines, "x.vtt")) == "".join(lines)
    assert time.perf_counter() - start < 10  # it took minutes


def test_what_one_person_says_is_a_text_of_its_own(text_model: Path, tmp_path: Path):
    path = tmp_path / "a.srt"
    times = "00:00:01,000 --> 00:00:02,500\n"
    cues = "\n\n".join(
        times + text for text in ("- so ba\n- but do", "ANNA: so\nba", "BOB: but do")
    )
    path.write_text(cues, "utf-8", newline="")
    restored = run("restore", text_model, path).out.split("\n")
    assert restored[1:3] == ["- So ba.", "- but do."]
    assert run("restore", text_model, "-", stdin=path.read_bytes()).out.split("\n") == restored
    assert restored[5:7] == ["ANNA: So", "ba."]
    assert restored[9] == "BOB: but do."
    # Without turns a comma stands before "but", and it is corrected only there.
    path.write_text(f"{times}so ba\nbut do\n", "utf-8", newline="")
    assert "ba,\n" in run("correct", text_model, path).out
    path.write_text(f"{times}- so ba\n- but do\n", "utf-8", newline="")
    assert "ba,\n" not in run("correct", text_model, path).out


def test_marks_in_a_cue_of_their_own_belong_to_the_word_before(tmp_path: Path):
    path = tmp_path / "a.srt"
    time = "00:00:01,000 --> 00:00:02,000\n"
    path.write_text(f"1\n{time}so ba\n\n2\n{time}<i>?!</i>\n\n3\n{time}do\n", "utf-8")
    entries = [e for e in read_lines([path]) if not isinstance(e.content, Omitted)]
    assert [entry.content.slots[-1] for entry in entries] == [("?", "!"), ()]
    first = entries[0].record
    assert first.text.endswith("<i>?!</i>\n")
    assert [first.text[a:b] for a, b in first.marks[-1]] == ["?", "!"]
    assert first.content.closed == {2}
    assert "".join(entry.record.text for entry in read_lines([path])) == path.read_text("utf-8")
