"""HTML pages of trees: every link leads to its sentence, text is escaped, nothing is executed."""

from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from semipunct import treebanks
from semipunct.pages.page import Anchors, decoded_page
from semipunct.treebanks.mark_attachment import changes_page
from semipunct.treebanks.suspicions import suspects_page
from tests.pages.test_pictures import analysis

SENTENCES = (
    (
        "a b",
        "In ADP 2 case|May PROPN 4 obl|, PUNCT 4 punct|<b>rained</b> VERB 0 root|. PUNCT 4 punct",
    ),
    ('é<&"', "Go VERB 0 root|( PUNCT 1 punct|a DET 4 det|lot NOUN 1 obj|) PUNCT 4 punct"),
    ('é<&"', "Go VERB 0 root|( PUNCT 1 punct|it PRON 1 obj|) PUNCT 3 punct"),
    ('é<&"-2', "Go VERB 0 root|. PUNCT 1 punct|( PUNCT 1 punct|it PRON 1 obj|) PUNCT 4 punct"),
)
VOID = {"meta"}


class Page(HTMLParser):
    """What a page has: tags, identifiers, targets of links, and texts by tag."""

    def __init__(self, parts: list[str]):
        super().__init__()
        self.tags, self.ids, self.targets = Counter[str](), list[str](), list[str]()
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed("".join(parts))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags[tag] += 1
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag == "a":
            self.targets.append(values["href"] or "")
        assert not any(name.startswith("on") for name in values)
        assert "src" not in values
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "<i>.conllu"
    blocks: list[str] = []
    for name, rows in SENTENCES:
        lines = [f"# sent_id = {name}"]
        for number, row in enumerate(rows.split("|"), start=1):
            form, tag, head, relation = row.split(" ")
            lines.append(f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_")
        blocks.append("\n".join(lines) + "\n\n")
    path.write_text("".join(blocks), "utf-8")
    return path


def test_changes_lead_to_their_trees(treebank: Path):
    changed = treebanks.normalise(treebank, convention="unit")
    page = Page(list(changes_page(changed, str(treebank))))
    assert page.ids == ["sent-a_b", 'sent-é<&"', 'sent-é<&"-2', 'sent-é<&"-2-2']
    targets = [unquote(target.removeprefix("#")) for target in page.targets]
    assert set(targets) == set(page.ids)
    assert page.tags["script"] == page.tags["b"] == page.tags["i"] == 0
    assert page.tags["tr"] == 1 + len(changed.changes)
    assert page.texts["h1"] == [str(treebank)]
    assert "<b>rained</b>" in page.texts["text"]
    text = "".join(changes_page(changed, ""))
    assert text.count('class="before"') == text.count('class="after"') == len(changed.changes)


def test_suspects_lead_to_their_trees(treebank: Path):
    suspects = treebanks.suspects(None, treebank)
    parts = list(suspects_page(suspects, [treebank], None))
    wide = '<th scope="col" class="wide">text</th><th scope="col" class="wide">reason</th>'
    assert "".join(parts).count(wide) == 1
    page = Page(parts)
    assert len(suspects) > 2
    assert page.tags["tr"] == 1 + len(suspects)
    targets = [unquote(target.removeprefix("#")) for target in page.targets]
    assert set(targets) == set(page.ids)
    assert len({*page.ids}) == len({suspect.sentence.line for suspect in suspects})


def test_sentences_without_trees_are_on_the_page():
    tree = analysis((2, 0), ["", ",", ""])
    outcomes = [("1", [("rank 1", tree), ("rank 2", tree)]), ("2", "no <tree>")]
    page = Page(list(decoded_page(outcomes, "t")))
    assert page.ids == ["sent-1", "sent-2"]
    assert page.tags["svg"] == 2
    assert page.texts["h3"] == ["rank 1", "rank 2"]
    assert any("no <tree>" in text for text in page.texts["p"])
    # log p(x | T) = log p(T', x | T) - log p(T' | T, x)
    assert any("log p(marks | tree) = -1.000;" in text for text in page.texts["p"])


def test_names_are_used_once():
    anchors = Anchors()
    names = [anchors.add(name) for name in ("a", "a", "a-2", "a", "a 2", "a\t2")]
    assert len({*names}) == len(names)
    assert names[0] == "sent-a"
    assert not any(character.isspace() for name in names for character in name)
