"""Multiword tokens and their words."""

import msgspec

from semipunct.corpus.passages import Passage
from semipunct.models.segmentation.expansion import Expansions


def learnt(*tokens: tuple[str, ...]) -> Expansions:
    """Learn from tokens; multiword tokens are given with their words."""
    text = " ".join(form for form, *_ in tokens)
    spans, place = [], 0
    for form, *_ in tokens:
        spans.append((place, place + len(form)))
        place += len(form) + 1
    words = tuple(tuple(parts) or (form,) for form, *parts in tokens)
    n = len(tokens)
    passage = Passage("p", "x", 1, text, tuple(spans), (True,) * n, (False,) * n, words)
    expansions = Expansions.of([passage])
    again = msgspec.convert(msgspec.to_builtins(expansions), Expansions)
    assert msgspec.to_builtins(again) == msgspec.to_builtins(expansions)
    return again


SPANISH = learnt(
    ("al", "a", "el"), ("del", "de", "el"), ("DEL", "DE", "EL"), ("mar",), ("Carlo",), ("sol",),
    *((f"{verb}lo", verb, "lo") for verb in (
        "ver", "dar", "estar", "tomar", "llamar", "hacer", "decir", "dejar", "pasar", "mirar",
        "beber", "pedir", "subir", "sacar",
    )),
)  # fmt: skip


def test_tokens_of_the_table():
    assert SPANISH.words("al") == ("a", "el")
    assert SPANISH.words("Del") == ("De", "el")
    assert SPANISH.words("DEL") == ("DE", "EL")
    assert SPANISH.words("mar") == ()


def test_others_are_split_by_their_ends():
    assert SPANISH.words("pintarlo") == ("pintar", "lo")
    assert SPANISH.words("Cantarlo") == ("Cantar", "lo")
    assert SPANISH.words("lo") == ()


def test_a_token_that_is_one_word_in_training_stays():
    assert SPANISH.words("Carlo") == SPANISH.words("carlo") == ()


def test_the_more_frequent_reading_wins():
    table = learnt(("du", "de", "le"), ("du",), ("du",))
    assert table.words("du") == ()


def test_a_language_without_any():
    assert learnt(("do",), ("undo",)).words("do") == ()


def test_a_token_that_would_leave_nothing():
    table = learnt(("xlo", "x", "lo"), ("ylo", "y", "lo"))
    assert table.words("lo") == ()
    assert table.words("İlo") in {(), ("İ".lower(), "lo"), ("i̇", "lo")}
