"""Punctuation in the Penn Treebank (Marcus, Santorini and Marcinkiewicz 1993, table 2).

Brackets are escaped since the second release.
"""

# Tags of punctuation; currency and number signs (``$``, ``#``) are words.
MARK_TAGS: frozenset[str] = frozenset((",", ".", ":", "``", "''", "-LRB-", "-RRB-"))

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


def unescape(form: str) -> str:
    """Unescape brackets, ``/`` and ``*`` in a treebank form."""
    return _ESCAPES.get(form) or form.replace("\\/", "/").replace("\\*", "*")


def escape(form: str) -> str:
    """Escape round brackets in a word, as bracketed trees require; inverts ``unescape``."""
    return "".join(_BRACKETS.get(character, character) for character in form)


def tagged_mark(token: str) -> tuple[str, str]:
    """Return the tag and the spelling of a mark; the default tag is that for colons and dashes."""
    return _SPELT.get(token, (":", token))
