import gzip
import json
import re
from html import unescape
from pathlib import Path

from semipunct.corpus.statistics import statistics
from semipunct.formats import read_entries
from tests.commands import Cli


def test_json_holds_every_count(cli: Cli, treebanks: dict[str, Path]):
    files = [treebanks["train"], treebanks["dev"]]
    result = cli("stats", *files, "--json")
    assert (result.status, result.err) == (0, "")
    value = json.loads(result.out)
    expected = json.loads(json.dumps(statistics(read_entries(files)).as_dict()))
    named = {"schema": "semipunct.stats/2", "files": [str(f) for f in files]}
    assert value == {**named, **expected}


def test_the_table_is_for_people(cli: Cli, treebanks: dict[str, Path]):
    result = cli("stats", treebanks["train"])
    assert (result.status, result.err) == (0, "")
    for words in ("Table 2", "%Punct", "#Omit", "omitted: punctuation has dependents", "slots"):
        assert words in result.out


def test_standard_input_and_gzip(cli: Cli, treebanks: dict[str, Path], tmp_path: Path):
    content = treebanks["dev"].read_bytes()
    packed = tmp_path / "dev.conllu.gz"
    packed.write_bytes(gzip.compress(content))
    values = [
        json.loads(cli("stats", source, "--json", stdin=content).out)
        for source in (treebanks["dev"], packed, "-")
    ]
    assert [value.pop("files") for value in values] == [
        [str(treebanks["dev"])],
        [str(packed)],
        ["-"],
    ]
    assert values[0] == values[1] == values[2]


def test_omitted_sentences_are_named(cli: Cli, tmp_path: Path):
    path = tmp_path / "odd.conllu"
    path.write_text(
        "# sent_id = a\n1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
        "# sent_id = b\n1\tx\t_\tX\t_\t_\t0\troot\t_\t_\n2\t-\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n"
        "3\ty\t_\tX\t_\t_\t2\tdep\t_\t_\n\n# sent_id = c\n1\t.\t_\tPUNCT\t_\t_\t0\troot\t_\t_\n\n",
        "utf-8",
    )
    result = cli("stats", path, "--omitted")
    assert result.out.splitlines() == [
        f"{path}:4: sentence b: punctuation has dependents: 3 (y) depends on 2 (-)",
        f"{path}:9: sentence c: nothing but punctuation",
    ]
    for options in (("--omitted", "--json"), ("--html", "-", "--json")):
        assert cli("stats", path, *options).status == 2


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table of a section of a page, as texts."""
    section = page.split(f"<h2>{heading}</h2>")[1].split("</section>")[0]
    if "<p>None.</p>" in section:
        return []
    body = section.split("<tbody>")[1].split("</tbody>")[0]
    return [
        [
            " ".join(unescape(re.sub("<[^>]*>", " ", cell)).split())
            for cell in row.split("</td>")[:-1]
        ]
        for row in body.split("</tr>")[:-1]
    ]


def test_a_page_shows_where_marks_stand(cli: Cli, tmp_path: Path):
    path = tmp_path / "odd.conllu"
    path.write_bytes(
        b"# sent_id = <b>\r\n"
        b"1\tIn\t_\tADP\t_\t_\t2\tcase\t_\t_\r\n2\tMay\t_\tPROPN\t_\t_\t4\tobl\t_\t_\r\n"
        b"3\t,\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_\r\n"
        b"4\t<script>\t_\tVERB\t_\t_\t0\troot\t_\t_\r\n"
        b"5\t<\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_\r\n\r\n"
        b"1\t.\t_\tPUNCT\t_\t_\t0\troot\t_\t_\r\n\r\n"
    )
    done = cli("stats", path, "--html", tmp_path / "page.html")
    assert (done.status, done.out, done.err) == (0, "", "")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<script" not in page
    assert rows(page, "Constituents") == [
        ["case", "1", "0.0%", "0.0%", "0.0%", ""],
        ["obl", "1", "0.0%", "100.0%", "0.0%", "∅ ~ , 1"],
        ["root", "1", "0.0%", "100.0%", "0.0%", "∅ ~ < 1"],
    ]
    # All marks of so few are rare.
    assert rows(page, "Marks") == []
    assert rows(page, "Rare marks") == [
        [",", "In May , <script>", f"{path}:1"], ["<", "In May <script> <", f"{path}:1"],
    ]  # fmt: skip
    assert rows(page, "Slots") == [["0", "2", "50.00%", ""], ["1", "2", "50.00%", ""]]
    assert f"{path}:8: sentence #2: nothing but punctuation" in page
    assert page == cli("stats", path, "--html", "-").out


def test_frequent_marks_have_examples(cli: Cli, treebanks: dict[str, Path]):
    page = cli("stats", "-", "--html", "-", stdin=treebanks["train"].read_bytes()).out
    counts = statistics(read_entries([treebanks["train"]]))
    frequent = {t: n for t, n in counts.token_counts.items() if n >= counts.minimum_count}
    shown = rows(page, "Marks")
    assert [row[1] for row in shown] == [f"{number:,}" for number in frequent.values()]
    assert all(row[4] for row in shown)
