"""The sentences of treebanks that models leave out, with their places and reasons."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from semipunct.corpus import Entry, Omitted
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.registry import read_entries


def omitted_lines(paths: Iterable[str | Path]) -> Iterator[str]:
    """Yield file, line, sentence and reason for each sentence that is left out.

    Args:
        paths: files of treebanks, ``-`` for standard input.

    Raises:
        TreebankError: with file and line, if a file is missing or damaged.
    """
    for entry in read_entries(paths):
        if isinstance(entry.content, Omitted):
            yield omitted_line(entry, entry.content)


def omitted_line(entry: Entry[Any, Any], omitted: Omitted) -> str:
    """Return file, line, sentence and reason of a sentence that is left out.

    Args:
        entry: the sentence.
        omitted: its reason.
    """
    if omitted.fault:
        return f"{omitted.fault} ({omitted.reason})"
    tokens = getattr(entry.record, "tokens", ())
    marks = {token.word_id: token.form for token in tokens if token.upos == PUNCTUATION}
    governed = next((token for token in tokens if token.head in marks), None)
    detail = ""
    if governed is not None:
        head = f"{governed.head} ({marks[governed.head]})"
        detail = f": {governed.word_id} ({governed.form}) depends on {head}"
    return (
        f"{omitted.path}:{omitted.line}: sentence {omitted.sentence_id}: {omitted.reason}{detail}"
    )
