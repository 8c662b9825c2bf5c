"""Spaces beside marks: what is recorded anywhere stays, and new marks follow the treebank."""

from pathlib import Path

import pytest

from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.gaps import token_places
from tests.formats.conllu.builders import sentence, word
from tests.formats.conllu.punctuation import GLUED, mark

TOKENS_AS_TEXT = sentence(
    "# text = Rain fell , then snow .",
    word(1, "Rain", 2),
    word(2, "fell", 0),
    mark(3, ",", 5),
    word(4, "then", 5),
    word(5, "snow", 2),
    mark(6, ".", 2),
)
FRENCH = sentence(
    "# text = Quel vent !",
    word(1, "Quel", 2),
    word(2, "vent", 0),
    mark(3, "!", 2),
) + sentence(
    "# text = Il pleut.", word(1, "Il", 2), word(2, "pleut", 0, misc=GLUED), mark(3, ".", 2)
)
ENGLISH = sentence(
    "# text = Rain, then snow.",
    word(1, "Rain", 0, misc=GLUED),
    mark(2, ",", 4),
    word(3, "then", 4),
    word(4, "snow", 1, misc=GLUED),
    mark(5, ".", 1),
)
DASH = sentence(
    "# text = Snow—rain",
    word(1, "Snow", 0, misc=GLUED),
    mark(2, "—", 3, misc=GLUED),
    word(3, "rain", 1),
)
SPACED_DASH = DASH.replace(GLUED, "_").replace("—rain", " — rain")
NO_TEXT = TOKENS_AS_TEXT.partition("\n")[2]


def rewritten(
    tmp_path: Path, text: str, slots: list[tuple[str, ...]]
) -> tuple[str, list[str], str]:
    """Return the comment, the words and marks with SpaceAfter=No as +, and the plain text."""
    path = tmp_path / "some.conllu"
    path.write_text(text, encoding="utf-8")
    entries = list(Conllu().read(path))
    writer = Conllu().writer(entries)
    lines = writer.punctuate(entries[0], slots).splitlines()
    stated = next((line[9:] for line in lines if line.startswith("# text = ")), "")
    columns = [line.split("\t") for line in lines if line[:1].isdigit()]
    return (
        stated,
        [column[1] + "+" * (GLUED in column[9]) for column in columns],
        writer.text(entries[0], slots),
    )


@pytest.mark.parametrize(
    "text, slots, expected, lines",
    [
        # A text of tokens: the marks that stay and the new ones have spaces on both sides.
        (
            TOKENS_AS_TEXT,
            [(), (";",), (",",), (), ("?",)],
            "Rain ; fell , then snow ?",
            ["Rain", ";", "fell", ",", "then", "snow", "?"],
        ),
        (TOKENS_AS_TEXT, [()] * 5, "Rain fell then snow", ["Rain", "fell", "then", "snow"]),
        # French: a space before the marks of one group, none before others.
        (FRENCH, [(), (",",), ("?",)], "Quel, vent ?", ["Quel+", ",", "vent", "?"]),
        (
            ENGLISH,
            [(), (), (";",), ("!", ")")],
            "Rain then; snow!)",
            ["Rain", "then+", ";", "snow+", "!+", ")"],
        ),
        # Dashes of the treebank disagree, so the rules decide.
        (
            ENGLISH + DASH * 2 + SPACED_DASH,
            [(), (), ("—",), ("!",)],
            "Rain then — snow!",
            ["Rain", "then", "—", "snow+", "!"],
        ),
    ],
)
def test_new_marks_are_spaced_as_in_the_treebank(
    tmp_path: Path,
    text: str,
    slots: list[tuple[str, ...]],
    expected: str,
    lines: list[str],
):
    assert rewritten(tmp_path, text, slots) == (expected, lines, expected)


def test_a_treebank_without_any_spacing(tmp_path: Path):
    """No line says that there is no space, so none of the new ones does; text is typeset."""
    output = rewritten(tmp_path, NO_TEXT, [(), (";",), (",",), (), ("?",)])
    lines = ["Rain", ";", "fell", ",", "then", "snow", "?"]
    assert output == ("", lines, "Rain; fell, then snow?")


def test_what_follows_a_removed_mark_follows_what_stands_there(tmp_path: Path):
    go = sentence(
        "# text = Go!", word(1, "Go", 0, misc=GLUED), mark(2, "!", 1, misc="SpacesAfter=\\n")
    )
    path = tmp_path / "go.conllu"
    path.write_text(go, encoding="utf-8")
    (entry,) = Conllu().read(path)
    writer = Conllu().writer([entry])
    assert writer.punctuate(entry, [(), ()]) == sentence(
        "# text = Go", word(1, "Go", 0, misc="SpacesAfter=\\n")
    )
    replaced = writer.punctuate(entry, [(), ("?", "!")])
    assert replaced.splitlines()[2:] == [
        "2\t?\t?\tPUNCT\t_\t_\t1\tpunct\t_\tSpaceAfter=No",
        "3\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\tSpacesAfter=\\n",
        "",
    ]


@pytest.mark.parametrize(
    "value, between",
    [
        ("\\t", "\t"),
        ("\\s\\s", "  "),
        ("\u3000", "\u3000"),
        ("\\n\\n", " "),
        ("\\r\\n\\t", " \t"),
        ("\\p\\\\n", "|\\n"),
    ],
)
def test_white_space_that_only_misc_describes_is_kept_in_text(
    tmp_path: Path, value: str, between: str
):
    """Between words that stay neighbours; a text is one line, so a line break is a space there."""
    record = sentence(
        word(1, "Go", 0, misc=f"SpacesAfter={value}"), word(2, "on", 1, misc=GLUED), mark(3, "!", 1)
    )
    assert rewritten(tmp_path, record, [(), (), (".",)])[2] == f"Go{between}on."


def test_text_that_differs_from_the_tokens_is_only_changed_where_marks_are(tmp_path: Path):
    odd = ENGLISH.replace("Rain, then snow.", "Rain,\u00a0 thon snow.")
    output = rewritten(tmp_path, odd, [(), (",",), (), ("!",)])
    assert output[0] == "Rain,\u00a0 thon snow!"
    assert rewritten(tmp_path, odd, [(), (), (), (".",)])[0] == "Rain\u00a0 thon snow."


def test_the_places_of_tokens_in_a_text():
    assert token_places(" a b  c", ["a b", "c"]) == [(1, 4), (6, 7)]
    assert token_places("colour of it", ["color", "of", "it"]) == [(0, 6), (7, 9), (10, 12)]
    assert token_places("to it", ["to", "", "it"]) == [(0, 2), (2, 2), (3, 5)]
    assert token_places("another sentence", ["Rain", "fell"]) is None
