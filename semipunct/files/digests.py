"""Checksums of bytes and of files."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256(content: bytes) -> str:
    """Compute the SHA-256 checksum of bytes, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: str | Path) -> str:
    """Compute the SHA-256 checksum of the bytes of a file, in hexadecimal digits.

    Raises:
        OSError: if the file cannot be read.
    """
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
