"""Parsing to derivations, for ``semipunct parse`` with a model of the kind ccg-parser."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.cli import console
from semipunct.cli.treebanks import in_chunks
from semipunct.errors import UsageError
from semipunct.wording import counted

if TYPE_CHECKING:
    from semipunct.corpus import Entry, Sentence
    from semipunct.evaluation.derivations import DerivationCounts
    from semipunct.formats.ccgbank import CcgbankRecord
    from semipunct.models.ccg.decoding import CcgParse
    from semipunct.store.checkpoint import SavedModel
    from semipunct.trees.derivations import Derivation

    Derived = Entry[CcgbankRecord, Sentence[Derivation]]

CHUNK = 256
"""Sentences parsed at a time."""


def parse_derivations(
    loaded: "SavedModel[Any]",
    inputs: Sequence[str],
    out: str | None,
    *,
    gold: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Give words derivations, and compare them with those of the input.

    Args:
        loaded: a model of the kind ccg-parser.
        inputs: files of derivations, of which words and tags are read.
        out: the place to write to; None for standard output, or nothing where figures are printed.
        gold: whether figures are printed.
        json: whether they are one JSON object.
        quiet: whether no progress is shown.

    Raises:
        UsageError: if the files are of another format.
        TreebankError: if one is missing or damaged.
    """
    from semipunct.cli.progress import sentence_progress
    from semipunct.evaluation.derivations import DerivationCounts
    from semipunct.formats import format_of

    if format_of(*inputs, default="ccgbank").name != "ccgbank":
        raise UsageError(
            f"{inputs[0]}: a parser of the kind ccg-parser reads words with tags in files of "
            "derivations; give one whose name ends in .auto"
        )
    total = DerivationCounts()
    missing, cut = 0, 0

    def texts() -> Iterator[str]:
        nonlocal total, missing, cut
        for entry, found in _parsed(loaded, inputs):
            total = total.plus(_counts(entry, found)) if gold else total
            cut += not found.complete
            if found.derivation is None:
                missing += 1
            else:
                yield _text(entry, found.derivation)

    if gold and out is None:
        for _ in texts():
            pass
    else:
        where = out or console.STANDARD
        with (
            console.output(where) as stream,
            sentence_progress("parsing", where, quiet=quiet) as advancing,
        ):
            stream.writelines(advancing(texts()))
    if missing:
        console.say(f"{counted(missing, 'sentence')} left out: no derivation was found")
    if cut:
        console.say(f"{counted(cut, 'sentence')} with a chart that was given up: too large")
    if gold:
        _show(total, json=json)


def _parsed(
    loaded: "SavedModel[Any]", inputs: Sequence[str]
) -> "Iterator[tuple[Derived, CcgParse]]":
    from semipunct.formats.ccgbank import Ccgbank
    from semipunct.models.ccg.decoding import CcgParser

    parser = CcgParser(loaded.model, loaded.parameters)
    entries = (entry for path in inputs for entry in Ccgbank().read_derivations(path))
    for chunk in in_chunks(entries, CHUNK):
        yield from zip(chunk, parser.parsed([entry.content for entry in chunk]), strict=True)


def _counts(entry: "Derived", found: "CcgParse") -> "DerivationCounts":
    from semipunct.evaluation.derivations import DerivationCounts
    from semipunct.trees.predicates import predicate_dependencies

    tree = found.derivation
    mine = None if tree is None else (tree.tags, predicate_dependencies(tree))
    gold = entry.content.tree
    return DerivationCounts.of((gold.tags, predicate_dependencies(gold)), mine)


def _text(entry: "Derived", tree: "Derivation") -> str:
    from semipunct.formats.ccgbank import auto_line
    from semipunct.trees.coindexation import coindexed

    record = entry.record.source
    leaves = [
        leaf._replace(dependency_category=str(coindexed(tree.parsed[node])))
        for leaf, node in zip(record.leaves, tree.leaves, strict=True)
    ]
    return f"ID={record.sentence_id} PARSER=SEMIPUNCT NUMPARSE=1\n{auto_line(tree, leaves)}\n"


def _show(total: "DerivationCounts", *, json: bool) -> None:
    values = total.as_dict()
    if json:
        from semipunct.render.outputs import output
        from semipunct.render.outputs.figures import DerivationsCompared

        console.print_json(output(DerivationsCompared, values))
        return
    table = console.table("figure", "value")
    for name, value in values.items():
        shown = (
            "undefined" if value is None else f"{value:,}" if name in _COUNTS else f"{value:.4f}"
        )
        table.add_row(name.replace("_", " "), shown)
    console.tables().print(table)


_COUNTS = ("sentences", "words")
