"""Digests of data, which are equal if a model or a metric cannot distinguish two treebanks."""

import hashlib
import json
from collections.abc import Iterable

from semipunct.corpus.examples import Example
from semipunct.corpus.parallel import ParallelSentence
from semipunct.corpus.sentences import Sentence, Words


def treebank_digest(examples: Iterable[Example]) -> str:
    """Compute a SHA-256 digest of all data in examples that a model uses."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps(example.seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def parallel_digest(pairs: Iterable[ParallelSentence[Sentence | Words]]) -> str:
    """Compute a SHA-256 digest of words, slots and references.

    Trees are not included, so that systems that use different parsers are comparable.
    """
    digest = hashlib.sha256()
    for pair in pairs:
        seen = (pair.source.forms, pair.source.slots, pair.references)
        digest.update(json.dumps(seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
