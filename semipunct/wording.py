"""Words of messages that depend on a number; open to every room."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 sentence``, ``1,200 sentences``.

    Args:
        number: how many.
        noun: in the singular, with what stands before it: ``omitted sentence``.
        plural: of the noun, if it is not that with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
