"""Punctuation as properties: flags from marks, and their propagation (Ma, Zhang and Zhu 2014)."""

import jax.numpy as jnp
import pytest

from semipunct.papers.transitions.encoding import Flag, attach_marks, propagate_properties
from semipunct.papers.transitions.search import LEFT, RIGHT

Q, B, EQ, EB = Flag.QUOTE_OPENS, Flag.BRACKET_OPENS, Flag.QUOTE_CLOSES, Flag.BRACKET_CLOSES
N, P = Flag.OTHER, Flag.PAIRED


def slots(text: str) -> tuple[int, list[tuple[str, ...]]]:
    """Words are letters; all other characters are marks."""
    marks: list[list[str]] = [[]]
    for piece in text.split():
        if piece.isalpha():
            marks.append([])
        else:
            marks[-1].append(piece)
    return len(marks) - 1, [tuple(slot) for slot in marks]


@pytest.mark.parametrize(
    "text, expected",
    [
        # Figure 1 of the paper, shortened: the comma next to the closing mark is skipped.
        ("“ a b , ” c d .", [Q, EQ, 0, N]),
        ("a , b ( c ) d", [N, 0, P, 0]),
        # Section 3.2: two opening marks at one word.
        ("( “ a b , ” c . d )", [Q | B, EQ, N, EB]),
        ("`` a '' -LRB- b -RRB-", [P, P]),
        ("“ a ” , b", [P, 0]),
        ("a , “ b c ”", [N, Q, EQ]),
        ("” a b “", [0, 0]),  # no word on the relevant side
        ("a ” b", [EQ, 0]),  # no partner: the property of a single side
        ("a “ b", [0, Q]),
        ('" a b " c', [Q, EQ, 0]),
        ("a ' b", [N, 0]),  # a straight mark without a partner is like any other mark
        ("« a » b „ c “", [P, 0, P]),
        ("» a b «", [Q, EQ]),
        ("a ( ) b", [N, 0]),  # nothing between them
        ("a b c", [0, 0, 0]),
        (", a", [0]),
        ("¡ a !", [N]),  # sentence marks are not paired
        ("[ a ) b ] c", [P, EB, 0]),  # flags of one kind are paired, whichever marks match
    ],
)
def test_marks_become_properties_of_words(text: str, expected: list[int]):
    words, marks = slots(text)
    assert attach_marks(marks, others=True).properties == expected
    assert len(expected) == words


def test_other_marks_stay_where_only_paired_ones_are_properties():
    _, marks = slots("a , “ b , c , ” , d .")
    attached = attach_marks(marks, others=False)
    assert attached.properties == [0, Q, EQ, 0]
    assert attached.absorbed == [[], [False, True], [False], [True, True, False], [False]]
    assert all(all(gone) for gone in attach_marks(marks, others=True).absorbed)


@pytest.mark.parametrize(
    "head, dependent, side, expected",
    [
        (0, Q, LEFT, Q),
        (EQ, Q, LEFT, P),
        (EQ | EB, Q | B, LEFT, P),
        # Section 3.2: the quotation marks are complete, the bracket is still open, so no Paired.
        (EQ, Q | B, LEFT, B),
        (B, EB, RIGHT, P),
        (0, EB, RIGHT, EB),
        (0, EQ, LEFT, 0),  # a closing mark within the tree is not at its boundary
        (0, Q, RIGHT, 0),
        (0, N, RIGHT, N),
        (N, 0, RIGHT, 0),  # the dependent determines the right edge
        (N, N, LEFT, N),
        (0, N, LEFT, 0),
        (Q, N, RIGHT, Q),  # section 3.3: boundaries come first
        (N, Q, LEFT, Q),
        (P, 0, LEFT, P),
        (0, P, RIGHT, 0),  # of the dependent's tree
        (P, Q, LEFT, Q),
    ],
)
def test_properties_pass_up(head: int, dependent: int, side: int, expected: int):
    properties = propagate_properties(jnp.array([int(head)]), jnp.array([int(dependent)]), side)
    assert Flag(int(properties[0])) == Flag(expected)
