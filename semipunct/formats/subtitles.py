"""Subtitles in SubRip and WebVTT: cues of one or more lines of text, each with its times.

Only the text of cues is read; everything else (numbers, times, settings, notes, styles) comes back
as it was, line by line. A library that parses cues would lose some of it
(docs/decisions/0051-subtitles.md).
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path

from semipunct.corpus import Entry, Words
from semipunct.corpus.located import Located
from semipunct.corpus.treebank import Omitted
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.text import Text

_TIMES = re.compile(r"\s*(\d+:)?\d+:\d\d[.,]\d+\s*-->\s*(\d+:)?\d+:\d\d[.,]\d+")
"""The times of a cue: hours, which WebVTT may leave out, minutes, seconds and their fraction."""

_BLOCK = re.compile(r"\ufeff?(WEBVTT|NOTE|STYLE|REGION)(\s|$)")
"""The first line of a block of WebVTT that is not a cue; it ends at an empty line."""

_TAG = r"(?:<[^<>\n]{1,200}>|\{\\[^{}\n]{0,200}\})"
_EDGES = re.compile(
    rf"(?P<before>(?:\s|\ufeff|{_TAG})*)(?P<text>.*?)(?P<after>(?:\s|{_TAG})*)", re.S
)


class Subtitles(Text):
    """Subtitles in SubRip (``.srt``) and WebVTT (``.vtt``), which text models read and write.

    The lines of cues are parts of one text: sentences cross them.
    """

    name = "subtitles"
    suffixes = (".srt", ".vtt")

    def before_file(self) -> "Subtitles":
        return Subtitles(ended=True)

    def read_words(self, path: str | Path) -> Iterator[Entry[Located, Words | Omitted]]:
        raise UsageError(
            f"{display_name(path)}: sentences of subtitles cross their lines, so only a text model "
            "reads them; give one, such as the installed model en"
        )


def text_of_cues(lines: Iterable[str], name: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a file, and whether each is part of the text of a cue.

    Args:
        lines: of the file, with their line ends.
        name: of the file, for messages.

    Raises:
        TreebankError: if there is text before the times of the first cue.
    """
    is_block, cues = False, 0
    for number, (line, following) in enumerate(pairwise(chain(lines, [""])), start=1):
        is_block = bool(line.strip()) and (is_block or bool(_BLOCK.match(line)))
        is_times = not is_block and bool(_TIMES.match(line))
        cues += is_times
        # A line before the times is the number or the name of the cue.
        is_text = not (is_block or is_times or _TIMES.match(following))
        if is_text and not cues and line.strip("\ufeff \t\r\n"):
            raise TreebankError(
                f"{name}:{number}: no times of a cue come before this line, such as "
                "00:00:01,000 --> 00:00:02,500; give subtitles in SubRip or WebVTT, or rename the "
                "file if it is plain text"
            )
        yield line, is_text


def edges_of_cue(line: str) -> tuple[int, int]:
    """Return where the text of a line begins and ends between blanks and tags.

    Args:
        line: of a cue, with its line end.
    """
    match = _EDGES.fullmatch(line)
    return (0, len(line)) if match is None or not match["text"] else match.span("text")
