"""Directions of the straight quotation marks in a record."""

from collections.abc import Sequence

from semipunct.formats.conllu.records import Token
from semipunct.marks.quotes import Mark, directional


def directional_quotes(
    tokens: Sequence[Token], is_punctuation: Sequence[bool]
) -> tuple[list[str], int, int]:
    """Replace straight quotation marks by opening and closing ones.

    Paired marks have the same head, see ``marks.quotes.directional``.

    Args:
        tokens: words and punctuation of a sentence.
        is_punctuation: which of them are punctuation; others (an apostrophe of *'s*) are unchanged.

    Returns:
        The forms of all tokens, the number of marks replaced, and the number left straight.
    """
    marks = [
        Mark(token.form, token.xpos, token.head) if punctuation else None
        for token, punctuation in zip(tokens, is_punctuation, strict=True)
    ]
    quotes, replaced, straight = directional(marks)
    forms = [form or token.form for form, token in zip(quotes, tokens, strict=True)]
    return forms, replaced, straight
