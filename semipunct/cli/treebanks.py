"""Reading treebanks for commands that need sentences which the model can take."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from semipunct.cli import console
from semipunct.errors import TreebankError

if TYPE_CHECKING:
    from semipunct.treebank import Omitted, Sentence, Treebank


def usable(paths: Sequence[str], *, final_mark: bool) -> "Treebank":
    """Read treebanks of which at least one sentence can be used.

    Raises `TreebankError` if none is left, and as `read_sentences` does.
    """
    from semipunct.treebank import TreebankOptions, read_sentences

    options = TreebankOptions(final_mark=final_mark, keep_records=False)
    treebank = read_sentences(paths, options)
    if not treebank.sentences:
        raise TreebankError(
            f"{', '.join(paths)}: no sentence is left ({omissions(treebank)}); "
            "give a treebank with words in it"
        )
    return treebank


def in_chunks(
    items: "Iterable[Sentence | Omitted]", size: int
) -> "Iterator[list[Sentence | Omitted]]":
    """So many at a time, that no more need be held in memory."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def omissions(treebank: "Treebank") -> str:
    """Say how many sentences were left out, and why; empty if none was."""
    reasons = {reason: n for reason, n in treebank.omitted_by_reason().items() if n}
    if not reasons:
        return ""
    told = ", ".join(f"{n:,} with {reason}" for reason, n in reasons.items())
    return f"{console.count(len(treebank.omitted), 'sentence')} omitted: {told}"
