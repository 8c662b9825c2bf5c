import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.formats.conllu.punctuate import punctuate_record, surface_text
from semipunct.formats.conllu.reading import to_entry
from semipunct.formats.conllu.records import Record, format_record
from semipunct.marks import ABBREVIATION
from tests.formats.conllu.builders import records, word
from tests.formats.conllu.punctuation import GLUED, body, content, entry_of, mark, reread, with_arcs
from tests.trees.cases import trees


def test_the_enhanced_graph():
    lines = [
        with_arcs(word(1, "a", 3), "3:x|2:y:z"),
        with_arcs(mark(2, ",", 3), "3:punct"),
        with_arcs(word(3, "b", 0, "root"), "2:z"),
    ]
    new_record = punctuate_record(entry_of(*lines), [(), (), (".",)])
    assert body(new_record) == [
        "1 a a X _ _ 2 dep 2:x _",
        "2 b b X _ _ 0 root _ SpaceAfter=No",
        "3 . . PUNCT _ _ 2 punct 2:punct _",
    ]


def test_ranges_and_empty_nodes():
    source = entry_of(
        "# text = ghost",
        word("0.1", "ghost", "_"),
        word("1-2", "al", "_", misc=GLUED),
        with_arcs(word(1, "a", 5), "4.2:x|5:case"),
        word(2, "el", 1),
        mark(3, ",", 5),
        with_arcs(word("3.1", "empty", "_"), "0.1:x|3:y"),
        mark(4, "-", 5),
        with_arcs(word("4.2", "empty", "_"), "3.1:x"),
        word(5, "fin", 0, "root"),
        word("5.1", "empty", "_"),
    )
    new_record = punctuate_record(source, [("¡",), (), (), ("!",)])
    assert body(new_record) == [
        "# text = ¡al fin!",
        "0.1 ghost ghost X _ _ _ dep _ _",
        "1 ¡ ¡ PUNCT _ _ 4 punct 4:punct SpaceAfter=No",
        "2-3 al al X _ _ _ dep _ _",
        "2 a a X _ _ 4 dep 3.2:x|4:case _",
        "3 el el X _ _ 2 dep _ _",
        "3.1 empty empty X _ _ _ dep 0.1:x _",
        "3.2 empty empty X _ _ _ dep 3.1:x _",
        "4 fin fin X _ _ 0 root _ SpaceAfter=No",
        "4.1 empty empty X _ _ _ dep _ _",
        "5 ! ! PUNCT _ _ 4 punct 4:punct _",
    ]
    assert surface_text(source, [("¡",), (), (), ("!",)]) == "¡al fin!"


HIM_OR_HER = (
    "# text = We met him/her there.",
    word(1, "We", 2),
    word(2, "met", 0),
    word("3-5", "him/her", "_"),
    word(3, "him", 2),
    mark(4, "/", 5),
    word(5, "her", 3),
    word(6, "there", 2, misc=GLUED),
    mark(7, ".", 2),
)


def test_an_orthographic_word_stays_whole():
    source = entry_of(*HIM_OR_HER)
    sentence = content(source)
    assert (sentence.forms[2:5], sentence.closed) == (("him", "/", "her"), {3, 4})
    # Models must not take it for a mark.
    assert sentence.upos[3] == "SYM"
    new_record = punctuate_record(source, [(), (), (",",), (), (), (",",), ()])
    assert body(new_record) == [
        "# text = We met, him/her, there",
        "1 We we X _ _ 2 dep _ _",
        f"2 met met X _ _ 0 dep _ {GLUED}",
        "3 , , PUNCT _ _ 4 punct _ _",
        f"4-6 him/her him/her X _ _ _ dep _ {GLUED}",
        "4 him him X _ _ 2 dep _ _",
        "5 / / PUNCT _ _ 6 punct _ _",
        "6 her her X _ _ 4 dep _ _",
        "7 , , PUNCT _ _ 4 punct _ _",
        "8 there there X _ _ 2 dep _ _",
    ]
    assert surface_text(source, [()] * 7) == "We met him/her there"


def test_nothing_is_written_within_a_multiword_token():
    source = entry_of(*HIM_OR_HER)
    for slot in (3, 4):
        slots = [()] * 7
        slots[slot] = (",",)
        with pytest.raises(UsageError, match=f"slot {slot} is within a multiword token"):
            punctuate_record(source, slots)


def test_line_ends_comments_and_a_byte_order_mark():
    text = (
        "\ufeff1\ta\ta\tX\t_\t_\t0\troot\t_\t_\r\n# inside\r\n2\t,\t,\tPUNCT\t_\t_\t1\tpunct\t_\t_"
    )
    (source,) = records(text)
    new_record = punctuate_record(to_entry(source), [("(",), (")",)])
    assert format_record(new_record) == (
        "\ufeff1\t(\t(\tPUNCT\t_\t_\t2\tpunct\t_\tSpaceAfter=No\r\n"
        "2\ta\ta\tX\t_\t_\t0\troot\t_\tSpaceAfter=No\r\n"
        "3\t)\t)\tPUNCT\t_\t_\t2\tpunct\t_\t_\r\n"
        "# inside"
    )


