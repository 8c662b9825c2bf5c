"""Trees of extreme shapes and any size, to measure the growth of time and memory."""

from typing import Literal

from semipunct.corpus.sentences import Sentence
from semipunct.corpus.synthetic.generation import FORMS, synthetic_sentence
from semipunct.corpus.synthetic.parameters import ROOT
from semipunct.errors import UsageError
from semipunct.marks import Pair
from semipunct.trees import DependencyTree
from semipunct.wording import quantity

Shape = Literal["chain", "chain_left", "flat"]


def scaling_sentence(shape: Shape, words: int, every: int = 8) -> Sentence:
    """Make a deterministic sentence with a tree of an extreme shape, without channel edits.

    Args:
        shape: ``chain`` attaches every word to the one before it, ``chain_left`` to the one after
            it, ``flat`` attaches all to the middle one.
        words: the number of words.
        every: the number of words from one comma to the next; a period ends the sentence.

    Raises:
        UsageError: for fewer than one word or an unknown shape.
    """
    if words < 1 or every < 1:
        raise UsageError(f"{quantity(words, 'word')}, a comma every {every}: give 1 or more")
    middle = (words + 1) // 2
    # Where many constituents end together, commas go to their other side to keep slots short.
    left, right, both_sides = ((",",), ()), ((), (",",)), ((",",), (",",))
    if shape == "chain":
        heads, pair = list(range(words)), left
    elif shape == "chain_left":
        heads, pair = [*range(2, words + 1), 0], right
    elif shape == "flat":
        heads, pair = [0 if w == middle else middle for w in range(1, words + 1)], both_sides
    else:
        raise UsageError(f"shape {shape!r}: give chain, chain_left or flat")
    pairs: list[Pair] = [pair if w % every == 0 else ((), ()) for w in range(1, words + 1)]
    pairs[heads.index(0)] = ((), (".",))
    relations = ["appos" if comma[0] or comma[1] else "nmod" for comma in pairs]
    relations[heads.index(0)] = ROOT
    tree = DependencyTree(tuple(heads), tuple(relations))
    slots = [tuple(slot) for slot in tree.gather(pairs)]
    forms = [f"noun{w % FORMS}" for w in range(words)]
    return synthetic_sentence(f"{shape}-{words}", forms, ["NOUN"] * words, tree, slots)
