import gzip
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
