"""The static oracle of the arc-standard system: conversion of trees to derivations, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.search.transitions import LEFT, RIGHT, SHIFT

Ints = npt.NDArray[np.int32]


class Derivation(NamedTuple):
    """The transitions that build a tree.

    Attributes:
        actions: ``[2n - 1]`` actions.
        dependents: ``[2n - 1]`` the word, 1 to n, that each action attaches; 0 for a shift.
    """

    actions: Ints
    dependents: Ints


def oracle(heads: Sequence[int]) -> Derivation:
    """Return the derivation of a projective tree that builds every arc as early as possible.

    Args:
        heads: ``[n]`` the head of each word, 1 to n, 0 for the root.

    Raises:
        UsageError: if no derivation builds the tree, because it is not projective or not a tree.
    """
    n = len(heads)
    missing = [0] * (n + 1)
    for head in heads:
        missing[head] += 1
    actions: list[int] = []
    dependents: list[int] = []
    stack: list[int] = []
    following = 1
    while following <= n or len(stack) > 1:
        top, below = stack[-1] if stack else 0, stack[-2] if len(stack) > 1 else 0
        if below and heads[below - 1] == top:
            action, dependent = LEFT, below
            del stack[-2]
        elif below and heads[top - 1] == below and not missing[top]:
            action, dependent = RIGHT, top
            del stack[-1]
        elif following <= n:
            action, dependent = SHIFT, 0
            stack.append(following)
            following += 1
        else:
            break
        actions.append(action)
        dependents.append(dependent)
        if dependent:
            missing[heads[dependent - 1]] -= 1
    if len(stack) > 1 or (stack and heads[stack[0] - 1]):
        raise UsageError(
            f"the heads {list(heads)} are not a projective tree; lift its arcs first "
            "(semipunct.trees.lifted)"
        )
    return Derivation(np.array(actions, np.int32), np.array(dependents, np.int32))


def arcs(actions: Sequence[int]) -> list[tuple[int, int]]:
    """Return the arc that each transition of a derivation builds.

    Args:
        actions: ``[2n - 1]`` actions.

    Returns:
        ``[2n - 1]`` the dependent and its head, 1 to n; (0, 0) for a shift.
    """
    built: list[tuple[int, int]] = []
    stack: list[int] = []
    following = 1
    for action in actions:
        if action == SHIFT:
            stack.append(following)
            following += 1
            built.append((0, 0))
        else:
            dependent = stack.pop(-2 if action == LEFT else -1)
            built.append((dependent, stack[-1]))
    return built
