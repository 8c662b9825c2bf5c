"""Marks beside marks: which inserted mark may stand beside a mark that is part of a word.

A name such as *Yahoo!*, a list number such as *1)* and an emoticon are words that end in marks. A
second sentence end beside such a mark, or a weaker point after a point, would be a doubled mark
(Nunberg's absorption), although no slot contains both.
"""

import unicodedata

from semipunct.marks.emoticons import is_emoticon, is_picture
from semipunct.marks.tokens import Puncteme

ENDS = frozenset(".!?…‼⁇⁈⁉。！？｡؟۔।॥։።፧၊။។៕")
"""Characters that end a sentence."""

SEPARATORS = frozenset(",;:，；：、､،؛፣፤፥·")
"""Characters that separate parts of a sentence."""

SIGNS = frozenset("#%&@*\\§¶†‡‰‱•‣◦⁃_~^|+=<>$`{}′″‴©®™°")
"""Characters of markup, code and formulas, which treebanks may tag as punctuation."""

_EXCLAMATIONS = frozenset("!?‼⁇⁈⁉！？؟")
_DOUBLE = frozenset('"“”„‟«»〝〞〟')


def may_stand_between(string: Puncteme, before: str, after: str) -> bool:
    """Return whether new marks may stand between two words, given the marks of the words.

    Args:
        string: the marks, without the dot of an abbreviation.
        before: the word before them, empty at the beginning of a sentence.
        after: the word after them, empty at the end.
    """
    if not string:
        return True
    first, last = string[0][:1], string[-1][-1:]
    if before and is_doubled(before[-1], first):
        return False
    # Writers end a sentence with a picture or an emoticon in place of a mark.
    if first in ENDS and (is_picture(before) or is_emoticon(before)):
        return False
    return not (after and last == after[0] and _is_mark(last))


def is_doubled(standing: str, following: str) -> bool:
    """Return whether a new mark directly after a standing one doubles it or is absorbed by it.

    A comma, semicolon or colon may follow an exclamation or question mark (*Yahoo!, which*), but no
    other end of a sentence; an end never follows an end or a comma.

    Args:
        standing: a character.
        following: the first character of the new mark.
    """
    if standing == following and _is_mark(following):
        return True
    if standing in _DOUBLE and following in _DOUBLE:
        return True
    if following in ENDS:
        return standing in ENDS or standing in SEPARATORS
    return following in SEPARATORS and (standing in SEPARATORS or standing in ENDS - _EXCLAMATIONS)


def _is_mark(char: str) -> bool:
    return len(char) == 1 and unicodedata.category(char)[0] == "P"