@pytest.mark.parametrize("end", ["", "\r", "\n", "\r\n"])
def test_new_tokens_after_the_last_line_end_lines(end):
    """A file may end in an incomplete line end: lines added after it need a complete one."""
    (only_record,) = records(word(1, "a", 0, "root") + end)
    written = format_record(punctuate_record(to_entry(only_record), [(), (".", "!")]))
    (again,) = records(written)
    assert [token.form for token in again.tokens] == ["a", ".", "!"]
    assert again.ends[-1] == end


WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r\ufeff"),
    min_size=1,
    max_size=4,
).filter(lambda form: form == form.strip() and not form.endswith("..")) | st.sampled_from(
    ["etc.", "Mr.", "字", "'s", "1.", "a b"]
)
OLD_MARKS = [",", ".", '"', "'", "``", "''", "(", ")", "…", "^", "¿", "，", "COMMA"]
NEW_MARKS = [",", ".", "“", "”", "‘", "(", ")", "-", "—", "?", "¿", "。"]
SPACES = ["", GLUED, "SpacesAfter=\\s\\s", "SpacesAfter=\\n"]


@st.composite
def sources(draw):
    """Sentences of files with all features of CoNLL-U, and a choice of slots for each."""
    heads = draw(trees(9))
    n = len(heads)
    leaves = [node for node in range(1, n + 1) if node not in heads and heads[node - 1]]
    marked = draw(st.sets(st.sampled_from(leaves))) if leaves else set()
    has_arcs = draw(st.booleans())
    starts = draw(st.sets(st.integers(1, n))) if draw(st.booleans()) else set()
    header = draw(st.lists(st.sampled_from(["# a = b", "# text_en = x"])))
    lines, texts = [], []
    covered = 0
    for node, head in enumerate(heads, start=1):
        first = node > covered
        spaces = draw(st.sampled_from(SPACES)) if first else ""
        before = "SpacesBefore=\\s" if first and draw(st.integers(0, 9)) == 0 else ""
        around = "|".join(filter(None, [before, "A=b", spaces, "C"]))
        form = draw(st.sampled_from(OLD_MARKS) if node in marked else WORDS)
        if node in starts and first and node < n:
            covered = draw(st.integers(node + 1, min(n, node + 3)))
            whole = draw(WORDS)
            lines.append(word(f"{node}-{covered}", whole, "_", misc=around))
            texts += [whole, "" if spaces == GLUED else " "]
        elif first:
            texts += [form, "" if spaces == GLUED else " "]
        misc = around if node > covered else draw(st.sampled_from(["_", "A=b"]))
        if node in marked:
            line = mark(node, form, head, "_", misc)
        else:
            line = word(node, form, head, misc=misc)
        lines.append(with_arcs(line, f"{draw(st.integers(0, n))}:x") if has_arcs else line)
        if draw(st.integers(0, 4)) == 0:
            lines.append(with_arcs(word(f"{node}.1", "ghost", "_"), f"{node}:y"))
    if draw(st.booleans()):
        header.append("#text=" + "".join(texts[:-1]))
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [*header, *lines]
    text = ends.join([*lines, "", ""] if draw(st.booleans()) else lines)
    (only_record,) = records(text)
    entry = to_entry(only_record)
    assume(isinstance(entry.content, Sentence))
    sentence = content(entry)
    slots = [()]
    rows = zip(("", *sentence.forms), sentence.slots, strict=True)
    for number, (form, slot) in enumerate(rows):
        is_unchanged = draw(st.booleans()) or number in sentence.closed
        marks_here = draw(st.lists(st.sampled_from(NEW_MARKS), max_size=2))
        has_letters = any(char.isalnum() for char in form) and not form.endswith(".")
        # The words of multiword tokens keep their dots as a part of the form.
        within = not {number, number - 1}.isdisjoint(sentence.closed)
        dot = [ABBREVIATION] if has_letters and not within and draw(st.booleans()) else []
        slots.append(tuple(slot) if is_unchanged else (*dot, *marks_here))
    return entry, slots[1:]


SPACE_NAMES = ("SpaceAfter=", "SpacesAfter=", "SpacesBefore=")


def of_spaces(line: str) -> list[str]:
    """Return the attributes for spaces in the MISC column of a line."""
    return [item for item in line.split("\t")[9].split("|") if item.startswith(SPACE_NAMES)]


def unchanging(line: str) -> tuple[object, ...]:
    """Return the fields of a word's line that must never change."""
    columns = line.split("\t")
    misc = [item for item in columns[9].split("|") if not item.startswith((*SPACE_NAMES, "_"))]
    return (*columns[2:6], columns[7], *misc)


