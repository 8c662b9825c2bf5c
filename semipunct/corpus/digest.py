"""Digests of treebanks: equal where two treebanks are the same to a model."""

import hashlib
import json
from collections.abc import Iterable

from semipunct.corpus.sentences import Sentence
from semipunct.marks import INITIAL


def treebank_digest(sentences: Iterable[Sentence]) -> str:
    """Compute a SHA-256 digest of all that a model sees of sentences, whatever file they are in."""
    digest = hashlib.sha256()
    for s in sentences:
        # The initial mark was part of the slots once, and stored results name treebanks so.
        slots = ((INITIAL, *s.slots[0]), *s.slots[1:])
        seen = (s.forms, s.upos, s.xpos, s.feats, s.tree.relations, s.tree.heads, slots)
        digest.update(json.dumps(seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
