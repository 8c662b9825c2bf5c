"""Lossless reading of bracketed trees with their text and positions, and writing of trees."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.lines import text_lines
from semipunct.trees.ordered import OrderedTree, bracket_pieces
from semipunct.trees.phrases import PhraseTree
from semipunct.wording import counted

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
    """A partially read tree."""

    def __init__(self, path: str, line: int, number: int) -> None:
        self.path, self.line, self.number = path, line, number
        self.depths: list[int] = []
        self.labels: list[str] = []
        self.forms: list[str] = []
        self.above: list[int] = []  # the lines of open brackets
        self.filled: list[bool] = []  # whether each of them contains a word or a bracket
        self.worded = False  # whether the innermost contains a word
        self.bare = False  # whether it is still empty, so that its label comes next
        self.edge = 0  # the first later line of the tree that starts with a bracket

    def fail(self, line: int, problem: str, remedy: str) -> NoReturn:
        raise TreebankError(f"{self.path}:{line}: sentence #{self.number}: {problem}; {remedy}")

    def add(self, piece: str, line: int, at_edge: bool) -> bool:
        """Add the next bracket or token; return whether the tree is complete."""
        if piece == "(":
            if at_edge and self.above and not self.edge:
                self.edge = line
            if self.worded:
                self.fail(line, f"a bracket follows the word {self.forms[-1]!r}", _LEAF)
            if self.filled:
                self.filled[-1] = True
            self.depths.append(len(self.above))
            self.labels.append("")
            self.above.append(line)
            self.filled.append(False)
            self.bare = True
        elif piece == ")":
            if not self.filled[-1]:
                self.fail(
                    line,
                    f"the bracket ({self.labels[-1]} has no word in it",
                    "give it words, or leave it out",
                )
            self.above.pop()
            self.filled.pop()
            self.worded = self.bare = False
        elif self.bare:
            self.labels[-1] = piece
            self.bare = False
        elif self.filled[-1]:
            self.fail(line, f"the word {piece!r} stands beside another word or a bracket", _LEAF)
        else:
            self.forms.append(piece)
            self.filled[-1] = self.worded = True
        return not self.above

    def unfinished(self) -> NoReturn:
        count = len(self.above)
        hint = f"; the first after it that begins a line is in line {self.edge}" * bool(self.edge)
        what = "bracket is" if count == 1 else "brackets are"
        self.fail(
            self.line,
            f"{count} {what} not closed before the end of the file, the innermost opened in line "
            f"{self.above[-1]}{hint}",
            "close what is open",
        )

    def bracketing(self, text: str) -> Bracketing:
        return Bracketing(
            self.path,
            self.line,
            f"#{self.number}",
            text,
            PhraseTree(tuple(self.depths), tuple(self.labels)),
            tuple(self.forms),
        )


_LEAF = "give each word a bracket of its own, with its part of speech: (NN dog)"


def read_bracketings(path: str | Path) -> Iterator[Bracketing]:
    """Yield the trees of a file in order, keeping one in memory.

    A tree may span several lines, and a line may contain several trees.

    Args:
        path: a file, ``.gz`` or not, or ``-`` for standard input.

    Raises:
        TreebankError: with file and line, if the file cannot be read or is not UTF-8, if brackets
            do not match, a bracket contains no word, a word is outside brackets, or if there is no
            tree.
    """
    name, number = display_name(path), 0
    texts: list[str] = []  # of the tree being read, which may still lack its trailing white space
    tree: _Open | None = None
    complete = False
    for line_number, line in enumerate(text_lines(path), start=1):
        start = 0
        first = len(BYTE_ORDER_MARK) if line_number == 1 and line.startswith(BYTE_ORDER_MARK) else 0
        for found in PIECE.finditer(line, first):
            if tree is None or complete:
                if found[0] != "(":
                    problem = "a bracket is closed that was not opened"
                    if found[0] != ")":
                        problem = f"{found[0]!r} stands outside of brackets"
                    raise TreebankError(
                        f"{name}:{line_number}: after {counted(number, 'tree')} {problem}; give "
                        "trees in brackets, such as (S (NP (NN rain)) (VP (VBZ falls)))"
                    )
                if tree:
                    yield tree.bracketing("".join((*texts, line[start : found.start()])))
                    texts, start = [], found.start()
                number += 1
                tree = _Open(name, line_number, number)
            complete = tree.add(found[0], line_number, found.start() == first)
        texts.append(line[start:])
    if tree is None:
        raise TreebankError(f"{name}: no tree was found; give a file of trees in brackets")
    if not complete:
        tree.unfinished()
    yield tree.bracketing("".join(texts))


def bracketed(tree: OrderedTree, forms: Sequence[str], *, indent: bool = False) -> str:
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
            f"{counted(len(forms), 'form')} for {counted(tree.words, 'leaf', 'leaves')}"
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
