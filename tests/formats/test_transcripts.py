"""Transcripts in JSON: words get marks and capitals, everything else comes back byte for byte."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import TreebankError
from semipunct.formats.transcripts import Document
from tests.commands import Cli, run

WHISPER = """{
  "text": " so ba but do so gu",
  "segments": [
    {"id": 0, "start": 0.00, "end": 1.50, "text": " so ba but", "words": [
      {"word": " so", "start": 0.0, "end": 0.3, "probability": 9.9e-1},
      {"word": " ba", "start": 0.3, "end": 0.5},
      {"word": " but", "start": 0.5, "end": 1.5}]},
    {"id": 1, "start": 1.6, "end": 2.0, "text": " do so gu", "caf\\u00e9": null}
  ],
  "language": "xx"
}
"""
RESTORED = (
    WHISPER.replace(" so ba but do so gu", " So ba, but do. So gu.")
    .replace('" so ba but"', '" So ba, but"')
    .replace('" so"', '" So"')
    .replace('" ba"', '" ba,"')
    .replace('" do so gu"', '" do. So gu."')
)


WORDS = ("so", "ba", "but", "do")


@pytest.fixture
def cli() -> Cli:
    return run


def restore(cli: Cli, model: Path, path: Path, text: str, *options: str, to: str = "restore"):
    path.write_text(text, "utf-8", newline="")
    return cli(to, model, path, *options)


def test_a_transcript_of_whisper(cli: Cli, text_model: Path, tmp_path: Path):
    done = restore(cli, text_model, tmp_path / "talk.json", WHISPER)
    assert (done.status, done.out) == (0, RESTORED)
    assert cli("restore", text_model, "-", stdin=WHISPER.encode()).out == RESTORED
    crlf = restore(cli, text_model, tmp_path / "talk.json", WHISPER.replace("\n", "\r\n"))
    assert crlf.out == RESTORED.replace("\n", "\r\n")


def test_sentences_cross_segments_but_not_speakers(cli: Cli, text_model: Path, tmp_path: Path):
    segments = [{"speaker": who, "text": text} for who, text in (("A", "so ba"), ("A", "but do"))]
    joined = restore(cli, text_model, tmp_path / "a.json", json.dumps({"segments": segments}))
    assert [s["text"] for s in json.loads(joined.out)["segments"]] == ["So ba,", "but do."]
    # Nobody's sentence goes on in that of somebody else.
    segments[1]["speaker"] = "B"
    apart = restore(cli, text_model, tmp_path / "a.json", json.dumps({"segments": segments}))
    alone = [
        restore(cli, text_model, tmp_path / "a.json", json.dumps({"segments": [segment]}))
        for segment in segments
    ]
    assert json.loads(apart.out)["segments"] == [json.loads(x.out)["segments"][0] for x in alone]


@pytest.mark.parametrize(
    "document",
    [
        {"transcription": [{"offsets": {"from": 0, "to": 9}, "text": " so ba but do"}]},
        {"segments": [{"text": " ".join(WORDS), "words": [{"word": w} for w in WORDS]}]},
    ],
    ids=["whisper.cpp", "whisperx"],
)  # fmt: skip
def test_other_recognisers(document: Any, cli: Cli, text_model: Path, tmp_path: Path):
    done = restore(cli, text_model, tmp_path / "a.json", json.dumps(document))
    assert done.status == 0, done.err
    assert "ba," in done.out
    assert bare(json.loads(done.out)) == bare(document)


def test_marks_are_corrected_in_place(cli: Cli, text_model: Path, tmp_path: Path):
    for wrong in (RESTORED.replace("ba,", "ba"), RESTORED.replace("So ba", "So, ba")):
        done = restore(cli, text_model, tmp_path / "a.json", wrong, to="correct")
        assert (done.status, done.out) == (0, RESTORED), done.err


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"segments": [{"text": " a', r"a\.json:1: not JSON"),
        ('{"segments": []}', "no text was found in this JSON"),
        ("[1, 2]", "no text was found in this JSON"),
        ("[" * 100_000, r"a\.json:1: not JSON"),
        ("", r"a\.json"),
        ('{"text": "so \\ud800 ba"}\x00', r"a\.json:1"),
    ],
    ids=["cut off", "no segments", "numbers", "deep", "empty", "surrogates"],
)
def test_what_is_no_transcript(text: str, message: str, cli: Cli, text_model: Path, tmp_path: Path):
    done = restore(cli, text_model, tmp_path / "a.json", text)
    assert (done.status, done.out) == (1, "")
    assert re.search(message, done.message), done.message


WORD = st.text(st.sampled_from('abÄßçd9’-"\\é😀中 \n,.?'), min_size=1, max_size=6)
SEGMENT = st.fixed_dictionaries(
    {"text": st.lists(WORD, max_size=5).map(" ".join)},
    optional={
        "words": st.lists(st.fixed_dictionaries({"word": WORD, "start": st.floats(0, 9)})),
        "speaker": st.sampled_from("AB"),
        "tokens": st.lists(st.integers(0, 99), max_size=3),
        "note": WORD | st.none() | st.booleans(),
    },
)


@given(st.lists(SEGMENT, min_size=1, max_size=3), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_what_is_unchanged_is_written_byte_for_byte(segments: list[Any], ascii: bool, indent: Any):
    text = json.dumps({"segments": segments, "x": [1e-9]}, ensure_ascii=ascii, indent=indent)
    try:
        document = Document.parse(text, "a.json")
    except TreebankError as error:
        assert "no text was found" in str(error)  # noqa: PT017 - most examples have text
        return
    for number, (_, segment, _) in enumerate(document.segments()):
        document.respelt[number] = segment
    assert document.write() == text


def bare(value: Any) -> Any:
    """Return a document whose strings have letters only, in lower case."""
    if isinstance(value, dict):
        return {key: bare(part) for key, part in value.items()}
    if isinstance(value, list):
        return [bare(part) for part in value]
    return re.sub(r"\W", "", value).lower() if isinstance(value, str) else value
