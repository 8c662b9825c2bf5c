"""``semipunct jackknife``: the output, independently of the quality of the parsers."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from semipunct import treebanks
from semipunct.formats import read_parallel_treebanks, read_treebank
from semipunct.models.kind import Criterion
from semipunct.store.checkpoint import load
from tests.commands import Cli


@pytest.fixture
def untrained(parser: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Parse every fold with the same parser; return the sizes of the training sets."""
    sizes: list[int] = []

    def train(examples: Any, *_: Any, **__: Any) -> Any:
        sizes.append(len(examples))
        loaded = load(parser)
        return SimpleNamespace(
            model=loaded.model, parameters=loaded.parameters, interrupted=False,
            criterion=Criterion("las", "LAS"), best={"dev_las": 0.5},
        )  # fmt: skip

    monkeypatch.setattr("semipunct.pipelines.jackknife.train", train)
    return sizes


@pytest.fixture(scope="module")
def short(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of few lengths, since each length is compiled."""
    path = tmp_path_factory.mktemp("jackknife") / "short.conllu"
    blocks = treebanks["train"].read_text("utf-8").split("\n\n")
    path.write_text("\n\n".join(b for b in blocks if b.count("\n") < 10) + "\n\n", "utf-8")
    return path


@pytest.mark.parametrize("trees", [0, 2])
def test_all_but_trees_and_tags_is_the_treebank(
    cli: Cli, short: Path, untrained: list[int], tmp_path: Path, trees: int
):
    out = tmp_path / "parsed.conllu"
    result = cli("jackknife", short, "--dev", short, "-o", out, "--folds", 3, "--trees", trees)
    assert result.status == 0, result.err
    given, made = read_treebank([short]).sentences, read_treebank([out]).sentences
    assert sum(untrained) == 2 * len(given)
    assert "part 3 of 3" in result.err
    times = max(1, trees)
    assert [(s.forms, s.slots) for s in made] == [
        (s.forms, s.slots) for s in given for _ in range(times)
    ]
    assert all(s.expected is None for s in given)
    assert all(s.expected is not None for s in made)
    several = treebanks.jackknife(given, given, folds=3, trees=trees)
    assert [len(parses) for parses in several] == [times] * len(given)
    found = [one.sentence for parses in several for one in parses]
    assert [(s.tree.heads, s.tree.relations, s.upos) for s in found] == [
        (s.tree.heads, s.tree.relations, s.upos) for s in made
    ]


def test_what_no_model_can_take_stays(cli: Cli, short: Path, untrained: list[int], tmp_path: Path):
    """The output matches another version of the treebank, sentence by sentence."""
    odd = "# sent_id = odd\n1\t...\t...\tPUNCT\t_\t_\t0\troot\t_\tA=b\n\n"
    treebank, out = tmp_path / "some.conllu", tmp_path / "parsed.conllu"
    treebank.write_text(odd + short.read_text("utf-8"), "utf-8")
    result = cli("jackknife", treebank, "--dev", short, "-o", out, "--folds", 3)
    assert result.status == 0, result.err
    assert "1 sentence left unchanged" in result.err
    assert out.read_text("utf-8").startswith(odd)
    assert len(read_treebank([out]).sentences) == len(read_treebank([short]).sentences)
    found = read_parallel_treebanks([out, treebank], [treebank, treebank])
    assert (len(found.omitted), found.sentences[0].source.expected is None) == (2, False)
