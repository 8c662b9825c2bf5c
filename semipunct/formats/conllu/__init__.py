"""CoNLL-U: lossless records, conversion to sentences, and writing of punctuation."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from semipunct.corpus import Entry, Omitted, Words
from semipunct.formats.base import Annotation, Format, Writer
from semipunct.formats.conllu.from_text import surface_forms
from semipunct.formats.conllu.punctuate import (
    DEFAULT,
    Style,
    punctuate_record,
    spell_marks,
    style_of,
    surface_text,
)
from semipunct.formats.conllu.reading import to_entry, to_words, with_expected
from semipunct.formats.conllu.rearrange import rearrange_entry, recase
from semipunct.formats.conllu.records import (
    Record,
    format_record,
    read_records,
    with_longer_id,
    write_texts,
)
from semipunct.formats.conllu.renumber import written_text
from semipunct.marks import Puncteme
from semipunct.trees import DependencyTree


class Conllu(Format[Record]):
    """CoNLL-U (https://universaldependencies.org/format.html), reproduced byte for byte."""

    name = "conllu"
    suffixes = (".conllu", ".conll")

    def read(self, path: str | Path) -> Iterator[Entry[Record]]:
        return (with_expected(to_entry(record)) for record in read_records(path))

    def read_words(self, path: str | Path) -> Iterator[Entry[Record, Words | Omitted]]:
        return map(to_words, read_records(path, trees=False))

    def writer(self, like: Iterable[Entry[Record]] = ()) -> "ConlluWriter":
        return ConlluWriter(style_of(like))


@dataclass(frozen=True)
class ConlluWriter(Writer[Record]):
    """A writer of CoNLL-U, with the attachment and spacing of new tokens."""

    style: Style = DEFAULT

    def annotate(self, entry: Entry[Record], annotation: Annotation) -> str:
        misc = {
            entry.word_ids[word - 1]: attributes
            for word, attributes in annotation.attributes.items()
        }
        comments = [f"# {name} = {value}" for name, value in annotation.comments.items()]
        record = with_longer_id(entry.record, annotation.suffix)
        return format_record(record, misc, comments, annotation.replaces)

    def punctuate(self, entry: Entry[Record], slots: Sequence[Puncteme]) -> str:
        return format_record(punctuate_record(entry, slots, self.style))

    def recase(self, entry: Entry[Record], forms: Sequence[str]) -> Entry[Record]:
        return recase(entry, forms)

    def rearrange(
        self, entry: Entry[Record], words: Sequence[int], tree: DependencyTree
    ) -> Entry[Record]:
        return rearrange_entry(entry, words, tree)

    def text(self, entry: Entry[Record], slots: Sequence[Puncteme]) -> str:
        return surface_text(entry, slots, self.style.habits)

    def spell_marks(self, entry: Entry[Record], slots: Sequence[Puncteme]) -> list[Puncteme]:
        return spell_marks(entry, slots)

    def surface(self, entry: Entry[Record]) -> list[str]:
        return surface_forms(entry)

    def plain(self, entry: Entry[Record]) -> str:
        return written_text(entry.record)

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        write_texts(texts, stream)
