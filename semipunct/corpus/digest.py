"""Digests of treebanks: equal where two treebanks are the same to a model."""

import hashlib
import json
from collections.abc import Iterable

from semipunct.corpus.examples import Example


def treebank_digest(examples: Iterable[Example]) -> str:
    """Compute a SHA-256 digest of all that a model sees of sentences or other examples."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps(example.seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
