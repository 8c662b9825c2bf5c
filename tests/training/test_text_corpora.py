"""Corpora that a text model cannot learn from, large ones, and a stop in the middle of one."""

import gzip
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semipunct.corpus import word_streams
from semipunct.corpus.word_streams import items, word_stream
from semipunct.store.checkpoint import load_state
from semipunct.training.config import load_config
from semipunct.training.train import train
from tests.commands import Result, run
from tests.models.running_text.texts import passages, text
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


@pytest.mark.exhaustive
def test_a_resumed_run_ends_with_the_same_bits(tmp_path: Path):
    config = load_config(None, [*TEXT, *FEW], kind="text")
    some, dev = passages(200, 1), passages(20, 2)
    assert len(some) > 24
    train(some, dev, tmp_path / "whole", config=config)
    stops = iter([False] * 2 + [True])  # within an epoch, after an evaluation
    folder = tmp_path / "m"
    assert train(some, dev, folder, config=config, stop=lambda: next(stops)).interrupted
    state = load_state(folder)
    assert state is not None
    assert state.values["step"] == 3
    train(some, dev, folder, config=config, resume=True)
    at_once, resumed = (
        (f / "model.safetensors").read_bytes() for f in (tmp_path / "whole", folder)
    )
    assert at_once == resumed


LIMITED = """
    import resource, sys
    from semipunct.formats.running_text import read_running_text
    from semipunct.models.running_text.model import TextModel
    from semipunct.models.running_text.options import TextOptions
    read_running_text([sys.argv[2]])
    used = next(line for line in open("/proc/self/status") if line.startswith("VmData"))
    limit = int(used.split()[1]) * 1024 + int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    passages = read_running_text([sys.argv[1]])
    TextModel.fit(passages, TextOptions())
    print(len(passages), sum(p.size for p in passages))
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_memory_does_not_grow_with_the_corpus(tmp_path: Path):
    corpus, small = tmp_path / "a.txt", tmp_path / "b.txt"
    line = text(2500, 1)
    small.write_text(line, encoding="utf-8")
    words = len(line.split())
    with corpus.open("w", encoding="utf-8") as stream:
        stream.write((line + " ") * (10_000_000 // len(line)) + "\n")  # one line of 10 MB
        for _ in range(50_000_000 // len(line)):
            stream.write(line + "\n")
    assert corpus.stat().st_size > 59_000_000
    command = [sys.executable, "-c", textwrap.dedent(LIMITED), corpus, small, str(80 * 2**20)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    number = 10_000_000 // len(line) + 50_000_000 // len(line)
    assert finished.stdout.split()[1] == str(words * number)
