"""The JSON output of every command conforms to the published schema."""

import json
from pathlib import Path

import pytest

from semipunct.render.outputs import OUTPUTS, json_schema
from tests.commands import Cli
from tests.json_schema import SCHEMAS, faults, published

ONLY_MARK = "1\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"
FEW = ("--samples", 20)


@pytest.fixture(scope="module")
def some(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four sentences, and one that no model supports."""
    sentences = treebanks["test"].read_text("utf-8").split("\n\n")[:4]
    path = tmp_path_factory.mktemp("some") / "some.conllu"
    path.write_text("\n\n".join(sentences) + "\n\n" + ONLY_MARK, encoding="utf-8")
    return path


def test_published_schemas_are_those_of_the_types():
    """If this fails, the types have changed: raise their versions and run ``make schema``."""
    assert {path.stem for path in SCHEMAS.glob("*.json")} == set(OUTPUTS)
    for name in OUTPUTS:
        assert published(name) == json_schema(name), name


def test_every_object_names_its_schema_and_version():
    versions = {"stats": 2}
    more = {
        "evaluate": [
            "semipunct.parse-gold/1", "semipunct.evaluate-criterion/1",
        ]
    }  # fmt: skip
    for name in OUTPUTS:
        first, *others = (part["$ref"].rpartition("/")[2] for part in published(name)["anyOf"])
        parts = published(name)["$defs"]
        assert parts[first]["properties"]["schema"]["enum"] == [
            f"semipunct.{name}/{versions.get(name, 1)}"
        ]
        assert [parts[n]["properties"]["schema"]["enum"] for n in others] == [
            [schema] for schema in more.get(name, ["semipunct.omitted/1"] * len(others))
        ]


def test_decode_and_restore_have_one_name_for_one_thing():
    parts = {name: published(name)["$defs"] for name in ("decode", "restore")}
    decoded, restored = parts["decode"]["Decoded"], parts["restore"]["Restored"]
    for key in ("sent_id", "words", "word_ids"):
        assert decoded["properties"][key] == restored["properties"][key]
        assert key in decoded["required"]
        assert key in restored["required"]
    slots = parts["decode"]["DecodedSlot"], parts["restore"]["RestoredSlot"]
    for key in ("slot", "surface"):
        assert slots[0]["properties"][key] == slots[1]["properties"][key]
    assert parts["decode"]["LeftOut"] == parts["restore"]["LeftOut"]


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("decode", ("decode", "MODEL", "FILE", "--format", "json")),
        ("restore", ("restore", "MODEL", "FILE", "--format", "json", "--nbest", 2, *FEW)),
        ("restore-gold", ("restore", "MODEL", "FILE", "--gold", "--json", "--confusions", 9, *FEW)),
        ("restore-gold", ("restore", "MODEL", "FILE", "--gold", "--json", *FEW)),
        ("evaluate", ("evaluate", "MODEL", "FILE", "--json")),
        ("stats", ("stats", "FILE", "--json")),
        ("models-list", ("models", "list", "--json")),
        ("semirings-list", ("semirings", "list", "--json")),
    ],
)
def test_output_keeps_its_schema(
    cli: Cli, model: Path, some: Path, name: str, arguments: tuple[object, ...]
):
    names: dict[object, object] = {"MODEL": model, "FILE": some}
    result = cli(*(names.get(argument, argument) for argument in arguments))
    assert result.status == 0, result.err
    lines = name in ("decode", "restore")
    values = [json.loads(line) for line in (result.out.splitlines() if lines else [result.out])]
    assert len(values) == (5 if lines else 1)
    schema = published(name)
    for value in values:
        assert next(iter(value)) == "schema"
        assert faults(value, schema, schema) == []


def test_comparisons_keep_their_schema(cli: Cli, model: Path, some: Path, tmp_path: Path):
    stored = tmp_path / "result.json"
    assert cli("evaluate", model, some, "--result", stored).status == 0
    value = json.loads(cli("compare", stored, stored, "--json", "--resamples", 9).out)
    schema = published("compare")
    assert faults(value, schema, schema) == []


def test_a_ranked_and_a_drawn_tree_keep_the_schema(cli: Cli, model: Path, some: Path):
    schema = published("decode")
    value = json.loads(cli("decode", model, some, "--format", "json").out.splitlines()[0])
    for label in ("sample", "rank"):
        assert faults({**value, label: 1}, schema, schema) == []
        assert faults({**value, label: 0}, schema, schema) != []
    assert "unknown" in faults({**value, "number": 1}, schema, schema)[0]
    del value["word_ids"]
    assert "missing" in faults(value, schema, schema)[0]
