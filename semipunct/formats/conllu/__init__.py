"""CoNLL-U: lossless records, sentences read off them, punctuation written back into them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.base import Annotation, Format, Writer
from semipunct.formats.conllu.analysed import analysed
from semipunct.formats.conllu.punctuate import (
    bare_entry,
    convention_of,
    punctuated,
    spelt,
    surface_text,
)
from semipunct.formats.conllu.reading import Marks, to_entry, to_words
from semipunct.formats.conllu.records import (
    Record,
    format_record,
    read_records,
    with_longer_id,
    write_texts,
)
from semipunct.marks import Puncteme
from semipunct.trees.attachment import Convention


@dataclass(frozen=True)
class Conllu(Format[Record]):
    """CoNLL-U (https://universaldependencies.org/format.html), given back byte for byte.

    Attributes:
        marks: whether punctuation goes into slots, or stays among the words.
    """

    name = "conllu"
    suffixes = (".conllu", ".conll")

    marks: Marks = "slots"

    def read(self, path: str | Path) -> Iterator[Entry[Record]]:
        return (to_entry(record, self.marks) for record in read_records(path))

    def read_words(self, path: str | Path) -> Iterator[Entry[Record, Words | Omitted]]:
        return map(to_words, read_records(path, trees=False))

    def writer(self, like: Iterable[Entry[Record]] = ()) -> "ConlluWriter":
        return ConlluWriter(convention_of(like))


@dataclass(frozen=True)
class ConlluWriter(Writer[Record]):
    """A writer of CoNLL-U.

    Attributes:
        convention: by which new tokens are attached.
    """

    convention: Convention = "unit"

    def annotated(self, entry: Entry[Record], annotation: Annotation) -> str:
        misc = {
            entry.word_ids[word - 1]: attributes
            for word, attributes in annotation.attributes.items()
        }
        comments = [f"# {name} = {value}" for name, value in annotation.comments.items()]
        record = with_longer_id(entry.record, annotation.suffix)
        return format_record(record, misc, comments, annotation.replaces)

    def punctuated(self, entry: Entry[Record], slots: Sequence[Puncteme]) -> str:
        return format_record(punctuated(entry, slots, self.convention))

    def text(self, entry: Entry[Record], slots: Sequence[Puncteme]) -> str:
        return surface_text(entry, slots)

    def spelt(self, entry: Entry[Record], slots: Sequence[Puncteme]) -> list[Puncteme]:
        return spelt(entry, slots)

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        write_texts(texts, stream)


def analysed_entry(
    entry: Entry[object, Sentence | Words | Omitted], sentence: Sentence
) -> Entry[Record, Sentence]:
    """Make the entry of a sentence whose tags and tree are not those of its file.

    Args:
        entry: the sentence as it was read, from whatever format; if that is CoNLL-U, all other
            columns stay.
        sentence: its words and slots, with tags and a tree.
    """
    if isinstance(entry.record, Record):
        return analysed(cast(Entry[Record, Sentence | Words | Omitted], entry), sentence)
    # Its marks come back one by one, as those that restoration puts in do.
    bare = bare_entry(sentence)
    record = punctuated(bare, sentence.slots)
    marks = [token.word_id for token in record.tokens if token.upos == PUNCTUATION]
    words = tuple(t.word_id for t in record.tokens if t.word_id not in marks)
    return Entry(sentence, record, words, entry.notes)
