from semipunct.corpus.statistics import frequent_tokens, token_counts, with_unknown
from semipunct.marks import ABBREVIATION, OPEN, START, UNK

SLOTS = [("“",), ("”", "."), (), (ABBREVIATION, "."), (".", "”", UNK)]


def test_tokens_are_counted():
    assert token_counts(SLOTS) == {"“": 1, "”": 2, ".": 3, ABBREVIATION: 1, UNK: 1}
    assert token_counts([]) == {}


def test_the_most_frequent_come_first():
    counts = token_counts(SLOTS)
    # Ties are broken by code point; UNK is never counted as a token, however frequent.
    assert frequent_tokens(counts, 1) == (".", "”", ABBREVIATION, "“")
    assert frequent_tokens(counts, 2) == (".", "”")
    assert frequent_tokens(counts, 4) == ()
    assert frequent_tokens({START: 9, OPEN: 9, UNK: 9, ",": 5, ";": 4}) == (",",)


def test_rare_tokens_become_unknown():
    vocabulary = {".", UNK}
    assert with_unknown(("”", ".", UNK), vocabulary) == (UNK, ".", UNK)
    assert with_unknown((), vocabulary) == ()
    string = (".", ".")
    assert with_unknown(string, vocabulary) is string
