"""The pictures of the documentation are those that the driver draws of the sample."""

from pathlib import Path

STORED = Path(__file__).resolve().parents[2] / "docs" / "pictures"


def test_stored_pictures_are_those_of_the_driver(driver):
    stored = {path.stem: path.read_text("utf-8") for path in STORED.glob("*.svg")}
    drawn = {name: draw().svg() for name, draw in driver("pictures").PICTURES.items()}
    assert stored == drawn, "run: python experiments/pictures.py"
