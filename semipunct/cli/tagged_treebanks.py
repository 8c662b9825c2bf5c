"""``semipunct parse`` with a beam parser: tagged treebanks in, with the parser's trees out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from semipunct.cli import console
from semipunct.cli.treebanks import LeftOut, check_any, in_chunks
from semipunct.errors import UsageError
from semipunct.files import display_name

if TYPE_CHECKING:
    from semipunct.corpus import Sentence
    from semipunct.corpus.treebank import AnyEntry
    from semipunct.store.checkpoint import SavedModel

CHUNK = 1024
"""Sentences parsed at a time."""


def parse_by_beam(
    loaded: "SavedModel[Any]",
    inputs: Sequence[str],
    out: str | None,
    *,
    gold: bool,
    json: bool,
    path: str | None,
    quiet: bool,
) -> None:
    """Parse the words of treebanks, and compare the trees with those of the input.

    Args:
        loaded: a model of the kind beam-parser.
        inputs: files with tags and trees, of which the trees are ignored.
        out: the output file; None for standard output, or for no output if figures are printed.
        gold: whether figures are printed.
        json: whether they are one JSON object.
        path: the file to store them in, if any.
        quiet: whether no progress is shown.

    Raises:
        UsageError: for text, which has no tags.
        TreebankError: if a file is missing or damaged, or its words have no tags.
    """
    from semipunct.cli.parsing_report import report
    from semipunct.cli.progress import sentence_progress
    from semipunct.corpus import Treebank
    from semipunct.formats import format_of
    from semipunct.formats.registry import read_entries
    from semipunct.tasks.parse_tagged import tagged_signature

    for name in inputs:
        if format_of(name).name == "text":
            raise UsageError(
                f"{display_name(name)}: a model of the kind beam-parser reads tags, which text "
                "does not have; give CoNLL-U, for example as written by semipunct parse with a "
                "model of the kind parser"
            )
    pairs: Iterable[tuple[AnyEntry, Sentence | None]] = _parsed(loaded, read_entries(inputs))
    if gold:
        pairs = [*pairs]
        treebank = Treebank.of(entry for entry, _ in pairs)
        check_any(treebank, inputs, "sentence")
        found = [sentence for _, sentence in pairs if sentence is not None]
        line = tagged_signature(loaded.digest, treebank.sentences)
        report(str(loaded.path), line, treebank, found, json=json, path=path)
        if not loaded.model.options.labelled:
            console.say("the parser predicts no relations (model.labelled): LAS is meaningless")
        if out is None:
            return
    omitted = LeftOut("not parsed")
    to = out or console.STANDARD
    with (
        console.output(to) as stream,
        sentence_progress("parsing", to, quiet=quiet) as advancing,
    ):
        stream.writelines(advancing(_texts(pairs, omitted)))
    omitted.say()


def _parsed(
    loaded: "SavedModel[Any]", entries: "Iterable[AnyEntry]"
) -> "Iterator[tuple[AnyEntry, Sentence | None]]":
    """Yield each sentence with its new tree, or None if it is omitted."""
    from semipunct.corpus import Omitted
    from semipunct.formats.registry import with_marks
    from semipunct.tasks.parse_tagged import parse_tagged

    for chunk in in_chunks(entries, CHUNK):
        kept = [entry for entry in chunk if not isinstance(entry.content, Omitted)]
        trees = iter(parse_tagged(loaded, [with_marks(entry) for entry in kept]))
        for entry in chunk:
            if isinstance(entry.content, Omitted):
                yield entry, None
            else:
                yield entry, replace(entry.content, tree=next(trees), expected=None)


def _texts(pairs: "Iterable[tuple[AnyEntry, Sentence | None]]", omitted: LeftOut) -> Iterator[str]:
    """Yield the sentences as CoNLL-U; omitted ones are unchanged, and counted."""
    from semipunct.corpus import Omitted
    from semipunct.formats import Annotation
    from semipunct.formats.conllu import Conllu, Record
    from semipunct.formats.conllu.analysed import analysed_entry
    from semipunct.render.analyses import OURS

    writer = Conllu().writer()
    for entry, sentence in pairs:
        if sentence is not None:
            yield writer.annotate(analysed_entry(entry, sentence), Annotation(replaces=OURS))
        elif isinstance(entry.content, Omitted):
            omitted.count(entry.content)
            if isinstance(entry.record, Record):
                yield writer.source_text(entry)
