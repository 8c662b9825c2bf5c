"""``semipunct rephrase``: change trees, and regenerate their punctuation."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.cli.commands import Command
from semipunct.cli.phases import phase
from semipunct.cli.run import read_ahead
from semipunct.errors import EditError, UsageError
from semipunct.pipelines.options import Surface
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.corpus import Entry, Sentence
    from semipunct.corpus.treebank import AnyEntry
    from semipunct.formats import Writer
    from semipunct.papers.rephrasing.edits import TreeEdit
    from semipunct.papers.rephrasing.task import Rephrasing
    from semipunct.pipelines.chunks import Chunk
    from semipunct.trees import Place

_LISTED = 5  # ids listed in a message


Format = Literal["conllu", "text"]


def rephrase(
    model: arguments.Model,
    inputs: arguments.Treebanks,
    out: arguments.Output = console.STANDARD,
    edits: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File of edits of single sentences, one per line: sent_id, delete, ID; or "
            "sent_id, move, ID, place, ID of the new head; separated by tabs, or as JSON.",
        ),
    ] = None,
    delete: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RELATION",
            help="Delete all constituents with this relation, such as acl:relcl, appos, parataxis; "
            "acl includes its subtypes. Repeatable.",
        ),
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RELATION=PLACE",
            help="Move all constituents with this relation to a place among the dependents of "
            "their head: first, last, or directly before or after the head (advcl=first). "
            "Repeatable.",
        ),
    ] = None,
    permute: Annotated[
        str | None,
        typer.Option(
            metavar="ORDERING",
            help="Folder of a model of --kind ordering, from which the order of the dependents of "
            "nouns and verbs is drawn.",
        ),
    ] = None,
    surface: Annotated[
        Surface,
        typer.Option(
            help="Draw the channel's edits of the underlying marks, or use the best edits."
        ),
    ] = "drawn",
    seed: arguments.Seed = 0,
    form: Annotated[
        Format, typer.Option("--format", help="conllu with the new trees, or text.")
    ] = "conllu",
    quiet: arguments.Quiet = False,
) -> None:
    """Delete, move or reorder constituents, and regenerate the punctuation.

    First the best underlying tree of each sentence is found, in which marks belong to constituents
    and are deleted or moved with them. Then the channel rewrites the underlying marks between
    words. Changes are made in the order --edits, --delete, --move, --permute. Trees are made
    projective. Sentences that the model cannot process are passed through and counted.
    """
    from semipunct.papers.rephrasing.edits import read_tree_edits

    moves = [_move(text) for text in move or ()]
    if edits == console.STANDARD and console.STANDARD in inputs:
        raise UsageError("both the input and --edits are standard input; name a file for one")
    console.check_targets(out, inputs=inputs, kept=(model, edits, permute))
    edits_by_id = read_tree_edits(edits) if edits is not None else {}
    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.cli.progress import sentence_progress
        from semipunct.formats import Writer, format_of, read_entries
        from semipunct.models.punctuation.model import PunctuationModel
        from semipunct.papers.rephrasing.model import OrderingModel
        from semipunct.papers.rephrasing.task import Changes, names
        from semipunct.papers.rephrasing.task import rephrase as rephrase_sentences
        from semipunct.pipelines.chunks import answer_entries
        from semipunct.pipelines.notices import Omissions, UnseenValues
        from semipunct.pipelines.trained import InPlace
        from semipunct.pipelines.tree_writing import NO_ANALYSIS
        from semipunct.store.checkpoint import load

    with phase("loading the model"):
        fitted = InPlace.of(load(model, PunctuationModel))
        ordering = load(permute, OrderingModel) if permute is not None else None
    keep_programs()
    changes = Changes(tuple(delete or ()), moves, ordering)
    entries = read_entries(inputs)
    form_in = format_of(*inputs)
    with phase("reading"):
        first, entries = read_ahead(entries)
    writer = form_in.writer(first)
    if type(writer).rearrange is Writer.rearrange:
        raise UsageError(
            f"{inputs[0]}: words of this file format cannot be rearranged; give CoNLL-U"
        )
    omitted, unseen = Omissions("left unchanged"), UnseenValues(fitted.model)
    relations: set[str] = set()
    edited: dict[str, str] = {}  # location of the first sentence with each sent_id
    long_nodes = 0

    def answer(chunk: "Chunk") -> "Iterator[Rephrasing | None]":
        nonlocal long_nodes
        sentences: list[Sentence] = chunk.contents
        unseen.count(sentences)
        relations.update(r for s in sentences for r in s.tree.relations)
        edits_of: list[list[TreeEdit]] = []
        for entry, s in zip(chunk.entries, sentences, strict=True):
            listed = edits_by_id.get(s.sentence_id, [])
            edits_of.append([edit.renumber(entry.word_ids) for edit in listed])
            before = edited.setdefault(s.sentence_id, s.where)
            if listed and before != s.where:
                raise EditError(
                    f"{listed[0].where}: two sentences have this sent_id, {before} and {s.where}; "
                    "give each sentence to be edited a unique sent_id"
                )
        rephrasings = rephrase_sentences(
            fitted, sentences, changes, edits=edits_of, surface=surface,
            seed=seed, first=chunk.numbers[0],
        )  # fmt: skip
        for rephrasing in rephrasings:
            if rephrasing is None:
                omitted.count_reason(NO_ANALYSIS)
            else:
                long_nodes += rephrasing.long
            yield rephrasing

    outcomes = answer_entries(entries, answer, omitted)
    with console.output(out) as stream, sentence_progress("rephrasing", out, quiet=quiet) as bar:
        outcomes = bar(outcomes)
        if form == "conllu":
            records = (_conllu(entry, rephrasing, writer) for entry, rephrasing in outcomes)
            writer.write(records, stream)
        else:
            lines = (f"{_text(entry, rephrasing, writer)}\n" for entry, rephrasing in outcomes)
            stream.writelines(lines)
    console.say_all(omitted.messages())
    if long_nodes:
        console.say(f"{quantity(long_nodes, 'node')} not permuted: too many dependents")
    for changed in dict.fromkeys([*(delete or ()), *(relation for relation, _ in moves)]):
        if not any(names(relation, changed) for relation in relations):
            console.say(f"no word of the input has the relation {changed}, so it changed nothing")
    console.say_all(unseen.messages())
    if missing := [name for name in edits_by_id if name not in edited]:
        listed = ", ".join(missing[:_LISTED]) + (", ..." if len(missing) > _LISTED else "")
        where = edits_by_id[missing[0]][0].where
        raise EditError(
            f"{where}: {quantity(len(missing), 'sentence')} of the list could not be changed, "
            f"missing in the input or left out: {listed}; correct the sent_id. All other sentences "
            "were rephrased and written"
        )


COMMAND = Command(rephrase, "model in.conllu --delete acl:relcl --delete appos --format text")


def _move(text: str) -> "tuple[str, Place]":
    from semipunct.trees import PLACES

    relation, _, place = text.rpartition("=")
    for known in PLACES:
        if relation and place == known:
            return relation, known
    raise UsageError(
        f"--move {text}: give a relation and a place, as in advcl=first; places are: "
        f"{', '.join(PLACES)}"
    )


def _rearranged(entry: "AnyEntry", rephrasing: "Rephrasing", writer: "Writer[Any]") -> "Entry[Any]":
    from semipunct.corpus import Sentence

    before = entry.content
    is_whole = rephrasing.words == tuple(range(1, len(entry.word_ids) + 1))
    # Without deletions and moves, keep all lines, with empty nodes and the enhanced graph.
    if isinstance(before, Sentence) and is_whole and rephrasing.sentence.tree == before.tree:
        return writer.recase(entry, rephrasing.sentence.forms)
    moved = writer.rearrange(entry, rephrasing.words, rephrasing.sentence.tree)
    return writer.recase(moved, rephrasing.sentence.forms)


def _conllu(entry: "AnyEntry", rephrasing: "Rephrasing | None", writer: "Writer[Any]") -> str:
    if rephrasing is None:
        return writer.source_text(entry)
    return writer.punctuate(_rearranged(entry, rephrasing, writer), rephrasing.sentence.slots)


def _text(entry: "AnyEntry", rephrasing: "Rephrasing | None", writer: "Writer[Any]") -> str:
    if rephrasing is None:
        return writer.plain(entry)
    return writer.text(_rearranged(entry, rephrasing, writer), rephrasing.sentence.slots)
