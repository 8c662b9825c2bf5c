import json
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
    assert cli("stats", path, "--omitted", "--json").status == 2
