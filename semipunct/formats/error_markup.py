"""Error markup of the Cambridge Learner Corpus: original text and corrections in one text.

``<ns type="RP"><i>,</i><c>.</c></ns>`` is a comma corrected to a period: ``i`` is the original,
``c`` its correction; either may be missing, and errors may be nested (Nicholls 2003). The XML files
of the FCE (Yannakoudakis, Briscoe and Medlock 2011) have it in their paragraphs ``p``, and the
treebank of learner English (Berzak et al. 2016; UD English-ESL) in comments ``#SENT=`` of its
CoNLL-U. The public release of that treebank has neither words nor texts; its ``merge.py`` adds them
for licensees of the FCE.
"""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from semipunct.corpus import Omitted, Sentence, Words
from semipunct.corpus.located import BLANKS, Piece, is_mark, located_sentence
from semipunct.corpus.parallel import Alignment, ParallelSentence, align_versions, shared_slots
from semipunct.corpus.sentences import MISSING
from semipunct.errors import TreebankError
from semipunct.files import display_name
from semipunct.formats.conllu import Conllu
from semipunct.formats.lines import text_lines
from semipunct.marks import spacing

_SENTENCE = re.compile(r"#\s*SENT\s*=\s?(.*)")
_ID = re.compile(r"#\s*(?:ID|sent_id)\s*=\s?(.*)")
_TAG = re.compile(r"<(/?)(ns|i|c)(?:\s[^<>]*)?(/?)>", re.IGNORECASE)
_TOKEN = re.compile(r"\w+(?:[-'’.@/&:]\w+)*(?:\.(?=\w))?|\.{2,}|-{2,}|\S")
"""Words, which may contain some marks, and marks; runs of periods and hyphens are one token."""

_MERGE = (
    "this is a release of the annotations alone: run the treebank's merge.py, with the licence of "
    "the FCE, and read what it gets"
)


class Versions(NamedTuple):
    """A text with error markup.

    Attributes:
        written: the original text.
        corrected: the text with all corrections.
    """

    written: str
    corrected: str


def versions(marked: str) -> Versions:
    """Split a text with error markup into its versions.

    Args:
        marked: the text; entities such as ``&amp;`` are resolved.

    Raises:
        ValueError: if tags are not closed, or closed in the wrong order; the message names the tag.
    """
    open_tags: list[str] = []
    written: list[str] = []
    corrected: list[str] = []
    place = 0

    def add(text: str) -> None:
        # Errors within a correction are not part of the original, and vice versa.
        if "c" not in open_tags:
            written.append(unescape(text))
        if "i" not in open_tags:
            corrected.append(unescape(text))

    for tag in _TAG.finditer(marked):
        add(marked[place : tag.start()])
        place = tag.end()
        closes, name, empty = tag[1], tag[2].lower(), tag[3]
        if empty:
            continue
        if not closes:
            if name in ("i", "c") and (not open_tags or open_tags[-1] != "ns"):
                raise ValueError(f"<{name}> outside of <ns>")
            open_tags.append(name)
        elif not open_tags or open_tags.pop() != name:
            raise ValueError(f"</{name}> closes what was not opened")
    if open_tags:
        raise ValueError(f"<{open_tags[-1]}> is not closed")
    add(marked[place:])
    return Versions(*(BLANKS.sub(" ", "".join(text)).strip() for text in (written, corrected)))


def read_error_markup(
    path: str | Path, alignment: Alignment = "shared"
) -> Iterator[ParallelSentence[Words]]:
    """Yield the sentences of a file with error markup, with their corrected versions.

    In XML these are its paragraphs, in any other file its comments ``#SENT=``. Texts are split into
    words and marks by their characters; a period between letters is not split off. Sentences
    without words in either version are skipped.

    Args:
        path: XML of the FCE, ``.gz`` or not, or CoNLL-U.
        alignment: the method of aligning slots, see ``corpus.parallel``.

    Raises:
        TreebankError: with file and line, if the file is missing, has no or malformed error markup,
            is a treebank without words, or sentences do not align.
    """
    name = display_name(path)
    lines = list(text_lines(path))
    texts = 0
    xml = any(line.lstrip("\ufeff").lstrip().startswith("<") for line in lines[:1])
    number = 0
    for line, sentence_id, marked in (_paragraphs if xml else _comments)(name, lines):
        number += 1
        texts += bool(marked.strip())
        where = sentence_id or f"#{number}"
        markup_versions = _versions(name, line, where, marked)
        written, corrected = (_words(where, name, line, text) for text in markup_versions)
        if isinstance(written, Words) and isinstance(corrected, Words):
            yield align_versions(written, [corrected], alignment)
    if not number:
        _fail(name, 1, "no text with error markup was found",
              "give XML with paragraphs <p>, or CoNLL-U with comments #SENT=")  # fmt: skip
    if not texts and not xml:
        _fail(name, 1, "all comments #SENT= are empty", _MERGE)


