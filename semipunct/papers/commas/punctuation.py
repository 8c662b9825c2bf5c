"""Bracketed trees written with new punctuation, or from the phrases of a parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, NoReturn

from semipunct.corpus import Entry, Sentence
from semipunct.corpus.located import BLANKS
from semipunct.corpus.sentences import dotted_forms
from semipunct.errors import UsageError
from semipunct.marks import ABBREVIATION, SILENT, SPECIAL_TOKENS, Puncteme
from semipunct.marks.gaps import kept_tokens
from semipunct.marks.penn import escape, tagged_mark
from semipunct.marks.spacing import visible
from semipunct.papers.commas.brackets import FORM, PIECE, Bracketing, write_brackets
from semipunct.papers.commas.trees import EMPTY, PhraseTree
from semipunct.papers.commas.verbatim import Malformed, VerbatimRecord
from semipunct.wording import quantity

_DOT = "."


class _Edit(NamedTuple):
    """A span of the text and its replacement."""

    start: int
    end: int
    text: str


def punctuate_entry(
    entry: Entry[VerbatimRecord[Bracketing | Malformed]], slots: Sequence[Puncteme]
) -> str:
    """Return the text of an entry with other punctuation.

    Args:
        entry: the entry as read, with punctuation in slots.
        slots: ``[n + 1]`` strings of tokens.

    Raises:
        UsageError: if the sentence was omitted, the number of slots is wrong, a token cannot be
            written, or the tree has no phrase that can contain a mark.
    """
    content, source = entry.content, entry.record.source
    if not isinstance(content, Sentence) or isinstance(source, Malformed):
        _fail(source, "has no words between which marks could stand", "leave it as it is")
    if len(slots) != len(content.slots):
        problem = f"{quantity(len(slots), 'slot')} for {quantity(content.size, 'word')}"
        _fail(source, problem, "give one more than there are words")
    tree = source.tree
    spans, ends = _places(source.text)
    # The nodes of the tokens of the sentence: words, and the marks before each and after the last.
    tokens = [node for node in tree.leaves if tree.categories[node] != EMPTY]
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
    """Find the brackets of all nodes in the text, and the ends of the forms of leaves."""
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


def _top(tree: PhraseTree) -> int:
    """Return the topmost node that has a label or several children."""
    node = 0
    while not tree.categories[node] and len(tree.children[node]) == 1:
        node = tree.children[node][0]
    return node


def _insertion(
    source: Bracketing,
    tree: PhraseTree,
    spans: Sequence[tuple[int, int]],
    top: int,
    left: int | None,
    right: int | None,
    text: str,
) -> _Edit:
    """Insert a mark between two leaves, or before or after all of them."""
    inside = left if left is not None else right
    if inside is None or tree.anchors[top]:
        _fail(source, "is a single word without a phrase", "put the word in one, as (X (UH yes))")
    shared = {top} if left is None or right is None else _above(tree, right)
    node = inside
    while tree.parents[node] not in shared:
        node = tree.parents[node]
    place = spans[node][0] if left is None else spans[node][1]
    return _Edit(place, place, f"{text} " if left is None else f" {text}")


def _above(tree: PhraseTree, node: int) -> set[int]:
    ancestors: set[int] = set()
    while (node := tree.parents[node]) >= 0:
        ancestors.add(node)
    return ancestors


def _cuts(
    text: str, tree: PhraseTree, spans: Sequence[tuple[int, int]], gone: set[int]
) -> list[_Edit]:
    """Remove nodes, the phrases that become empty, and the space before them."""
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
    # Insertions come before a removal at the same position, in the order of creation.
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


def write_phrases(sentence: Sentence[PhraseTree]) -> str:
    """Write the phrases of a sentence in brackets, with the marks of its slots and a line end.

    Marks are attached as high as possible; brackets in words are written as ``-LRB-`` and
    ``-RRB-``, blanks in them as no-break spaces.

    Args:
        sentence: a sentence with phrases and marks.

    Raises:
        UsageError: if a label cannot be written, such as one that contains a blank.
    """
    tree = sentence.tree
    if tree.categories[0]:  # the Penn Treebank has an unlabelled bracket around each tree
        tree = PhraseTree((0, *(d + 1 for d in tree.depths)), ("", *tree.categories))
    forms = tuple(escape(BLANKS.sub(_NO_BREAK, form)) for form in dotted_forms(sentence))
    source = Bracketing(
        sentence.path, sentence.line, sentence.sentence_id, write_brackets(tree, forms), tree, forms
    )
    bare = replace(sentence, forms=forms, slots=((),) * len(sentence.slots))
    slots = [tuple(token for token in slot if token not in SILENT) for slot in sentence.slots]
    entry = Entry(bare, VerbatimRecord(source, ()), tuple(range(1, sentence.size + 1)))
    return punctuate_entry(entry, slots) + "\n"  # pyright: ignore[reportArgumentType]
