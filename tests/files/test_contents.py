"""Files that are not text are recognised by what standard libraries write into such files."""

import bz2
import io
import lzma
import re
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from semipunct.files.contents import binary, markup


def archive(*members: str, first: tuple[str, str] | None = None) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as writer:
        if first:
            writer.writestr(zipfile.ZipInfo(first[0]), first[1])
        for member in members:
            writer.writestr(member, "some content")
    return stream.getvalue()


def tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as writer:
        writer.addfile(tarfile.TarInfo("some.txt"))
    return stream.getvalue()


def array() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.zeros(3))
    return stream.getvalue()


def database(path: Path) -> bytes:
    with sqlite3.connect(path) as connection:
        connection.execute("create table some (x)")
    connection.close()
    return path.read_bytes()


OPEN_DOCUMENT = ("mimetype", "application/vnd.oasis.opendocument.text")
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (archive("[Content_Types].xml", "_rels/.rels", "word/document.xml"), "Word .*docx"),
        (archive("content.xml", first=OPEN_DOCUMENT), "OpenDocument text"),
        (archive("[Content_Types].xml", "xl/workbook.xml"), "Excel"),
        (archive("ppt/presentation.xml"), "PowerPoint"),
        (archive("some.conllu"), "a zip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office 2003"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF"),
        ("so wahr".encode("utf-16"), "text in UTF-16"),
        ("so wahr".encode("utf-16-le"), "text in UTF-16"),
        ("so wahr".encode("utf-16-be"), "text in UTF-16"),
        ("so wahr".encode("utf-32"), "text in UTF-32"),
        (PNG, "an image"),
        (JPEG, "an image"),
        (bz2.compress(b"text"), "bzip2"),
        (lzma.compress(b"text"), "xz"),
        (tar(), "a tar archive"),
        (array(), "data of Python"),
    ],
)
def test_contents_are_recognised(content: bytes, name: str):
    kind = binary(content)
    assert kind is not None
    assert re.search(name, kind.name)


def test_a_database(tmp_path: Path):
    kind = binary(database(tmp_path / "some.db"))
    assert kind is not None
    assert "SQLite" in kind.name


@pytest.mark.parametrize("text", ["", "MZ is a firm", "BZh9 ID3 OggS", "PKs", "caf\xe9", "BM 1000"])
def test_texts_are_no_documents(text: str):
    assert markup(text.encode("utf-8")) is None


@pytest.mark.parametrize("content", [b"{\\rtf1\\ansi so}", b"%PDF-1.4\nall of it ASCII\n", b"%!PS"])
def test_documents_that_are_utf8_are_recognised(content: bytes):
    assert markup(content) is not None


def test_bytes_without_a_signature():
    assert binary("café au lait".encode("latin-1")) is None
    assert binary(bytes(range(256))) is None
