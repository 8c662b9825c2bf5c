"""The commands whose output is compared with their input, and how they are run."""

from __future__ import annotations

import contextlib
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unicodedata import category
from xml.etree import ElementTree

from round_trip.reading import SPACING, Block, read_block, spaces_after, split_file
from round_trip.texts import compare_texts, has_letters, same_characters
from round_trip.treebanks import ANALYSIS, Difference, Permission, compare_treebanks

from semipunct.cli import main

KEEPS = ("replace", "repair", "keep")
_DRAW = ("--samples", "1")
"""A single draw: rare marks are inserted as well, wherever the model has any doubt."""

Compare = Callable[[str, str], list[Difference]]


@dataclass(frozen=True)
class Command:
    """A command line without its input.

    Attributes:
        name: for the tables.
        words: the command, its models and options.
        compare: finds differences between input and output.
        suffix: of the output file.
        is_validated: whether errors of the validator are counted; a parser's trees break rules of
            syntax, which is no fault of what it preserves.
        is_text: whether it is given text.
        repeats: whether its output, given to it again, must stay byte for byte as it is.
        is_quiet: whether it has the option --quiet.
    """

    name: str
    words: tuple[str, ...]
    compare: Compare
    suffix: str = ".conllu"
    is_validated: bool = False
    is_text: bool = False
    repeats: bool = False
    is_quiet: bool = True


@dataclass(frozen=True)
class Models:
    """The folders of the models that commands need, and the name of an installed text model."""

    punctuation: Path
    parser: Path
    tokeniser: Path
    correction: Path
    text: str = "en"


def commands(models: Models) -> list[Command]:
    """Return all commands.

    Args:
        models: their models.
    """
    return [*_on_treebanks(models), *_on_texts(models)]


def _on_treebanks(models: Models) -> list[Command]:
    punctuation, parser = str(models.punctuation), str(models.parser)
    commands: list[Command] = []
    for keep in KEEPS:
        permitted = Permission(deletions=keep != "keep")
        words = ("restore", punctuation, "--keep", keep, *_DRAW)
        commands.append(
            Command(f"restore --keep {keep}", words, _treebank(permitted), is_validated=True)
        )
        text = _sentence_texts(deletions=keep != "keep")
        words = (*words, "--format", "text")
        commands.append(Command(f"restore --keep {keep} --format text", words, text, ".txt"))
    words = ("restore", punctuation, "--parser", parser, *_DRAW)
    permitted = Permission(columns=ANALYSIS)
    commands.append(Command("restore --parser", words, _treebank(permitted)))
    nothing = Permission(marks=False)
    for semiring, more in (
        ("viterbi", ()),
        ("kbest", ("--nbest", "2")),
        ("sampling", ("--samples", "2")),
    ):
        words = ("decode", punctuation, "--semiring", semiring, *more)
        permitted = Permission(marks=False, copies=2) if more else nothing
        commands.append(
            Command(f"decode {semiring}", words, _treebank(permitted), is_validated=not more)
        )
    draws = ("--minimise", "slots", *_DRAW)
    words = ("correct", str(models.correction), "--format", "conllu", *draws)
    commands.append(Command("correct", words, _treebank(Permission()), is_validated=True))
    words = ("parse", parser)
    permitted = Permission(marks=False, columns=ANALYSIS)
    commands.append(Command("parse", words, _treebank(permitted)))
    commands.append(
        Command("rephrase", ("rephrase", punctuation), _treebank(Permission()), is_validated=True)
    )
    return [*commands, *_for_treebanks(punctuation)]


def _for_treebanks(punctuation: str) -> list[Command]:
    """Return the commands for those who keep treebanks, which may change one column at most."""
    attached = Permission(marks=False, mark_columns=frozenset({"HEAD", "DEPS"}))
    commands = [
        Command(
            " ".join(words), words, _treebank(attached), is_validated=True, repeats=True,
            is_quiet=False,
        )
        for words in (
            ("normalise",), ("normalise", "--strict"), ("normalise", "--convention", "unit")
        )
    ]  # fmt: skip
    listed = Command(
        "suspects", ("suspects", punctuation, "--format", "conllu", "--top", "300"),
        _treebank(Permission(marks=False)), is_validated=True, repeats=True, is_quiet=False,
    )  # fmt: skip
    drawn = Command(
        "decode --format svg", ("decode", punctuation, "--format", "svg"), _picture, ".svg"
    )
    return [*commands, listed, drawn]


def _on_texts(models: Models) -> list[Command]:
    parser = ("--parser", str(models.parser))
    tokeniser = ("--tokeniser", str(models.tokeniser))
    commands: list[Command] = []
    for name, more in (("", tokeniser), (" by lines", ())):
        for keep in KEEPS:
            words = ("restore", str(models.punctuation), *parser, *more, "--keep", keep, *_DRAW)
            text, trees = _text(keep), _text_of_treebank(deletions=keep != "keep")
            for form, compare in (("text", text), ("conllu", trees)):
                title = f"restore text{name} --keep {keep} --format {form}"
                suffix = ".txt" if form == "text" else ".conllu"
                every = (*words, "--format", form)
                commands.append(Command(title, every, compare, suffix, is_text=True))
        words = ("correct", str(models.correction), *parser, *more, "--format", "text")
        every = (*words, "--minimise", "slots", *_DRAW)
        commands.append(
            Command(f"correct text{name}", every, _text("replace"), ".txt", is_text=True)
        )
        words = ("parse", str(models.parser), *more)
        commands.append(Command(f"parse text{name}", words, _parsed_text, is_text=True))
    for ends in ("paragraph", "none"):
        for keep in ("replace", "keep"):
            words = ("restore", models.text, "--keep", keep, "--lines", ends)
            title = f"restore text by a text model --keep {keep} --lines {ends}"
            commands.append(Command(title, words, _text_but_capitals(keep), ".txt", is_text=True))
    words = ("correct", models.text, "--min-confidence", "0.2", "--format", "text")
    title = "correct text by a text model"
    commands.append(Command(title, words, _text("replace"), ".txt", is_text=True))
    return commands


