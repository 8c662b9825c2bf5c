"""The real treebanks, if they are beside the repository: lossless reading, and known counts."""

import io

import pytest

from semipunct.corpus.statistics import statistics
from semipunct.formats import read_entries
from semipunct.formats.conllu.records import format_record, read_records, write_texts

FILES = ["ar/dev.conllu", "es/dev.conllu", "hi/dev.conllu", "zh/dev.conllu"]


@pytest.mark.parametrize("name", FILES)
def test_round_trip(shared_data, name):
    stream = io.StringIO(newline="")
    write_texts(map(format_record, read_records(shared_data / name)), stream)
    # Not compared with assert, whose report of a difference in megabytes of text takes minutes.
    if stream.getvalue().encode() != (shared_data / name).read_bytes():
        pytest.fail(f"{name} did not come out as it went in")


def test_english_counts(shared_data):
    counts = statistics(read_entries([shared_data / "en" / "train.conllu"]))
    assert (counts.sentences_read, counts.sentences_used, counts.words) == (12543, 12467, 180403)
    assert counts.omitted == {"punctuation has dependents": 40, "nothing but punctuation": 36}
    assert (counts.types, counts.punctemes, counts.pairs) == (39, 218, 1029)
    assert counts.percent_projectivised == pytest.approx(3.7, abs=0.05)
    assert max(counts.slot_lengths) == 5
