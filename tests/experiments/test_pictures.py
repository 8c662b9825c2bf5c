"""The pictures of the documentation are those that the driver draws of the sample."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "docs" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def pictures(driver):
    return driver("pictures")


def test_stored_pictures_are_those_of_the_driver(pictures):
    stored = {path.stem: path.read_text("utf-8") for path in STORED.glob("*.svg")}
    drawn = {name: draw().svg() for name, draw in pictures.PICTURES.items()}
    assert stored == drawn, "run: python experiments/pictures.py"


@pytest.mark.parametrize("path", sorted(STORED.glob("*.svg")), ids=lambda path: path.stem)
def test_a_picture_is_described_and_holds_its_text(path: Path):
    root = ElementTree.parse(path).getroot()
    width = float(root.attrib["viewBox"].split()[2])
    title, description = (root.findtext(f"{SVG}{tag}", "") for tag in ("title", "desc"))
    assert len(description) > len(title) > 0
    for text in root.iter(f"{SVG}text"):
        anchor, x = text.attrib["text-anchor"], float(text.attrib["x"])
        # The average width of a character in common fonts, as a part of its size.
        average = 0.62 if "code" in text.attrib["class"] else 0.54
        size = average * float(text.attrib["font-size"]) * len(text.text or "")
        start = x - {"start": 0, "middle": size / 2, "end": size}[anchor]
        assert start >= 0, text.text
        assert start + size <= width, text.text


def test_pictures_are_shown_and_have_alternative_text(pictures):
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    for name in pictures.PICTURES:
        assert f"pictures/{name}.svg)" in text
        assert f"![](pictures/{name}.svg)" not in text


def test_unknown_pictures_are_refused(pictures, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["pictures.py", "trees"])
    with pytest.raises(SystemExit, match="2"):
        pictures.main()
    assert "there is no picture 'trees'; choose from: tree, edits" in capsys.readouterr().err
