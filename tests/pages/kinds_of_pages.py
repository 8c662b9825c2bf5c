"""Pages of all kinds, for the tests of accessibility."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import semipunct
from semipunct import treebanks
from semipunct.formats.running_text import line_of_text
from semipunct.pages.page import decoded_page
from semipunct.pipelines.explained_page import explained_page
from semipunct.treebanks.mark_attachment import changes_page
from semipunct.treebanks.suspicions import suspects_page
from tests.pages.test_pictures import analysis

ROWS = ("In ADP 2 case", "May PROPN 4 obl", ", PUNCT 4 punct", "rained VERB 0 root",
        "( PUNCT 4 punct", "a DET 7 det", "lot NOUN 4 obj", ") PUNCT 7 punct")  # fmt: skip


def pages(folder: Path) -> dict[str, str]:
    """Return a page of each kind by its name.

    Args:
        folder: for a treebank.
    """
    lines = [
        f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{relation}\t_\t_"
        for number, row in enumerate(ROWS, start=1)
        for form, upos, head, relation in [row.split(" ")]
    ]
    path = folder / "a.conllu"
    path.write_text("\n".join(lines) + "\n\n", "utf-8")
    changed = treebanks.normalise(path, convention="unit")
    suspects = treebanks.suspects(None, path)
    tree = analysis((2, 0), ["", ",", ""])
    english = semipunct.load("en")
    words = line_of_text("1", "text", 1, "where is the station asked anna").content
    explained = english.explain(english.restore([words]))
    return {
        "changes": "".join(changes_page(changed, "Changes")),
        "suspects": "".join(suspects_page(suspects, [path], None)),
        "decoded": "".join(decoded_page([("1", [("rank 1", tree)]), ("2", "none")], "Trees")),
        "explained": "".join(explained_page(explained, "Reasons")),
        "server": files("semipunct.web").joinpath("page.html").read_text("utf-8"),
    }
