"""The words and symbols that readers meet in help texts and in output."""

import re
from pathlib import Path

import numpy as np
import pytest

from semipunct.cli.grammar_tables import print_tables
from semipunct.marks import OPEN
from semipunct.marks.display import MEANINGS, SYMBOLS
from semipunct.tasks.analyse import PairShare, PunctuationGrammar, RelationRow
from semipunct.tasks.rule_agreement import Channel, confidence, recall
from tests.commands import Cli

NAMES = re.compile(r"<(abbr|open|unk|start)>")

ODD = (
    "# sent_id = odd\n"
    "1\tBees\tbee\tNOUN\tNNS\t_\t3\tnsubj\t_\t_\n"
    "2\tetc.\tetc.\tX\tFW\t_\t1\tconj\t_\t_\n"
    "3\tfly\tfly\tVERB\tVBP\t_\t0\troot\t_\t_\n"
    "4\t<unk>\t<unk>\tPUNCT\t:\t_\t3\tpunct\t_\t_\n"
    "5\t‖\t‖\tPUNCT\t:\t_\t3\tpunct\t_\t_\n"
    "6\twell\twell\tADV\tRB\t_\t3\tadvmod\t_\t_\n"
    "7\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_\n\n"
)
"""A sentence with the dot of an abbreviation, a mark spelt like a special token, and a rare one."""


@pytest.fixture(scope="module")
def odd(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some sentences of which one is odd."""
    path = tmp_path_factory.mktemp("odd") / "odd.conllu"
    some = treebanks["test"].read_text("utf-8").split("\n\n")[:6]
    path.write_text("\n\n".join(some) + "\n\n" + ODD, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "command, options, expected",
    [
        ("stats", (), {"<abbr>", "<unk>"}),
        ("decode", ("--format", "brackets"), {"^", "<abbr>", "<open>"}),
        ("analyse", (), {"<abbr>"}),
        ("restore", ("--samples", 20, "--format", "text"), set[str]()),
        ("restore", ("--samples", 20, "--format", "text", "--keep", "keep"), set[str]()),
        (
            "restore",
            ("--samples", 20, "--gold", "--confusions", 99),
            {"<abbr>", "<unk>"},
        ),
    ],
    ids=["stats", "decode", "analyse", "text", "kept", "gold"],
)
def test_special_tokens_are_no_text_for_readers(
    cli: Cli, model: Path, odd: Path, command: str, options: tuple[object, ...], expected: set[str]
):
    """Each is shown as a symbol, which is explained below."""
    # Without a treebank the table has the bigrams of the paper, whatever was learnt.
    arguments = {"stats": [odd], "analyse": [model]}.get(command, [model, odd])
    result = cli(command, *arguments, *options)
    assert result.status == 0, result.err
    told = result.out + result.err
    # What stands in a text is given back, even if it is spelt like a special token.
    text = " fly <unk>" if "keep" in options else ""
    assert not NAMES.search(told.replace(text, ""))
    assert text in told
    for token in expected:
        assert f"{SYMBOLS[token]} {MEANINGS[token]}" in told
        assert told.count(SYMBOLS[token]) > 1


def test_pairs_of_relations_are_shown_with_symbols(capsys: pytest.CaptureFixture[str]):
    pairs = (PairShare((), (OPEN,), 0.5, symmetric=False),)
    row = RelationRow("appos", 25, 0.25, 0.5, pairs)
    channel = Channel((".",), np.ones((4, 1, 1)))
    none = recall(channel, [])
    grammar = PunctuationGrammar(
        channel, None, (), confidence(channel, []), None, none, none, none, (row,), None
    )
    print_tables(grammar)
    out = capsys.readouterr().out
    assert "50.0%  ε · ◌" in out
    assert f"◌ {MEANINGS[OPEN]}" in out
    assert "entropy (nats)" in out
