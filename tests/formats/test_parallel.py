"""Parallel data from files: treebanks by id or by order, text by line, M2 by annotator."""

from pathlib import Path

import pytest

from semipunct.errors import TreebankError
from semipunct.formats import read_entries
from semipunct.formats.parallel import (
    read_m2,
    read_parallel_texts,
    read_parallel_treebanks,
    read_references,
)


def conllu(*sentences: str, ids: bool = True, tag: str = "s") -> str:
    """Format sentences whose words all depend on the first."""
    text = ""
    for number, tokens in enumerate(sentences, 1):
        text += f"# sent_id = {tag}{number}\n" if ids else ""
        for place, token in enumerate(tokens.split(), 1):
            upos = "PUNCT" if token in ".,;!" else "X"
            head = "0\troot" if place == 1 else "1\tdep"
            text += f"{place}\t{token}\t{token}\t{upos}\t_\t_\t{head}\t_\t_\n"
        text += "\n"
    return text


@pytest.fixture
def files(tmp_path: Path):
    def write(**texts: str) -> list[Path]:
        for name, text in texts.items():
            (tmp_path / name).with_suffix(".conllu").write_text(text, "utf-8")
        return [(tmp_path / name).with_suffix(".conllu") for name in texts]

    return write


def test_sentences_of_one_id(files):
    first, second = conllu("I see", "Well I know").split("\n\n")[:2]
    a, b = files(a=conllu("I see ,", "Well I know ."), b=f"{second}\n\n{first}\n\n")
    parallel = read_parallel_treebanks([a], [b])
    assert [pair.source.sentence_id for pair in parallel.sentences] == ["s1", "s2"]
    assert [pair.references[0][-1] for pair in parallel.sentences] == [(), ()]
    assert parallel.sentences[0].target().slots == ((), (), ())
    assert parallel.sentences[0].target().tree == parallel.sentences[0].source.tree


def test_sentences_of_which_models_take_only_one_side(files):
    a, b = files(a=conllu("I see", ", I"), b=conllu("I see .", "I ,"))
    parallel = read_parallel_treebanks([a], [b])
    assert len(parallel.sentences) == 1
    (message,) = parallel.omitted
    assert message == f"{a}:5: sentence s2: punctuation has dependents"


def test_words_that_differ(files):
    a, b = files(a=conllu("I see", "we knows"), b=conllu("I see .", "we know ."))
    with pytest.raises(TreebankError, match="s2: word 2 is 'knows', and 'know'"):
        read_parallel_treebanks([a], [b])
    parallel = read_parallel_treebanks([a], [b], omit=True)
    assert (len(parallel.sentences), len(parallel.omitted)) == (1, 1)
    assert len(read_parallel_treebanks([a], [b], "trees").sentences) == 2
    shared = read_parallel_treebanks([a], [b], "shared").sentences[1]
    assert shared.references == (((), None, None),)


@pytest.mark.parametrize("longer", [0, 1])
def test_a_sentence_without_a_counterpart(files, longer):
    a, b = files(a=conllu("I see", "we knows"), b=conllu("I see ."))
    with pytest.raises(TreebankError, match=r"a.conllu:5: sentence s2 has no counterpart"):
        read_parallel_treebanks(*([[a], [b]][:: 1 - 2 * longer]))


def test_lines_of_text(tmp_path):
    for name, text in {"s": "I goes home\n.\nyes\n", "r0": "I go home .\n.\nYes !\n",
                       "r1": "I goes home ;\n.\nyes\n"}.items():  # fmt: skip
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    paths = [tmp_path / f"{name}.txt" for name in ("s", "r0", "r1")]
    first, second = read_parallel_texts(paths[0], paths[1:])
    assert first.references == (((), None, None, (".",)), ((), (), (), (";",)))
    assert second.references == (((), ("!",)), ((), ()))
    paths[2].write_text("I goes home\n.\n", "utf-8")
    with pytest.raises(TreebankError, match=r"s\.txt:3: sentence #3 has no counterpart"):
        list(read_parallel_texts(paths[0], paths[1:]))


def test_annotators_of_m2(tmp_path):
    path = tmp_path / "fce.m2"
    path.write_text(
        "S Well I goes home\n"
        "A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||R:VERB:SVA|||go|||REQUIRED|||-NONE-|||0\n"
        "A 4 4|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0\n"
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n"
        "S !\n\n"
        "S He said \" no \"\n",
        "utf-8",
    )  # fmt: skip
    first, second = read_m2(path)
    assert first.references == (((), (",",), None, None, (".",)), ((), (), (), (), ()))
    assert first.source.line == 1
    assert second.source.slots == ((), (), ("“",), ("”",))
    assert second.references == (second.source.slots,) * 2  # both have read it
    with pytest.raises(TreebankError, match="word 3 is 'goes', and 'go'"):
        list(read_m2(path, "words"))


def test_an_annotator_without_edits_of_a_sentence_changed_nothing(tmp_path):
    path = tmp_path / "gold.m2"
    comma = "A {0} {0}|||M:PUNCT|||,|||REQUIRED|||-NONE-|||{1}\n"
    path.write_text(
        "S This is one\n" + comma.format(1, 0) + comma.format(3, 1) + "\n"
        "S This is two\n" + comma.format(3, 0) + "\n"
        "S This is three\n" + comma.format(2, 1) + "\n"
        "S This is four\n", "utf-8",
    )  # fmt: skip
    none = ((),) * 4
    first, second, three, four = read_m2(path)
    assert first.references == (((), (",",), (), ()), ((), (), (), (",",)))
    assert second.references == (((), (), (), (",",)), none)
    assert three.references == (none, ((), (), (",",), ()))
    assert four.references == (none, none)
    sources = [pair.source for pair in (first, second, three, four)]
    references = read_references(sources, [path])
    assert [pair.references for pair in references if pair] == [
        first.references, second.references, three.references, four.references
    ]  # fmt: skip


def test_a_header_needs_no_counterpart(tmp_path):
    files = [tmp_path / "a.mrg", tmp_path / "b.mrg"]
    files[0].write_text("a header\n(S (UH yes) (. .))\n(())\n(S (UH no))\n", "utf-8")
    files[1].write_text("(S (UH yes))\n(S (UH no))\n(S (UH no) (. .))\n", "utf-8")
    parallel = read_parallel_treebanks(files[:1], files[1:])
    assert [pair.references[0] for pair in parallel.sentences] == [((), ()), ((), (".",))]
    (omitted,) = parallel.omitted
    assert omitted.startswith(f"{files[0]}:3: sentence #2: the bracket ( has no word in it")
    sources = [entry.content for entry in read_entries(files[:1])]
    assert [pair is not None for pair in read_references(sources, files[1:])] == [
        False, True, False, True,
    ]  # fmt: skip
