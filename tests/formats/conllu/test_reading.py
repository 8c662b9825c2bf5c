import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Omitted, ReadingNotes
from semipunct.formats.conllu.reading import to_entry
from semipunct.marks import ABBREVIATION, UNK
from semipunct.trees import DependencyTree
from tests.formats.conllu.builders import record, word
from tests.formats.conllu.punctuation import content, entry_of, mark
from tests.trees.cases import trees

HAIL = record(
    "# sent_id = hail",
    mark(1, '"', 2, "``"),
    word(2, "Hail", 4, "ccomp"),
    mark(3, '"', 2, "''"),
    word(4, "said", 0, "root", "VERB"),
    word(5, "Mr.", 4, "nsubj"),
    mark(6, ".", 4),
)


def test_punctuation_goes_into_slots():
    entry = to_entry(HAIL)
    read_sentence = content(entry)
    assert read_sentence.forms == ("Hail", "said", "Mr")
    assert read_sentence.lemmas == ("hail", "said", "mr.")
    assert read_sentence.slots == (("“",), ("”",), (), (ABBREVIATION, "."))
    assert read_sentence.tree == DependencyTree((2, 0, 2), ("ccomp", "root", "nsubj"))
    assert read_sentence.upos == ("X", "VERB", "X")
    assert read_sentence.where == f"{HAIL.path}:1: sentence hail"
    assert entry.word_ids == (2, 4, 5)
    assert entry.record is HAIL
    assert entry.notes == ReadingNotes(6, 3, lifts=0, quotes_replaced=2, quotes_straight=0)


def test_punctuation_stays_among_the_words():
    entry = to_entry(HAIL, marks="words")
    read_sentence = content(entry)
    assert read_sentence.forms == ("“", "Hail", "”", "said", "Mr.", ".")
    assert read_sentence.tree.heads == (2, 4, 2, 0, 4, 4)
    assert [i for i, upos in enumerate(read_sentence.upos) if upos == "PUNCT"] == [0, 2, 5]
    assert read_sentence.slots == ((),) * 7
    assert entry.word_ids == (1, 2, 3, 4, 5, 6)
    assert entry.notes == to_entry(HAIL).notes
    # A sentence that slot models do not support is read like any other.
    only = record(mark(1, ",", 0), word(2, "a", 1))
    assert isinstance(to_entry(only).content, Omitted)
    assert content(to_entry(only, marks="words")).tree.heads == (0, 1)


@pytest.mark.parametrize(
    "form, split",
    [
        ("etc.", True),
        ("U.S.", True),
        ("a..", True),
        ("1.", True),
        (".", False),
        ("...", False),
        ("-.", False),
        ("$.", False),
        ("etc", False),
        ("etc。", False),
        (".net", False),
    ],
)
def test_abbreviation_dots(form, split):
    read_sentence = content(entry_of(word(1, form, 0)))
    assert read_sentence.forms == ((form[:-1] if split else form),)
    assert read_sentence.slots[1] == ((ABBREVIATION,) if split else ())


@pytest.mark.parametrize("form", ["^", "$", "<unk>", "<open>", "<abbr>"])
def test_a_token_spelt_like_a_special_one_is_unknown(form):
    read_sentence = content(entry_of(mark(1, form, 2), word(2, "a", 0)))
    assert read_sentence.slots[0] == (UNK,)


@pytest.mark.parametrize(
    "lines, reason",
    [
        ([mark(1, ".", 0)], "nothing but punctuation"),
        ([mark(1, ".", 2), mark(2, ".", 0)], "punctuation has dependents"),
        ([word(1, "a", 0), mark(2, ",", 1), word(3, "b", 2)], "punctuation has dependents"),
    ],
)
def test_omitted_sentences(lines, reason):
    source = record(*lines)
    entry = to_entry(source)
    assert entry.content == Omitted(reason, "#1", source.path, 1)
    assert entry.record is source
    marks = sum(token.upos == "PUNCT" for token in source.tokens)
    assert entry.notes == ReadingNotes(len(source.tokens), marks)


def test_arcs_that_only_punctuation_made_cross_are_left_alone():
    # The arc from word 4 to the comma crosses the root; without the comma the tree is projective.
    read_entry = entry_of(word(1, "a", 3), mark(2, ",", 4), word(3, "b", 0), word(4, "c", 3))
    assert read_entry.notes.lifts == 0
    assert content(read_entry).tree.heads == (2, 0, 2)


@given(trees(), st.data())
def test_nothing_is_lost(heads, data):
    """Words and slots, read from left to right, yield the sentence."""
    leaves = [node for node in range(1, len(heads) + 1) if node not in heads]
    picked = set(data.draw(st.lists(st.sampled_from(leaves)))) if len(heads) > 1 else set()
    lines = [
        mark(node, f"m{node}", head) if node in picked else word(node, f"w{node}", head)
        for node, head in enumerate(heads, start=1)
    ]
    entry = entry_of(*lines)
    read_sentence = content(entry)
    text = [*read_sentence.slots[0]]
    for form, slot in zip(read_sentence.forms, read_sentence.slots[1:], strict=True):
        text += [form, *slot]
    assert text == [line.split("\t")[1] for line in lines]
    assert read_sentence.forms == tuple(f"w{i}" for i in entry.word_ids)
    for word_id, head in zip(entry.word_ids, read_sentence.tree.heads, strict=True):
        if entry.notes.lifts == 0:
            assert heads[word_id - 1] == (entry.word_ids[head - 1] if head else 0)
