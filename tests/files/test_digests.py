"""Checksums compared with an example of the standard (FIPS 180-4)."""

from pathlib import Path

from semipunct.files import file_sha256, sha256

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_bytes_and_files(tmp_path: Path):
    assert sha256(b"abc") == ABC
    (tmp_path / "a").write_bytes(b"abc")
    assert file_sha256(tmp_path / "a") == ABC