def read_learner_treebank(path: str | Path) -> Iterator[ParallelSentence[Sentence]]:
    """Yield the sentences of a treebank with error markup, with its words, tags and trees.

    The corrected version of each sentence is in a comment ``#SENT=``. Only slots between words that
    it shares with the treebank, which may be tokenised differently, are used. Sentences that models
    cannot process, and those corrected to no words, are skipped.

    Args:
        path: CoNLL-U, ``.gz`` or not, such as UD English-ESL with its words.

    Raises:
        TreebankError: with file and line, if the file is missing or damaged, has no words, or a
            sentence has no or malformed error markup.
    """
    name = display_name(path)
    for entry in Conllu().read(path):
        sentence = entry.content
        if not isinstance(sentence, Sentence):
            continue
        where = f"sentence {sentence.sentence_id}"
        if all(form == MISSING for form in sentence.forms):
            _fail(name, sentence.line, f"{where} has no words", _MERGE)
        matches = (_SENTENCE.fullmatch(line.strip()) for line in entry.record.lines)
        marked = next((match[1] for match in matches if match), "")
        if not marked.strip():
            _fail(name, sentence.line, f"{where} has no error markup", "give a comment #SENT=")
        text = _versions(name, sentence.line, sentence.sentence_id, marked).corrected
        corrected = _words(sentence.sentence_id, name, sentence.line, text)
        if isinstance(corrected, Words):
            slots = spacing.visible(corrected.slots)
            judged = shared_slots(sentence.forms, corrected.forms, slots)
            yield ParallelSentence(sentence, (), (judged,))


def _versions(name: str, line: int, where: str, marked: str) -> Versions:
    try:
        return versions(marked)
    except ValueError as error:
        _fail(name, line, f"sentence {where}: {error}", "correct the markup")


def _comments(_name: str, lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and text of the comments of a file in CoNLL-U."""
    sentence: tuple[int, str] | None = None
    sentence_id = ""
    for number, line in enumerate([*lines, ""], 1):
        text = line.lstrip("\ufeff").strip()
        if match := _SENTENCE.fullmatch(text):
            sentence = number, match[1]
        elif match := _ID.fullmatch(text):
            sentence_id = match[1]
        elif not text:
            if sentence:
                yield sentence[0], sentence_id, sentence[1]
            sentence, sentence_id = None, ""


def _paragraphs(name: str, lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and text of the paragraphs of a file in XML."""
    paragraphs: list[tuple[int, str, str]] = []
    pieces: list[str] | None = None  # of the open paragraph
    begin = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal pieces, begin
        if tag != "p":
            if pieces is not None:
                attribute_text = "".join(
                    f" {key}={quoteattr(value)}" for key, value in attributes.items()
                )
                pieces.append(f"<{tag}{attribute_text}>")
            return
        if pieces is not None:
            _fail(name, parser.CurrentLineNumber, "a paragraph <p> within another one",
                  "close the first one before")  # fmt: skip
        pieces, begin = [], parser.CurrentLineNumber

    def end(tag: str) -> None:
        nonlocal pieces
        if pieces is not None and tag == "p":
            paragraphs.append((begin, "", "".join(pieces)))
            pieces = None
        elif pieces is not None:
            pieces.append(f"</{tag}>")

    def text(characters: str) -> None:
        if pieces is not None:
            pieces.append(escape(characters))

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text
    try:
        parser.Parse("".join(lines), True)
    except expat.ExpatError as error:
        _fail(name, error.lineno, f"this is not XML ({error})", "give a whole file of the FCE")
    yield from paragraphs


def _words(sentence_id: str, path: str, line: int, text: str) -> Words | Omitted:
    spans = [match.span() for match in _TOKEN.finditer(text)]
    pieces = [Piece(span, is_mark(text[slice(*span)])) for span in spans]
    return located_sentence(sentence_id, path, line, text, pieces).content


def _fail(path: str, line: int, problem: str, remedy: str) -> NoReturn:
    raise TreebankError(f"{path}:{line}: {problem}; {remedy}")
