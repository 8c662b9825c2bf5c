"""The model card: a description of the model, its training data and its figures."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semipunct.files import file_sha256
from semipunct.models.base import Model
from semipunct.models.kind import PUNCTUATION, Config
from semipunct.version import __version__

_NAMES = re.compile(r"(?m)^\| (?:training|development) \| `(.*)` \| [\d,]+ \| [\d,]+ \| `")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A treebank file as it was when training began, with counts of its used sentences.

    Attributes:
        name: as given by the user.
        sha256: empty for standard input.
    """

    name: str
    sha256: str
    sentences: int
    words: int

    @classmethod
    def of(cls, name: str, sentences: int, words: int) -> DataFile:
        """Describe the current content of a file."""
        return cls(name, file_sha256(name) if Path(name).is_file() else "", sentences, words)


def model_card(
    model: Model,
    config: Config,
    train: Sequence[DataFile],
    development: Sequence[DataFile],
    figures: Mapping[str, Any],
    command: str,
) -> str:
    """Write ``README.md`` of a model folder, including the ``command`` that trained the model."""
    settings = "\n".join(
        f"{section}.{key} = {value}"
        for section, values in config.to_dict().items()
        for key, value in values.items()
    )
    rows = "\n".join(f"| {k.replace('_', ' ')} | {_shown(v)} |" for k, v in figures.items())
    described = textwrap.fill(model.description, 100)
    usage = "\n".join(model.usage)
    use = f"\n## Use\n\n```sh\n{usage}\n```\n" if usage else ""
    unit, predicts = config.kind.unit, config.kind.predicts
    source = "text" if config.examples == "running text" else "treebanks"
    figured = (
        "Perplexities are per slot (a sentence of n words has n + 1), over all sentences."
        if predicts == PUNCTUATION
        else f"This model predicts {predicts}."
    )
    used = f"\nMade by:\n\n```sh\n{command}\n```\n" if command else ""
    return f"""# A model of {predicts}

{described}

Trained by semipunct {__version__} on {unit}s of {source}; its kind is `{model.kind}`.
{used}
## Data

| used for | file | {unit}s | words | sha256 |
| --- | --- | --- | --- | --- |
{_rows("training", train)}
{_rows("development", development)}

The weights and the vocabulary are derived from these files: their licences say how the model may
be used and shared. Name them here before you pass the model on.

## Figures

{figured}

| figure | value |
| --- | --- |
{rows}

`metrics.jsonl` holds one line for each evaluation during training.

## Settings

```
{settings}
```
{use}"""


def data_names(card: str) -> list[str]:
    """Return the names of the treebank files that a model card lists."""
    return _NAMES.findall(card)


def _rows(use: str, files: Sequence[DataFile]) -> str:
    return "\n".join(
        f"| {use} | `{f.name}` | {f.sentences:,} | {f.words:,} | `{f.sha256 or 'not a file'}` |"
        for f in files
    )


def _shown(value: object) -> str:
    if value is None:
        return "infinite"
    return f"{value:,.4f}" if isinstance(value, float) else f"{value}"
