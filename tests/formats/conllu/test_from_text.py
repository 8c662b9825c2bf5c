"""Records from sentences of plain text."""

from semipunct.corpus import Words
from semipunct.corpus.located import Piece, is_mark, located_sentence
from semipunct.formats.conllu.from_text import entry_of_text
from semipunct.formats.conllu.records import format_record
from semipunct.formats.text import text_entry

TEXT = '\t"Al mar",\r\ndijo  el dr. 1\u00a0000.  '


def test_tokens_spaces_and_multiword_tokens_are_those_of_the_text():
    tokens = ['"', "Al", "mar", '"', ",", "dijo", "el", "dr.", "1\u00a0000", "."]
    pieces, place = [], 0
    for token in tokens:
        place = TEXT.index(token, place)
        words = ("a", "el") if token == "Al" else ()
        pieces.append(Piece((place, place + len(token)), is_mark(token), words))
        place += len(token)
    entry = text_entry(located_sentence("#2.1", "x.txt", 2, TEXT, pieces))
    assert isinstance(entry.content, Words)
    new_entry = entry_of_text(entry)  # type: ignore[arg-type]
    assert format_record(new_entry.record).splitlines() == [
        "# sent_id = #2.1",
        '# text = "Al mar", dijo el dr. 1 000.',
        '1\t"\t"\tPUNCT\t_\t_\t_\t_\t_\tSpaceAfter=No',
        "2-3\tAl\t_\t_\t_\t_\t_\t_\t_\t_",
        "2\ta\t_\t_\t_\t_\t_\t_\t_\t_",
        "3\tel\t_\t_\t_\t_\t_\t_\t_\t_",
        "4\tmar\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        '5\t"\t"\tPUNCT\t_\t_\t_\t_\t_\tSpaceAfter=No',
        "6\t,\t,\tPUNCT\t_\t_\t_\t_\t_\t_",
        "7\tdijo\t_\t_\t_\t_\t_\t_\t_\t_",
        "8\tel\t_\t_\t_\t_\t_\t_\t_\t_",
        "9\tdr.\t_\t_\t_\t_\t_\t_\t_\t_",
        "10\t1 000\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        "11\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_",
        "",
    ]
    assert new_entry.word_ids == (2, 3, 4, 7, 8, 9, 10)
    assert [token.position for token in new_entry.record.tokens] == [2, *range(4, 14)]
