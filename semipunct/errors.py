"""The one family of exceptions for mistakes that a user can make and put right.

Every message says where (``file:line`` and the sentence's id where there is one), what was
found and what to do about it.  A command prints the message alone and exits with status 1
(2 for ``UsageError``); anything outside this family is a defect of the program.
"""

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Find what a user may have meant by a word that is not known.

    Args:
        word: as it was written; of a key with a section, the section may be missing or wrong.
        known: what could have been meant.

    Returns:
        The nearest known word, or None if none is near.
    """
    from difflib import get_close_matches  # only where something has gone wrong already

    names = list(known)
    last = word.rpartition(".")[2]
    same = [name for name in names if "." in name and name.rpartition(".")[2] == last]
    found = same or get_close_matches(word, names, 1, 0.5)
    if not found:
        by_last = {name.rpartition(".")[2]: name for name in names}
        found = [by_last[m] for m in get_close_matches(last, by_last, 1, 0.5)]
    return found[0] if found else None


class SemipunctError(Exception):
    """The root of the family; catch this to catch every mistake of a user."""


class TreebankError(SemipunctError):
    """A treebank file is missing, unreadable or not well-formed in its format."""


class ConfigError(SemipunctError):
    """A setting does not exist, has the wrong type or contradicts another one."""


class ModelError(SemipunctError):
    """A model folder is missing, damaged, or does not fit what is asked of it."""


class ResultError(SemipunctError):
    """A stored result is missing, damaged, or cannot be compared with another one."""


class EditError(SemipunctError):
    """A list of changes to trees cannot be read, or asks for what a tree does not allow."""


class OutputError(SemipunctError):
    """A file or a folder cannot be written where it is to go."""


class UsageError(SemipunctError):
    """A command or a function was called in a way that cannot mean anything."""


class OptionError(ConfigError, UsageError):
    """A setting that was given as an option, not in a file, does not exist or has no such value."""
