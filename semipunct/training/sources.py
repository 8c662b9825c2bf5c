"""Where the sentences of a training run came from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.sentences import Sentence
from semipunct.store.card import DataFile


@dataclass(frozen=True, slots=True)
class Sources:
    """Files of the sentences of a run, and the ``treebank_digest`` of the sentences."""

    train: Sequence[DataFile]
    development: Sequence[DataFile]
    train_digest: str
    development_digest: str

    @classmethod
    def of(cls, train: Sequence[Sentence], development: Sequence[Sentence]) -> Sources:
        """Look at the sentences, and at their files as they are now.

        Args:
            train: to learn from.
            development: to choose the best weights on.
        """
        return cls(
            data_files(train),
            data_files(development),
            treebank_digest(train),
            treebank_digest(development),
        )


def data_files(sentences: Sequence[Sentence]) -> list[DataFile]:
    """List the files that sentences were read from, in order of appearance, with checksums."""
    counts: dict[str, list[int]] = {}
    for sentence in sentences:
        count = counts.setdefault(sentence.path, [0, 0])
        count[0] += 1
        count[1] += len(sentence.forms)
    return [DataFile(name, _sha256(name), *count) for name, count in counts.items()]


def _sha256(name: str) -> str:
    path = Path(name)
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