def run(command: Command, source: Path, target: Path) -> str:
    """Run a command within this process.

    Args:
        command: without input and output.
        source: its input.
        target: the file to write.

    Returns:
        An empty string, or the message of a failure.
    """
    output, errors = io.StringIO(), io.StringIO()
    arguments = [*command.words, str(source), "-o", str(target)]
    arguments += ["--quiet"] * command.is_quiet
    status: object = 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            main(arguments)
        except SystemExit as end:
            status = end.code
        # A crash is a finding, not the end of the run.
        except Exception as error:  # noqa: BLE001
            status = f"{type(error).__name__}: {error}"
    if not status:
        return ""
    return f"{status}: {errors.getvalue().strip()[-300:]}"


def _treebank(permitted: Permission) -> Compare:
    return lambda before, after: compare_treebanks(before, after, permitted)


def _picture(before: str, after: str) -> list[Difference]:
    """Compare the words of the sentences with the texts of a picture; some have no tree."""
    root = ElementTree.fromstring(after)
    texts = Counter(
        (each.text or "").rstrip(".") for each in root.iter() if each.get("class") == "word"
    )
    forms = Counter(
        "".join(c if c.isprintable() else "\ufffd" for c in row[1].rstrip("."))
        for block in split_file(before)[0]
        for unit in read_block(block).units
        for row in unit.rows
    )
    lost = texts - forms
    return [Difference("words that are not in the input", "file", "", str(lost))] if lost else []


def _text(keep: str) -> Compare:
    return lambda before, after: compare_texts(before, after, deletions=keep != "keep")


def _text_but_capitals(keep: str) -> Compare:
    def compare(before: str, after: str) -> list[Difference]:
        return compare_texts(before.casefold(), after.casefold(), deletions=keep != "keep")

    return compare


def _sentence_texts(*, deletions: bool) -> Compare:
    """Compare the text of each sentence, on a line of its own.

    Tokens of a treebank may stand together without being parts of an orthographic word, and where a
    file records no spaces, there are none to be preserved. Symbols that are marks of the treebank,
    such as ``<<``, or do not occur in it, may be inserted.
    """
    ignored = ("inside a word", "joining mark")

    def compare(before: str, after: str) -> list[Difference]:
        blocks = [read_block(block) for block in split_file(before)[0]]
        lines = after.split("\n")[:-1]
        if len(blocks) != len(lines):
            return [Difference("number of lines", "file", str(len(blocks)), str(len(lines)))]
        is_recorded = any(name in before for name in SPACING)
        marks = "".join(unit.form for block in blocks for unit in block.units if unit.is_mark)
        forms = {char for block in blocks for unit in block.units for char in unit.form}
        inserted = {*marks, *(set(after) - forms)}
        symbols = [char for char in inserted if category(char).startswith("S")]
        as_mark = str.maketrans(dict.fromkeys(symbols, "‹"))
        differences: list[Difference] = []
        for number, (block, line) in enumerate(zip(blocks, lines, strict=True), start=1):
            if any(has_letters(unit.form) for unit in block.units if unit.is_mark):
                continue
            texts = (text.translate(as_mark) for text in (_text_of(block), line.rstrip()))
            for each in compare_texts(*texts, deletions=deletions):
                is_space = each.kind.startswith("spaces")
                is_unrecorded = block.text is None and not is_recorded
                if each.kind not in ignored and not (is_space and is_unrecorded):
                    differences.append(replace(each, place=f"sentence {number}"))
        return differences

    return compare


def _text_of(block: Block) -> str:
    """Return the text of a sentence, as its comment or its MISC states it."""
    if block.text is not None:
        return block.text.rstrip()
    spaces = spaces_after(block.units)
    text = "".join(unit.form + space for unit, space in zip(block.units, spaces, strict=True))
    return re.sub(r"[\r\n]+", " ", text).rstrip()


def _text_of_treebank(*, deletions: bool) -> Compare:
    def compare(before: str, after: str) -> list[Difference]:
        # Blank lines and line breaks between sentences are recorded by comments, if at all.
        differences = compare_texts(_blanks(before), _blanks(_texts(after)), deletions=deletions)
        return [each for each in differences if not each.kind.startswith("spaces")]

    return compare


def _texts(treebank: str) -> str:
    return "".join(f"{_text_of(read_block(block))}\n" for block in split_file(treebank)[0])


def _blanks(text: str) -> str:
    return " ".join(text.split())


def _parsed_text(before: str, after: str) -> list[Difference]:
    return same_characters(before, "".join(_written(after)))


def _written(treebank: str) -> Sequence[str]:
    return [u.form for block in split_file(treebank)[0] for u in read_block(block).units]
