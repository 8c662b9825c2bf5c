"""Punctuation in the manner of the Penn Treebank: tags that tell it, and characters it escapes.

Marcus, Santorini and Marcinkiewicz (1993), table 2; brackets are escaped since the second release.
"""

MARK_TAGS: frozenset[str] = frozenset((",", ".", ":", "``", "''", "-LRB-", "-RRB-"))
"""The tags of punctuation; the signs of currencies and numbers (``$``, ``#``) are words."""

COMMA = ","
"""The tag of commas, and of nothing else."""

_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


def unescaped(form: str) -> str:
    """Spell a token as it is printed: brackets, and ``/`` and ``*`` without their backslashes.

    Args:
        form: as treebanks have it.
    """
    return _ESCAPES.get(form) or form.replace("\\/", "/").replace("\\*", "*")
