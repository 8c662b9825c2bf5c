import hashlib
from dataclasses import replace

from semipunct.corpus import Sentence
from semipunct.corpus.digest import treebank_digest
from semipunct.trees import DependencyTree

GO = Sentence(
    "s", "some.conllu", 1, ("Go", "on"), ("go", "on"), ("VERB", "ADP"), ("VB", "RP"), ("_", "_"),
    DependencyTree((0, 1), ("root", "compound")), (("“",), (), (".", "”")),
)  # fmt: skip


def test_a_digest_written_out():
    """Stored results name their treebanks by it, so it may not change."""
    line = (
        '[["Go", "on"], ["VERB", "ADP"], ["VB", "RP"], ["_", "_"], ["root", "compound"], [0, 1], '
        '[["^", "“"], [], [".", "”"]]]\n'
    )
    assert treebank_digest([GO]) == hashlib.sha256(line.encode()).hexdigest()
    assert treebank_digest([GO, GO]) == hashlib.sha256(2 * line.encode()).hexdigest()


def test_where_a_sentence_was_read_does_not_matter():
    elsewhere = replace(GO, sentence_id="other", path="-", line=7, lemmas=("x", "y"))
    assert treebank_digest([elsewhere]) == treebank_digest([GO])
