"""Sources of the examples of a training run: files and digests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semipunct.corpus.examples import Example, treebank_digest
from semipunct.store.card import DataFile


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the sentences of a run.

    Attributes:
        train: files of the training sentences.
        development: files of the development sentences.
        train_digest: ``treebank_digest`` of the training sentences.
        development_digest: ``treebank_digest`` of the development sentences.
    """

    train: Sequence[DataFile]
    development: Sequence[DataFile]
    train_digest: str
    development_digest: str

    @classmethod
    def of(cls, train: Sequence[Example], development: Sequence[Example]) -> Sources:
        """Describe sentences, and the current content of their files.

        Args:
            train: the training examples.
            development: the development examples.
        """
        return cls(
            data_files(train),
            data_files(development),
            treebank_digest(train),
            treebank_digest(development),
        )


def data_files(examples: Sequence[Example]) -> list[DataFile]:
    """List the files that examples were read from, in order of appearance, with checksums."""
    counts: dict[str, list[int]] = {}
    for example in examples:
        count = counts.setdefault(example.path, [0, 0])
        count[0] += 1
        count[1] += example.size
    return [DataFile.of(name, *count) for name, count in counts.items()]
