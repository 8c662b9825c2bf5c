"""Records and writers of treebanks that are written verbatim."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, NoReturn, Protocol, TextIO, TypeVar

from semipunct.corpus import Entry, Omitted, Sentence
from semipunct.corpus.sentences import MISSING
from semipunct.corpus.treebank import MALFORMED, PUNCTUATION, Reason
from semipunct.errors import UsageError
from semipunct.formats.base import Annotation, FromFile, Writer
from semipunct.formats.conllu.records import Token
from semipunct.marks import Puncteme
from semipunct.marks.penn import unescape
from semipunct.marks.spacing import visible
from semipunct.papers.commas.trees import OrderedTree
from semipunct.trees import DependencyTree
from semipunct.wording import quantity


class Source(FromFile, Protocol):
    """A sentence of a file as read; concatenated, the texts are the file."""

    @property
    def text(self) -> str: ...


S = TypeVar("S", bound=Source)
S_co = TypeVar("S_co", bound=Source, covariant=True)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A part of a file that cannot be read as a tree."""

    path: str
    line: int
    sentence_id: str
    text: str
    fault: str
    reason: Reason = MALFORMED


@dataclass(frozen=True, slots=True)
class VerbatimRecord(Generic[S_co]):
    """A sentence of a file whose trees are not dependency trees."""

    source: S_co
    tokens: tuple[Token, ...]

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def line(self) -> int:
        return self.source.line

    @property
    def sentence_id(self) -> str:
        return self.source.sentence_id


def malformed_entry(source: Malformed) -> "Entry[VerbatimRecord[Malformed], Omitted]":
    """Return the entry of a part of a file that cannot be read."""
    omitted = Omitted(source.reason, source.sentence_id, source.path, source.line, source.fault)
    return Entry(omitted, VerbatimRecord(source, ()))


@dataclass(frozen=True)
class VerbatimWriter(Writer[VerbatimRecord[S]]):
    """A writer that reproduces sentences, without annotations.

    Attributes:
        contents: name of the contents of files, for messages.
        lines: whether sentences start a line.
        rewrite: returns the text of an entry with other punctuation.
    """

    contents: str
    lines: bool
    rewrite: Callable[[Entry[VerbatimRecord[S]], Sequence[Puncteme]], str] | None = None

    def annotate(self, entry: Entry[VerbatimRecord[S]], annotation: Annotation) -> str:
        if annotation.attributes or annotation.comments:
            self._refuse(entry, "annotations")
        return entry.record.source.text

    def punctuate(self, entry: Entry[VerbatimRecord[S]], slots: Sequence[Puncteme]) -> str:
        if isinstance(entry.content, Sentence) and tuple(slots) == entry.content.slots:
            return entry.record.source.text
        if self.rewrite:
            return self.rewrite(entry, slots)
        self._refuse(entry, "new punctuation, whose place in the tree would be a guess")

    def text(self, entry: Entry[VerbatimRecord[S]], slots: Sequence[Puncteme]) -> str:
        words = [unescape(entry.record.tokens[number - 1].form) for number in entry.word_ids]
        if len(slots) != len(words) + 1:
            raise UsageError(
                f"{quantity(len(slots), 'slot')} for {quantity(len(words), 'word')}; give one more "
                "than words"
            )
        pairs = zip(("", *words), map(" ".join, visible(slots)), strict=True)
        return " ".join(filter(None, chain.from_iterable(pairs)))

    def write(self, texts: Iterable[str], stream: TextIO) -> None:
        ended = True
        for text in texts:
            stream.write(text if ended or not self.lines else f"\n{text}")
            ended = text.endswith("\n")

    def _refuse(self, entry: Entry[VerbatimRecord[S]], content: str) -> NoReturn:
        record = entry.record
        raise UsageError(
            f"{record.path}:{record.line}: sentence {record.sentence_id}: {self.contents} cannot "
            f"contain {content}; give the treebank as CoNLL-U"
        )


T = TypeVar("T", bound=OrderedTree)


def penn_tokens(
    forms: Sequence[str], tags: Sequence[str], tree: DependencyTree, mark_tags: Collection[str]
) -> tuple[Token, ...]:
    """Make the tokens of a sentence from forms, Penn Treebank tags and a dependency tree.

    Dependents of a mark are attached to the nearest word above it.
    """
    heads = list(tree.heads)
    for node in tree.order:  # heads come before their dependents
        head = heads[node]
        if head and heads[head - 1] and tags[head - 1] in mark_tags:
            heads[node] = heads[head - 1]
    tokens: list[Token] = []
    for place, row in enumerate(zip(forms, tags, heads, tree.relations, strict=True)):
        form, tag, head, relation = row
        upos = PUNCTUATION if tag in mark_tags else MISSING
        columns = form, MISSING, upos, tag, MISSING, head, relation
        tokens.append(Token(place + 1, *columns, place))
    return tuple(tokens)


def over(sentence: Sentence, tree: T) -> Sentence[T]:
    """Return the sentence with another tree over the same words."""
    s = sentence
    columns = (s.forms, s.lemmas, s.upos, s.xpos, s.feats)
    return Sentence(
        s.sentence_id, s.path, s.line, *columns, tree, s.slots, closed=s.closed, source=s.source
    )
