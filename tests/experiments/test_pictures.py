"""The pictures of the documentation show what the code, the sample and the stored results say."""

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


def test_imports_are_read_off_the_source(driver, tmp_path: Path):
    framework = driver("drawing.framework")
    for name, source in {
        "house/top.py": "import house.cellar\nfrom house.hall import door",
        "house/hall/door.py": "from house.cellar import stairs\nimport os",
        "house/cellar.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    rooms = {"top": ["house/top"], "hall": ["house/hall"], "cellar": ["house/cellar"]}
    arrows = framework.imports(tmp_path, rooms)
    assert arrows == {"top": {"hall", "cellar"}, "hall": {"cellar"}, "cellar": set()}
    picture = framework.architecture(arrows, dict.fromkeys(rooms, "holds things"))
    # The top room reaches the cellar through the hall, so two arrows suffice.
    assert picture.svg().count("<polygon") == 2


@pytest.mark.parametrize(
    "values, expected",
    [
        ([0.072, 0.092], [0.07, 0.075, 0.08, 0.085, 0.09, 0.095]),
        ([51.0, 100.0], [50, 60, 70, 80, 90, 100]),
        ([40.0, 109.0], [40, 60, 80, 100, 120]),
    ],
)
def test_ticks_are_round_and_span_the_values(driver, values, expected):
    assert driver("drawing.curves").ticks(values) == pytest.approx(expected)


def test_unknown_pictures_are_refused(pictures, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["pictures.py", "trees"])
    with pytest.raises(SystemExit, match="2"):
        pictures.main()
    assert "there is no picture 'trees'; choose from: tree, edits" in capsys.readouterr().err
