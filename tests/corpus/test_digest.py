from dataclasses import replace

from semipunct.corpus.digest import treebank_digest
from tests.models.punctuation.cases import SENTENCES


def test_digests_see_what_a_model_sees():
    some = SENTENCES[:4]
    digest = treebank_digest(some)
    assert digest == treebank_digest(list(some))
    first = some[0]
    assert digest == treebank_digest([replace(first, path="elsewhere", line=7), *some[1:]])
    for change in (
        {"forms": ("new", *first.forms[1:])},
        {"upos": ("Y", *first.upos[1:])},
        {"xpos": ("Y", *first.xpos[1:])},
        {"feats": ("Case=Nom", *first.feats[1:])},
        {"slots": (("!",), *first.slots[1:])},
    ):
        assert digest != treebank_digest([replace(first, **change), *some[1:]])
