"""The JSON output of every command has the keys of its version, in order."""

import json
from pathlib import Path

import pytest

from tests.commands import Cli

ONLY_MARK = "1\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"
FEW = ("--samples", 20)

KEYS = {
    "compare/1": "files task a b sentences resamples seed confidence measures",
    "decode/1": "sent_id words word_ids heads relations log_likelihood log_joint log_posterior "
    "nodes slots",
    "models-list/1": "models",
    "omitted/1": "sent_id omitted",
    "restore/1": "sent_id text words word_ids slots nbest",
    "semirings-list/1": "semirings",
}
"""The keys of each schema after ``schema`` itself; if they change, so does the version."""


@pytest.fixture(scope="module")
def some(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four sentences, and one that no model supports."""
    sentences = treebanks["test"].read_text("utf-8").split("\n\n")[:4]
    path = tmp_path_factory.mktemp("some") / "some.conllu"
    path.write_text("\n\n".join(sentences) + "\n\n" + ONLY_MARK, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("decode/1", ("decode", "MODEL", "FILE", "--format", "json")),
        ("restore/1", ("restore", "MODEL", "FILE", "--format", "json", "--nbest", 2, *FEW)),
        ("models-list/1", ("models", "list", "--json")),
        ("semirings-list/1", ("semirings", "list", "--json")),
    ],
)
def test_output_has_the_keys_of_its_schema(
    cli: Cli, model: Path, some: Path, name: str, arguments: tuple[object, ...]
):
    names: dict[object, object] = {"MODEL": model, "FILE": some}
    result = cli(*(names.get(argument, argument) for argument in arguments))
    assert result.status == 0, result.err
    lines = arguments[0] in ("decode", "restore")
    values = [json.loads(line) for line in (result.out.splitlines() if lines else [result.out])]
    found = [(value["schema"], [*value]) for value in values]
    expected = [name] * 4 + ["omitted/1"] if lines else [name]
    assert found == [(f"semipunct.{n}", ["schema", *KEYS[n].split()]) for n in expected]


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("restore-gold/1", ("restore", "MODEL", "FILE", "--gold", "--json", *FEW)),
        ("evaluate/1", ("evaluate", "MODEL", "FILE", "--json")),
    ],
)
def test_figures_name_their_schema_first_and_their_signature_last(
    cli: Cli, model: Path, some: Path, name: str, arguments: tuple[object, ...]
):
    names: dict[object, object] = {"MODEL": model, "FILE": some}
    value = json.loads(cli(*(names.get(argument, argument) for argument in arguments)).out)
    (first, *_, last) = value
    assert (first, value[first], last) == ("schema", f"semipunct.{name}", "signature")


def test_comparisons_have_the_keys_of_their_schema(
    cli: Cli, model: Path, some: Path, tmp_path: Path
):
    stored = tmp_path / "result.json"
    assert cli("evaluate", model, some, "--result", stored).status == 0
    value = json.loads(cli("compare", stored, stored, "--json", "--resamples", 9).out)
    assert [*value] == ["schema", *KEYS["compare/1"].split()]
