"""Transcripts in JSON: words get marks and capitals, everything else comes back byte for byte."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import TreebankError
from semipunct.formats.running_text import line_of_text
from semipunct.formats.transcripts import Transcripts
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
        {"text": "so ba but do", "chunks": [{"timestamp": [0, None], "text": "so ba but do"}]},
        {"result": [{"word": w, "conf": 1.0} for w in WORDS]},
        {"segments": [{"text": " ".join(WORDS), "words": [{"word": w} for w in WORDS]}]},
    ],
    ids=["whisper.cpp", "transformers", "vosk", "whisperx"],
)  # fmt: skip
def test_other_recognisers(document: Any, cli: Cli, text_model: Path, tmp_path: Path):
    done = restore(cli, text_model, tmp_path / "a.json", json.dumps(document))
    assert done.status == 0, done.err
    assert "ba," in done.out
    assert bare(json.loads(done.out)) == bare(document)


def rev(words: Sequence[str]) -> Any:
    """Marks stand between the words of Rev, which are bare."""
    rows = [re.fullmatch(r"(\w+)(\W*)", word) for word in words]
    elements = [x for row in rows if row for x in (
        {"type": "text", "value": row[1], "ts": 0.1}, {"type": "punct", "value": row[2] + " "}
    )]  # fmt: skip
    return {"monologues": [{"speaker": 0, "elements": elements}]}


def azure(words: Sequence[str]) -> Any:
    best = {
        "lexical": "so ba but do", "itn": "so ba but do", "display": " ".join(words),
        "words": [{"word": w} for w in WORDS], "displayWords": [{"displayText": w} for w in words],
    }  # fmt: skip
    phrases = [{"speaker": 1, "nBest": [best, {"lexical": "so b", "display": "so b"}]}]
    combined = [{"lexical": "so ba but do", "display": " ".join(words)}]
    return {"combinedRecognizedPhrases": combined, "recognizedPhrases": phrases}


def azure_fast(words: Sequence[str]) -> Any:
    text = {"text": " ".join(words)}
    return {"combinedPhrases": [text], "phrases": [{**assembly(words), "speaker": 1}]}


def assembly(words: Sequence[str]) -> Any:
    rows = [{"text": word, "start": 250, "end": 650} for word in words]
    return {"text": " ".join(words), "words": rows, "utterances": None}


def assembly_speakers(words: Sequence[str]) -> Any:
    return {**assembly(words), "utterances": [{**assembly(words), "speaker": "A"}]}


def amazon(words: Sequence[str]) -> Any:
    items = [
        {"id": i, "start_time": "0.1", "alternatives": [{"confidence": "1.0", "content": w}]}
        for i, w in enumerate(words)
    ]
    text = {"transcript": " ".join(words)}
    return {"jobName": "a", "results": {"transcripts": [text], "items": items}}


def amazon_segments(words: Sequence[str]) -> Any:
    document = amazon(words)
    segment = {"transcript": " ".join(words), "speaker_label": "spk_0", "items": [0, 1, 2, 3]}
    return {"results": {**document["results"], "audio_segments": [segment]}}


def google(words: Sequence[str]) -> Any:
    rows = [{"startTime": "0s", "word": word} for word in words]
    first = {"transcript": " ".join(words), "words": rows}
    tagged = [{**row, "speakerTag": 1} for row in rows]
    rivals = [first, {"transcript": "so b"}]
    return {"results": [{"alternatives": rivals}, {"alternatives": [{"words": tagged}]}]}


def deepgram(words: Sequence[str]) -> Any:
    rows = [
        {"word": bare, "start": 0.1, "punctuated_word": word}
        for bare, word in zip(WORDS, words, strict=True)
    ]
    best = {"transcript": " ".join(words), "words": rows}
    return {"results": {"channels": [{"alternatives": [best]}]}}


def deepgram_utterances(words: Sequence[str]) -> Any:
    results = deepgram(words)["results"]
    return {"results": {**results, "utterances": results["channels"][0]["alternatives"]}}


SERVICES = (rev, azure, azure_fast, assembly, assembly_speakers, amazon, amazon_segments, google,
            deepgram, deepgram_utterances)  # fmt: skip


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.__name__)
def test_services(
    service: Callable[[Sequence[str]], Any], cli: Cli, text_model: Path, tmp_path: Path
):
    done = restore(cli, text_model, tmp_path / "a.json", json.dumps(service(WORDS), indent=1))
    assert (done.status, done.err) == (0, "")
    expected = json.dumps(service(("So", "ba,", "but", "do.")), indent=1)
    assert done.out == expected


def test_words_of_several_speakers_are_turns(cli: Cli, text_model: Path, tmp_path: Path):
    items = amazon(WORDS)["results"]["items"]
    items = [dict(item, speaker_label=f"spk_{i // 2}") for i, item in enumerate(items)]
    mark = {"alternatives": [{"content": ","}], "type": "punctuation"}
    document = {"results": {"items": [items[0], mark, *items[1:]]}}
    done = restore(cli, text_model, tmp_path / "a.json", json.dumps(document))
    spelt = [
        item["alternatives"][0]["content"] for item in json.loads(done.out)["results"]["items"]
    ]
    turns = [
        restore(cli, text_model, tmp_path / "a.json", json.dumps({"segments": [{"text": text}]}))
        for text in ("so, ba", "but do")
    ]
    alone = [json.loads(turn.out)["segments"][0]["text"].split() for turn in turns]
    assert ["".join(spelt[:2]), *spelt[2:]] == [*alone[0], *alone[1]]


def test_marks_between_words_are_corrected(cli: Cli, text_model: Path, tmp_path: Path):
    values = ["So", " ", "ba", " ", "but", " ", "do", "."]
    document = {"monologues": [{"elements": [{"value": value} for value in values]}]}
    done = restore(cli, text_model, tmp_path / "a.json", json.dumps(document), to="correct")
    new = [element["value"] for element in json.loads(done.out)["monologues"][0]["elements"]]
    assert new == ["So", " ", "ba", ", ", "but", " ", "do", "."]


def test_marks_are_corrected_in_place(cli: Cli, text_model: Path, tmp_path: Path):
    for wrong in (RESTORED.replace("ba,", "ba"), RESTORED.replace("So ba", "So, ba")):
        done = restore(cli, text_model, tmp_path / "a.json", wrong, to="correct")
        assert (done.status, done.out) == (0, RESTORED), done.err


@pytest.mark.parametrize("divided", [("So ba", "but do. So gu."), ("So ba but", "do. So gu.")])
def test_corrections_cross_segments_and_cues(
    divided: tuple[str, str], cli: Cli, text_model: Path, tmp_path: Path
):
    expected = [part.replace("ba", "ba,") for part in divided]
    document = json.dumps({"segments": [{"text": part} for part in divided]})
    done = restore(cli, text_model, tmp_path / "a.json", document, to="correct")
    assert [s["text"] for s in json.loads(done.out)["segments"]] == expected
    cues = "1\n00:00:00,000 --> 00:00:01,000\n{}\n\n2\n00:00:01,000 --> 00:00:02,000\n{}\n"
    done = restore(cli, text_model, tmp_path / "a.srt", cues.format(*divided), to="correct")
    assert done.out == cues.format(*expected)


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


def test_a_model_of_trees_refuses_them(cli: Cli, model: Path, parser: Path, tmp_path: Path):
    done = restore(cli, model, tmp_path / "a.json", WHISPER, "--parser", f"{parser}")
    assert done.status == 2
    assert "only a text model reads them" in done.message


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
    path = Path(f"{PLACE.name}.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "semipunct.formats.transcripts.format.lines_with_text",
            lambda path, ended: text.splitlines(keepends=True),
        )
        form = Transcripts()
        try:
            entries = [*form.read_segments(path, line_of_text)]
        except TreebankError as error:
            assert "no text was found" in str(error)  # noqa: PT017 - most examples have text
            return
        writer = form.writer(entries)
        assert "".join(writer.source_text(entry) for entry in entries) == text


PLACE = Path("transcript")


def bare(value: Any) -> Any:
    """Return a document whose strings have letters only, in lower case."""
    if isinstance(value, dict):
        return {key: bare(part) for key, part in value.items()}
    if isinstance(value, list):
        return [bare(part) for part in value]
    return re.sub(r"\W", "", value).lower() if isinstance(value, str) else value
