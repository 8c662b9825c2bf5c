"""Number-dependent wording of messages and tables."""

import math


def quantity(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 sentence``, ``1,200 sentences``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def figure(value: float, form: str = ".4f") -> str:
    """Format a figure of a table; NaN, an undefined value, becomes a dash."""
    return "-" if math.isnan(value) else format(value, form)
