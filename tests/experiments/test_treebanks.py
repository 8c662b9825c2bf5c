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
