import hashlib
from dataclasses import replace

from semipunct.corpus import Sentence
from semipunct.corpus.examples import parallel_digest, treebank_digest
from semipunct.corpus.parallel import ParallelSentence
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.commas.trees import PhraseTree
from semipunct.trees import DependencyTree

GO = Sentence(
    "s", "some.conllu", 1, ("Go", "on"), ("go", "on"), ("VERB", "ADP"), ("VB", "RP"), ("_", "_"),
    DependencyTree((0, 1), ("root", "compound")), (("“",), (), (".", "”")),
)  # fmt: skip


def test_a_digest_written_out():
    """Stored results identify their treebanks by it, so it must not change."""
    line = (
        '[["Go", "on"], ["VERB", "ADP"], ["VB", "RP"], ["_", "_"], ["root", "compound"], [0, 1], '
        '[["^", "“"], [], [".", "”"]]]\n'
    )
    assert treebank_digest([GO]) == hashlib.sha256(line.encode()).hexdigest()
    assert treebank_digest([GO, GO]) == hashlib.sha256(2 * line.encode()).hexdigest()


def test_trees_of_other_kinds_have_digests():
    phrases = PhraseTree((0, 1, 1), ("VP", "VB", "RP"))
    derivations = [Derivation((0, 1, 1), ("S", "S/NP", "NP"), (head, 0, 0)) for head in (0, 1)]
    trees = (GO.tree, phrases, *derivations)
    columns = (GO.forms, GO.lemmas, GO.upos, GO.xpos, GO.feats)
    digests = {treebank_digest([Sentence("s", "-", 1, *columns, tree, GO.slots)]) for tree in trees}
    assert len(digests) == 4


def test_what_is_to_be_corrected():
    def pair(tree=(0, 1), slots=((), (), ()), reference=((), (), (".",))):
        sentence = replace(GO, tree=DependencyTree(tree, ("a", "b")), slots=slots)
        return ParallelSentence(sentence, (), (reference,))

    digest = parallel_digest([pair()])
    assert parallel_digest([pair(tree=(2, 0))]) == digest
    variants = [pair(slots=((), (), (",",))), pair(reference=((), (), None))]
    assert (
        len({digest, parallel_digest([]), *(parallel_digest([variant]) for variant in variants)})
        == 4
    )
