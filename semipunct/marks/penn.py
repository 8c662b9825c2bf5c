"""Punctuation in the manner of the Penn Treebank: tags that tell it, and characters it escapes.

Marcus, Santorini and Marcinkiewicz (1993), table 2; brackets are escaped since the second release.
"""

MARK_TAGS: frozenset[str] = frozenset((",", ".", ":", "``", "''", "-LRB-", "-RRB-"))
"""The tags of punctuation; the signs of currencies and numbers (``$``, ``#``) are words."""

_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}

_BRACKETS = {bracket: form for form, bracket in _ESCAPES.items() if bracket in "()"}

_SPELT = {
    "“": ("``", "``"),
    "”": ("''", "''"),
    "‘": ("``", "`"),
    "’": ("''", "'"),
    '"': ("''", "''"),
    ",": (",", ","),
    **{mark: (".", mark) for mark in ".?!"},
    **{
        mark: ("-LRB-" if form.startswith("-L") else "-RRB-", form)
        for form, bracket in _ESCAPES.items()
        for mark in (form, bracket)
    },
}


def unescaped(form: str) -> str:
    """Spell a token as it is printed: brackets, and ``/`` and ``*`` without their backslashes.

    Args:
        form: as treebanks have it.
    """
    return _ESCAPES.get(form) or form.replace("\\/", "/").replace("\\*", "*")


def escaped(form: str) -> str:
    """Spell a word without brackets, as files of trees need it; inverts ``unescaped`` for those.

    Args:
        form: as it is printed.
    """
    return "".join(_BRACKETS.get(character, character) for character in form)


def tagged_mark(token: str) -> tuple[str, str]:
    """Return the tag and the spelling of a mark.

    Args:
        token: as models know it. One that no tag is meant for has that of colons and dashes.
    """
    return _SPELT.get(token, (":", token))
