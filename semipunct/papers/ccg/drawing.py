r"""Derivations and phrases drawn as text, in the style of papers on categorial grammar.

Words are at the top, with their categories below them. A line below neighbouring constituents ends
with the sign of the rule; their result is below the line::

    Rain     falls
     N    S[dcl]\NP
    ---*
     NP
    --------------<
        S[dcl]

A drawing that is too wide is split: a part that fits is drawn separately, and a number in square
brackets replaces its words in the drawings after it.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from semipunct.errors import UsageError
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.commas.trees import OrderedTree, PhraseTree, without_wrapper
from semipunct.wording import quantity

WIDTH = 100
"""Default number of columns of a drawing."""

GAP = 2
"""Columns between words."""


def draw_derivation(tree: Derivation, forms: Sequence[str], *, width: int = WIDTH) -> str:
    """Draw a derivation, with the signs of ``semipunct.papers.ccg.derivations`` for its rules.

    Args:
        tree: with ``n`` leaves.
        forms: ``[n]`` the words.
        width: the maximum number of columns; wider categories and words are not broken.

    Returns:
        Lines, without an end of line after the last.

    Raises:
        UsageError: if there is not one form for each leaf, the width is not positive, or a label
            is not a category.
    """
    signs = [rule.sign if rule else "" for rule in tree.combinators]
    return _drawing(tree, forms, signs, width)


def draw_phrases(tree: PhraseTree, forms: Sequence[str], *, width: int = WIDTH) -> str:
    """Draw a phrase-structure tree in the same way as a derivation, without signs.

    Brackets without a label around the whole tree are left out.

    Args:
        tree: with ``n`` leaves.
        forms: ``[n]`` the words.
        width: the maximum number of columns; the words of a flat phrase are not separated, and
            labels are not broken.

    Returns:
        Lines, without an end of line after the last.

    Raises:
        UsageError: if there is not one form for each leaf, or the width is not positive.
    """
    bare = without_wrapper(tree)
    return _drawing(bare, forms, [""] * len(bare.depths), width)


def _drawing(tree: OrderedTree, forms: Sequence[str], signs: Sequence[str], width: int) -> str:
    if len(forms) != tree.words:
        raise UsageError(
            f"{quantity(len(forms), 'form')} for {quantity(tree.words, 'leaf', 'leaves')}; give "
            "one form for each leaf"
        )
    if width < 1:
        raise UsageError(f"the width is {width} columns; give at least 1")
    labels = [_visible(label) for label in tree.categories]
    tops = [""] * len(labels)
    for node, form in zip(tree.leaves, forms, strict=True):
        tops[node] = _visible(form)
    cut = _cut(tree, tops, labels, signs, width)
    blocks: list[str] = []
    # Inner parts before the parts that contain them, from left to right.
    for number, node in enumerate(sorted(cut, key=lambda node: _finished(tree, node)), start=1):
        tops[node] = f"[{number}]"
        blocks += (f"{tops[node]}\n\n{_block(tree, node, cut, tops, labels, signs)}", "")
    return "\n".join((*blocks, _block(tree, 0, cut, tops, labels, signs)))


def _finished(tree: OrderedTree, node: int) -> tuple[int, int]:
    """Return a key that sorts a node after all nodes below it or to its left."""
    return tree.right[node], -node


def _cut(
    tree: OrderedTree, tops: Sequence[str], labels: Sequence[str], signs: Sequence[str], width: int
) -> set[int]:
    """Choose the nodes to be drawn separately, so that no drawing is too wide."""
    reference = len(f"[{tree.words}]")
    alone = [max(_cells(label), reference) for label in labels]  # widths of nodes that are cut
    wide = [max(_cells(top), _cells(label)) for top, label in zip(tops, labels, strict=True)]
    cut: set[int] = set()
    for node in range(len(labels) - 1, -1, -1):  # children come after their parents
        children = tree.children[node]
        if not children:
            continue
        least = max(_cells(labels[node]), len(signs[node]) + 1)
        total = sum(wide[child] for child in children) + GAP * (len(children) - 1)
        gains = sorted(
            (alone[child] - wide[child], child) for child in children if tree.children[child]
        )
        for gain, child in gains:
            if total <= width or gain >= 0:
                break
            cut.add(child)
            total += gain
        wide[node] = max(total, least)
    return cut


@dataclass
class _Row:
    """A line: texts with the columns where they begin."""

    pieces: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def __str__(self) -> str:
        line, end = "", 0
        for start, text in sorted(self.pieces):
            line += " " * (start - end) + text
            end = start + _cells(text)
        return line.rstrip()


def _block(
    tree: OrderedTree,
    root: int,
    cut: set[int],
    tops: Sequence[str],
    labels: Sequence[str],
    signs: Sequence[str],
) -> str:
    """Draw a node and everything below it, down to leaves and to other nodes that are cut."""
    nodes: list[int] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if node == root or node not in cut:
            waiting += reversed(tree.children[node])
    inner = {node for node in nodes if tree.children[node] and (node == root or node not in cut)}
    leaves = [node for node in nodes if node not in inner]
    columns = {node: place for place, node in enumerate(leaves)}
    widths = [max(_cells(tops[node]), _cells(labels[node])) for node in leaves]
    first = dict(columns)  # of each node, the first and the last leaf
    last = dict(columns)
    level = dict.fromkeys(leaves, 0)
    for node in reversed(nodes):
        if node not in inner:
            continue
        children = tree.children[node]
        first[node], last[node] = first[children[0]], last[children[-1]]
        level[node] = 1 + max(level[child] for child in children)
        span = widths[first[node] : last[node] + 1]
        least = max(_cells(labels[node]), len(signs[node]) + 1)
        widths[last[node]] += max(0, least - sum(span) - GAP * (len(span) - 1))
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width + GAP)
    rows = [_Row() for _ in range(2 * (level[root] + 1))]
    for node in nodes:
        start, end = starts[first[node]], starts[last[node] + 1] - GAP
        line = tops[node]
        if node in inner:
            line = "-" * (end - start - len(signs[node])) + signs[node]
        for row, text in ((0, line), (1, labels[node])):
            rows[2 * level[node] + row].pieces.append((_centred(start, end, text), text))
    return "\n".join(map(str, rows))


def _centred(start: int, end: int, text: str) -> int:
    return start + (end - start - _cells(text)) // 2


def _visible(text: str) -> str:
    """Replace characters that would shift the following text, such as tabs."""
    return "".join(_shown_characters(text))


def _shown_characters(text: str) -> Iterable[str]:
    for char in text:
        if char.isprintable() or unicodedata.category(char) == "Cf":
            yield char
        else:
            yield " " if char.isspace() else "\N{REPLACEMENT CHARACTER}"


def _cells(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(char) in ("Mn", "Me", "Cf") else
        2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )  # fmt: skip
