"""Digests of data: equal where two treebanks are the same to a model, or to a measure."""

import hashlib
import json
from collections.abc import Iterable

from semipunct.corpus.examples import Example
from semipunct.corpus.parallel import ParallelSentence
from semipunct.corpus.sentences import Sentence, Words


def treebank_digest(examples: Iterable[Example]) -> str:
    """Compute a SHA-256 digest of all that a model sees of sentences or other examples."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps(example.seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def parallel_digest(pairs: Iterable[ParallelSentence[Sentence | Words]]) -> str:
    """Compute a SHA-256 digest of what is to be corrected and how: words, slots and references.

    Trees do not count, so that systems compare that were given those of different parsers.
    """
    digest = hashlib.sha256()
    for pair in pairs:
        seen = (pair.source.forms, pair.source.slots, pair.references)
        digest.update(json.dumps(seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
