"""Derivations: ``semipunct parse`` with a CCG parser, and ``semipunct evaluate`` of its output."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from semipunct.cli import console
from semipunct.cli.treebanks import LeftOut, check_any, in_chunks, omissions
from semipunct.errors import UsageError
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.corpus import Entry, Sentence
    from semipunct.evaluation.derivations import DerivationStatistics
    from semipunct.evaluation.results import Result
    from semipunct.formats.ccgbank import AutoRecord
    from semipunct.formats.verbatim import VerbatimRecord
    from semipunct.models.ccg.decoding import CcgParse
    from semipunct.store.checkpoint import SavedModel
    from semipunct.trees.derivations import Derivation

    Derived = Entry[VerbatimRecord[AutoRecord], Sentence[Derivation]]

CHUNK = 256
"""Sentences parsed at a time."""


def parse_derivations(
    loaded: "SavedModel[Any]",
    inputs: Sequence[str],
    out: str | None,
    *,
    gold: bool,
    json: bool,
    path: str | None,
    quiet: bool,
) -> None:
    """Parse words into derivations, and compare these with the derivations of the input.

    Args:
        loaded: a model of the kind ccg-parser.
        inputs: files of derivations, of which words and tags are read.
        out: the output file; None for standard output, or for no output if figures are printed.
        gold: whether figures are printed.
        json: whether they are one JSON object.
        path: the file to store them in, if any.
        quiet: whether no progress is shown.

    Raises:
        UsageError: if the files are of another format.
        TreebankError: if one is missing or damaged.
    """
    from semipunct.cli.progress import sentence_progress
    from semipunct.formats import format_of

    if format_of(*inputs, default="ccgbank").name != "ccgbank":
        raise UsageError(
            f"{inputs[0]}: a model of the kind ccg-parser reads words and tags from files of "
            "derivations; give a file whose name ends in .auto"
        )
    sentences: list[Sentence[Derivation]] = []
    trees: list[Derivation | None] = []
    missing, cut = 0, 0
    omitted = LeftOut("left out")

    def texts() -> Iterator[str]:
        nonlocal missing, cut
        for entry, found in _parsed(loaded, inputs, omitted):
            if gold:
                sentences.append(entry.content)
                trees.append(found.derivation)
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
    omitted.say()
    if missing:
        console.say(f"{quantity(missing, 'sentence')} left out: no derivation was found")
    if cut:
        console.say(f"{quantity(cut, 'sentence')} not fully parsed: the chart became too large")
    if gold:
        from semipunct.tasks.parse_derivations import compare_derivations

        _report(
            compare_derivations(str(loaded.path), loaded.digest, sentences, trees),
            json=json,
            path=path,
        )


def holds_derivations(path: str) -> bool:
    """Return whether a path is that of a file of derivations, and not of a model folder.

    Args:
        path: as it was given.
    """
    from semipunct.formats import format_of

    return format_of(path).name == "ccgbank" and not Path(path).is_dir()


def evaluate_derivations(
    parsed: str, tests: Sequence[str], *, json: bool, path: str | None
) -> None:
    """Compare derivations in a file with those of a treebank.

    Args:
        parsed: a file of derivations that a parser wrote.
        tests: files of the treebank.
        json: whether figures are printed as one JSON object.
        path: the file to store them in, if any.

    Raises:
        UsageError: if sentences of the first file are not those of the treebank.
        TreebankError: if a file is missing or damaged.
    """
    from semipunct.files.digests import sha256
    from semipunct.formats.ccgbank import read_derived_sentences
    from semipunct.tasks.parse_derivations import by_sentence, compare_derivations

    if not all(test == console.STANDARD or holds_derivations(test) for test in tests):
        raise UsageError(
            f"{parsed}: derivations can be compared only with derivations; give test files whose "
            "names end in .auto, or standard input"
        )
    treebanks = read_derived_sentences([parsed]), read_derived_sentences(tests)
    check_any(treebanks[1], tests, "derivation")
    for name, treebank in zip((parsed, ", ".join(tests)), treebanks, strict=True):
        if treebank.omitted:
            console.say(f"{name}: {omissions(treebank)}")
    found, sentences = cast("tuple[Sequence[Sentence[Derivation]], ...]", treebanks)
    digest = sha256("\n".join(repr(s.tree) for s in found).encode())
    trees = by_sentence(sentences, found)
    missing = trees.count(None)
    if missing:
        console.say(f"{quantity(missing, 'sentence')} without a derivation in {parsed}")
    _report(compare_derivations(parsed, digest, sentences, trees), json=json, path=path)


def _parsed(
    loaded: "SavedModel[Any]", inputs: Sequence[str], omitted: LeftOut
) -> "Iterator[tuple[Derived, CcgParse]]":
    from semipunct.models.ccg.decoding import CcgParser

    parser = CcgParser(loaded.model, loaded.parameters)
    for chunk in in_chunks(_well_formed(inputs, omitted), CHUNK):
        yield from zip(chunk, parser.parse([entry.content for entry in chunk]), strict=True)


def _well_formed(inputs: Sequence[str], omitted: LeftOut) -> "Iterator[Derived]":
    from semipunct.corpus import Omitted
    from semipunct.formats.ccgbank import Ccgbank

    for path in inputs:
        for entry in Ccgbank().read_derivations(path):
            if isinstance(entry.content, Omitted):
                omitted.count(entry.content)
            else:
                yield cast("Derived", entry)


def _text(entry: "Derived", tree: "Derivation") -> str:
    from semipunct.formats.ccgbank import auto_line
    from semipunct.trees.coindexation import coindex

    record = entry.record.source
    leaves = [
        leaf._replace(dependency_category=str(coindex(tree.parsed[node])))
        for leaf, node in zip(record.leaves, tree.leaves, strict=True)
    ]
    return f"ID={record.sentence_id} PARSER=SEMIPUNCT NUMPARSE=1\n{auto_line(tree, leaves)}\n"


def _report(found: "Result[DerivationStatistics]", *, json: bool, path: str | None) -> None:
    if path:
        from semipunct.evaluation.results import write_result

        write_result(path, found)
    figures = found.figures
    if json:
        from semipunct.render.outputs import output
        from semipunct.render.outputs.figures import DerivationsCompared

        values = {**figures.as_dict(), "signature": found.signature}
        console.print_json(output(DerivationsCompared, values))
        return
    console.print_figures(figures.rows(), found.signature)
