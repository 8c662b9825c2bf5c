"""Where sentences end is read from treebanks, and shown to the network without the marks."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import semipunct
from semipunct.corpus.word_streams import END, in_text, items, marks_of, word_stream
from semipunct.formats.running_text import read_running_text
from semipunct.models.running_text.guises import HIDDEN, drawn_guise
from semipunct.models.running_text.model import TextModel
from semipunct.models.running_text.options import TextOptions, TextTrainOptions
from semipunct.models.running_text.reader import Case, Query, TextReader
from tests.models.running_text.texts import passages, text

TREEBANK = """\
1\tMr.\t_\tPROPN\t_\t_\t0\troot\t_\t_

1\tso\t_\tADV\t_\t_\t2\tadvmod\t_\t_
2\tetc.\t_\tX\t_\t_\t0\troot\t_\t_
3\t?\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

1\t(\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_
2\tno\t_\tINTJ\t_\t_\t0\troot\t_\t_
3\t)\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def test_the_text_of_a_treebank_says_where_sentences_end(tmp_path: Path):
    path = tmp_path / "a.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    (passage,) = read_running_text([path])
    stream = passage.stream
    assert [stream.forms[i] for i in stream.words] == ["Mr", "so", "etc", "no"]
    slots = [stream.strings[i] for i in stream.slots]
    # The dot of an abbreviation is one like others; a sentence without a mark ends nevertheless.
    assert slots == [(), (".",), (), (".", "?", "("), (")", END)]
    assert marks_of(slots[-1]) == (")",)


def test_dots_of_abbreviations_absorb_full_stops():
    assert in_text(("<abbr>", ".")) == in_text(("<abbr>",)) == (".",)
    assert in_text(("<abbr>", ",")) == (".", ",")
    assert in_text((",",)) == (",",)


def test_ends_are_shown_and_all_marks_asked_for():
    ended = word_stream("a.txt", [*items(["So ba. So do, but gu?"]), "so", f"\0{END}", "so"])
    model = TextModel.fit(passages(40, 0), TextOptions(size=8, layers=1, strings=4))
    batch = model.batch(model.encode(ended.passages(24)), [0], 1)
    options = TextTrainOptions(noisy=0, divided=1, lowered=1)
    guise = drawn_guise(jax.random.key(1), batch, options, jnp.asarray(model.errors))
    shown = np.asarray(guise.marks[0]) != HIDDEN
    assert np.flatnonzero(shown).tolist() == [2, 6, 7]
    assert set(np.asarray(guise.marks)[0][shown].tolist()) == {len(model.strings)}
    assert np.asarray(guise.predicted).all()
    # An end without a mark is an empty slot for all else.
    assert batch.tags[0, 7] == batch.tags[0, 8] == 0


def test_a_reader_is_told_where_sentences_end(text_model: Path):
    saved: Any = semipunct.load(text_model)
    reader = TextReader(saved.model, saved.parameters)
    forms = text(6, 3).lower().replace(",", "").replace(".", "").split()
    hidden: list[tuple[str, ...]] = [()] * (len(forms) + 1)
    end = len(forms)
    plain, ended = reader.read(
        [Query(forms, hidden, Case.NOTHING), Query(forms, hidden, Case.NOTHING, boundaries={end})]
    )
    stop = saved.model.strings.codes([(".",)])[0]
    assert ended.strings[end, stop] > max(0.5, plain.strings[end, stop] + 0.1)
    # Other slots hardly change.
    assert np.abs(plain.strings[: end - 8] - ended.strings[: end - 8]).max() < 0.3
