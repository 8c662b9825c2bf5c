"""Every error in a file leads to a message with its location, its cause, and a remedy."""

import re

import pytest

from semipunct.errors import SemipunctError, TreebankError
from tests.formats.conllu.builders import chain, records, sentence, word

GOOD = chain(2).encode()  # lines 1 to 3


def bad(*lines: str) -> bytes:
    return sentence("# sent_id = bad", *lines).encode()


# fmt: off
CASES = {
    "9 columns": (bad("1\ta\ta\tX\t_\t_\t0\troot\t_"), 5, "9 columns instead of 10"),
    "11 columns": (bad(word(1, "a", 0) + "\t_"), 5, "11 columns instead of 10"),
    "spaces for tabs": (bad(word(1, "a", 0).replace("\t", "  ")), 5, "1 column instead of 10"),
    "HEAD is a word": (bad(word(1, "a", "x")), 5, "the HEAD is 'x', not a whole number"),
    "HEAD is missing": (bad(word(1, "a", "_")), 5, "the HEAD is '_', not a whole number"),
    "HEAD is empty": (bad(word(1, "a", "")), 5, "the HEAD is '', not a whole number"),
    "HEAD is enormous": (bad(word(1, "a", "9" * 5000)), 5, "not a whole number"),
    "HEAD out of range": (bad(word(1, "a", 0), word(2, "b", 3)), 6, "HEAD 3 is not a word"),
    "HEAD is negative": (bad(word(1, "a", -1)), 5, "HEAD -1 is not a word"),
    "two roots": (bad(word(1, "a", 0), word(2, "b", 0)), 6, "second root"),
    "no root": (bad(word(1, "a", 2), word(2, "b", 1)), 5, "cycle"),
    "cycle": (bad(word(1, "a", 0), word(2, "b", 3), word(3, "c", 2)), 6, "cycle"),
    "self loop": (bad(word(1, "a", 0), word(2, "b", 2)), 6, "HEAD is itself"),
    "IDs from 2": (bad(word(2, "a", 0)), 5, "the ID is '2' where 1 was expected"),
    "IDs with a gap": (bad(word(1, "a", 0), word(3, "b", 1)), 6, "the ID is '3' where 2"),
    "ID is a word": (bad(word("x", "a", 0)), 5, "the ID is 'x' where 1 was expected"),
    "ID is enormous": (bad(word("9" * 5000, "a", 0)), 5, "where 1 was expected"),
    "range backwards": (bad(word("3-2", "a", "_")), 5, "the ID is '3-2'"),
    "FORM is empty": (bad(word(1, "a", 0), word(2, "", 1)), 6, "the FORM is empty"),
    "FORM is a space": (bad(word(1, " ", 0)), 5, "the FORM is empty"),
    "FORM of a range": (bad(word("1-2", "", "_"), word(1, "a", 0), word(2, "b", 1)), 5, "FORM"),
    "range too long": (bad(word("1-3", "ab", "_"), word(1, "a", 0), word(2, "b", 1)), 5, "beyond"),
    "range too late": (
        bad(word(1, "a", 0), word("1-2", "ab", "_"), word(2, "b", 1)), 6, "before word 2",
    ),
    "range too early": (bad(word("2-3", "ab", "_"), word(1, "a", 0)), 5, "before word 1"),
    "ranges overlap": (
        bad(word("1-2", "x", "_"), word(1, "a", 0), word("2-3", "y", "_"), word(2, "b", 1),
            word(3, "c", 1)), 7, "overlaps the range 1-2",
    ),
    "a range twice": (
        bad(word("1-2", "x", "_"), word("1-2", "x", "_"), word(1, "a", 0), word(2, "b", 1)),
        6, "overlaps the range 1-2",
    ),
    "no blank line": (bad(word(1, "a", 0), word(1, "b", 0)), 6, "empty line between sentences"),
    "no words": (bad(word("1-2", "a", "_")), 4, "no word with an integer ID"),
}
# fmt: on


@pytest.mark.parametrize("content, line, message", CASES.values(), ids=CASES)
def test_bad_sentences(content, line, message):
    with pytest.raises(TreebankError) as caught:
        records(GOOD + content)
    text = str(caught.value)
    assert f"text.conllu:{line}: sentence bad: " in text
    assert message in text
    assert re.search(r"; \w", text), "the message ends without advice"
    assert isinstance(caught.value, SemipunctError)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"1\t\xff", r"text\.conllu:4: byte 0xff at offset {} of the file is not UTF-8"),
        (b"1\tcaf\xc3", r"text\.conllu:4: byte 0xc3 at offset {} of the file is not UTF-8"),
        (b"1\t\x00", r"text\.conllu:4: a NUL byte at offset {} of the file"),
    ],
)
def test_bytes_that_are_no_text(content, message):
    offset = len(GOOD) + len(content) - 1
    with pytest.raises(TreebankError, match=message.format(offset)):
        records(GOOD + content)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only\n\n# comments\n", b"\xef\xbb\xbf"])
def test_a_file_without_sentences(content):
    with pytest.raises(TreebankError, match=r"text\.conllu: no sentence was found"):
        records(content)
