"""The one family of exceptions for mistakes that a user can make and put right.

Every message says where (``file:line`` and the sentence's id where there is one), what was
found and what to do about it.  A command prints the message alone and exits with status 1
(2 for ``UsageError``); anything outside this family is a defect of the program.
"""


class SemipunctError(Exception):
    """The root of the family; catch this to catch every mistake of a user."""


class TreebankError(SemipunctError):
    """A treebank file is missing, unreadable or not well-formed CoNLL-U."""


class ConfigError(SemipunctError):
    """A setting does not exist, has the wrong type or contradicts another one."""


class ModelError(SemipunctError):
    """A model folder is missing, damaged, or does not fit what is asked of it."""


class ResultError(SemipunctError):
    """A stored result is missing, damaged, or cannot be compared with another one."""


class UsageError(SemipunctError):
    """A command or a function was called in a way that cannot mean anything."""
