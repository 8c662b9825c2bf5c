"""Heads of punctuation in trees that are not projective.

The guidelines of Universal Dependencies (https://universaldependencies.org/u/dep/punct) attach
punctuation so that its own arc is projective and it makes no other arc non-projective. In a
projective tree ``attachment.punctuation_heads`` sees to that; here the arcs of all tokens, which
may cross, are taken into account.
"""

from collections.abc import Mapping, Sequence, Set


def settled_heads(
    heads: Sequence[int], words: Set[int], free: Sequence[int], partners: Mapping[int, int]
) -> list[int]:
    """Replace heads of punctuation that would make an arc cross another one.

    The new head is the highest word for which no arc crosses; two marks that form a pair have the
    same one if possible, and words that they enclose are preferred. A head is unchanged if there is
    no such word.

    Args:
        heads: ``[n]`` the head of each word and mark, 1 to n, 0 for the root.
        words: those that are words, which may be heads.
        free: the marks whose heads may change.
        partners: the partner of each mark of a pair.
    """
    settled = list(heads)
    for mark in free:
        if is_sound(settled, mark):
            continue
        partner = partners.get(mark, 0)
        low, high = sorted((mark, partner)) if partner else (0, 0)
        sound = _sound_heads(settled, mark, words)
        if partner in free:
            common = [head for head in sound if head in _sound_heads(settled, partner, words)]
            if common:
                settled[mark - 1] = settled[partner - 1] = _highest(settled, common, low, high)
                continue
        if sound:
            settled[mark - 1] = _highest(settled, sound, low, high)
    return settled


def is_sound(heads: Sequence[int], mark: int) -> bool:
    """Return whether the arc of a mark is projective and makes no other arc non-projective.

    This is the check of UD's validator: an arc that also spans the head of the mark does not count,
    because then the whole constituent makes it non-projective.

    Args:
        heads: ``[n]`` the head of each word and mark.
        mark: the number of the mark, which has no dependents.
    """
    head = heads[mark - 1]
    above = set(_upwards(heads, head))
    low, high = sorted((head, mark))
    between = range(low + 1, high)
    if any(head not in _upwards(heads, token) for token in between):
        return False
    for token, governor in enumerate(heads, start=1):
        if not governor or token == mark or governor in above:
            continue
        inner, outer = (token, governor) if token in between else (governor, token)
        if inner in between and not low <= outer <= high:
            beyond = outer > mark if mark > head else outer < mark
            if beyond:
                return False
    return True


def _sound_heads(heads: Sequence[int], mark: int, words: Set[int]) -> list[int]:
    """Return the possible heads of a mark: ancestors of the words on both sides of it."""
    sound: list[int] = []
    draft = list(heads)
    sides = (range(mark - 1, 0, -1), range(mark + 1, len(heads) + 1))
    for side in sides:
        nearest = next((token for token in side if token in words), 0)
        for word in filter(words.__contains__, _upwards(heads, nearest)):
            draft[mark - 1] = word
            if word not in sound and is_sound(draft, mark):
                sound.append(word)
    return sound


def _highest(heads: Sequence[int], words: Sequence[int], low: int, high: int) -> int:
    """Return the word with the fewest ancestors, if possible one between two marks."""
    enclosed = [word for word in words if low < word < high] or words
    return min(enclosed, key=lambda word: len(_upwards(heads, word)))


def _upwards(heads: Sequence[int], token: int) -> list[int]:
    """Return a token and its ancestors, the root last."""
    path: list[int] = []
    while token:
        path.append(token)
        token = heads[token - 1]
    return path
