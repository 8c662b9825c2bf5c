"""Corpora that a text model cannot learn from, large ones, and a stop in the middle of one."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semipunct.corpus import word_streams
from semipunct.corpus.word_streams import items, word_stream
from tests.commands import Result, run
from tests.models.running_text.texts import text
from tests.planted import TEXT

FEW = ("train.visits=48", "train.evaluate_every=16", "train.batch_size=8")


def trained(folder: Path, corpus: Path, dev: Path | None = None) -> Result:
    settings = [x for setting in (*TEXT, *FEW) for x in ("--set", setting)]
    return run("train", corpus, "--dev", dev or corpus, "--kind", "text", "-o", folder, *settings)


CORPORA: dict[str, tuple[bytes, str]] = {
    "marks.txt": (b"so ba do but gu\n" * 9, "no marks in 45 words, so there is nothing to learn"),
    "empty.txt": (b"", "no usable passage"),
    "blank.txt": (b" \n\t\n\n", "no usable passage"),
    "binary.txt": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "binary.txt:1: byte 0x89"),
    "latin.txt": ("So ba, dé.\n".encode("latin-1"), "latin.txt:1: byte 0xe9"),
    "cut.txt.gz": (gzip.compress(b"So ba, do. " * 999)[:-9], "cut.txt.gz"),
}


@pytest.mark.parametrize("name", CORPORA)
def test_what_cannot_be_learnt_from_is_named(tmp_path: Path, name: str):
    content, message = CORPORA[name]
    path = tmp_path / name
    path.write_bytes(content)
    good = tmp_path / "good.txt"
    good.write_text(text(40, 1), encoding="utf-8")
    for files in ((path, good), (good, path)):
        finished = trained(tmp_path / "model", *files)
        assert finished.status == 1
        assert message in finished.message
        assert name in finished.message
        assert not (tmp_path / "model").exists()


def test_a_full_disk_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    class Full:
        def write(self, content: bytes) -> int:
            raise OSError(28, "No space left on device")

    path = tmp_path / "a.txt"
    path.write_text(text(40, 1), encoding="utf-8")
    monkeypatch.setattr(word_streams, "_BLOCK", 16)
    monkeypatch.setattr(word_streams.tempfile, "TemporaryFile", lambda **_: Full())
    finished = trained(tmp_path / "model", path)
    assert finished.status == 1
    assert "could not be stored here (No space left on device); make room" in finished.message
    assert "TMPDIR" in finished.message


def test_a_disk_that_takes_a_part_is_asked_again(monkeypatch: pytest.MonkeyPatch):
    temporary = word_streams.tempfile.TemporaryFile

    class Slow:
        def __init__(self) -> None:
            self.file = temporary(buffering=0)

        def write(self, content: memoryview) -> int:
            return self.file.write(content[:7])

        def __enter__(self) -> Any:
            return self.file

        def __exit__(self, *_: object) -> None:
            self.file.close()

    words = text(40, 3)
    whole = word_stream("a.txt", items([words]))
    monkeypatch.setattr(word_streams, "_BLOCK", 16)
    monkeypatch.setattr(word_streams.tempfile, "TemporaryFile", lambda **_: Slow())
    slow = word_stream("a.txt", items([words]))
    assert isinstance(slow.words, np.memmap)
    assert (slow.words.tolist(), slow.slots.tolist()) == (
        whole.words.tolist(),
        whole.slots.tolist(),
    )
