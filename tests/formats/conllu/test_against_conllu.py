"""Our reading of CoNLL-U against that of the library ``conllu``, on all treebanks that are here."""

from collections.abc import Iterator
from pathlib import Path

import conllu
import pytest

import semipunct.data
from semipunct.formats.conllu.records import (
    NO_HEAD,
    Record,
    multiword_tokens,
    read_records,
)

SAMPLE = Path(semipunct.data.__file__).parent / "sample.conllu"

# In part of the first file: words without heads, ranges, empty nodes, blanks in words, comments.
ODD = """\
# newdoc id = a
# sent_id = a-1
# text = Vámonos al mar , 10 000 veces
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\tA=1
1\tVamos\tir\tVERB\t_\tMood=Imp|Person=1\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tX Y\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl|6.1:obl\t_
6\t,\t,\tPUNCT\t_\t_\t1\tpunct\t_\tSpaceAfter=No|SpacesAfter=\\n
6.1\tva\tir\tVERB\t_\t_\t_\t_\t1:conj\t_
7\t10 000\t10 000\tNUM\t_\tNumType=Card\t8\tnummod\t_\t_
8\tveces\tvez\tNOUN\t_\t_\t1\tobl\t_\t_


# sent_id = a-2
1\t_\t_\tX\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == SAMPLE:
        return SAMPLE
    path = tmp_path / "odd.conllu"
    path.write_text(ODD, "utf-8")
    return path


def theirs(path: Path) -> Iterator[conllu.TokenList]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from conllu.parse_incr(stream)


@pytest.mark.parametrize("file", ["odd", SAMPLE], indirect=True)
def test_both_read_the_same(file: Path):
    sentences = 0
    for record, parsed in zip(read_records(file, trees=False), theirs(file), strict=True):
        place = f"{file}:{record.line}"
        words = [token for token in parsed if isinstance(token["id"], int)]
        assert [token[:7] for token in record.tokens] == [
            (
                word["id"], word["form"], word["lemma"], word["upos"], word["xpos"] or "_",
                features(word["feats"]), NO_HEAD if word["head"] is None else word["head"],
            )
            for word in words
        ], place  # fmt: skip
        assert [token.relation for token in record.tokens] == [w["deprel"] for w in words], place
        assert ranges(record) == [
            (token["id"][0], token["id"][2], token["form"])
            for token in parsed
            if isinstance(token["id"], tuple) and token["id"][1] == "-"
        ], place
        if "sent_id" in parsed.metadata:
            assert record.sentence_id == parsed.metadata["sent_id"], place
        sentences += 1
    assert sentences


def features(parsed: dict[str, str] | None) -> str:
    if not parsed:
        return "_"
    return "|".join(f"{name}={value}" for name, value in parsed.items())


def ranges(record: Record) -> list[tuple[int, int, str]]:
    return [(span.first, span.last, span.form) for span in multiword_tokens(record)]
