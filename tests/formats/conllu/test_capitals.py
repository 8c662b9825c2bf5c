"""Changes of capitals in CoNLL-U records."""

import pytest

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.formats import read_entries
from semipunct.formats.conllu import Conllu

GIVEN = """# sent_id = s
# text = va-li.al mar, dr. un.
1-2	va-li	_	_	_	_	_	_	_	SpaceAfter=No
1	va-	va	VERB	_	_	0	root	_	_
2	li	li	PRON	_	_	1	obj	_	_
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
FORMS = ("Va-", "LI", "A", "el", "Mar", "Dr", "UN")


@pytest.fixture
def entry(tmp_path):
    path = tmp_path / "s.conllu"
    path.write_text(GIVEN, "utf-8")
    (only_entry,) = read_entries([path])
    return only_entry


def test_forms_ranges_and_text_get_them(entry):
    writer = Conllu().writer()
    cased = writer.recase(entry, FORMS)
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


def test_the_same_forms_change_nothing(entry):
    assert Conllu().writer().recase(entry, entry.content.forms) is entry


@pytest.mark.parametrize("forms", [FORMS[1:], ("Vb-", *FORMS[1:])])
def test_other_words_are_refused(entry, forms: tuple[str, ...]):
    with pytest.raises(UsageError, match=r"s\.conllu:1: sentence s: the words given differ"):
        Conllu().writer().recase(entry, forms)
