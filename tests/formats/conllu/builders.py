"""Small CoNLL-U texts and trees for the tests of the treebank package."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from semipunct.formats.conllu.records import Record, read


def word(
    word_id: int | str,
    form: str,
    head: int | str,
    relation: str = "dep",
    upos: str = "X",
    xpos: str = "_",
    misc: str = "_",
) -> str:
    """One line of CoNLL-U, without its end."""
    return f"{word_id}\t{form}\t{form.lower()}\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t{misc}"


def sentence(*lines: str) -> str:
    """Lines with their ends, and the blank line that ends a sentence."""
    return "\n".join(lines) + "\n\n"


def chain(length: int) -> str:
    """A sentence whose every word depends on the one before."""
    return sentence(*(word(i, f"w{i}", i - 1) for i in range(1, length + 1)))


def records(text: str | bytes, *, trees: bool = True) -> list[Record]:
    """Read a text as a file."""
    content = text.encode("utf-8") if isinstance(text, str) else text
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.conllu"
        path.write_bytes(content)
        return list(read(path, trees=trees))


def record(*lines: str) -> Record:
    """Read one sentence."""
    (only,) = records(sentence(*lines))
    return only


@st.composite
def trees(draw: st.DrawFn, largest: int = 12) -> tuple[int, ...]:
    """Heads of any tree with one root, projective or not."""
    n = draw(st.integers(1, largest))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for rank, node in enumerate(order[1:], start=1):
        heads[node - 1] = order[draw(st.integers(0, rank - 1))]
    return tuple(heads)


def dominates(heads: Sequence[int], ancestor: int, node: int) -> bool:
    """Whether the ancestor lies on the way from the node to the root (or is the node)."""
    while node not in (0, ancestor):
        node = heads[node - 1]
    return node == ancestor