def in_text(record: Record) -> list[tuple[int, str]]:
    """Return the index of the last word of each token of the text, and its line."""
    lines, covered = [], 0
    for line in record.lines:
        columns = line.split("\t")
        if len(columns) < 10 or line.startswith("#") or "." in columns[0]:
            continue
        first, _, last = columns[0].partition("-")
        if int(first) > covered:
            covered = int(last or first)
            lines.append((covered, line))
    return lines


def text_of(record: Record) -> str:
    """Return the text that forms and MISC state."""
    pieces = [
        part
        for _, line in in_text(record)
        for part in (line.split("\t")[1], "" if GLUED in of_spaces(line) else " ")
    ]
    return "".join(pieces[:-1])


@given(sources())
def test_spaces_between_words_that_stay_neighbours_stay_as_they_were(source):
    entry, slots = source
    old_record, new_record = entry.record, punctuate_record(entry, slots)
    new_ids = dict(zip(entry.word_ids, reread(new_record).word_ids, strict=True))
    before, after = dict(in_text(old_record)), dict(in_text(new_record))
    words = set(entry.word_ids)
    for last, line in before.items():
        if last in words and last + 1 in words and new_ids[last + 1] == new_ids[last] + 1:
            items_before = [item for item in of_spaces(line) if not item.startswith("SpacesBefore")]
            items_after = of_spaces(after[new_ids[last]])
            assert items_before == [
                item for item in items_after if not item.startswith("SpacesBefore")
            ]
    # No white space other than a space is lost, and none is invented.
    values = [
        "".join(
            item.partition("=")[2]
            for line in lines.values()
            for item in of_spaces(line)
            if item != GLUED
        )
        for lines in (before, after)
    ]
    assert sorted(values[0]) == sorted(values[1])
    # What follows the sentence is what followed it.
    ends = [
        [item for item in of_spaces(line) if not item.startswith("SpacesBefore")]
        for line in (list(before.values())[-1], list(after.values())[-1])
    ]
    assert ends[1][-1:] == ends[0][-1:] or "SpacesAfter" in "".join(ends[1])


def comments(record: Record) -> list[str]:
    return [line for line in record.lines if line[:1] == "#" and line[:6] != "#text="]


@given(sources())
def test_any_record(source):
    """Writing and reading yields the requested slots, and changes nothing else."""
    entry, slots = source
    sentence, old_record = content(entry), entry.record
    assert punctuate_record(entry, sentence.slots) is old_record
    new_record = punctuate_record(entry, slots)
    reentered = reread(new_record)
    again = content(reentered)
    assert again.slots == tuple(slots)
    for name in ("sentence_id", "forms", "lemmas", "upos", "tree"):
        assert getattr(again, name) == getattr(sentence, name)
    assert comments(new_record) == comments(old_record)
    assert set(new_record.ends[:-1]) <= set(old_record.ends) - {""} | (
        {"\n"} if "" in old_record.ends else set()
    )
    assert new_record.ends[-1] == old_record.ends[-1]
    assert_references(new_record)
    new_ids = dict(zip((0, *entry.word_ids), (0, *reentered.word_ids), strict=True))
    for old_id, new_id in zip(entry.word_ids, reentered.word_ids, strict=True):
        before, after = old_record.tokens[old_id - 1], new_record.tokens[new_id - 1]
        assert new_ids[before.head] == after.head
        assert unchanging(old_record.lines[before.position]) == unchanging(
            new_record.lines[after.position]
        )


def assert_references(record: Record) -> None:
    """Assert that IDs are consecutive, ranges span at least two tokens, and heads exist."""
    assert [token.word_id for token in record.tokens] == list(range(1, len(record.tokens) + 1))
    last, nodes, arcs, covered = 0, {"0"}, [], 0
    for line in record.lines:
        columns = line.split("\t")
        if len(columns) < 10 or line.startswith("#"):
            continue
        nodes.add(columns[0])
        if "-" in columns[0]:
            first, end = map(int, columns[0].split("-"))
            assert covered < first == last + 1 < end + 1
            assert end > first
            covered = end
            continue
        if "." in columns[0]:
            assert int(columns[0].split(".")[0]) == last
        else:
            last = int(columns[0])
            assert last > covered or GLUED not in columns[9]
        arcs += [arc.split(":")[0] for arc in columns[8].split("|") if arc != "_"]
    assert covered <= last
    assert nodes.issuperset(arcs)


@given(sources())
def test_the_text_says_what_the_lines_say(source):
    entry, slots = source
    new_record = punctuate_record(entry, slots)
    assert {line for line in new_record.lines if line.startswith("#text=")} <= {
        "#text=" + text_of(new_record)
    }
    # The text of a record without information on spaces follows the rules of typography.
    if "#text=" in "".join(entry.record.lines):
        assert surface_text(entry, slots) == text_of(new_record)
    elif GLUED in "".join(entry.record.lines):
        # Without a text, MISC says how many spaces there are.
        assert surface_text(entry, slots).split() == text_of(new_record).split()
