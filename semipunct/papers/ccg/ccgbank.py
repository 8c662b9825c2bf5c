"""CCG derivations in CCGbank's ``.auto`` files, read and written without loss."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

from semipunct.corpus import Entry, Omitted, Sentence, Treebank
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.base import DerivationFormat
from semipunct.formats.conllu.reading import Marks, to_entry
from semipunct.formats.lines import text_lines
from semipunct.marks.penn import MARK_TAGS
from semipunct.papers.ccg.conversion import Conversion
from semipunct.papers.ccg.derivations import Derivation, parse_category
from semipunct.papers.ccg.predicates import coindex
from semipunct.papers.commas.ptb import Bracketing
from semipunct.papers.commas.verbatim import (
    Malformed,
    VerbatimRecord,
    VerbatimWriter,
    malformed_entry,
    over,
    penn_tokens,
)
from semipunct.wording import quantity

_PIECE = re.compile(r"\(<L (?P<leaf>.*?)>\)|\(<T (?P<node>.*?)>|(?P<end>\))|(?P<other>[^ \t\r\n]+)")
_ID = re.compile(r"\ufeff?ID=(\S+)")
_FIELDS = "category, tag, original tag, word, dependency category"


class Leaf(NamedTuple):
    """The fields of a leaf besides its category.

    Attributes:
        original_tag: part of speech in the Penn Treebank.
        dependency_category: category with coindices of heads.
    """

    tag: str
    original_tag: str
    form: str
    dependency_category: str


@dataclass(frozen=True, slots=True)
class AutoRecord:
    """A derivation of a file as read.

    Attributes:
        line: the first line, from 1.
        sentence_id: the ID, or ``#k`` for the k-th derivation.
        text: its lines and blank lines; concatenated, the texts are the file.
        leaves: ``[n]``.
    """

    path: str
    line: int
    sentence_id: str
    text: str
    derivation: Derivation
    leaves: tuple[Leaf, ...]


class _Node(NamedTuple):
    node: int
    line: int
    arity: int
    children: list[int]


class _Open:
    def __init__(self, path: str, line: int, identity: str, number: int) -> None:
        self.path, self.line = path, line
        self.name, self.has_id = identity or f"#{number}", bool(identity)
        self.fault = ""
        self.depths: list[int] = []
        self.categories: list[str] = []
        self.heads: list[int] = []
        self.leaves: list[Leaf] = []
        self.above: list[_Node] = []
        self.texts: list[str] = []

    @property
    def complete(self) -> bool:
        if self.fault:
            return not self.has_id
        return bool(self.depths) and not self.above

    def fail(self, line: int, problem: str, remedy: str) -> NoReturn:
        raise TreebankError(f"{self.path}:{line}: sentence {self.name}: {problem}; {remedy}")

    def read(self, line: int, text: str) -> None:
        for match in _PIECE.finditer(text):
            if self.complete or match["other"] is not None:
                self.fail(
                    line,
                    f"{_shown(match[0])} is not expected here",
                    "give one derivation of nodes (<T category head arity> ...) and leaves "
                    f"(<L {_FIELDS}>)",
                )
            if match["end"]:
                self.close(line)
                continue
            is_leaf = match["leaf"] is not None
            fields = match["leaf" if is_leaf else "node"].split(" ")
            self.begin(line, fields[0])
            (self.leaf if is_leaf else self.node)(line, fields)

    def begin(self, line: int, category: str) -> None:
        if self.above:
            self.above[-1].children.append(len(self.depths))
        self._check(line, category)
        self.depths.append(len(self.above))
        self.categories.append(category)

    def leaf(self, line: int, fields: list[str]) -> None:
        if len(fields) != 5 or not all(fields):
            self.fail(
                line,
                f"the leaf {_shown(' '.join(fields))} has {quantity(len(fields), 'field')} of "
                "which none may be empty",
                f"give five, with one blank between them: {_FIELDS}",
            )
        self._check(line, fields[4])
        self.heads.append(0)
        self.leaves.append(Leaf(*fields[1:]))

    def node(self, line: int, fields: list[str]) -> None:
        if tuple(fields[1:]) not in (("0", "1"), ("0", "2"), ("1", "2")):
            self.fail(
                line,
                f"the node {_shown(' '.join(fields))} has no valid head and arity",
                "give its category, the place of the head (0 or 1) and the number of children "
                "(1 or 2), with one blank between them",
            )
        self.heads.append(int(fields[1]))
        self.above.append(_Node(len(self.depths) - 1, line, int(fields[2]), []))

    def close(self, line: int) -> None:
        if not self.above:
            self.fail(line, "a node is closed that was not opened", "remove the bracket")
        node = self.above.pop()
        if len(node.children) != node.arity:
            self.fail(
                node.line,
                f"the node {_shown(self.categories[node.node])} has "
                f"{quantity(len(node.children), 'child', 'children')} and the arity {node.arity}",
                "correct one of them",
            )

    def result(self) -> AutoRecord | Malformed:
        try:
            if not self.fault:
                return self._record()
        except TreebankError as error:
            self.fault = str(error)
        return Malformed(self.path, self.line, self.name, "".join(self.texts), self.fault)

    def _record(self) -> AutoRecord:
        if not self.depths:
            self.fail(self.line, "no derivation follows", "give one, or remove the ID line")
        if self.above:
            node = self.above[-1]
            self.fail(
                node.line,
                f"{quantity(len(self.above), 'node')} not closed, the innermost is "
                f"{_shown(self.categories[node.node])}",
                "close what is open",
            )
        tree = Derivation(tuple(self.depths), tuple(self.categories), tuple(self.heads))
        text = "".join(self.texts)
        return AutoRecord(self.path, self.line, self.name, text, tree, tuple(self.leaves))

    def _check(self, line: int, category: str) -> None:
        try:
            parse_category(category)
        except UsageError as error:
            raise TreebankError(f"{self.path}:{line}: sentence {self.name}: {error}") from error


def _shown(text: str) -> str:
    return f"'{text}'" if len(text) <= 60 else f"'{text[:60]}...'"


def read_derivations(path: str | Path) -> Iterator[AutoRecord | Malformed]:
    """Yield the derivations of a file, keeping one in memory; unreadable ones are malformed.

    Raises:
        TreebankError: if the file cannot be read, or has no derivation.
    """
    name, number = display_name(path), 0
    before: list[str] = []
    current: _Open | None = None
    for line_number, line in enumerate(text_lines(path), start=1):
        identity = _ID.match(line)
        if not line.strip(" \t\r\n\ufeff"):
            (current.texts if current else before).append(line)
            continue
        if identity or current is None or current.complete:
            if current:
                yield current.result()
            number += 1
            current = _Open(name, line_number, identity[1] if identity else "", number)
            current.texts += before
            before = []
        current.texts.append(line)
        if not identity and not current.fault:
            try:
                current.read(line_number, line.lstrip("\ufeff"))
            except TreebankError as error:
                current.fault = str(error)
    if current is None:
        raise TreebankError(
            f"{name}: no derivation was found (the file is empty or blank); give a file of "
            "CCGbank, whose name ends in .auto"
        )
    yield current.result()


def auto_line(tree: Derivation, leaves: Sequence[Leaf]) -> str:
    """Write a derivation in the syntax of ``.auto`` files, without a line end."""
    if len(leaves) != tree.words:
        raise UsageError(
            f"{quantity(len(leaves), 'leaf', 'leaves')} for {tree.words} of the derivation; give "
            "one for each"
        )
    wrong = next((field for leaf in leaves for field in leaf if not _FIELD.fullmatch(field)), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} cannot be a field of a leaf; remove blanks and >) from it")
    leaf_of = iter(leaves)
    pieces: list[str] = []
    for node, (depth, category) in enumerate(zip(tree.depths, tree.categories, strict=True)):
        if tree.anchors[node]:
            after = tree.depths[node + 1] if node + 1 < len(tree.depths) else 0
            pieces.append(f"(<L {category} {' '.join(next(leaf_of))}>)" + " )" * (depth - after))
        else:
            pieces.append(f"(<T {category} {tree.heads[node]} {len(tree.children[node])}>")
    return " ".join(pieces)


_FIELD = re.compile(r"(?!.*>\))\S+", re.ASCII)


def with_derivation(record: AutoRecord, tree: Derivation) -> str:
    """Write a record with another derivation, its ID line and its blank lines."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", record.text)  # only newlines end lines
    filled = [place for place, line in enumerate(lines) if line.strip(" \t\r\n\ufeff")]
    first = filled[0] + bool(_ID.match(lines[filled[0]]))
    last = lines[filled[-1]]
    end = last[len(last.rstrip("\r\n")) :]
    written = auto_line(tree, record.leaves) + end
    return "".join((*lines[:first], written, *lines[filled[-1] + 1 :]))


