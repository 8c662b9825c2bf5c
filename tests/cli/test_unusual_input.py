"""Unusual but valid input: every command accepts it, and reports what is necessary."""

from pathlib import Path

import pytest

from tests.commands import Cli

COMMANDS = {
    "evaluate": (),
    "decode": ("--semiring", "viterbi"),
    "restore": ("--samples", 20),
}


XPOS = {"NOUN": "NN", "DET": "DT", "VERB": "VB", "PUNCT": "."}


def conllu(words: list[tuple[str, str, int, str]]) -> str:
    """Format a sentence of forms, tags, heads and relations as CoNLL-U."""
    lines = (
        f"{i}\t{form}\t{form}\t{upos}\t{XPOS.get(upos, '_')}\t_\t{head}\t{relation}\t_\t_\n"
        for i, (form, upos, head, relation) in enumerate(words, 1)
    )
    return "".join(lines) + "\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_relations_and_tags_never_seen_are_counted_once(
    cli: Cli, model: Path, tmp_path: Path, command
):
    path = tmp_path / "new.conllu"
    strange = [("a", "NOUN", 2, "new:sub"), ("b", "QUX", 0, "root"), (".", "PUNCT", 2, "punct")]
    path.write_text(conllu(strange) * 2 + conllu([("c", "NOUN", 0, "root")]), encoding="utf-8")
    result = cli(command, model, path, *COMMANDS[command])
    assert result.status == 0, result.err
    told = result.err.splitlines()
    assert told == [
        "2 words with relations that the model has never seen: new:sub (2)",
        "2 words with tags that the model has never seen: QUX (2)",
    ]


def test_many_unseen_relations_are_summed_up(cli: Cli, model: Path, tmp_path: Path):
    path = tmp_path / "new.conllu"
    words = [("a", "NOUN", 0, "root"), *((f"w{i}", "NOUN", 1, f"r{i}") for i in range(12))]
    path.write_text(conllu(words), encoding="utf-8")
    (told,) = cli("evaluate", model, path).err.splitlines()
    assert told.startswith("12 words with relations that the model has never seen: r0 (1), ")
    assert told.endswith(" and 4 more")
