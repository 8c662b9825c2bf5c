"""Words of messages and tables that depend on a number; open to every room."""

import math


def quantity(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 sentence``, ``1,200 sentences``.

    Args:
        number: how many.
        noun: in the singular, with what stands before it: ``omitted sentence``.
        plural: of the noun, if it is not that with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def figure(value: float, form: str = ".4f") -> str:
    """Write a figure of a table: a dash if it is undefined (precision where nothing was predicted).

    Args:
        value: the figure; NaN if it is undefined.
        form: the format of other values.
    """
    return "-" if math.isnan(value) else format(value, form)
