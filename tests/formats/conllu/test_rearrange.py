"""Deletion, reordering and capitals of words in records: lines, ranges, spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.reading import to_entry
from semipunct.formats.conllu.rearrange import rearrange_entry
from semipunct.trees import Arrangement
from tests.formats.conllu.builders import records

GIVEN = """# sent_id = s
# text = va-li.al mar, dr. un.
1-2	va-li	_	_	_	_	_	_	_	SpaceAfter=No
1	va-	va	VERB	_	A=b	0	root	_	_
2	li	li	PRON	_	_	1	obj	1:obj	K=v
3	.	.	PUNCT	_	_	1	punct	_	SpaceAfter=No
4-5	al	_	_	_	_	_	_	_	_
4	a	a	ADP	_	_	6	case	_	_
5	el	el	DET	_	_	6	det	_	_
6	mar	mar	NOUN	_	_	1	obl	_	SpaceAfter=No
7	,	,	PUNCT	_	_	1	punct	_	_
8	dr.	dr.	NOUN	_	_	1	obj	_	_
9	un	un	PROPN	_	_	8	flat	_	SpaceAfter=No
10	.	.	PUNCT	_	_	1	punct	_	_

"""
MOVED = """# sent_id = s
# text = al mar, va-li dr. un!
1-2	al	_	_	_	_	_	_	_	_
1	a	a	ADP	_	_	3	case	_	_
2	el	el	DET	_	_	3	det	_	_
3	mar	mar	NOUN	_	_	5	obl	_	SpaceAfter=No
4	,	,	PUNCT	_	_	3	punct	_	_
5-6	va-li	_	_	_	_	_	_	_	_
5	va-	va	VERB	_	A=b	0	root	_	_
6	li	li	PRON	_	_	5	obj	_	K=v
7	dr.	dr.	NOUN	_	_	5	obj	_	_
8	un	un	PROPN	_	_	7	flat	_	SpaceAfter=No
9	!	!	PUNCT	_	_	5	punct	_	_

"""


def entry():
    (record,) = records(GIVEN)
    return to_entry(record)


def test_a_move_written_out():
    given_entry = entry()
    arrangement = Arrangement(given_entry.content.tree)
    arrangement.move(5, 1, "first")
    rearranged = rearrange_entry(given_entry, arrangement.words, arrangement.tree())
    dots = [list(slot) for slot in rearranged.content.slots]
    dots[3], dots[7] = [","], ["!"]
    written = Conllu().writer().punctuate(rearranged, [tuple(slot) for slot in dots])
    lines, expected = written.splitlines(), MOVED.splitlines()
    # The space after the last mark is unknown.
    assert lines[:-2] == expected[:-2]
    assert lines[-2].startswith("9\t!\t!\tPUNCT")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_comments_between_tokens_go_above_them(mark: str):
    lines = (mark + GIVEN.split("\n", 2)[2]).replace("3\t.", "# between\n3\t.", 1)
    (record,) = records(lines)
    given_entry = to_entry(record)
    arrangement = Arrangement(given_entry.content.tree)
    arrangement.move(5, 1, "first")
    rearranged = rearrange_entry(given_entry, arrangement.words, arrangement.tree())
    assert rearranged.record.lines[0] == f"{mark}# between"
    assert sum("#" in line for line in rearranged.record.lines) == 1


def test_a_multiword_token_that_is_parted_goes():
    given_entry = entry()
    arrangement = Arrangement(given_entry.content.tree)
    arrangement.move(2, 1, "last")
    rearranged = rearrange_entry(given_entry, arrangement.words, arrangement.tree())
    assert "va-li" not in Conllu().writer().source_text(rearranged)


@pytest.mark.parametrize("header", ["# text = It works!\n", ""])
def test_a_byte_order_mark_stays(header: str):
    words = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tworks\twork\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    (record,) = records(f"\ufeff{header}{words}")
    given_entry = to_entry(record)
    arrangement = Arrangement(given_entry.content.tree)
    arrangement.delete(1)
    rearranged = rearrange_entry(given_entry, arrangement.words, arrangement.tree())
    text = Conllu().writer().source_text(rearranged)
    first = "\ufeff# text = works\n" if header else "\ufeff1\tworks\t"
    assert text.startswith(first)
    assert text.count("\ufeff") == 1


@given(st.data())
def test_whatever_is_done_is_read_again(data: st.DataObject):
    given_entry = entry()
    arrangement = Arrangement(given_entry.content.tree)
    for word in data.draw(st.lists(st.sampled_from([2, 3, 4, 5, 6, 7]), max_size=2, unique=True)):
        if arrangement.has(word):
            arrangement.delete(word)
    for head in range(1, 8):
        if arrangement.has(head):
            below = [w for w in arrangement.words if arrangement.head_of(w) == head]
            arrangement.reorder({head: data.draw(st.permutations([head, *below]))})
    tree = arrangement.tree()
    rearranged = rearrange_entry(given_entry, arrangement.words, tree)
    marks = st.sampled_from([(), (",",), ("(",), ("!", "”")])
    slots = [
        slot if number in rearranged.content.closed else (*slot, *data.draw(marks))
        for number, slot in enumerate(rearranged.content.slots)
    ]
    (again,) = records(Conllu().writer().punctuate(rearranged, slots))
    content = to_entry(again).content
    assert isinstance(content, Sentence)
    assert (content.forms, content.tree) == (rearranged.content.forms, tree)
    assert content.slots == tuple(slots)


@pytest.mark.parametrize("words", [(1, 1), (1, 9), (1,)])
def test_words_that_are_not_there_are_refused(words: tuple[int, ...]):
    given_entry = entry()
    arrangement = Arrangement(given_entry.content.tree)
    for word in (2, 5):
        arrangement.delete(word)
    assert arrangement.tree().words == 3
    with pytest.raises(UsageError, match="are not the words of the new tree"):
        rearrange_entry(given_entry, words, arrangement.tree())


FORMS = ("Va-", "LI", "A", "el", "Mar", "Dr", "UN")


def test_forms_ranges_and_text_get_them():
    writer = Conllu().writer()
    cased = writer.recase(entry(), FORMS)
    expected = GIVEN
    for line_before, line_after in (
        ("# text = va-li.al mar, dr. un.", "# text = Va-LI.Al Mar, Dr. UN."),
        ("1-2\tva-li", "1-2\tVa-LI"), ("1\tva-", "1\tVa-"), ("2\tli", "2\tLI"),
        ("4-5\tal", "4-5\tAl"), ("4\ta\t", "4\tA\t"), ("6\tmar", "6\tMar"), ("8\tdr.", "8\tDr."),
        ("9\tun", "9\tUN"),
    ):  # fmt: skip
        assert line_before in expected
        expected = expected.replace(f"\n{line_before}", f"\n{line_after}")
    assert writer.source_text(cased) == expected
    assert isinstance(cased.content, Sentence)
    assert cased.content.forms == FORMS
    # It can be punctuated as usual.
    assert writer.text(cased, cased.content.slots) == "Va-LI.Al Mar, Dr. UN."
    assert writer.text(cased, ((), *cased.content.slots[1:-1], ("!",))).endswith("Dr. UN!")


def test_the_same_forms_change_nothing():
    given_entry = entry()
    assert Conllu().writer().recase(given_entry, given_entry.content.forms) is given_entry


@pytest.mark.parametrize("forms", [FORMS[1:], ("Vb-", *FORMS[1:])])
def test_other_words_are_refused(forms: tuple[str, ...]):
    with pytest.raises(UsageError, match=r"text\.conllu:1: sentence s: the words given differ"):
        Conllu().writer().recase(entry(), forms)
