"""Lossless reading of bracketed trees with their text and positions, and writing of trees."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from semipunct.corpus.treebank import OUTSIDE
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.lines import text_lines
from semipunct.papers.commas.trees import OrderedTree, PhraseTree, bracket_pieces
from semipunct.papers.commas.verbatim import Malformed
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
        path: the file.
        line: the number of the line of its first bracket, from 1.
        sentence_id: ``#k`` for the k-th tree.
        text: the tree with the white space after it and, for the first tree, before it; the
            concatenated texts of all trees are the file.
        tree: the tree with all leaves.
        forms: ``[n]`` the forms of the leaves.
    """

    path: str
    line: int
    sentence_id: str
    text: str
    tree: PhraseTree
    forms: tuple[str, ...]


class _Open:
    """A partially read tree.

    Attributes:
        fault: where the tree is malformed and how, or empty. From there on only brackets are
            matched, to find the end of the tree.
    """

    def __init__(self, path: str, line: int, number: int) -> None:
        self.path, self.line, self.number = path, line, number
        self.fault = ""
        self.depths: list[int] = []
        self.labels: list[str] = []
        self.forms: list[str] = []
        self.above: list[int] = []  # the lines of open brackets
        self.filled: list[bool] = []  # whether each of them contains a word or a bracket
        self.worded = False  # whether the innermost contains a word
        self.bare = False  # whether it is still empty, so that its label comes next
        self.edge = 0  # the first later line of the tree that starts with a bracket

    @property
    def complete(self) -> bool:
        return not self.above

    def add(self, piece: str, line: int, at_edge: bool) -> None:
        """Add the next bracket or token."""
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

    def result(self, text: str) -> "Bracketing | Malformed":
        name = f"#{self.number}"
        if self.fault:
            return Malformed(self.path, self.line, name, text, self.fault)
        tree = PhraseTree(tuple(self.depths), tuple(self.labels))
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
    """Yield the trees of a file in order, keeping one in memory.

    A tree may span several lines, and a line may contain several trees. What is no tree, although
    its brackets match, is yielded as malformed: a bracket without a word, words side by side, and
    text outside of brackets, which a file may have as a header.

    Args:
        path: a file, ``.gz`` or not, or ``-`` for standard input.

    Raises:
        TreebankError: with file and line, if the file cannot be read or is not UTF-8, if brackets
            do not match, so that it is unclear where trees end, or if there is no bracket.
    """
    name, number = display_name(path), 0
    texts: list[str] = []  # of the current part, which may still lack its trailing white space
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
                break  # no part of such a line belongs to a tree, brackets like that of :) included
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


def write_brackets(tree: OrderedTree, forms: Sequence[str], *, indent: bool = False) -> str:
    """Write a tree in brackets.

    Args:
        tree: a tree with ``n`` leaves.
        forms: ``[n]`` the forms of the leaves.
        indent: whether each phrase, and each word after a phrase, starts a new line, indented by
            two blanks more than the phrase around it; otherwise the tree is one line.

    Returns:
        The text, without a line end.

    Raises:
        UsageError: if the number of forms differs from that of leaves, a form or label contains a
            bracket or white space, or a required one is missing.
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
    pieces = bracket_pieces(tree.depths, tree.categories, forms)
    if indent:
        for node in range(1, len(pieces)):
            inside_wrapper = tree.parents[node] == node - 1 and not tree.categories[node - 1]
            beside = tree.anchors[node] and tree.depths[node] >= tree.depths[node - 1]
            if not inside_wrapper and not beside:
                pieces[node - 1] = pieces[node - 1].rstrip(" ") + "\n" + "  " * tree.depths[node]
    return "".join(pieces)
