"""``semipunct parse`` with a parser of phrases: words in, trees in brackets out."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from semipunct.cli import console
from semipunct.cli.treebanks import InPieces, LeftOut, in_chunks
from semipunct.errors import TreebankError, UsageError

if TYPE_CHECKING:
    from semipunct.corpus import Words
    from semipunct.corpus.sentences import Sentence
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.base import Trained

CHUNK = 256
"""Sentences parsed at a time."""


def parse_into_phrases(
    model: "SavedModel[Any]",
    inputs: Sequence[str],
    out: str | None,
    tokeniser: "Trained[Any] | None",
    *,
    gold: bool,
    json: bool,
    path: str | None,
    quiet: bool,
) -> None:
    """Parse files, and write trees or compare them.

    Args:
        model: a parser of phrases.
        inputs: the files.
        out: the output file; None for standard output, or with ``gold`` for no output.
        tokeniser: of running text.
        gold: whether trees are compared with those of the input.
        json: print the comparison as one JSON object.
        path: the file to store the comparison in, if any.
        quiet: show no progress.

    Raises:
        UsageError: for standard input with both ``gold`` and ``out``.
        TreebankError: if a file is missing or damaged, or there is nothing to compare with.
    """
    from semipunct.cli.compiling import keep_programs
    from semipunct.cli.progress import sentence_progress
    from semipunct.formats.ptb.writing import write_phrases
    from semipunct.tasks.parse_phrases import parse_phrases

    if gold and out is not None and console.STANDARD in inputs:
        raise UsageError(
            "--gold and --output both read the input, and standard input can be read only "
            "once; name a file"
        )
    keep_programs()
    if gold:
        _compare(model, inputs, json=json, path=path)
        if out is None:
            return
    omitted = LeftOut("not parsed")
    cut = InPieces()
    to = out or console.STANDARD
    with (
        console.output(to) as stream,
        sentence_progress("parsing", to, quiet=quiet) as advancing,
    ):
        for chunk in in_chunks(advancing(words_to_parse(inputs, tokeniser, omitted)), CHUNK):
            cut.look_at(chunk)
            for sentence in parse_phrases(model, chunk):
                stream.write(write_phrases(sentence))
    omitted.say()
    cut.say()


def words_to_parse(
    inputs: Sequence[str], tokeniser: "Trained[Any] | None", omitted: LeftOut
) -> "Iterator[Sentence[Any] | Words]":
    """Yield the sentences of files with commas in their slots and all other marks as words.

    Args:
        inputs: trees in brackets, CoNLL-U or text.
        tokeniser: of running text.
        omitted: counts sentences that cannot be parsed, by reason.

    Raises:
        TreebankError: if a file is missing or damaged.
        UsageError: if a tokeniser is given and the words are known.
    """
    from semipunct.cli.running_text import read_running_text, running_text_format
    from semipunct.corpus import Omitted, Words
    from semipunct.corpus.marks_as_words import with_marks_as_words
    from semipunct.formats import format_of, read_phrases, read_words
    from semipunct.formats.registry import COMMA_TAGS

    if tokeniser is not None:
        running_text_format(inputs)
        entries: Iterator[Any] = read_running_text(inputs, tokeniser)
    elif format_of(*inputs, words=True).name == "ptb":
        entries = read_phrases(inputs, COMMA_TAGS)
    else:
        entries = read_words(inputs)
    for entry in entries:
        if isinstance(entry.content, Omitted):
            omitted.count(entry.content)
        elif isinstance(entry.content, Words):
            yield with_marks_as_words(entry.content, COMMA_TAGS)
        else:
            yield entry.content


def _compare(
    model: "SavedModel[Any]", inputs: Sequence[str], *, json: bool, path: str | None
) -> None:
    """Print how the phrases of a parser compare with those of the input, and store it."""
    from semipunct.evaluation.brackets import bracket_statistics
    from semipunct.evaluation.results import Result, write_result
    from semipunct.formats.registry import read_whole_phrases
    from semipunct.models.constituency.labels import read_tree
    from semipunct.tasks.parse_phrases import phrase_trees, phrases_signature

    treebank = cast("Sequence[Any]", read_whole_phrases(inputs))
    if not treebank:
        raise TreebankError(f"{', '.join(inputs)}: no sentence is left; give trees with words")
    read = [read_tree(s, commas=model.model.options.commas) for s in treebank]
    found = phrase_trees(model, [forms for forms, _ in read])
    statistics = bracket_statistics([tree for _, tree in read], found)
    line = phrases_signature(model.digest, treebank)
    if path:
        write_result(path, Result(str(model.path), line, statistics))
    figures = statistics.figures()
    if json:
        from semipunct.render.outputs import output
        from semipunct.render.outputs.figures import PhrasesCompared

        console.print_json(output(PhrasesCompared, {**figures.as_dict(), "signature": line}))
        return
    console.print_figures(figures.rows(), line)
