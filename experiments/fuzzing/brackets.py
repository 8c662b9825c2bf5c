"""Bracketed trees of phrases and derivations: valid ones, mutations, and cases that use them."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fuzzing import conllu

if TYPE_CHECKING:
    from fuzzing.cases import Case

PHRASES = """\
( (S (PP-TMP (IN On) (NP (NNP Monday))) (, ,) (NP-SBJ (PRP they)) (VP (VBD slept)) (. .)))
( (S (NP-SBJ (NP (NNP Ada)) (, ,) (NP (DT a) (NN poet)) (, ,)) (VP (VBD sang)) (. .)))
( (S (NP-SBJ-1 (PRP We)) (VP (VBD wanted) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) \
(VP (VB go))))) (. .)))
( (S (NP-SBJ (DT The) (NN dog)) (VP (VBD saw) (NP (NP (DT a) (NN cat)) (, ,) (NP (DT a) (NN bird)) \
(CC and) (NP (DT a) (NN mouse)))) (. .)))
( (SINV (`` ``) (S-TPC-1 (NP-SBJ (PRP It)) (VP (VBZ rains))) (, ,) ('' '') (VP (VBD said) (S \
(-NONE- *T*-1))) (NP-SBJ (NNP Bea)) (. .)))
"""
"""Short trees of phrases, with commas, quotes and empty elements."""

LABELS = (
    "", "S", "NP", "VP", "NP-SBJ-1", "NP=1", "-NONE-", "-LRB-", ",", ".", "``", "X", "S-", "-", "=",
    "NP-1-2", "*", "*T*-1", "*-1", "*ICH*-9", "0", "é", "\\/", "a\\/b", "S[dcl]", "NP\\NP", "(S/NP",
    "S/", "((", "))", "<T", "<L", ">", "1", "99", "-1", "conj", ":", ";", "\x0b", "\u2028",
    "x" * 300,
)  # fmt: skip
"""Replacement tokens for labels, words, categories and numbers."""

DEPTHS = (50, 500)
"""Depths of unary chains; the time of conversion is quadratic in the depth of some chains."""

_TOKENS = re.compile(r"[()<>]|\s+|[^()<>\s]+")

Tokens = list[str]


def _drop(random: Random, tokens: Tokens) -> None:
    del tokens[random.randrange(len(tokens))]


def _repeat(random: Random, tokens: Tokens) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), random.choice(tokens))


def _swap(random: Random, tokens: Tokens) -> None:
    a, b = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]


def _relabel(random: Random, tokens: Tokens) -> None:
    places = [i for i, token in enumerate(tokens) if token.strip("()<> \n")]
    if places:
        tokens[random.choice(places)] = random.choice(LABELS)


def _bracket(random: Random, tokens: Tokens) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), random.choice("()<>"))


def _lines(random: Random, tokens: Tokens) -> None:
    tokens.insert(
        random.randrange(len(tokens) + 1), random.choice(("\n", "\n\n", "\r", "\t", "\0"))
    )


def _deep(random: Random, tokens: Tokens) -> None:
    """Put a word below a long chain of labels."""
    depth = random.choice(DEPTHS)
    leaves = [
        i for i in range(len(tokens) - 3) if tokens[i] == "(" and tokens[i + 4 : i + 5] == [")"]
    ]
    if leaves:
        place = random.choice(leaves)
        label = random.choice(("NP", "VP", "S", "X"))
        tokens[place : place + 5] = [f"({label} " * depth, *tokens[place : place + 5], ")" * depth]


WAYS: dict[str, Callable[[Random, Tokens], None]] = {
    "drop": _drop,
    "repeat": _repeat,
    "swap": _swap,
    "other label": _relabel,
    "label": _relabel,
    "bracket": _bracket,
    "lines": _lines,
    "deep": _deep,
}
"""Mutations of tokens, in place, by name."""


def cut(text: str) -> Tokens:
    """Split a text into brackets, blanks and the tokens between them."""
    return _TOKENS.findall(text)


def mutated(random: Random, text: str, times: int) -> tuple[str, bytes]:
    """Damage bracketed trees.

    Args:
        random: random number generator.
        text: the trees.
        times: maximum number of mutations.

    Returns:
        The names of the mutations, and the content of the file.
    """
    names: list[str] = []
    tokens = cut(text)
    for _ in range(random.randint(0, times)):
        if tokens:
            names.append(random.choice(tuple(WAYS)))
            WAYS[names[-1]](random, tokens)
    content = "".join(tokens).encode("utf-8", "surrogatepass")
    if random.random() < 0.2 and content:
        names.append(random.choice(tuple(conllu.BYTES)))
        content = conllu.BYTES[names[-1]](random, content)
    return ", ".join(names) or "nothing", content


def converting(case: Case) -> str:
    """Run ``normalise`` on damaged phrases or derivations, and ``stats`` on phrases.

    Args:
        case: the case to run.
    """
    random = case.random
    phrases = random.random() < 0.6
    blocks = PHRASES.splitlines(keepends=True) if phrases else case.material.derivations
    note, content = mutated(random, "".join(random.choices(blocks, k=random.choice((1, 2)))), 3)
    path = case.folder / ("in.mrg" if phrases else "in.auto")
    path.write_bytes(content)
    case.told.append(note)
    if phrases and random.random() < 0.2:
        return case.command("stats", path, "--json")
    commas = random.choice(((), ("--commas", "ccg"), ("--commas", "ccg", "--rule", "paper")))
    if not phrases:
        commas = commas or ("--commas", "ccg")
    to = ("--to", "ccg") if phrases else ()
    quotes = ("--quotes",) if phrases and random.random() < 0.3 else ()
    report = ("--report", case.target("out.json")) if random.random() < 0.4 else ()
    out = ("-o", case.target("out.auto")) if random.random() < 0.6 else ()
    return case.command("normalise", path, *to, *commas, *quotes, *report, *out)
