"""Bracketed trees, as in the Penn Treebank, reproduced byte for byte."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

from semipunct.corpus import Entry, Omitted, Sentence, Treebank
from semipunct.corpus.located import BLANKS
from semipunct.corpus.sentences import dotted_forms
from semipunct.corpus.treebank import OUTSIDE
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.base import Format
from semipunct.formats.conllu.reading import Marks, to_entry
from semipunct.formats.lines import text_lines
from semipunct.formats.registry import format_of
from semipunct.marks import ABBREVIATION, SILENT, SPECIAL_TOKENS, Puncteme
from semipunct.marks.penn import MARK_TAGS, escape, tagged_mark
from semipunct.marks.quotes import kept_tokens
from semipunct.marks.spacing import visible
from semipunct.papers.commas import trees
from semipunct.papers.commas.verbatim import (
    Malformed,
    VerbatimRecord,
    VerbatimWriter,
    malformed_entry,
    over,
    penn_tokens,
)
from semipunct.trees import DependencyTree
from semipunct.wording import quantity

BYTE_ORDER_MARK = "\ufeff"

# Only ASCII white space separates tokens: words may contain other blanks.
PIECE = re.compile(r"[()]|[^()\s]+", re.ASCII)
"""A bracket, a label or a form."""

FORM = re.compile(r"[^()\s]+", re.ASCII)
"""A label or a form."""


@dataclass(frozen=True, slots=True)
class Bracketing:
    """A tree of a file as read.

    Attributes:
        line: line of the first bracket.
        sentence_id: ``#k`` for the k-th tree.
        text: the tree with white space; concatenated, the texts are the file.
        tree: the tree with empty elements.
        forms: ``[n]``, of all leaves.
    """

    path: str
    line: int
    sentence_id: str
    text: str
    tree: trees.PhraseTree
    forms: tuple[str, ...]


class _Open:
    """A partially read tree; after a fault only brackets are matched, to find its end."""

    def __init__(self, path: str, line: int, number: int) -> None:
        self.path, self.line, self.number = path, line, number
        self.fault = ""
        self.depths: list[int] = []
        self.labels: list[str] = []
        self.forms: list[str] = []
        self.above: list[int] = []  # lines of the open brackets
        self.filled: list[bool] = []  # whether each contains a word or a bracket
        self.worded = False  # whether the innermost contains a word
        self.bare = False  # whether it is empty, so that its label comes next
        self.edge = 0  # the first later line of the tree that starts with a bracket

    @property
    def complete(self) -> bool:
        return not self.above

    def add(self, piece: str, line: int, at_edge: bool) -> None:
        if piece == "(":
            self._open(line, at_edge)
        elif piece == ")":
            self._close(line)
        elif self.bare:
            self.labels[-1] = piece
            self.bare = False
        elif self.filled[-1]:
            problem = f"the word {piece!r} stands beside another word or a bracket"
            self._note(line, problem, _LEAF)
        else:
            self.forms.append(piece)
            self.filled[-1] = self.worded = True

    def _open(self, line: int, at_edge: bool) -> None:
        if at_edge and self.above and not self.edge:
            self.edge = line
        if self.worded:
            self._note(line, f"a bracket follows the word {self.forms[-1]!r}", _LEAF)
        if self.filled:
            self.filled[-1] = True
        self.depths.append(len(self.above))
        self.labels.append("")
        self.above.append(line)
        self.filled.append(False)
        self.bare = True

    def _close(self, line: int) -> None:
        if not self.filled[-1]:
            problem = f"the bracket ({self.labels[-1]} has no word in it"
            self._note(line, problem, "give it words, or leave it out")
        self.above.pop()
        self.filled.pop()
        self.worded = self.bare = False

    def _note(self, line: int, problem: str, remedy: str) -> None:
        self.fault = self.fault or self._message(line, problem, remedy)

    def _message(self, line: int, problem: str, remedy: str) -> str:
        return f"{self.path}:{line}: sentence #{self.number}: {problem}; {remedy}"

    def unfinished(self) -> NoReturn:
        count = len(self.above)
        hint = f"; the first after it that begins a line is in line {self.edge}" * bool(self.edge)
        subject = "bracket is" if count == 1 else "brackets are"
        problem = (
            f"{count} {subject} not closed before the end of the file, the innermost opened in "
            f"line {self.above[-1]}{hint}"
        )
        raise TreebankError(self._message(self.line, problem, "close what is open"))

    def result(self, text: str) -> Bracketing | Malformed:
        name = f"#{self.number}"
        if self.fault:
            return Malformed(self.path, self.line, name, text, self.fault)
        tree = trees.PhraseTree(tuple(self.depths), tuple(self.labels))
        return Bracketing(self.path, self.line, name, text, tree, tuple(self.forms))


class _Outside:
    """Text between trees, such as the header of a file."""

    complete = True

    def __init__(self, path: str, line: int, number: int, piece: str) -> None:
        self.path, self.line, self.number = path, line, number
        self.fault = (
            f"{path}:{line}: after {quantity(number, 'tree')} {piece!r} stands outside of brackets"
        )

    def result(self, text: str) -> Malformed:
        name = f"before #{self.number + 1}"
        return Malformed(self.path, self.line, name, text, self.fault, OUTSIDE)


_LEAF = "give each word a bracket of its own, with its part of speech: (NN dog)"
_TREE = "give trees in brackets, such as (S (NP (NN rain)) (VP (VBZ falls)))"


def read_bracketings(path: str | Path) -> Iterator[Bracketing | Malformed]:
    """Yield the trees of a file, keeping one in memory; text that is not a tree is malformed.

    Raises:
        TreebankError: if the file cannot be read, has no bracket, or has unmatched brackets.
    """
    name, number = display_name(path), 0
    texts: list[str] = []  # of the current tree, up to its trailing white space
    current: _Open | _Outside | None = None
    for line_number, line in enumerate(text_lines(path), start=1):
        start = 0
        first = len(BYTE_ORDER_MARK) if line_number == 1 and line.startswith(BYTE_ORDER_MARK) else 0
        for match in PIECE.finditer(line, first):
            piece, place = match[0], match.start()
            if isinstance(current, _Open) and not current.complete:
                current.add(piece, line_number, place == first)
                continue
            if piece == ")":
                raise TreebankError(
                    f"{name}:{line_number}: after {quantity(number, 'tree')} a bracket is closed "
                    f"that was not opened; {_TREE}"
                )
            if piece == "(" or not isinstance(current, _Outside):
                if current:
                    yield current.result("".join((*texts, line[start:place])))
                    texts, start = [], place
                if piece == "(":
                    number += 1
                    current = _Open(name, line_number, number)
                    current.add(piece, line_number, place == first)
                    continue
                current = _Outside(name, line_number, number, piece)
            if "(" not in line and not line[first:place].strip():
                break  # no tree on this line, even if it contains a bracket, as in :)
        texts.append(line[start:])
    if not number:
        fault = (
            current.fault if current else f"{name}: no tree was found (the file is empty or blank)"
        )
        raise TreebankError(f"{fault}; {_TREE}")
    if isinstance(current, _Open) and not current.complete:
        current.unfinished()
    if current:
        yield current.result("".join(texts))


def write_brackets(tree: trees.OrderedTree, forms: Sequence[str], *, indent: bool = False) -> str:
    """Write a tree in brackets, without a line end.

    With ``indent``, each phrase, and each word after a phrase, starts an indented line.
    """
    leaves = zip(tree.tags, forms, strict=False)
    wrong = next(
        (part for part in (*forms, *filter(None, tree.categories)) if not FORM.fullmatch(part)),
        next((tag for tag, _ in leaves if not tag), None),
    )
    if len(forms) != tree.words or wrong is not None:
        raise UsageError(
            f"{quantity(len(forms), 'form')} for {quantity(tree.words, 'leaf', 'leaves')}"
            if wrong is None
            else f"{wrong!r} cannot be a form or a label in a file of brackets; "
            "write brackets as -LRB- and -RRB-, and remove blanks"
        )
    pieces = trees.bracket_pieces(tree.depths, tree.categories, forms)
    if indent:
        for node in range(1, len(pieces)):
            inside_wrapper = tree.parents[node] == node - 1 and not tree.categories[node - 1]
            beside = tree.anchors[node] and tree.depths[node] >= tree.depths[node - 1]
            if not inside_wrapper and not beside:
                pieces[node - 1] = pieces[node - 1].rstrip(" ") + "\n" + "  " * tree.depths[node]
    return "".join(pieces)


_DOT = "."


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def punctuate_entry(
    entry: Entry[VerbatimRecord[Bracketing | Malformed]], slots: Sequence[Puncteme]
) -> str:
    """Return the text of an entry with other punctuation.

    Raises:
        UsageError: if the sentence was omitted, or a mark cannot be written.
    """
    content, source = entry.content, entry.record.source
    if not isinstance(content, Sentence) or isinstance(source, Malformed):
        _fail(source, "has no words between which marks could stand", "leave it as it is")
    if len(slots) != len(content.slots):
        problem = f"{quantity(len(slots), 'slot')} for {quantity(content.size, 'word')}"
        _fail(source, problem, "give one more than there are words")
    tree = source.tree
    spans, ends = _places(source.text)
    # The nodes of the words, and of the marks before each word and after the last.
    tokens = [node for node in tree.leaves if tree.categories[node] != trees.EMPTY]
    words = [tokens[number - 1] for number in entry.word_ids]
    edges = [0, *entry.word_ids, len(tokens) + 1]
    marks_before = [tokens[a : b - 1] for a, b in pairwise(edges)]
    edits: list[_Edit] = []
    gone: set[int] = set()
    top = _top(tree)
    rows = zip(visible(content.slots), visible(slots), strict=True)
    for slot, (was, requested) in enumerate(rows):
        before = ABBREVIATION in content.slots[slot]
        after = ABBREVIATION in slots[slot]
        if slots[slot].count(ABBREVIATION) > (slot > 0):
            _fail(source, f"slot {slot} has an abbreviation's dot too many", "give it once, first")
        if before != after:
            end = ends[words[slot - 1]]
            edits.append(_Edit(end - before, end, _DOT * after))
        numbers = kept_tokens(was, requested)
        gone |= {
            node for place, node in enumerate(marks_before[slot], start=1) if place not in numbers
        }
        left = words[slot - 1] if slot else None
        for place, (token, number) in enumerate(zip(requested, numbers, strict=True)):
            if number:
                left = marks_before[slot][number - 1]
                continue
            following = next((marks_before[slot][k - 1] for k in numbers[place:] if k), None)
            right = following if following is not None else (*words, None)[slot]
            edits.append(_insertion(source, tree, spans, top, left, right, _written(source, token)))
    edits += _cuts(source.text, tree, spans, gone)
    return _edited(source.text, edits)


def _places(text: str) -> tuple[list[tuple[int, int]], dict[int, int]]:
    """Find the spans of nodes in the text, and the ends of forms."""
    spans: list[tuple[int, int]] = []
    ends: dict[int, int] = {}
    above: list[int] = []
    for match in PIECE.finditer(text):
        if match[0] == "(":
            above.append(len(spans))
            spans.append((match.start(), 0))
        elif match[0] == ")":
            node = above.pop()
            spans[node] = (spans[node][0], match.end())
        elif above:
            ends[above[-1]] = match.end()  # the last token of a leaf is its form
    return spans, ends


def _top(tree: trees.PhraseTree) -> int:
    """Return the highest node with a label or several children."""
    node = 0
    while not tree.categories[node] and len(tree.children[node]) == 1:
        node = tree.children[node][0]
    return node


def _insertion(
    source: Bracketing,
    tree: trees.PhraseTree,
    spans: Sequence[tuple[int, int]],
    top: int,
    left: int | None,
    right: int | None,
    text: str,
) -> _Edit:
    inside = left if left is not None else right
    if inside is None or tree.anchors[top]:
        _fail(source, "is a single word without a phrase", "put the word in one, as (X (UH yes))")
    shared = {top} if left is None or right is None else _above(tree, right)
    node = inside
    while tree.parents[node] not in shared:
        node = tree.parents[node]
    place = spans[node][0] if left is None else spans[node][1]
    return _Edit(place, place, f"{text} " if left is None else f" {text}")


def _above(tree: trees.PhraseTree, node: int) -> set[int]:
    ancestors: set[int] = set()
    while (node := tree.parents[node]) >= 0:
        ancestors.add(node)
    return ancestors


def _cuts(
    text: str, tree: trees.PhraseTree, spans: Sequence[tuple[int, int]], gone: set[int]
) -> list[_Edit]:
    for node in range(len(spans) - 1, -1, -1):  # children come after their parents
        if tree.children[node] and gone.issuperset(tree.children[node]):
            gone.add(node)
    cuts: list[_Edit] = []
    for node in gone:
        if tree.parents[node] not in gone:
            start, end = spans[node]
            cuts.append(_Edit(len(text[:start].rstrip(" \t\r\n\f\v")), end, ""))
    return cuts


def _edited(text: str, edits: list[_Edit]) -> str:
    pieces: list[str] = []
    place = 0
    # At equal positions, insertions precede removals and keep their order.
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += (text[place : edit.start], edit.text)
        place = max(place, edit.end)
    return "".join((*pieces, text[place:]))


def _written(source: Bracketing, token: str) -> str:
    tag, form = tagged_mark(token)
    if token in SPECIAL_TOKENS or not FORM.fullmatch(form):
        _fail(source, f"the token {token!r} cannot be written", "give a mark without blanks")
    return f"({tag} {form})"


def _fail(source: Bracketing | Malformed, problem: str, remedy: str) -> NoReturn:
    raise UsageError(
        f"{source.path}:{source.line}: sentence {source.sentence_id}: {problem}; {remedy}"
    )


_NO_BREAK = "\u00a0"


def write_phrases(sentence: Sentence[trees.PhraseTree]) -> str:
    """Write a sentence in brackets, with its marks attached as high as possible, and a line end."""
    tree = sentence.tree
    if tree.categories[0]:  # the Penn Treebank wraps each tree in an unlabelled bracket
        tree = trees.PhraseTree((0, *(d + 1 for d in tree.depths)), ("", *tree.categories))
    forms = tuple(escape(BLANKS.sub(_NO_BREAK, form)) for form in dotted_forms(sentence))
    source = Bracketing(
        sentence.path, sentence.line, sentence.sentence_id, write_brackets(tree, forms), tree, forms
    )
    bare = replace(sentence, forms=forms, slots=((),) * len(sentence.slots))
    slots = [tuple(token for token in slot if token not in SILENT) for slot in sentence.slots]
    entry = Entry(bare, VerbatimRecord(source, ()), tuple(range(1, sentence.size + 1)))
    return punctuate_entry(entry, slots) + "\n"  # pyright: ignore[reportArgumentType]


PtbRecord: TypeAlias = VerbatimRecord[Bracketing | Malformed]
"""A tree of a file with its tokens."""


@dataclass(frozen=True)
class Ptb(Format[PtbRecord]):
    """Files of phrase-structure trees, read as dependency trees by head rules.

    Relations are as in ``trees.dependencies``. Marks without a tag in ``mark_tags`` are words.
    """

    name = "ptb"
    suffixes = (".mrg", ".ptb")

    marks: Marks = "slots"
    mark_tags: Collection[str] = MARK_TAGS
    table: trees.HeadTable = trees.COLLINS

    def read(self, path: str | Path) -> Iterator[Entry[PtbRecord]]:
        for parsed in map(_with_words, read_bracketings(path)):
            if isinstance(parsed, Malformed):
                yield malformed_entry(parsed)
            else:
                yield to_entry(_record(parsed, self.mark_tags, self.table), self.marks)

    def read_phrases(
        self, path: str | Path
    ) -> Iterator[Entry[PtbRecord, Sentence[trees.PhraseTree] | Omitted]]:
        for entry in self.read(path):
            content, source = entry.content, entry.record.source
            if isinstance(content, Sentence) and isinstance(source, Bracketing):
                tree = trees.without_empty(source.tree)
                if self.marks == "slots":
                    tree = trees.prune_words(tree, trees.words_with_tags(tree, self.mark_tags))
                yield Entry(over(content, tree), entry.record, entry.word_ids, entry.notes)
            elif isinstance(content, Omitted):
                yield Entry(content, entry.record, entry.word_ids, entry.notes)

    def writer(
        self, like: Iterable[Entry[PtbRecord]] = ()
    ) -> VerbatimWriter[Bracketing | Malformed]:
        return VerbatimWriter("trees in brackets", lines=False, rewrite=punctuate_entry)


def _with_words(parsed: Bracketing | Malformed) -> Bracketing | Malformed:
    if isinstance(parsed, Malformed) or set(parsed.tree.tags) != {trees.EMPTY}:
        return parsed
    fault = (
        f"{parsed.path}:{parsed.line}: sentence {parsed.sentence_id}: the tree has no word, only "
        "empty elements; leave it out"
    )
    return Malformed(parsed.path, parsed.line, parsed.sentence_id, parsed.text, fault)


def _record(
    parsed: Bracketing, mark_tags: Collection[str], table: trees.HeadTable
) -> VerbatimRecord[Bracketing]:
    gone = set(trees.words_with_tags(parsed.tree, (trees.EMPTY,)))
    tree = trees.prune_words(parsed.tree, gone)
    forms = [form for word, form in enumerate(parsed.forms, start=1) if word not in gone]
    return VerbatimRecord(parsed, penn_tokens(forms, tree.tags, _arcs(tree, table), mark_tags))


def _arcs(tree: trees.PhraseTree, table: trees.HeadTable) -> DependencyTree:
    return trees.dependencies(tree, trees.head_children(tree, table), labelled=True)


PTB = Ptb()


def read_phrases(
    paths: Iterable[str | Path], mark_tags: Collection[str]
) -> Iterator[Entry[PtbRecord, Sentence[trees.PhraseTree] | Omitted]]:
    """Yield the sentences of files of bracketed trees with their phrases.

    Unknown suffixes, as of standard input, are accepted.

    Raises:
        TreebankError: if a file is missing or damaged, or its format has no phrases.
    """
    for path in paths:
        name = format_of(path, default=PTB.name).name
        if name != PTB.name and Path(str(path).removesuffix(".gz")).suffix:
            raise TreebankError(
                f"{path}: files of the format {name} have no phrases; give trees in brackets "
                f"({', '.join(PTB.suffixes)})"
            )
        yield from Ptb(mark_tags=mark_tags).read_phrases(path)


COMMA_TAGS = frozenset((",",))
"""The tags of the marks that comma models predict; all other marks are words."""


def read_commas(paths: Iterable[str | Path]) -> Treebank:
    """Read files with phrases, with only commas in slots."""
    return _with_phrases(paths, COMMA_TAGS)


def read_whole_phrases(paths: Iterable[str | Path]) -> Treebank:
    """Read files with phrases, with all marks among the words."""
    return _with_phrases(paths, ())


def _with_phrases(paths: Iterable[str | Path], mark_tags: Collection[str]) -> Treebank:
    # Treebank is typed for dependency trees.
    return Treebank.of(cast(Iterable[Any], read_phrases(paths, mark_tags)))
