"""Tokens with tags of the Penn Treebank, and heads from a tree of another kind."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from semipunct.corpus import Sentence
from semipunct.corpus.sentences import MISSING
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu.records import Token
from semipunct.trees import DependencyTree
from semipunct.trees.ordered import OrderedTree

T = TypeVar("T", bound=OrderedTree)


def penn_tokens(
    forms: Sequence[str], tags: Sequence[str], tree: DependencyTree, mark_tags: Collection[str]
) -> tuple[Token, ...]:
    """Make the tokens of a sentence, in which marks are not heads if there is a word.

    A dependent of a mark (in a phrase of marks only) is attached to the nearest word above it.

    Args:
        forms: ``[n]``.
        tags: ``[n]`` tags of the Penn Treebank.
        tree: a tree of ``n`` words, whose root is a mark only if all words are.
        mark_tags: the tags of punctuation.
    """
    heads = list(tree.heads)
    for node in tree.order:  # heads come before their dependents
        head = heads[node]
        if head and heads[head - 1] and tags[head - 1] in mark_tags:
            heads[node] = heads[head - 1]
    rows = zip(forms, tags, heads, tree.relations, strict=True)
    return tuple(
        Token(
            place + 1,
            form,
            MISSING,
            PUNCTUATION if tag in mark_tags else MISSING,
            tag,
            MISSING,
            head,
            relation,
            place,
        )
        for place, (form, tag, head, relation) in enumerate(rows)
    )


def over(sentence: Sentence, tree: T) -> Sentence[T]:
    """Return a sentence with another tree.

    Args:
        sentence: any.
        tree: the tree over the same words.
    """
    s = sentence
    columns = (s.forms, s.lemmas, s.upos, s.xpos, s.feats)
    return Sentence(
        s.sentence_id, s.path, s.line, *columns, tree, s.slots, closed=s.closed, source=s.source
    )
