"""What makes two treebanks the same to a model."""

import hashlib
import json
from collections.abc import Iterable

from semipunct.corpus.sentences import Sentence


def treebank_digest(sentences: Iterable[Sentence]) -> str:
    """A sha256 of what a model sees of sentences, wherever they were read from."""
    digest = hashlib.sha256()
    for s in sentences:
        seen = (s.forms, s.upos, s.xpos, s.feats, s.relations, s.heads, s.slots)
        digest.update(json.dumps(seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
