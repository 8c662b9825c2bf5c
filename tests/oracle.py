"""Brute-force enumeration of the punctuation model, as a reference for the fast algorithms.

Every derivation is listed one by one, with no code shared with the library, which is feasible only
for a few words, tokens and pairs. Model: Li, Wang and Eisner (2019), sections 2.1 (`choices`), 2.2
and Appendix D (`Channel`), with an open puncteme. Input is plain data:

- `heads[w - 1]` is the head of word `w` (1-based), 0 for the root; the tree is projective;
- `choices[w - 1]` gives p(left, right | w) as `{(left, right): probability}`;
- `slots[i]` is the surface string right of word `i`. With the initial (final) mark, slot 0 starts
  with `INITIAL` (slot n ends with `FINAL`), both in the surface and underlyingly.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

Tokens: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[Tokens, Tokens]
Choices: TypeAlias = Sequence[Mapping[Pair, float]]
EditPath: TypeAlias = tuple[float, tuple[str, ...], Tokens]
Rewrite: TypeAlias = tuple[float, tuple[str, ...]]

INITIAL, FINAL, OPEN = "^", "$", "<open>"


@dataclass(frozen=True)
class Channel:
    """One pass of the noisy channel; `direction` is "l2r", "r2l" or "none" (the identity).

    `edits[a, b]` is the distribution over the edits keep, absorb_left, absorb_right and transpose
    of the window `ab`, `a` left of `b` in the text in either direction; the default is keep.
    `spelling(s)` is the probability that one `OPEN` token generates the surface string `s`.
    """

    direction: str
    edits: Mapping[tuple[str, str], Mapping[str, float]]
    spelling: Callable[[Tokens], float] = lambda _: 0.0


Channels: TypeAlias = Channel | Sequence[Channel]


@dataclass(frozen=True)
class Derivation:
    """One derivation of the surface: pairs by word, edits by slot (and where each `OPEN` ends)."""

    probability: float
    pairs: tuple[Pair, ...]
    edits: tuple[tuple[str, ...], ...]


def constituent_slots(heads: Sequence[int]) -> list[tuple[int, int]]:
    """Return for each word the left and the right slot of the words that it dominates."""
    dominated: list[list[int]] = [[] for _ in heads]
    for word in range(1, len(heads) + 1):
        ancestor = word
        for _ in heads:
            dominated[ancestor - 1].append(word)
            ancestor = heads[ancestor - 1]
            if ancestor == 0:
                break
        else:
            raise ValueError(f"heads {list(heads)} have a cycle above word {word}")
    for word, words in enumerate(dominated, start=1):
        if words != list(range(words[0], words[-1] + 1)):
            raise ValueError(f"heads {list(heads)} are not projective at word {word}")
    return [(words[0] - 1, words[-1]) for words in dominated]


def underlying_slots(
    heads: Sequence[int], pairs: Sequence[Pair], initial_mark: bool, final_mark: bool
) -> list[Tokens]:
    """Return the underlying string of every slot 0..n, given a pair of punctemes for every word."""
    edges = constituent_slots(heads)
    inner_first = sorted(range(len(heads)), key=lambda node: edges[node][1] - edges[node][0])
    strings: list[Tokens] = []
    for slot in range(len(heads) + 1):
        rights = [pairs[node][1] for node in inner_first if edges[node][1] == slot]
        lefts = [pairs[node][0] for node in reversed(inner_first) if edges[node][0] == slot]
        strings.append(tuple(itertools.chain(*rights, *lefts)))
    strings[0] = (INITIAL,) * initial_mark + strings[0]
    strings[-1] = strings[-1] + (FINAL,) * final_mark
    return strings


def _one_pass(channel: Channel, underlying: Tokens) -> list[EditPath]:
    if not underlying or channel.direction == "none":
        return [(1.0, ("keep",) * (len(underlying) - 1), underlying)]
    rightwards = {"l2r": True, "r2l": False}[channel.direction]
    order = underlying if rightwards else underlying[::-1]
    # The text so far, whose last (l2r) or first (r2l) token is pending: it may still be edited.
    paths: list[EditPath] = [(1.0, (), order[:1])]
    for token in order[1:]:
        longer: list[EditPath] = []
        for probability, edits, text in paths:
            a, b = (text[-1], token) if rightwards else (token, text[0])
            after = {"keep": (a, b), "transpose": (b, a), "absorb_left": (b,), "absorb_right": (a,)}
            for edit, weight in channel.edits.get((a, b), {"keep": 1.0}).items():
                window = after[edit]
                edited = text[:-1] + window if rightwards else window + text[1:]
                longer.append((probability * weight, (*edits, edit), edited))
        paths = [path for path in longer if path[0] > 0]
    return paths


def edit_paths(channel: Channels, underlying: Tokens) -> Iterator[EditPath]:
    """Return all edit paths: probability, edits in order, surface pieces in text order.

    `OPEN` stays one symbol here. The edits of a later pass follow those of an earlier one.
    """
    if OPEN in underlying and not isinstance(channel, Channel):
        raise ValueError("OPEN cannot go through several passes")
    paths: list[EditPath] = [(1.0, (), underlying)]
    for step in [channel] if isinstance(channel, Channel) else channel:
        paths = [
            (probability * weight, edits + more, edited)
            for probability, edits, text in paths
            for weight, more, edited in _one_pass(step, text)
        ]
    yield from paths


def _spellings(channel: Channels, pieces: Tokens, surface: Tokens) -> Iterator[float]:
    """Return the probability of each way to split the surface into pieces, with `OPEN` nonempty."""
    if not pieces and not surface:
        yield 1.0
    elif pieces and pieces[0] == OPEN and isinstance(channel, Channel):
        for end in range(1, len(surface) + 1):
            for rest in _spellings(channel, pieces[1:], surface[end:]):
                yield channel.spelling(surface[:end]) * rest
    elif pieces and pieces[:1] == surface[:1]:
        yield from _spellings(channel, pieces[1:], surface[1:])


def rewrite(channel: Channels, underlying: Tokens, surface: Tokens) -> list[Rewrite]:
    """Return all ways to generate the surface string: edit paths with each spelling of `OPEN`."""
    return [
        (probability * spelt, edits)
        for probability, edits, pieces in edit_paths(channel, underlying)
        for spelt in _spellings(channel, pieces, surface)
        if probability * spelt > 0
    ]


def derivations(
    heads: Sequence[int],
    choices: Choices,
    channel: Channels,
    slots: Sequence[Tokens],
    initial_mark: bool = False,
    final_mark: bool = False,
) -> list[Derivation]:
    """Return all derivations of the surface `slots` that have positive probability."""
    edges = constituent_slots(heads)

    @cache
    def rewrites(underlying: Tokens, surface: Tokens) -> list[Rewrite]:
        return rewrite(channel, underlying, surface)

    def possible(pairs: tuple[Pair, ...]) -> bool:
        # Words without a pair so far are treated as empty; the slots they touch are undecided, but
        # an edit leaves one token of its window: a nonempty string has no empty surface.
        missing = range(len(pairs), len(heads))
        undecided = {slot for node in missing for slot in edges[node]}
        padded = pairs + (((), ()),) * len(missing)
        strings = underlying_slots(heads, padded, initial_mark, final_mark)
        return all(
            (surface or not string) if slot in undecided else rewrites(string, surface)
            for slot, (string, surface) in enumerate(zip(strings, slots, strict=True))
        )

    partial: list[tuple[float, tuple[Pair, ...]]] = [(1.0, ())]
    for choice in choices:
        partial = [
            (probability * weight, (*pairs, pair))
            for probability, pairs in partial
            for pair, weight in choice.items()
            if weight > 0 and possible((*pairs, pair))
        ]
    found: list[Derivation] = []
    for prior, pairs in partial:
        strings = underlying_slots(heads, pairs, initial_mark, final_mark)
        for ways in itertools.product(*map(rewrites, strings, slots)):
            probability = math.prod((weight for weight, _ in ways), start=prior)
            found.append(Derivation(probability, pairs, tuple(edits for _, edits in ways)))
    return found


def surface_distribution(
    heads: Sequence[int],
    choices: Choices,
    channel: Channels,
    initial_mark: bool = False,
    final_mark: bool = False,
) -> dict[tuple[Tokens, ...], float]:
    """Return p(x | T) of every possible surface x (a string per slot); `OPEN` stays a symbol."""
    distribution: defaultdict[tuple[Tokens, ...], float] = defaultdict(float)
    for chosen in itertools.product(*(choice.items() for choice in choices)):
        pairs = [pair for pair, _ in chosen]
        strings = underlying_slots(heads, pairs, initial_mark, final_mark)
        prior = math.prod(weight for _, weight in chosen)
        for ways in itertools.product(*(edit_paths(channel, string) for string in strings)):
            probability = math.prod((weight for weight, _, _ in ways), start=prior)
            distribution[tuple(surface for _, _, surface in ways)] += probability
    return dict(distribution)


def total(found: Sequence[Derivation]) -> float:
    """Return p(x | T): the sum over all derivations, 0 if there is none."""
    return math.fsum(derivation.probability for derivation in found)


def best(found: Sequence[Derivation]) -> Derivation:
    """Return the first of the most probable derivations. ValueError if there is none."""
    return max(found, key=lambda derivation: derivation.probability)


def posterior(found: Sequence[Derivation]) -> dict[tuple[Pair, ...], float]:
    """Return p(pairs of all words | x, T), summed over edits. ValueError without derivations."""
    if not found:
        raise ValueError("no derivation, hence no posterior")
    evidence = total(found)
    weights: defaultdict[tuple[Pair, ...], float] = defaultdict(float)
    for derivation in found:
        weights[derivation.pairs] += derivation.probability / evidence
    return dict(weights)


def pair_marginals(found: Sequence[Derivation]) -> list[dict[Pair, float]]:
    """Return for each word p(left, right | x, T) of every pair that occurs in a derivation."""
    marginals: list[dict[Pair, float]] = [{} for _ in best(found).pairs]
    for pairs, probability in posterior(found).items():
        for marginal, pair in zip(marginals, pairs, strict=True):
            marginal[pair] = marginal.get(pair, 0.0) + probability
    return marginals


def expected_unmatched(
    found: Sequence[Derivation], is_unmatched: Callable[[Tokens, Tokens], bool]
) -> float:
    """Return E[c(T')]: the posterior expected number of unmatched pairs (Appendix B)."""
    return math.fsum(
        probability * sum(is_unmatched(left, right) for left, right in pairs)
        for pairs, probability in posterior(found).items()
    )
