"""Small texts in CoNLL-U."""

import tempfile
from pathlib import Path

from semipunct.formats.conllu.records import Record, read_records


def word(
    word_id: int | str,
    form: str,
    head: int | str,
    relation: str = "dep",
    upos: str = "X",
    xpos: str = "_",
    misc: str = "_",
) -> str:
    """Format one line of CoNLL-U, without its end."""
    return f"{word_id}\t{form}\t{form.lower()}\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t{misc}"


def sentence(*lines: str) -> str:
    """Join lines with their ends, and the blank line that ends a sentence."""
    return "\n".join(lines) + "\n\n"


def chain(length: int) -> str:
    """Build a sentence in which every word depends on the preceding one."""
    return sentence(*(word(i, f"w{i}", i - 1) for i in range(1, length + 1)))


def records(text: str | bytes, *, trees: bool = True) -> list[Record]:
    """Read a text as a file."""
    content = text.encode("utf-8") if isinstance(text, str) else text
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.conllu"
        path.write_bytes(content)
        return list(read_records(path, trees=trees))


def record(*lines: str) -> Record:
    """Read one sentence."""
    (only,) = records(sentence(*lines))
    return only
