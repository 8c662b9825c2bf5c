"""Subtitles in SubRip and WebVTT: cues of one or more lines of text, each with its times.

Everything but the text of cues is reproduced line by line (docs/decisions/files.md).
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from semipunct.corpus import Entry, Words
from semipunct.corpus.fixed_parts import TAG, labels_of
from semipunct.corpus.located import Located
from semipunct.corpus.treebank import Omitted
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.text import Text

_TIME = r"-?\d+(?::\d+){1,3}(?:[.,]\d+)?"
# The times of a cue; WebVTT may omit hours. Values are not read, so no range is checked.
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?!\S)")

_NUMBER = re.compile(r"\s*\d+\s*")

# The first line of a WebVTT block that is not a cue.
_BLOCK = re.compile(r"\ufeff?(WEBVTT|NOTE|STYLE|REGION)(\s|$)")

# Blanks, text direction marks, music signs, tags, and sounds in brackets.
_BETWEEN = (
    rf"\s|[\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069♪♫♬]|(?x:{TAG})|\[[^\[\]\n]{{1,200}}\]"
)

_BEFORE = re.compile(
    rf"(?:{_BETWEEN}|\#(?=\s)|(?P<new>>{{2,3}})|\((?P<name>(?=[^\W\d_])[^()\na-z]{{1,40}})\))+"
)
_AFTER = re.compile(rf"(?:{_BETWEEN}|(?<=\s)\#)+\Z")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]+)>")
_DASH = re.compile(r"[-‐–—]+\s*(?=[^\W\d_]|[<{\[(\"'“‘«¿¡♪…]|\.\.)")
_LONGEST_NAME = 256

_ENDS_IN_DASH = re.compile(r"[-‐–—]\s*\Z")


class CueLine(NamedTuple):
    """A line of a subtitle file.

    Attributes:
        start: the start of its text; None if it has none.
        ends_turn: whether the speaker changes after this text, or the file ends.
    """

    line: str
    start: int | None = None
    end: int = 0
    ends_turn: bool = False


class Subtitles(Text):
    """Subtitles in SubRip (``.srt``) and WebVTT (``.vtt``), which text models read and write.

    Sentences may cross the lines of cues.
    """

    name = "subtitles"
    suffixes = (".srt", ".vtt")

    def read_words(self, path: str | Path) -> Iterator[Entry[Located, Words | Omitted]]:
        raise UsageError(
            f"{display_name(path)}: sentences of subtitles cross their lines, so only a text model "
            "reads them; give one, such as the installed model en"
        )


def text_of_cues(lines: Iterable[str], name: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a file, and whether each is part of the text of a cue.

    Raises:
        TreebankError: if there is text before the times of the first cue.
    """
    is_block, cues, before = False, 0, ""
    lines = [*lines, "", ""]
    triples = zip(lines, lines[1:], lines[2:], strict=False)
    for number, (line, following, later) in enumerate(triples, start=1):
        is_after_empty, is_number = not before.strip(), bool(_NUMBER.fullmatch(line))
        # A file may have an empty line after every line.
        is_spaced = is_number and is_after_empty and not following.strip()
        # A line before the times is the number of the cue or, after an empty line, its name.
        is_name = is_after_empty or is_number
        is_name = is_name and bool(_TIMES.match(later if is_spaced else following))
        if is_after_empty and not is_block:
            is_block = bool(_BLOCK.match(line)) and not is_name
        is_block = is_block and bool(line.strip())
        is_times = not is_block and bool(_TIMES.match(line))
        cues += is_times
        is_text = not (is_block or is_times or is_name)
        if is_text and not cues and line.strip("\ufeff \t\r\n"):
            if "\r" in line.rstrip("\r\n"):
                raise TreebankError(
                    f"{name}:{number}: lines end in CR alone, as on old computers; convert them "
                    f"to LF: tr '\\r' '\\n' < {name} > OUT"
                )
            raise TreebankError(
                f"{name}:{number}: no times of a cue come before this line, such as "
                "00:00:01,000 --> 00:00:02,500; give subtitles in SubRip or WebVTT, or rename the "
                "file if it is plain text"
            )
        yield line, is_text
        before = line


def cue_lines(lines: Iterable[str], name: str) -> Iterator[CueLine]:
    """Yield the lines of a file with the positions of their text, and the ends of turns.

    The speaker changes after a dash (unless the line before ends in one), after a name with a
    colon, in another WebVTT voice, and after ``>>``.
    """
    waiting: list[CueLine] = []  # the last line with text, and those after it
    voice = ""
    for line, is_text in text_of_cues(lines, name):
        last = waiting[0].line[: waiting[0].end] if waiting else ""
        start, end, is_turn, new_voice = _edges(line, bool(_ENDS_IN_DASH.search(last)))
        if not is_text or start == end:
            waiting.append(CueLine(line))
            if waiting[0].start is None:
                yield waiting.pop()
            continue
        if waiting:
            is_turn = is_turn or bool(new_voice and new_voice != voice)
            yield waiting[0]._replace(ends_turn=is_turn)
            yield from waiting[1:]
        voice = new_voice or voice
        waiting = [CueLine(line, start, end)]
    if waiting:
        yield waiting[0]._replace(ends_turn=True)
        yield from waiting[1:]


def _edges(line: str, is_continued: bool) -> tuple[int, int, bool, str]:
    """Return start and end of the text of a line, whether the speaker changes, and the voice."""
    start, is_turn, is_named, voice = 0, False, False, ""
    while True:
        place = start
        if edge := _BEFORE.match(line, start):
            start = edge.end()
            is_turn = is_turn or bool(edge["new"] or edge["name"])
            if named := _VOICE.search(edge[0]):
                voice = named[1].strip()
        if not is_continued and (dash := _DASH.match(line, start)):
            start, is_turn = dash.end(), True
        labels = () if is_named else labels_of(line[start : start + _LONGEST_NAME])
        if labels and labels[0][0] == 0 and line[start] != line[start].lower():
            start, is_turn, is_named = start + labels[0][1], True, True
        if start == place:
            break
    edge = _AFTER.search(line, start)
    return start, edge.start() if edge else len(line), is_turn, voice
