"""Exceptions for errors in input, settings or usage that the user can correct.

Messages give the location (``file:line``, sentence id), the cause and the remedy. Commands print
them without a traceback and exit with status 1, or 2 for ``UsageError``. Other exceptions are bugs.
"""

from collections.abc import Iterable


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the known word most similar to an unknown one, or None if none is similar.

    The section of a key may be missing or wrong.
    """
    from difflib import get_close_matches  # imported late: needed only after an error

    names = list(words)
    last = word.rpartition(".")[2]
    same_last_part = [name for name in names if "." in name and name.rpartition(".")[2] == last]
    similar = same_last_part or get_close_matches(word, names, 1, 0.5)
    if not similar:
        by_last = {name.rpartition(".")[2]: name for name in names}
        similar = [by_last[m] for m in get_close_matches(last, by_last, 1, 0.5)]
    return similar[0] if similar else None


def suggest(word: str, words: Iterable[str]) -> str:
    """Return ``; did you mean ...?`` with the most similar known word, or an empty string."""
    suggestion = nearest(word, words)
    return f"; did you mean {suggestion!r}?" if suggestion else ""


class SemipunctError(Exception):
    """Base class of the exceptions in this module."""


class TreebankError(SemipunctError):
    """A treebank file is missing, unreadable or malformed."""


class ConfigError(SemipunctError):
    """A setting does not exist, has an invalid value or contradicts another setting."""


class ModelError(SemipunctError):
    """A model folder is missing or damaged, or holds a model of the wrong kind for a task."""


class ResultError(SemipunctError):
    """A stored result is missing, damaged, or cannot be compared with another one."""


class EditError(SemipunctError):
    """A list of edits to trees is malformed, or an edit is impossible in its tree."""


class OutputError(SemipunctError):
    """An output file or folder cannot be written."""


class EngineError(SemipunctError):
    """An engine that distributes work does not answer, or loses its input."""


class UsageError(SemipunctError):
    """A command or a function was called with invalid or contradictory arguments."""


class OptionError(ConfigError, UsageError):
    """A setting given as an option, not in a file, is unknown or invalid."""