def auto_record(source: Bracketing, conversion: Conversion, number: int) -> AutoRecord:
    """Make the record of a converted derivation, with the number of its sentence from 1."""
    tree = conversion.derivation
    tags = source.tree.tags
    leaves = tuple(
        Leaf(
            tags[leaf - 1], tags[leaf - 1], source.forms[leaf - 1], str(coindex(tree.parsed[node]))
        )
        for leaf, node in zip(conversion.leaves, tree.leaves, strict=True)
    )
    stem = "".join(Path(source.path).name.split()).partition(".")[0] or "sentence"
    name = f"{stem}.{number}"
    text = f"ID={name} PARSER=GOLD NUMPARSE=1\n{auto_line(tree, leaves)}\n"
    return AutoRecord(source.path, source.line, name, text, tree, leaves)


_MARK_TAGS = MARK_TAGS | {"LRB", "RRB", ";"}  # spellings of CCGbank


CcgbankRecord: TypeAlias = VerbatimRecord[AutoRecord | Malformed]
"""A derivation of a file with its tokens."""


@dataclass(frozen=True)
class Ccgbank(DerivationFormat[CcgbankRecord]):
    """Files of derivations, read as dependency trees by the heads of nodes.

    Relations join the categories of the largest constituent of a word and of its parent.
    """

    name = "ccgbank"
    suffixes = (".auto",)
    grammar = "ccg"

    marks: Marks = "slots"

    def read(self, path: str | Path) -> Iterator[Entry[CcgbankRecord]]:
        for parsed in read_derivations(path):
            if isinstance(parsed, Malformed):
                yield malformed_entry(parsed)
            else:
                yield to_entry(_record(parsed), self.marks)

    def read_derivations(
        self, path: str | Path
    ) -> Iterator[Entry[CcgbankRecord, Sentence[Derivation] | Omitted]]:
        for entry in Ccgbank(marks="words").read(path):
            content, source = entry.content, entry.record.source
            if isinstance(content, Sentence) and isinstance(source, AutoRecord):
                sentence = over(content, source.derivation)
                yield Entry(sentence, entry.record, entry.word_ids, entry.notes)
            elif isinstance(content, Omitted):
                yield Entry(content, entry.record)

    def writer(
        self, like: Iterable[Entry[CcgbankRecord]] = ()
    ) -> VerbatimWriter[AutoRecord | Malformed]:
        return VerbatimWriter("derivations", lines=True)

    def derive(self, files: Sequence[str | Path], **options: Any) -> Any:
        return import_module("semipunct.papers.ccg.normalisation").derive(files, **options)

    def compare(self, parsed: str, tests: Sequence[str]) -> Any:
        return import_module("semipunct.papers.ccg.comparison").assess_derivation_file(
            parsed, tests
        )


CCGBANK = Ccgbank()


def read_derived_sentences(paths: Iterable[str | Path]) -> Treebank:
    """Read the sentences of files with their derivations; marks are words."""
    entries = (entry for path in paths for entry in Ccgbank().read_derivations(path))
    return Treebank.of(cast(Iterable[Any], entries))  # Treebank is typed for dependency trees


def _record(source: AutoRecord) -> VerbatimRecord[AutoRecord]:
    forms, tags = [leaf.form for leaf in source.leaves], [leaf.tag for leaf in source.leaves]
    tree = source.derivation.dependencies(labelled=True)
    return VerbatimRecord(source, penn_tokens(forms, tags, tree, _MARK_TAGS))
