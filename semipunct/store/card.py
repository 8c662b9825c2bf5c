"""The model card: what a model is, what it was trained on and how well it does."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semipunct import __version__
from semipunct.corpus.sentences import Sentence
from semipunct.training.config import Config


@dataclass(frozen=True, slots=True)
class DataFile:
    """A treebank file as it was when training began; the checksum of standard input is empty."""

    name: str
    sha256: str
    sentences: int
    words: int


def data_files(sentences: Sequence[Sentence]) -> list[DataFile]:
    """The files that sentences were read from, in order of appearance, with their checksums."""
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


def model_card(
    config: Config,
    train: Sequence[DataFile],
    development: Sequence[DataFile],
    figures: Mapping[str, Any],
    command: str,
) -> str:
    """The text of ``README.md`` in a model folder, in Markdown."""
    settings = "\n".join(
        f"{section}.{key} = {value}"
        for section, values in config.to_dict().items()
        for key, value in values.items()
    )
    told = "\n".join(f"| {k.replace('_', ' ')} | {_shown(v)} |" for k, v in figures.items())
    score = "log-linear and neural" if config.model.network else "log-linear"
    used = f"\nMade by:\n\n```sh\n{command}\n```\n" if command else ""
    return f"""# A punctuation model

A {score} model of underlying punctuation with a noisy channel (Li, Wang and Eisner 2019),
trained by semipunct {__version__} on dependency trees. It says how probable the punctuation of a
sentence is, given its words and tree, and finds the underlying punctuation behind it.
{used}
## Data

| used for | file | sentences | words | sha256 |
| --- | --- | --- | --- | --- |
{_rows("training", train)}
{_rows("development", development)}

The weights and the vocabulary are derived from these files: their licences say how the model may
be used and shared. Name them here before you pass the model on.

## Figures

Perplexities are per slot (a sentence of n words has n + 1), over all sentences.

| figure | value |
| --- | --- |
{told}

`metrics.jsonl` holds one line for each evaluation during training.

## Settings

```
{settings}
```

## Use

```sh
semipunct evaluate MODEL TEST.conllu
semipunct decode MODEL IN.conllu
```
"""


def _rows(use: str, files: Sequence[DataFile]) -> str:
    return "\n".join(
        f"| {use} | `{f.name}` | {f.sentences:,} | {f.words:,} | `{f.sha256 or 'not a file'}` |"
        for f in files
    )


def _shown(value: object) -> str:
    if value is None:
        return "infinite"
    return f"{value:,.4f}" if isinstance(value, float) else f"{value}"
