"""Options shared by the drivers."""

import argparse

import pytest


@pytest.fixture
def treebanks(driver):
    return driver("treebanks")


@pytest.fixture
def parser(treebanks):
    made = argparse.ArgumentParser()
    treebanks.add_treebanks(made)
    return made


def test_the_help_can_be_printed(parser):
    assert "80% / 10% / 10%" in parser.format_help()


def test_a_treebank_is_named_in_exactly_one_way(treebanks, parser, capsys):
    for wrong in ([], ["--train", "a"], ["--train", "a", "--dev", "b", "--split", "c"]):
        with pytest.raises(SystemExit):
            treebanks.check_treebanks(parser, parser.parse_args(["--name", "x", *wrong]))
        assert "either --train and --dev, or --split" in capsys.readouterr().err
    for right in (["--train", "a", "--dev", "b"], ["--split", "c"]):
        treebanks.check_treebanks(parser, parser.parse_args(["--name", "x", *right]))


def test_a_file_is_split_by_order(treebanks, parser, tmp_path):
    path = tmp_path / "all.conllu"
    words = [f"1\tw{i}\tw{i}\tX\t_\t_\t0\troot\t_\t_\n\n" for i in range(10)]
    path.write_text("".join(words), encoding="utf-8")
    arguments = parser.parse_args(["--name", "x", "--split", str(path)])
    train, dev = treebanks.sentences(arguments)
    assert [s.forms[0] for s in train] == [f"w{i}" for i in range(8)]
    assert [s.forms[0] for s in dev] == ["w8"]


STRIPPED = """\
# sent_id = w1
# text = Mr Dogs bark
1\tMr\tMr.\tPROPN\tNNP\tNumber=Sing\t3\tnmod:title\t_\t_
2\tDogs\tdog\tNOUN\tNNS\t_\t3\tnsubj\t_\t_
3\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_

"""


def test_punctuation_is_left_out_for_other_parsers(treebanks, tmp_path):
    """Marks, abbreviation dots and crossing arcs are removed; tags, features and relations stay."""
    path = tmp_path / "whole.conllu"
    path.write_text(
        "# sent_id = w1\n"
        "1\t“\t“\tPUNCT\t``\t_\t4\tpunct\t_\t_\n"
        "2\tMr.\tMr.\tPROPN\tNNP\tNumber=Sing\t4\tnmod:title\t_\t_\n"
        "3\tDogs\tdog\tNOUN\tNNS\t_\t4\tnsubj\t_\t_\n"
        "4\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No\n"
        "5\t!\t!\tPUNCT\t.\t_\t4\tpunct\t_\t_\n\n",
        encoding="utf-8",
    )
    (sentence,) = treebanks.read_treebank([path]).sentences
    assert treebanks.stripped([sentence]) == STRIPPED
    assert treebanks.stripped([sentence] * 2) == STRIPPED * 2


def test_what_is_written_is_read_as_the_same_trees(treebanks, shared_data, tmp_path):
    whole = treebanks.read_treebank([shared_data / "en" / "dev.conllu"])
    assert whole.projectivised > 0
    path = tmp_path / "stripped.conllu"
    path.write_text(treebanks.stripped(whole), encoding="utf-8")
    again = treebanks.read_treebank([path])
    assert (len(again), again.omitted, again.projectivised) == (len(whole), (), 0)
    for one, other in zip(whole, again, strict=True):
        assert (one.upos, one.xpos, one.feats) == (other.upos, other.xpos, other.feats)
        assert (one.tree.heads, one.tree.relations) == (other.tree.heads, other.tree.relations)
        # A word with two final dots keeps one, and is read as an abbreviation again.
        assert [f.rstrip(".") for f in one.forms] == [f.rstrip(".") for f in other.forms]
