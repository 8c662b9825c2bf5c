"""Emoticons and emoji: words made of marks and symbols."""

import re
import unicodedata

EMOTICON = r"""
    (?: [:;=] [-^o']? (?: [()\[\]|/\\*{}@$<>]+ | [DPp3OXx]+ (?!\w) )  # :-) ;) =D
      | [()\[\]]+ [-^o']? [:;=] (?![\w()])                            # (: (-;
      | <3+ (?!\d)
      | \^[_.-]*\^ | -_+- | [oO]_[oO] | T_T | x_x | >[._]< | ¯\\_\(ツ\)_/¯
    )
"""
"""A pattern (to be compiled with ``re.VERBOSE``) of an emoticon between blanks."""

_WHOLE = re.compile(EMOTICON, re.VERBOSE)

_PICTURES = 0x2190
"""The first character of arrows, pictures and emoji; symbols before it are letters and signs."""


def is_emoticon(form: str) -> bool:
    """Return whether a token is an emoticon such as *:-)*."""
    return _WHOLE.fullmatch(form) is not None


def is_picture(form: str) -> bool:
    """Return whether a token is an emoji or another picture, such as *😀* or *♥*."""
    symbols = [unicodedata.category(char) == "So" and ord(char) >= _PICTURES for char in form]
    return any(symbols) and not any(map(str.isalnum, form))
